/** What the genesis says of a chain for ever. */
import type { Hardfork } from '../../evm/engine.ts'

/** Facts of the genesis that never change. */
export interface ChainParameters {
  /** CometBFT's chain id, such as localnat-1. */
  readonly chainId: string
  readonly evmChainId: bigint
  readonly initialHeight: number
  /** Forks with the second from which they hold, ascending. */
  readonly hardforks: readonly { readonly hardfork: Hardfork; readonly timestamp: number }[]
}

/** The fork in force at a timestamp in seconds. */
export const hardforkAt = (parameters: ChainParameters, timestamp: number): Hardfork =>
  parameters.hardforks.findLast((entry) => entry.timestamp <= timestamp)?.hardfork ?? 'osaka'

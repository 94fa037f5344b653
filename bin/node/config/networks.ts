/** The networks that `chain init` knows by their native chain id. */
import { evmChainIdOf, isKnownChain, type KnownChain } from '../../../app/genesis/known-chains.ts'
import { cliError } from '../../errors.ts'

export interface Network {
  readonly chainId: string
  readonly evmChainId: bigint
  /** Public networks listen on every interface, and `chain start` warns about it. */
  readonly isPublic: boolean
  /** Said once by `chain init`. */
  readonly notice?: string
}

const PRESETS: Readonly<Record<KnownChain, Omit<Network, 'chainId' | 'evmChainId'>>> = {
  'localnat-1': { isPublic: false },
  'nat-2517-1': { isPublic: true },
  'nat-2518-1': { isPublic: true, notice: 'nat-2518-1 (mainnet) is reserved: the network is not live yet' },
}

/** CometBFT's own bound on a chain id, and no characters that a path or a shell would mind. */
const CHAIN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,49}$/

export const isPublicNetwork = (chainId: string): boolean => isKnownChain(chainId) && PRESETS[chainId].isPublic

/** Any other chain id needs its EVM chain id. Throws cli/1. */
export const findNetwork = (chainId: string, evmChainId: bigint | undefined): Network => {
  if (!CHAIN_ID.test(chainId)) {
    throw cliError('usage', `"${chainId}" is no chain id: 1 to 50 letters, digits, dots, dashes and underscores`)
  }
  if (isKnownChain(chainId)) {
    const known = evmChainIdOf(chainId)
    if (evmChainId === undefined || evmChainId === known) return { chainId, evmChainId: known, ...PRESETS[chainId] }
    throw cliError('usage', `the EVM chain id of ${chainId} is ${known}, not ${evmChainId}`)
  }
  if (evmChainId !== undefined) return { chainId, evmChainId, isPublic: false }
  const names = Object.keys(PRESETS).join(', ')
  throw cliError('usage', `${chainId} is no known network (${names}): name its EVM chain id with --evm-chain-id`)
}

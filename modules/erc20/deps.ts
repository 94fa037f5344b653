/** What the converter needs of the rest of the node. */
import type { Address } from '../../core/address.ts'
import type { StateWriter } from '../../store/state.ts'
import type { Coin, Ledger, LedgerContext } from '../ledger.ts'

/** What wallets are told of a denomination. */
export interface DenomDescription {
  readonly base: string
  readonly description: string
  readonly name: string
  readonly symbol: string
  readonly decimals: number
  /** The denomination of ten to the power of `decimals`. */
  readonly display: string
}

export interface Erc20Dependencies {
  readonly ledger: Pick<Ledger, 'balance' | 'supply' | 'mint' | 'burn' | 'isBlockedReceiver'>
  /** Moves coins of `from` into the community pool, with the events of a transfer. */
  fundCommunityPool(context: LedgerContext, from: Address, coins: readonly Coin[]): void
  describeDenom(state: StateWriter, description: DenomDescription): void
  forgetDenom(state: StateWriter, base: string): void
  /** Code of the contract of a view: it sends all calls on to the precompile that answers them. */
  readonly viewCode: Uint8Array
}

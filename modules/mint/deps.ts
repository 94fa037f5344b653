/** What mint needs of the rest of the node. */
import type { Address } from '../../core/address.ts'
import type { Decimal } from '../../core/decimal.ts'
import type { StateReader } from '../../store/state.ts'
import type { Ledger } from '../ledger.ts'

export interface MintDependencies {
  readonly ledger: Ledger
  /** The bonded share of all tokens, from 0 to 1. */
  bondedRatio(state: StateReader): Decimal
  /** Gets what is minted: it reaches the stakers as fees do. */
  readonly feeCollector: Address
}

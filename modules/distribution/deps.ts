/** What distribution needs of the rest of the node. */
import type { Address } from '../../core/address.ts'
import type { StateReader } from '../../store/state.ts'
import type { Coin, Ledger } from '../ledger.ts'
import type { ModuleContext } from '../module.ts'
import type { StakeReader } from '../stake.ts'

export interface DistributionDependencies {
  readonly ledger: Ledger
  readonly stake: StakeReader
  /** Where both families of transactions pay their fees. */
  readonly feeCollector: Address
  /** Reads what the collector has beside anat: fees of markets in their quotes. Sorted by denomination. */
  otherFees(state: StateReader): readonly Coin[]
}

/** What rewards are reckoned in: a block, a message, or the throw-away state of a query. */
export type RewardContext = Pick<ModuleContext, 'state' | 'emit' | 'height'>

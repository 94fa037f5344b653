/** What the order book's governance, genesis and hooks need of the rest of the node. */
import type { StateReader } from '../../store/state.ts'
import type { Ledger } from '../ledger.ts'

export interface ClobDependencies {
  readonly ledger: Pick<Ledger, 'balance' | 'supply'>
  /** The size of the set whose votes decide block `height`, absent ones too. */
  validatorCount(state: StateReader, height: number): number
  /** Why a block would not have room for the votes of all that may be validators and for transactions, or undefined. */
  blockRoomFault(state: StateReader): string | undefined
}

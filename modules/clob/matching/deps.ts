/** What a CLOB step needs of the rest of the node. */
import type { Address } from '../../../core/address.ts'
import type { StateWriter } from '../../../store/state.ts'
import type { Ledger } from '../../ledger.ts'
import type { Event } from '../../module.ts'

export interface StepContext {
  readonly state: StateWriter
  readonly height: number
  /** Time of the block: whole milliseconds since 1970, rounded down. */
  readonly timeMs: number
  /** Takes the events of what no transaction did. */
  emit(event: Event): void
  readonly ledger: Pick<Ledger, 'balance' | 'escrow' | 'settle'>
  readonly feeCollector: Address
}

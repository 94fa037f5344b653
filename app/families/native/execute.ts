/** A native transaction in a block: the ante, then the messages. A failed one keeps what the ante did. */
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import { CodedError, isFault } from '../../../core/errors.ts'
import { markSearched } from '../../../modules/events.ts'
import type { Event } from '../../../modules/module.ts'
import { encodeEvents } from '../../../proto/encode-exec-tx-result.ts'
import type { StateWriter } from '../../../store/state.ts'
import type { TransactionResult } from '../../ports.ts'
import { type NativeContext, runAnte } from './ante.ts'
import type { GasMeter } from './gas-meter.ts'
import { runMessages } from './messages.ts'
import type { PreparedTransaction } from './prepare.ts'
import { nativeWeight } from './weight.ts'

/** What `work` throws undoes what it wrote. */
const atomically = <Result>(state: StateWriter, work: () => Result): Result => {
  state.checkpoint()
  try {
    const result = work()
    state.commit()
    return result
  } catch (error) {
    state.revert()
    throw error
  }
}

const settle = (
  prepared: PreparedTransaction,
  context: NativeContext,
  meter: GasMeter,
  anteEvents: readonly Event[],
): TransactionResult => {
  const { gasLimit: gasWanted } = prepared.transaction.fee
  try {
    const { data, events } = atomically(context.state, () => runMessages(prepared, context, meter))
    const all = encodeEvents(markSearched([...anteEvents, ...events]))
    return { code: 0, codespace: '', log: '', data, gasWanted, gasUsed: meter.used, events: all }
  } catch (error) {
    if (!(error instanceof CodedError) || isFault(error)) throw error
    const { code, codespace, message: log } = error
    const events = encodeEvents(markSearched(anteEvents))
    return { code, codespace, log, data: EMPTY_BYTES, gasWanted, gasUsed: meter.used, events }
  }
}

export interface ExecutedTransaction {
  readonly result: TransactionResult
  /** The weight in nanoseconds. */
  readonly weight: number
}

/** Throws a CodedError when it is not valid at its place: it has changed nothing then. */
export const executeNative = (prepared: PreparedTransaction, context: NativeContext): ExecutedTransaction => {
  const anteEvents: Event[] = []
  context.state.beginTransaction()
  const paid = atomically(context.state, () => runAnte(prepared, context, (event) => void anteEvents.push(event)))
  const result = settle(prepared, context, paid.meter, anteEvents)
  return { result, weight: nativeWeight(prepared, result.gasUsed, paid.isTypedData) }
}

/** A native transaction in a block: the ante, then the messages. A failed one keeps what the ante did. */
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import { CodedError, invariant, isFault } from '../../../core/errors.ts'
import { markSearched } from '../../../modules/events.ts'
import type { Event } from '../../../modules/module.ts'
import { encodeEvents } from '../../../proto/encode-exec-tx-result.ts'
import type { ExecutionPace } from '../../../evm/engine.ts'
import type { StateWriter } from '../../../store/state.ts'
import type { TransactionResult } from '../../ports.ts'
import { type NativeContext, runAnte } from './ante.ts'
import type { GasMeter } from './gas-meter.ts'
import { MessageRun, type MessagesResult } from './messages.ts'
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

/** The ante of a transaction, and what its messages come to. */
class Execution {
  readonly #prepared: PreparedTransaction
  readonly #state: StateWriter
  readonly #meter: GasMeter
  readonly #isTypedData: boolean
  readonly #anteEvents: Event[] = []
  readonly #run: MessageRun
  #isBegun = false

  /** Runs the ante. Throws a CodedError when it is not valid at its place: it has changed nothing then. */
  constructor(prepared: PreparedTransaction, context: NativeContext) {
    this.#prepared = prepared
    this.#state = context.state
    this.#state.beginTransaction()
    const emit = (event: Event): void => void this.#anteEvents.push(event)
    const { meter, isTypedData } = atomically(this.#state, () => runAnte(prepared, context, emit))
    this.#meter = meter
    this.#isTypedData = isTypedData
    this.#run = new MessageRun(prepared, context, meter)
  }

  /** Undefined where the pace is due before all messages have run. Without a pace they all run. */
  runMessages(pace?: ExecutionPace): ExecutedTransaction | undefined {
    const run = this.#run
    if (!this.#isBegun) this.#state.checkpoint()
    this.#isBegun = true
    let done: MessagesResult
    try {
      while (!run.isDone) {
        run.step()
        if (!run.isDone && pace?.isYieldDue === true) return undefined
      }
      done = run.finish()
    } catch (error) {
      this.#state.revert()
      if (!(error instanceof CodedError) || isFault(error)) throw error
      const { code, codespace, message: log } = error
      return this.#end({ code, codespace, log, data: EMPTY_BYTES }, [])
    }
    this.#state.commit()
    return this.#end({ code: 0, codespace: '', log: '', data: done.data }, done.events)
  }

  async runLater(pace: ExecutionPace): Promise<ExecutedTransaction> {
    for (;;) {
      await this.#giveWay(pace)
      const executed = this.runMessages(pace)
      if (executed !== undefined) return executed
    }
  }

  async #giveWay(pace: ExecutionPace): Promise<void> {
    try {
      await pace.yield()
    } catch (error) {
      this.#state.revert()
      throw error
    }
  }

  #end(
    ended: Pick<TransactionResult, 'code' | 'codespace' | 'log' | 'data'>,
    own: readonly Event[],
  ): ExecutedTransaction {
    const { gasLimit: gasWanted } = this.#prepared.transaction.fee
    const meter = this.#meter
    const events = encodeEvents(markSearched([...this.#anteEvents, ...own]))
    return {
      result: { ...ended, gasWanted, gasUsed: meter.used, events },
      weight: nativeWeight(this.#prepared, meter.used, this.#isTypedData),
      workGas: meter.workGas,
    }
  }
}

export interface ExecutedTransaction {
  readonly result: TransactionResult
  /** The weight in nanoseconds. */
  readonly weight: number
  /** See {@link AppliedTransaction.workGas}. */
  readonly workGas: bigint
}

/** Throws a CodedError when it is not valid at its place: it has changed nothing then. */
export const executeNative = (prepared: PreparedTransaction, context: NativeContext): ExecutedTransaction => {
  const executed = new Execution(prepared, context).runMessages()
  invariant(executed !== undefined, 'messages without a pace have all run')
  return executed
}

/** Does what {@link executeNative} does, and gives way between two messages: a promise where it did. */
export const executeNativeAt = (
  pace: ExecutionPace,
  prepared: PreparedTransaction,
  context: NativeContext,
): ExecutedTransaction | Promise<ExecutedTransaction> => {
  const execution = new Execution(prepared, context)
  return execution.runMessages(pace) ?? execution.runLater(pace)
}

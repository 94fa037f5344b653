/** The messages of a native transaction, in order: all of them or none. */
import { encodeBech32 } from '../../../core/bech32.ts'
import { CodedError, invariant, isFault } from '../../../core/errors.ts'
import { attribute } from '../../../modules/events.ts'
import type { Event } from '../../../modules/module.ts'
import { SDK_CODES } from '../../../modules/sdk-errors.ts'
import { encodeTxMsgData } from '../../../proto/encode-tx-msg-data.ts'
import { GAS_PER_MESSAGE, responseGas } from '../../native/gas.ts'
import { contractCallsOf } from '../../native/contract-calls.ts'
import type { NativeContext } from './ante.ts'
import type { GasMeter } from './gas-meter.ts'
import type { PreparedMessage, PreparedTransaction } from './prepare.ts'

/** The most bytes of the encoded responses of all messages: every node keeps them. */
const MAX_DATA_BYTES = 64 * 1024

export interface MessagesResult {
  /** A TxMsgData. */
  readonly data: Uint8Array
  readonly events: readonly Event[]
}

const withIndex = ({ type, attributes }: Event, index: number): Event => ({
  type,
  attributes: attributes.concat(attribute('msg_index', String(index))),
})

/** `cosmos.bank.v1beta1.MsgSend` belongs to `bank`. */
const moduleOf = (typeUrl: string): string => typeUrl.split('.')[1] ?? ''

/** The event that names the message, before its own. */
const messageEvent = ({ handler, sender }: PreparedMessage, own: readonly Event[]): Event => {
  const attributes = [attribute('action', handler.typeUrl), attribute('sender', encodeBech32(sender))]
  const isNamed = own.some((event) => event.attributes.some(({ key }) => key === 'module'))
  if (!isNamed) attributes.push(attribute('module', moduleOf(handler.typeUrl)))
  return { type: 'message', attributes }
}

const isOutOfGas = ({ codespace, code }: CodedError): boolean => codespace === 'sdk' && code === SDK_CODES.outOfGas

/** The text is the SDK's: running out of gas is no failure of the message. */
const failedMessage = (error: CodedError, index: number): CodedError =>
  isOutOfGas(error)
    ? error
    : new CodedError(
        error.codespace,
        error.code,
        `failed to execute message; message index: ${index}: ${error.message}`,
        error.data,
      )

/** The messages of one transaction, step by step. What a step throws is for its caller, who undoes what was written. */
export class MessageRun {
  readonly #messages: readonly PreparedMessage[]
  readonly #context: NativeContext
  readonly #meter: GasMeter
  readonly #events: Event[] = []
  readonly #responses: { readonly typeUrl: string; readonly value: Uint8Array }[] = []
  #index = 0

  constructor({ messages }: PreparedTransaction, context: NativeContext, meter: GasMeter) {
    this.#messages = messages
    this.#context = context
    this.#meter = meter
  }

  get isDone(): boolean {
    return this.#index >= this.#messages.length
  }

  /** Runs the next message. Throws its CodedError. */
  step(): void {
    const index = this.#index++
    const each = this.#messages[index]
    invariant(each !== undefined, 'all messages have run')
    const { handler, prepared, refusal } = each
    const { state, height, timeNs, chainId, scene } = this.#context
    const meter = this.#meter
    const own: Event[] = []
    try {
      meter.consume(GAS_PER_MESSAGE, handler.typeUrl)
      if (refusal !== undefined) throw refusal
      const emit = (event: Event): void => void own.push(event)
      const consumeGas = (amount: bigint, what: string): void => meter.consume(amount, what)
      const contracts = scene && contractCallsOf(scene, state, meter, emit)
      const context = { state, height, timeNs, chainId, emit, consumeGas, ...(contracts && { contracts }) }
      const value = handler.execute(context, prepared)
      meter.consume(responseGas(value.length), 'response')
      this.#responses.push({ typeUrl: `${handler.typeUrl}Response`, value })
    } catch (error) {
      if (!(error instanceof CodedError) || isFault(error)) throw error
      throw failedMessage(error, index)
    }
    this.#events.push(withIndex(messageEvent(each, own), index))
    for (const event of own) this.#events.push(withIndex(event, index))
  }

  /** Throws sdk/18 where the responses are too long. */
  finish(): MessagesResult {
    const data = encodeTxMsgData(this.#responses)
    if (data.length > MAX_DATA_BYTES) {
      throw new CodedError('sdk', SDK_CODES.invalidRequest, `the responses have more than ${MAX_DATA_BYTES} bytes`)
    }
    return { data, events: this.#events }
  }
}

/** Throws the CodedError of the message that failed; the caller undoes what was written. */
export const runMessages = (prepared: PreparedTransaction, context: NativeContext, meter: GasMeter): MessagesResult => {
  const run = new MessageRun(prepared, context, meter)
  while (!run.isDone) run.step()
  return run.finish()
}

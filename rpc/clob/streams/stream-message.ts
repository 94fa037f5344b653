/** A message of a stream, encoded once however many read it. What a full block has to say is made in turns of a few milliseconds. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { create, type DescMessage, type Message, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { clobStream } from '../../../proto/index.ts'
import { createMessagePrinter } from '../../native/print-message.ts'
import { createTypeRegistry } from '../../native/services.ts'

/** Over WebSocket and over gRPC. */
export type StreamForm = 'json' | 'bytes'

/** Items that make a message long: less of them takes less than a turn. */
const LONG_ITEMS = 500
const ITEMS_A_PIECE = 50
const TURN_MS = 5
/** Characters that become bytes at once. */
const TEXT_A_PIECE = 64 * 1024

const printer = createMessagePrinter(createTypeRegistry([clobStream.Stream]))

/** A list of messages within a message; its field stands behind those without a list. */
export interface MessageList {
  /** lowerCamelCase. */
  readonly name: string
  readonly count: number
  make(at: number): Message
  /** Where it is encoded already. */
  bytesAt?(at: number): Uint8Array
}

export const listOfMessages = <Item, Schema extends DescMessage>(
  name: string,
  items: readonly Item[],
  schema: Schema,
  form: (item: Item) => MessageInitShape<Schema>,
): MessageList => ({ name, count: items.length, make: (at) => create(schema, form(items[at] as Item)) })

export class StreamMessage {
  readonly #schema: DescMessage
  readonly #message: Message
  readonly #lists: readonly MessageList[]
  #json: Buffer | string | undefined
  #bytes: Uint8Array | undefined
  /** What is begun: whoever needs it goes on with it. */
  readonly #steps = new Map<StreamForm, Iterator<void, unknown>>()
  readonly #preparing = new Map<StreamForm, Promise<void>>()

  constructor(schema: DescMessage, head: Message, lists: readonly MessageList[] = []) {
    this.#schema = schema
    this.#message = head
    this.#lists = lists
  }

  /** JSON of the proto message: a text, or bytes where it is long. */
  get json(): Buffer | string {
    this.advance('json', Number.POSITIVE_INFINITY)
    return this.#json ?? ''
  }

  get bytes(): Uint8Array {
    this.advance('bytes', Number.POSITIVE_INFINITY)
    return this.#bytes ?? new Uint8Array(0)
  }

  /** Goes on with it until that time of performance.now. True once it is there. */
  advance(form: StreamForm, untilMs: number): boolean {
    if (this.#isMade(form)) return true
    const steps = this.#steps.get(form) ?? (form === 'json' ? this.#print() : this.#encode())
    this.#steps.set(form, steps)
    do {
      if (steps.next().done !== true) continue
      this.#steps.delete(form)
      return true
    } while (performance.now() < untilMs)
    return false
  }

  /** Undefined where it is there already, or takes less than a turn. Others get turns between. */
  prepare(form: StreamForm): Promise<void> | undefined {
    const count = this.#lists.reduce((sum, list) => sum + list.count, 0)
    if (this.#isMade(form) || count <= LONG_ITEMS) return undefined
    const known = this.#preparing.get(form)
    if (known !== undefined) return known
    const preparing = this.#inTurns(form).finally(() => this.#preparing.delete(form))
    this.#preparing.set(form, preparing)
    return preparing
  }

  #isMade(form: StreamForm): boolean {
    return form === 'json' ? this.#json !== undefined : this.#bytes !== undefined
  }

  async #inTurns(form: StreamForm): Promise<void> {
    while (!this.advance(form, performance.now() + TURN_MS)) await nextTurn()
  }

  *#print(): Generator<void> {
    if (this.#lists.every(({ count }) => count === 0)) {
      this.#json = printer.print(this.#schema, this.#message)
      return
    }
    const whole = { ...this.#message }
    for (const list of this.#lists) {
      const items: Message[] = []
      for (let at = 0; at < list.count; at++) {
        items.push(list.make(at))
        if (items.length % ITEMS_A_PIECE === 0) yield
      }
      Object.assign(whole, { [list.name]: items })
    }
    const done: Buffer[] = []
    let text = ''
    for (const piece of printer.pieces(this.#schema, whole)) {
      text += piece
      if (text.length < TEXT_A_PIECE) continue
      done.push(Buffer.from(text))
      text = ''
      yield
    }
    this.#json = done.length === 0 ? text : Buffer.concat([...done, Buffer.from(text)])
  }

  /** Messages one behind the other are one with the lists of all. */
  *#encode(): Generator<void> {
    const done: Uint8Array[] = [toBinary(this.#schema, this.#message)]
    for (const list of this.#lists) {
      for (let at = 0; at < list.count; at += ITEMS_A_PIECE) {
        done.push(this.#encodeItems(list, at, Math.min(at + ITEMS_A_PIECE, list.count)))
        yield
      }
    }
    this.#bytes = done.length === 1 ? done[0] : Buffer.concat(done)
  }

  #encodeItems({ name, make, bytesAt }: MessageList, from: number, to: number): Uint8Array {
    const number = this.#schema.field[name]?.number
    if (bytesAt === undefined || number === undefined) {
      const items = Array.from({ length: to - from }, (_, index) => make(from + index))
      return toBinary(this.#schema, create(this.#schema, { [name]: items }))
    }
    const writer = new BinaryWriter()
    for (let at = from; at < to; at++) writer.tag(number, WireType.LengthDelimited).bytes(bytesAt(at))
    return writer.finish()
  }
}

export const messageOf = <Schema extends DescMessage>(
  schema: Schema,
  init: MessageInitShape<Schema>,
  lists: readonly MessageList[] = [],
): StreamMessage => new StreamMessage(schema, create(schema, init), lists)

/**
 * tendermint.abci.ExecTxResult by hand: a native transaction has some thirty attributes of events, every result is
 * encoded twice, for CometBFT and for the record of the block, and the general encoder takes more than twice as long.
 */

interface EventAttribute {
  readonly key: string
  readonly value: string
  readonly index: boolean
}

export interface ExecTxResultFields {
  readonly code: number
  readonly data: Uint8Array
  readonly log: string
  /** Both at most 2^63 - 1. */
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  readonly events: readonly { readonly type: string; readonly attributes: readonly EventAttribute[] }[]
  readonly codespace: string
}

/** Field numbers of ExecTxResult with their wire types, as they stand on the wire. */
const TAG = {
  code: 0x08,
  data: 0x12,
  log: 0x1a,
  gasWanted: 0x28,
  gasUsed: 0x30,
  events: 0x3a,
  codespace: 0x42,
} as const
/** Event: type 1, attributes 2. EventAttribute: key 1, value 2, index 3. */
const [TYPE, ATTRIBUTES, KEY, VALUE, INDEX] = [0x0a, 0x12, 0x0a, 0x12, 0x18] as const

/** What most results fit into. */
const INITIAL_BYTES = 2_048
/** Of a varint of 64 bits with its tag. */
const MAX_PREFIX_BYTES = 11

/** Writes from the end to the start: the length of what is nested is known once it stands there. */
class BackwardWriter {
  // Out of Node's pool: two allocations for each of thousands of results would cost as much as writing them.
  #bytes: Uint8Array = Buffer.allocUnsafe(INITIAL_BYTES)
  #at = INITIAL_BYTES

  /** Bytes from the end to what was written last. */
  get written(): number {
    return this.#bytes.length - this.#at
  }

  finish(): Uint8Array {
    const { buffer, byteOffset } = this.#bytes
    return new Uint8Array(buffer, byteOffset + this.#at, this.written)
  }

  #reserve(length: number): void {
    if (this.#at >= length) return
    const grown = new Uint8Array(2 * this.#bytes.length + length)
    const at = grown.length - this.written
    grown.set(this.#bytes.subarray(this.#at), at)
    this.#bytes = grown
    this.#at = at
  }

  number(tag: number, value: number): void {
    this.#reserve(MAX_PREFIX_BYTES)
    let size = 1
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++
    let at = (this.#at -= size)
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[at++] = (rest % 0x80) | 0x80
    this.#bytes[at] = rest
    this.#bytes[--this.#at] = tag
  }

  /** Gas may be any integer of 63 bits. */
  gas(tag: number, gas: bigint): void {
    if (gas <= Number.MAX_SAFE_INTEGER) return this.number(tag, Number(gas))
    this.#reserve(MAX_PREFIX_BYTES)
    const bytes: number[] = []
    let rest = gas
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
    this.#bytes.set([tag, ...bytes, Number(rest)], (this.#at -= bytes.length + 2))
  }

  bytes(tag: number, bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, (this.#at -= bytes.length))
    this.number(tag, bytes.length)
  }

  /** Most texts are short and ASCII, for which a call into the machine costs more than this loop. */
  text(tag: number, text: string): void {
    this.#reserve(text.length)
    const bytes = this.#bytes
    let at = this.#at
    for (let index = text.length - 1; index >= 0; index--) {
      const code = text.charCodeAt(index)
      if (code >= 0x80) return this.bytes(tag, Buffer.from(text))
      bytes[--at] = code
    }
    this.#at = at
    this.number(tag, text.length)
  }
}

const writeAttribute = (writer: BackwardWriter, { key, value, index }: EventAttribute): void => {
  const end = writer.written
  if (index) writer.number(INDEX, 1)
  if (value !== '') writer.text(VALUE, value)
  if (key !== '') writer.text(KEY, key)
  writer.number(ATTRIBUTES, writer.written - end)
}

const writeEvent = (writer: BackwardWriter, { type, attributes }: ExecTxResultFields['events'][number]): void => {
  const end = writer.written
  for (let at = attributes.length - 1; at >= 0; at--) {
    const attribute = attributes[at]
    if (attribute !== undefined) writeAttribute(writer, attribute)
  }
  if (type !== '') writer.text(TYPE, type)
  writer.number(TAG.events, writer.written - end)
}

/**
 * What the general encoder writes for the same fields: in the order of their numbers, defaults left out. A view into
 * a larger buffer: copy what is kept.
 */
export const encodeExecTxResult = (result: ExecTxResultFields): Uint8Array => {
  const { code, data, log, gasWanted, gasUsed, events, codespace } = result
  const writer = new BackwardWriter()
  if (codespace !== '') writer.text(TAG.codespace, codespace)
  for (let at = events.length - 1; at >= 0; at--) {
    const event = events[at]
    if (event !== undefined) writeEvent(writer, event)
  }
  if (gasUsed !== 0n) writer.gas(TAG.gasUsed, gasUsed)
  if (gasWanted !== 0n) writer.gas(TAG.gasWanted, gasWanted)
  if (log !== '') writer.text(TAG.log, log)
  if (data.length > 0) writer.bytes(TAG.data, data)
  if (code !== 0) writer.number(TAG.code, code)
  return writer.finish()
}

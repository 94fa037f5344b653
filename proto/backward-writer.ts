/** The wire format of protobuf by hand, for the few messages that are written for every transaction. */

/** Of a varint of 64 bits with its tag. */
const MAX_PREFIX_BYTES = 11

/** Writes from the end to the start: the length of what is nested is known once it stands there. */
export class BackwardWriter {
  // Out of Node's pool: two allocations for each of thousands of messages would cost as much as writing them.
  #bytes: Uint8Array
  #at: number

  /** `capacity` in bytes is what it has room for without growing. */
  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafe(capacity)
    this.#at = capacity
  }

  /** Bytes from the end to what was written last. */
  get written(): number {
    return this.#bytes.length - this.#at
  }

  /** A view into a larger buffer: copy what is kept. */
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

  /** `value` below 2^53. A tag is the number of a field with its wire type, in one byte. */
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

  /** Any integer of 64 bits without a sign. */
  uint64(tag: number, value: bigint): void {
    if (value <= Number.MAX_SAFE_INTEGER) return this.number(tag, Number(value))
    this.#reserve(MAX_PREFIX_BYTES)
    const bytes: number[] = []
    let rest = value
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
    this.#bytes.set([tag, ...bytes, Number(rest)], (this.#at -= bytes.length + 2))
  }

  /** What is written already, tags and all. */
  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, (this.#at -= bytes.length))
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

/**
 * Reads protobuf in its one canonical encoding, front to back. Fields are asked for in ascending order, each at most once; what
 * nobody asked for is left over, and refused at the end of its message. So whatever is read re-encodes to the same bytes.
 */
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import { clobError, notCanonical } from '../errors.ts'

/** The most bytes of a varint of 64 bits. */
const MAX_VARINT_BYTES = 10

/** A copy: what is decoded must not keep a block or a network buffer alive. A loop is faster than a call for what is short. */
const copyBytes = (bytes: Uint8Array, from: number, to: number): Uint8Array => {
  const out = new Uint8Array(to - from)
  for (let at = from; at < to; at++) out[at - from] = bytes[at] as number
  return out
}

export class WireReader {
  readonly #bytes: Uint8Array
  #at: number
  /** Where the message ends that is being read. */
  #end: number

  constructor(bytes: Uint8Array, from: number) {
    this.#bytes = bytes
    this.#at = from
    this.#end = bytes.length
  }

  /** The tag that comes next; -1 at the end of the message. */
  peek(): number {
    return this.#at < this.#end ? (this.#bytes[this.#at] as number) : -1
  }

  /** A field with the value 0 is not written: the tag of another one, or the end, stands for it. Throws clob/2 and clob/5. */
  uint(tag: number, name: string, max: number): number {
    if (this.peek() !== tag) return 0
    const value = this.presentUint(name, max)
    if (value === 0) throw notCanonical(`${name} is written though it is 0`)
    return value
  }

  /** A field of a oneof, which peek has seen: 0 is written too. Throws clob/2 and clob/5. */
  presentUint(name: string, max: number): number {
    this.#at++
    const value = this.#varint(name)
    if (value > max) throw clobError('range', `${name} is not within 0 to ${max}`)
    return value
  }

  /**
   * Called for a field that must be there and is not: throws clob/2 where the reason is a field out of order, written
   * twice or with another tag, which says more than that something is missing.
   */
  refuseMisplaced(tag: number, name: string): void {
    const next = this.peek()
    if (next !== -1 && (next >= 0x80 || next >> 3 <= tag >> 3)) {
      throw notCanonical(`instead of ${name} there is an unknown, repeated or misplaced field at byte ${this.#at}`)
    }
  }

  /** A copy; empty where the field is left out. Throws clob/2. */
  bytes(tag: number, name: string): Uint8Array {
    if (this.peek() !== tag) return EMPTY_BYTES
    const bytes = this.presentBytes(name)
    if (bytes.length === 0) throw notCanonical(`${name} is written though it is empty`)
    return bytes
  }

  /** A field of a oneof, which peek has seen: it may be empty. Throws clob/2. */
  presentBytes(name: string): Uint8Array {
    const end = this.#enter(name)
    const bytes = copyBytes(this.#bytes, this.#at, end)
    this.#at = end
    return bytes
  }

  /** A message within the message, whose tag peek has seen. Throws clob/2, also where `read` leaves something over. */
  message<T>(name: string, read: (reader: this) => T): T {
    const outerEnd = this.#end
    this.#end = this.#enter(name)
    const value = read(this)
    this.finish(name)
    this.#end = outerEnd
    return value
  }

  /** Throws clob/2 unless the message has been read to its end. */
  finish(name: string): void {
    if (this.#at !== this.#end) {
      throw notCanonical(`${name} has an unknown, repeated or misplaced field at byte ${this.#at}`)
    }
  }

  /** Reads tag and length of a field with a length; says where it ends. */
  #enter(name: string): number {
    this.#at++
    const length = this.#varint(name)
    if (length > this.#end - this.#at) throw notCanonical(`${name} is longer than what holds it`)
    return this.#at + length
  }

  /** Exact up to 2^53; what is larger never comes out below it, for rounding keeps order. */
  #varint(name: string): number {
    let value = 0
    let scale = 1
    for (let count = 1; count <= MAX_VARINT_BYTES; count++) {
      if (this.#at >= this.#end) throw notCanonical(`${name} ends too early`)
      const byte = this.#bytes[this.#at++] as number
      if (byte < 0x80) {
        if (byte === 0 && count > 1) throw notCanonical(`${name} is written longer than it need be`)
        if (byte > 1 && count === MAX_VARINT_BYTES) break
        return value + byte * scale
      }
      value += (byte & 0x7f) * scale
      scale *= 128
    }
    throw notCanonical(`${name} has more than 64 bits`)
  }
}

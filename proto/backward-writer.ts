/** The wire format of protobuf by hand, for the few messages that are written for every transaction. */

/** The most bytes of a varint of 64 bits with its tag. */
const MAX_PREFIX_BYTES = 12

/** Thousands of messages stand in each: an allocation for every message would cost as much as writing it. */
const SLAB_BYTES = 65_536
let slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
/** What is free of the slab ends here. */
let free = SLAB_BYTES

/** Gives memory of at least `capacity` bytes. */
interface Room {
  take(capacity: number): Uint8Array
}

/** Writes from the end to the start: the length of what is nested is known once it stands there. */
export class BackwardWriter {
  #bytes: Uint8Array
  #end: number
  #at: number
  /** Where its room begins: a slab has others below. */
  #from: number

  /** `capacity` in bytes is what it has room for without growing. With `room` it writes there. */
  constructor(capacity: number, room?: Room) {
    if (room !== undefined || capacity > SLAB_BYTES) {
      this.#bytes = room?.take(capacity) ?? Buffer.allocUnsafeSlow(capacity)
      this.#end = this.#bytes.length
      this.#at = this.#end
      this.#from = 0
      return
    }
    if (capacity > free) {
      slab = Buffer.allocUnsafeSlow(SLAB_BYTES)
      free = SLAB_BYTES
    }
    this.#bytes = slab
    this.#end = free
    this.#at = free
    free -= capacity
    this.#from = free
  }

  /** Bytes from the end to what was written last. */
  get written(): number {
    return this.#end - this.#at
  }

  /** A view into a larger buffer: copy what is kept. Nothing may be written afterwards. */
  finish(): Uint8Array {
    // What it did not need is the next one's, unless another began meanwhile.
    if (this.#bytes === slab && this.#from === free) free = this.#at
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + this.#at, this.written)
  }

  #reserve(length: number): void {
    if (this.#at - this.#from >= length) return
    const grown = new Uint8Array(2 * this.written + length + SLAB_BYTES)
    const at = grown.length - this.written
    grown.set(this.#bytes.subarray(this.#at, this.#end), at)
    this.#bytes = grown
    this.#end = grown.length
    this.#at = at
    this.#from = 0
  }

  /** `value` below 2^53. A tag is the number of a field with its wire type, in one byte or, above 15, in two. */
  number(tag: number, value: number): void {
    this.#reserve(MAX_PREFIX_BYTES)
    let size = 1
    for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size++
    let at = (this.#at -= size)
    let rest = value
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) this.#bytes[at++] = (rest % 0x80) | 0x80
    this.#bytes[at] = rest
    this.#tag(tag)
  }

  #tag(tag: number): void {
    if (tag >= 0x80) this.#bytes[--this.#at] = tag >> 7
    this.#bytes[--this.#at] = tag < 0x80 ? tag : (tag & 0x7f) | 0x80
  }

  /** Any integer of 64 bits without a sign. */
  uint64(tag: number, value: bigint): void {
    if (value <= Number.MAX_SAFE_INTEGER) return this.number(tag, Number(value))
    this.#reserve(MAX_PREFIX_BYTES)
    const bytes: number[] = []
    let rest = value
    for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
    this.#bytes.set([...bytes, Number(rest)], (this.#at -= bytes.length + 1))
    this.#tag(tag)
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

/**
 * Memory of all open frames in one array: a frame's begins where that of its caller ends. What a frame leaves behind is
 * cleared when the next one grows over it.
 */

const INITIAL_BYTES = 64 * 1024
/**
 * A transaction that needed more gives it back at its end. Calls of 50,000,000 gas need no more, and a page that the system has
 * to give anew takes longer than to clear it.
 */
const KEPT_BYTES = 32 * 1024 * 1024

/** The most bytes: above them geth's cost formula would overflow. */
const MAX_BYTES = 0x1f_ffff_ffe0

const gasOfWords = (words: number): number => words * 3 + Math.floor((words * words) / 512)

/** Gas to grow from `size` bytes, whole words, to at least `end`: Infinity beyond what geth can count. */
export const expansionGas = (size: number, end: number): number => {
  if (end <= size) return 0
  if (end > MAX_BYTES) return Infinity
  return gasOfWords(Math.ceil(end / 32)) - gasOfWords(size / 32)
}

export class Memory {
  bytes = new Uint8Array(INITIAL_BYTES)
  view = new DataView(this.bytes.buffer)

  /** Grows a frame's memory, paid for already, and returns its new size in bytes: whole words. */
  grow(base: number, size: number, end: number): number {
    const grown = Math.ceil(end / 32) * 32
    this.#reserve(base + grown)
    this.bytes.fill(0, base + size, base + grown)
    return grown
  }

  /** Is called at the end of a transaction. */
  release(): void {
    if (this.bytes.length > KEPT_BYTES) this.#replace(new Uint8Array(INITIAL_BYTES))
  }

  #reserve(end: number): void {
    if (end <= this.bytes.length) return
    let length = this.bytes.length
    while (length < end) length *= 2
    const larger = new Uint8Array(length)
    larger.set(this.bytes)
    this.#replace(larger)
  }

  #replace(bytes: Uint8Array<ArrayBuffer>): void {
    this.bytes = bytes
    this.view = new DataView(bytes.buffer)
  }
}

/** Byte strings cut from large blocks: memory of their own costs each more than what an update writes to it. */

const BLOCK_BYTES = 256 * 1024

/** A block lives as long as any string of it: for results that are used up together. */
export class ByteArena {
  #block: ArrayBufferLike = new ArrayBuffer(0)
  #used = 0
  readonly #blockBytes: number

  /** Blocks of `blockBytes`; 0 for one a string. */
  constructor(blockBytes: number = BLOCK_BYTES) {
    this.#blockBytes = blockBytes
  }

  /** `length` bytes with anything in them: the caller writes every one. */
  allocate(length: number): Uint8Array {
    if (this.#used + length > this.#block.byteLength) {
      this.#block = Buffer.allocUnsafeSlow(Math.max(this.#blockBytes, length)).buffer
      this.#used = 0
    }
    const bytes = new Uint8Array(this.#block, this.#used, length)
    this.#used += length
    return bytes
  }
}

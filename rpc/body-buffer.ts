/** A body that comes in pieces. */
import type { MemoryShare } from './memory-budget.ts'

/** The least that is taken for a body of several pieces, if not less was announced. */
const LEAST_BYTES = 128 * 1024
const NOTHING = Buffer.alloc(0)

/**
 * Pieces are copied, not kept: thousands of them between the small objects of a process leave holes in its memory that it
 * cannot give back, where one large array leaves nothing. An array of an announced length takes no memory but where
 * something was written, and yet counts whole with the collector of garbage, so it is made for a body that has begun to come:
 * megabytes that are announced, and refused by their beginning, would have memory collected each time. One without is doubled.
 * A body of one piece is that piece.
 */
export class BodyBuffer {
  readonly #findShare: () => MemoryShare
  readonly #announced: number
  #share: MemoryShare | undefined
  #bytes: Buffer = NOTHING
  #held = 0
  #length = 0

  /** The share is asked for where a body has several pieces: the others are here and gone. */
  constructor(announcedBytes: number, findShare: () => MemoryShare) {
    this.#announced = announcedBytes
    this.#findShare = findShare
  }

  get length(): number {
    return this.#length
  }

  /** False where the share has no room for it. */
  push(piece: Buffer): boolean {
    const length = this.#length + piece.length
    if (this.#length === 0) {
      this.#bytes = piece
    } else {
      this.#share ??= this.#findShare()
      if (!this.#share.hold(length - this.#held)) return false
      if (this.#held === 0 || length > this.#bytes.length) this.#grow(length)
      this.#held = length
      piece.copy(this.#bytes, this.#length)
    }
    this.#length = length
    return true
  }

  /** What has come. */
  read(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }

  /** What has come, in memory of its own, to be given away: nothing comes after it. It stays charged until {@link release}. */
  give(): Uint8Array {
    const bytes = this.read()
    this.#bytes = NOTHING
    // One piece is a part of what the socket read.
    return this.#held > 0 ? bytes : new Uint8Array(bytes)
  }

  /** Forgets the body, and gives back what its share was charged. */
  release(): void {
    this.#share?.give(this.#held)
    this.#held = 0
    this.#length = 0
    this.#bytes = NOTHING
  }

  #grow(length: number): void {
    const wanted = this.#announced >= length ? this.#announced : Math.max(LEAST_BYTES, 2 * length)
    const size = length <= LEAST_BYTES ? Math.min(LEAST_BYTES, wanted) : wanted
    const bytes = Buffer.allocUnsafeSlow(size)
    this.#bytes.copy(bytes, 0, 0, this.#length)
    this.#bytes = bytes
  }
}

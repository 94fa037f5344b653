/**
 * Where the bytes of logs lie: one behind another in pieces that they share, for an array of its own costs 200 bytes
 * beside its bytes, and a billion gas makes millions of logs.
 */
import { EMPTY_BYTES } from '../../core/bytes.ts'

/** Small, for one log that is kept keeps its piece. */
const PIECE_BYTES = 8_192
/** What is longer has an array of its own. */
const MAX_SHARED_BYTES = 512

export class LogBytes {
  #piece = EMPTY_BYTES
  #used = 0

  /** A copy that nobody writes to. */
  keep(bytes: Uint8Array): Uint8Array {
    const { length } = bytes
    if (length === 0) return EMPTY_BYTES
    if (length > MAX_SHARED_BYTES) return bytes.slice()
    const out = this.reserve(length)
    out.set(bytes)
    return out
  }

  /** Gives at most {@link MAX_SHARED_BYTES}, which the caller writes at once. */
  reserve(length: number): Uint8Array {
    if (this.#used + length > this.#piece.length) {
      this.#piece = new Uint8Array(PIECE_BYTES)
      this.#used = 0
    }
    const from = this.#used
    this.#used += length
    return this.#piece.subarray(from, this.#used)
  }
}

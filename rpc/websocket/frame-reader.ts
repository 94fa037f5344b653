/** Reads where the frames of a client begin (RFC 6455, section 5.2), to count them before they are parsed one by one. */
import { type BucketBounds, LeakyBucket } from '../leaky-bucket.ts'
import { SmallPieces } from '../small-pieces.ts'

/** Pings and pongs: clients send one every some seconds, or one for each of ours. */
const CONTROL_FRAMES: BucketBounds = { atOnce: 100, perSecond: 100 }

/** Two bytes, eight of the length and four of the mask. */
const LONGEST_HEAD = 14
const FIN = 0x80
const OPCODE = 0x0f
const CONTROL = 0x08
const MASKED = 0x80
const LENGTH = 0x7f
const LENGTH_16 = 126
const LENGTH_64 = 127

export class FrameReader {
  readonly #head = Buffer.alloc(LONGEST_HEAD)
  readonly #controls = new LeakyBucket(CONTROL_FRAMES)
  readonly #fragments = new SmallPieces()
  #headLength = 0
  /** Bytes that are still to come of the payload. */
  #left = 0

  /** What the socket has brought next. False where there were too many pings and pongs, or too many small fragments. */
  read(chunk: Buffer): boolean {
    let at = 0
    while (at < chunk.length) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, chunk.length - at)
        this.#left -= taken
        at += taken
        continue
      }
      this.#head[this.#headLength++] = chunk[at++] ?? 0
      if (this.#headLength < 2 || this.#headLength < this.#wholeHead()) continue
      this.#headLength = 0
      this.#left = this.#payloadLength()
      if (!this.#count(this.#left)) return false
    }
    return true
  }

  #wholeHead(): number {
    const second = this.#head[1] ?? 0
    const length = second & LENGTH
    return 2 + (length === LENGTH_64 ? 8 : length === LENGTH_16 ? 2 : 0) + (second & MASKED ? 4 : 0)
  }

  #payloadLength(): number {
    const length = (this.#head[1] ?? 0) & LENGTH
    if (length === LENGTH_16) return this.#head.readUInt16BE(2)
    return length === LENGTH_64 ? Number(this.#head.readBigUInt64BE(2)) : length
  }

  #count(bytes: number): boolean {
    const first = this.#head[0] ?? 0
    if (first & CONTROL) return this.#controls.add(1)
    // A message of one frame is no fragment.
    return (first & FIN) !== 0 && (first & OPCODE) !== 0 ? true : this.#fragments.take(bytes)
  }
}

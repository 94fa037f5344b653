/** A body that comes in pieces. */
import type { MemoryShare } from './memory-budget.ts'

const PAGE_BYTES = 128 * 1024
/** Pages that are kept to be used again, 24 MiB. */
const MOST_KEPT = 192
const NOTHING = Buffer.alloc(0)

const free: Buffer[] = []

/** What is not kept comes from the system as it is written to. */
const takePage = (): Buffer => free.pop() ?? Buffer.allocUnsafeSlow(PAGE_BYTES)

const givePage = (page: Buffer): void => {
  if (free.length < MOST_KEPT) free.push(page)
}

/**
 * Pieces are copied, not kept: thousands of them between the small objects of a process leave holes in its memory that it
 * cannot give back. They are copied to pages that are used again, for what is announced costs nothing, and hundreds of bodies a second that
 * are begun and never end would have V8 collect all the time. A body of one piece is that piece.
 */
export class BodyBuffer {
  readonly #findShare: () => MemoryShare
  #share: MemoryShare | undefined
  #first: Buffer = NOTHING
  #pages: Buffer[] = []
  #length = 0
  /** Bytes that the share holds. */
  #held = 0

  /** The share is asked for where a body has several pieces: the others are here and gone. */
  constructor(findShare: () => MemoryShare) {
    this.#findShare = findShare
  }

  get length(): number {
    return this.#length
  }

  /** False where the share has no room for it. */
  push(piece: Buffer): boolean {
    if (this.#length === 0) {
      this.#first = piece
      this.#length = piece.length
      return true
    }
    this.#share ??= this.#findShare()
    const length = this.#length + piece.length
    if (!this.#share.hold(length - this.#held)) return false
    if (this.#held === 0) this.#copy(this.#first, 0)
    this.#first = NOTHING
    this.#copy(piece, this.#length)
    this.#held = length
    this.#length = length
    return true
  }

  /** What has come, in memory that nothing else is written to. */
  read(): Buffer {
    if (this.#pages.length === 0) return this.#first
    const bytes = Buffer.allocUnsafeSlow(this.#length)
    for (const [index, page] of this.#pages.entries()) page.copy(bytes, index * PAGE_BYTES)
    return bytes
  }

  /** What has come, in memory of its own, to be given away: nothing comes after it. It stays charged until {@link release}. */
  give(): Uint8Array {
    // One piece is a part of what the socket read.
    const bytes = this.#pages.length === 0 ? new Uint8Array(this.#first) : this.read()
    this.#drop()
    return bytes
  }

  /** Forgets the body, and gives back what its share was charged. */
  release(): void {
    this.#share?.give(this.#held)
    this.#held = 0
    this.#length = 0
    this.#drop()
  }

  #copy(piece: Buffer, to: number): void {
    for (let done = 0; done < piece.length; ) {
      const at = to + done
      const page = (this.#pages[Math.floor(at / PAGE_BYTES)] ??= takePage())
      done += piece.copy(page, at % PAGE_BYTES, done)
    }
  }

  #drop(): void {
    this.#first = NOTHING
    for (const page of this.#pages.splice(0)) givePage(page)
  }
}

/**
 * Holds, by key, until which blocks and below which nonces marks bind. Anybody fills a block with 40,000 of them for
 * nothing, and 41 blocks are kept: so they lie in typed arrays, and a mark costs little beside its key.
 */
const FIRST_ROOM = 1_024
/** No further slot. */
const NONE = -1

export class MarkBounds {
  /** The first slot of a list, by key. */
  readonly #firsts = new Map<string, number>()
  #nonceMs = new Float64Array(FIRST_ROOM)
  #goodTilBlock = new Uint32Array(FIRST_ROOM)
  /** The next slot of the same key for a slot in use, the next free one for a free slot. */
  #next = new Int32Array(FIRST_ROOM)
  #free = NONE
  /** Slots from here on were never used. */
  #used = 0

  get size(): number {
    return this.#firsts.size
  }

  /** Keeps, of all marks with this key until this block, the greatest nonce. */
  raise(key: string, goodTilBlock: number, nonceMs: number): void {
    const first = this.#firsts.get(key) ?? NONE
    for (let slot = first; slot !== NONE; slot = this.#nextOf(slot)) {
      if (this.#goodTilBlock[slot] !== goodTilBlock) continue
      this.#nonceMs[slot] = Math.max(this.#nonceMs[slot] as number, nonceMs)
      return
    }
    const slot = this.#takeSlot()
    this.#nonceMs[slot] = nonceMs
    this.#goodTilBlock[slot] = goodTilBlock
    this.#next[slot] = first
    this.#firsts.set(key, slot)
  }

  /** Whether one of them binds at `height`, and its nonce is the greater. */
  binds(key: string, nonceMs: number, height: number): boolean {
    for (let slot = this.#firsts.get(key) ?? NONE; slot !== NONE; slot = this.#nextOf(slot)) {
      if ((this.#goodTilBlock[slot] as number) >= height && (this.#nonceMs[slot] as number) > nonceMs) return true
    }
    return false
  }

  /** Drops what does not bind at `height` any more. */
  forget(key: string, height: number): void {
    const before = this.#firsts.get(key)
    if (before === undefined) return
    let first = NONE
    for (let slot = before; slot !== NONE; ) {
      const next = this.#nextOf(slot)
      if ((this.#goodTilBlock[slot] as number) >= height) {
        this.#next[slot] = first
        first = slot
      } else {
        this.#next[slot] = this.#free
        this.#free = slot
      }
      slot = next
    }
    if (first === NONE) this.#firsts.delete(key)
    else this.#firsts.set(key, first)
  }

  #nextOf(slot: number): number {
    return this.#next[slot] as number
  }

  #takeSlot(): number {
    const free = this.#free
    if (free !== NONE) {
      this.#free = this.#nextOf(free)
      return free
    }
    if (this.#used === this.#next.length) this.#grow(2 * this.#used)
    return this.#used++
  }

  #grow(room: number): void {
    const [nonceMs, goodTilBlock, next] = [new Float64Array(room), new Uint32Array(room), new Int32Array(room)]
    nonceMs.set(this.#nonceMs)
    goodTilBlock.set(this.#goodTilBlock)
    next.set(this.#next)
    this.#nonceMs = nonceMs
    this.#goodTilBlock = goodTilBlock
    this.#next = next
  }
}

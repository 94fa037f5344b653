/** Seeded numbers: the same run for the same seed. */
import { bytesToHex, type Hex } from '../../core/hex.ts'

/** mulberry32. */
export class Random {
  readonly seed: number
  #state: number

  constructor(seed: number) {
    this.seed = seed
    this.#state = seed | 0
  }

  /** An integer from 0 to `limit` - 1. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit
  }

  /** True in `percent` of a hundred. */
  chance(percent: number): boolean {
    return this.below(100) < percent
  }

  pick<Item>(items: readonly Item[]): Item {
    if (items.length === 0) throw new RangeError('nothing to pick from')
    return items[this.below(items.length)] as Item
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.below(256))
  }

  hex(length: number): Hex {
    return bytesToHex(this.bytes(length))
  }
}

/** The seed of the environment variable SEED, to repeat a failure. */
const SEED = Number(process.env['SEED'] ?? 1)

/** The body of a seeded test; the seed is printed when it fails. `salt` gives each test numbers of its own. */
export const seeded = (salt: number, run: (random: Random) => Promise<void> | void) => async (): Promise<void> => {
  try {
    await run(new Random(SEED * 1_000_003 + salt))
  } catch (error) {
    process.stderr.write(`failed with SEED=${SEED}\n`)
    throw error
  }
}

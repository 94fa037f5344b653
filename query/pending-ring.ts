/** The newest transactions that became executable, once for all who poll: a filter remembers a place, and no copy. */
import { bytesToHex, type Hex, hexToBytes } from '../core/hex.ts'

const HASH_BYTES = 32
/** 4 MB: half a minute of a chain that takes 4,000 transactions a second. */
const CAPACITY = 131_072

export class PendingRing {
  readonly #capacity: number
  readonly #hashes: Uint8Array
  /** Hashes that came since the node began: the next one has this number. */
  #end = 0

  constructor(capacity = CAPACITY) {
    this.#capacity = capacity
    this.#hashes = new Uint8Array(capacity * HASH_BYTES)
  }

  get end(): number {
    return this.#end
  }

  /** Number of the oldest hash that is still here. */
  get begin(): number {
    return Math.max(0, this.#end - this.#capacity)
  }

  push(hash: Hex): void {
    this.#hashes.set(hexToBytes(hash), (this.#end % this.#capacity) * HASH_BYTES)
    this.#end++
  }

  /** `number` is from {@link begin} to below {@link end}. */
  at(number: number): Hex {
    const at = (number % this.#capacity) * HASH_BYTES
    return bytesToHex(this.#hashes.subarray(at, at + HASH_BYTES))
  }
}

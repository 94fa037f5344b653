/** The changes of one update in key order, their keys unpacked into nibbles. */
import { compareBytes, EMPTY_BYTES } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import type { TrieChange } from './trie.ts'

/** Bytes of a key that a number holds exactly: most comparisons end there. */
const HEAD_BYTES = 6

const headOf = (key: Uint8Array): number => {
  let head = 0
  for (let i = 0; i < HEAD_BYTES; i++) head = head * 256 + (key[i] ?? 0)
  return head
}

/** Writes the nibbles of `key` and returns where they end. */
export const unpack = (key: Uint8Array, out: Uint8Array, start: number): number => {
  let at = start
  for (let i = 0; i < key.length; i++) {
    const byte = key[i] as number
    out[at++] = byte >> 4
    out[at++] = byte & 0x0f
  }
  return at
}

const sorted = (changes: readonly TrieChange[]): TrieChange[] => {
  const entries = changes.map((change) => ({ head: headOf(change.key), change }))
  entries.sort((a, b) => a.head - b.head || compareBytes(a.change.key, b.change.key))
  return entries.map((entry) => entry.change)
}

export class SortedChanges {
  readonly count: number
  /** Nibbles of the longest key. */
  readonly maxLength: number
  /** Bytes before the path in the database key of every node. */
  readonly prefixLength: number
  readonly #values: readonly (Uint8Array | undefined)[]
  /** The nibbles of each key behind the prefix, so that the database key of a node is a view. */
  readonly #nibbles: Uint8Array
  /** Where the nibbles of each key begin; one more than there are keys. */
  readonly #starts: Int32Array
  /** Deletions before each change; one more than there are changes. */
  readonly #deletions: Int32Array

  constructor(changes: readonly TrieChange[], prefix: Uint8Array = EMPTY_BYTES) {
    const order = sorted(changes)
    this.count = order.length
    this.prefixLength = prefix.length
    this.#values = order.map((change) => change.value)
    this.#starts = new Int32Array(order.length + 1)
    this.#deletions = new Int32Array(order.length + 1)
    let total = prefix.length
    let longest = 0
    let deletions = 0
    this.#starts[0] = total
    for (let i = 0; i < order.length; i++) {
      const { key, value } = order[i] as TrieChange
      const before = order[i - 1]
      invariant(before === undefined || compareBytes(before.key, key) !== 0, 'two changes of one trie key')
      invariant(value === undefined || value.length > 0, 'an empty value in a trie')
      total += 2 * key.length + prefix.length
      longest = Math.max(longest, 2 * key.length)
      if (value === undefined) deletions++
      this.#starts[i + 1] = total
      this.#deletions[i + 1] = deletions
    }
    this.maxLength = longest
    this.#nibbles = new Uint8Array(total)
    let at = 0
    for (const { key } of order) {
      this.#nibbles.set(prefix, at)
      at = unpack(key, this.#nibbles, at + prefix.length)
    }
  }

  value(index: number): Uint8Array | undefined {
    return this.#values[index]
  }

  isDeletion(index: number): boolean {
    return this.#values[index] === undefined
  }

  /** True when every change of the range deletes. */
  onlyDeletions(low: number, high: number): boolean {
    return (this.#deletions[high] as number) - (this.#deletions[low] as number) === high - low
  }

  /** Nibbles in the key. */
  length(index: number): number {
    return (this.#starts[index + 1] as number) - (this.#starts[index] as number) - this.prefixLength
  }

  nibble(index: number, depth: number): number {
    return this.#nibbles[(this.#starts[index] as number) + depth] as number
  }

  /** A view of the key's nibbles from `from` to `to`. */
  path(index: number, from: number, to: number): Uint8Array {
    const start = this.#starts[index] as number
    return this.#nibbles.subarray(start + from, start + to)
  }

  /** The database key of the node at `depth` on the way to the key, as a view. */
  nodeKey(index: number, depth: number): Uint8Array {
    return this.path(index, -this.prefixLength, depth)
  }

  /** The key's nibbles from `from` to its end. */
  rest(index: number, from: number): Uint8Array {
    return this.path(index, from, this.length(index))
  }

  /** How many nibbles of `path` the key has from `depth` on. */
  commonLength(index: number, depth: number, path: Uint8Array): number {
    const start = (this.#starts[index] as number) + depth
    const limit = Math.min(path.length, this.length(index) - depth)
    let length = 0
    while (length < limit && this.#nibbles[start + length] === path[length]) length++
    return length
  }

  /** Where the changes end whose nibble at `depth` is that of change `low`. */
  groupEnd(low: number, high: number, depth: number): number {
    const nibble = this.nibble(low, depth)
    let end = low + 1
    while (end < high && this.nibble(end, depth) === nibble) end++
    return end
  }
}

/**
 * Attestations of all votes of a height, in columns. There are up to 160,000 of them: an object and a string for each would cost
 * more than all that is done with them.
 */
import { keyToBytes } from '../../../core/bytes.ts'
import { ID_BYTES } from './ids.ts'
import type { Attestation } from './types.ts'

/** An attestation's time is at most so far from that of the block before, in ms. */
export const MAX_DT_MS = 30_000

const DIGIT_VALUES = 256

export class AttestationColumns {
  /** The id as three words, big-endian. Signed ones, for V8 computes with these as they are. */
  readonly high: Int32Array
  readonly middle: Int32Array
  readonly low: Int32Array
  readonly dtMs: Int32Array
  readonly phase: Uint8Array
  /** Index of the vote that says it. */
  readonly vote: Uint32Array
  #length = 0

  /** Makes room for `capacity` attestations. */
  constructor(capacity: number) {
    this.high = new Int32Array(capacity)
    this.middle = new Int32Array(capacity)
    this.low = new Int32Array(capacity)
    this.dtMs = new Int32Array(capacity)
    this.phase = new Uint8Array(capacity)
    this.vote = new Uint32Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  /** The id is read at `offset` of `bytes`. */
  add(bytes: Uint8Array, offset: number, dtMs: number, phase: number, vote: number): void {
    const at = this.#length++
    this.high[at] = readWord(bytes, offset)
    this.middle[at] = readWord(bytes, offset + 4)
    this.low[at] = readWord(bytes, offset + 8)
    this.dtMs[at] = dtMs
    this.phase[at] = phase
    this.vote[at] = vote
  }

  /** Forgets what was added behind the first `length`. */
  truncate(length: number): void {
    this.#length = length
  }

  /** Negative, zero or positive, as the ids at these two places lie by their bytes. */
  compareIds(a: number, b: number): number {
    return (
      compareWords(this.high[a] as number, this.high[b] as number) ||
      compareWords(this.middle[a] as number, this.middle[b] as number) ||
      compareWords(this.low[a] as number, this.low[b] as number)
    )
  }

  hasSameId(a: number, b: number): boolean {
    return this.high[a] === this.high[b] && this.middle[a] === this.middle[b] && this.low[a] === this.low[b]
  }

  /** The id as bytesToKey has it. */
  idAt(at: number): string {
    const high = this.high[at] as number
    const middle = this.middle[at] as number
    const low = this.low[at] as number
    return String.fromCharCode(
      high >>> 24,
      (high >>> 16) & 0xff,
      (high >>> 8) & 0xff,
      high & 0xff,
      middle >>> 24,
      (middle >>> 16) & 0xff,
      (middle >>> 8) & 0xff,
      middle & 0xff,
      low >>> 24,
      (low >>> 16) & 0xff,
      (low >>> 8) & 0xff,
      low & 0xff,
    )
  }

  /**
   * Indexes by id, those of one id by time, those of one time by vote. It sorts by digits: whoever chooses ids can fill a slot of a
   * hash table, and cannot make this slower.
   */
  sorted(): Uint32Array {
    const count = this.#length
    let order = new Uint32Array(count)
    for (let at = 0; at < count; at++) order[at] = at
    let other = new Uint32Array(count)
    const starts = new Uint32Array(DIGIT_VALUES)
    for (const { words, digits } of [
      { words: this.dtMs, digits: TIME_DIGITS },
      { words: this.low, digits: WORD_DIGITS },
      { words: this.middle, digits: WORD_DIGITS },
      { words: this.high, digits: WORD_DIGITS },
    ]) {
      for (const { shift, flip } of digits) {
        sortByDigit(order, other, starts, words, shift, flip)
        ;[order, other] = [other, order]
      }
    }
    return order
  }
}

interface Digit {
  readonly shift: number
  /** Turns the digit of a signed number into one that sorts like it. */
  readonly flip: number
}

const WORD_DIGITS: readonly Digit[] = [0, 8, 16, 24].map((shift) => ({ shift, flip: 0 }))
/** Times have 16 bits, one of them the sign. */
const TIME_DIGITS: readonly Digit[] = [
  { shift: 0, flip: 0 },
  { shift: 8, flip: 0x80 },
]

const compareWords = (a: number, b: number): number => (a >>> 0) - (b >>> 0)

const readWord = (bytes: Uint8Array, offset: number): number =>
  ((bytes[offset] as number) << 24) |
  ((bytes[offset + 1] as number) << 16) |
  ((bytes[offset + 2] as number) << 8) |
  (bytes[offset + 3] as number)

/** One pass of a radix sort: `to` becomes `from` in the order of eight bits of the words, equal ones in the order they had. */
const sortByDigit = (
  from: Uint32Array,
  to: Uint32Array,
  starts: Uint32Array,
  words: Int32Array,
  shift: number,
  flip: number,
): void => {
  const count = from.length
  starts.fill(0)
  for (let at = 0; at < count; at++) {
    const digit = (((words[at] as number) >>> shift) & 0xff) ^ flip
    starts[digit] = (starts[digit] as number) + 1
  }
  let start = 0
  for (let digit = 0; digit < DIGIT_VALUES; digit++) {
    const digits = starts[digit] as number
    starts[digit] = start
    start += digits
  }
  for (let at = 0; at < count; at++) {
    const index = from[at] as number
    const digit = (((words[index] as number) >>> shift) & 0xff) ^ flip
    const place = starts[digit] as number
    to[place] = index
    starts[digit] = place + 1
  }
}

/** Makes columns of votes whose attestations are there one by one. */
export const toColumns = (votes: readonly (readonly Attestation[])[]): AttestationColumns => {
  const columns = new AttestationColumns(votes.reduce((sum, { length }) => sum + length, 0))
  for (const [vote, attestations] of votes.entries()) {
    for (const { id, dtMs, phase } of attestations) columns.add(keyToBytes(id), 0, dtMs, phase, vote)
  }
  return columns
}

/** The bytes of one attestation: 12 bytes of id, at least one of its time. */
export const MIN_ATTESTATION_BYTES = ID_BYTES + 1

/**
 * Field 2 of a vote extension: what a validator attests, in its one encoding. docs/clob-spec.md, Attestations.
 *
 * CANCEL, POST, TAKER, each: uvarint n; where n > 0 a zigzag varint of the first dt, n ids of 12 bytes, n - 1 uvarint steps of dt.
 * In a phase they lie by dt, then by id. No bytes at all say nothing; three empty phases are no encoding of it.
 */
import { EMPTY_BYTES, keyToBytes } from '../../../core/bytes.ts'
import { PHASES } from '../orders/clob-tx.ts'
import { AttestationColumns, MAX_DT_MS, MIN_ATTESTATION_BYTES } from './columns.ts'
import { ID_BYTES } from './ids.ts'
import type { Attestation } from './types.ts'

/** Longer ones are out of any range here. */
const MAX_VARINT_BYTES = 4
/** Count, and the first time at its longest. */
const PHASE_HEAD_BYTES = 2 * MAX_VARINT_BYTES
/** Id, and a step at its longest. */
const MAX_ATTESTATION_BYTES = ID_BYTES + MAX_VARINT_BYTES

class Reader {
  readonly bytes: Uint8Array
  at = 0

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** -1 where there is none, or one that is longer than it must be. */
  uvarint(): number {
    const { bytes } = this
    let value = 0
    for (let index = 0; index < MAX_VARINT_BYTES; index++) {
      const byte = bytes[this.at++]
      if (byte === undefined) return -1
      value |= (byte & 0x7f) << (7 * index)
      if (byte < 0x80) return byte === 0 && index > 0 ? -1 : value
    }
    return -1
  }
}

const fromZigzag = (value: number): number => (value >>> 1) ^ -(value & 1)
const toZigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value)

/** False where the bytes are not canonical; what was added until then stays added. */
const readPhase = (reader: Reader, columns: AttestationColumns, phase: number, vote: number): boolean => {
  const count = reader.uvarint()
  if (count <= 0) return count === 0
  const first = reader.uvarint()
  const idsAt = reader.at
  // The length is checked before anything is stored, for the count may be anything.
  if (first < 0 || idsAt + count * MIN_ATTESTATION_BYTES - 1 > reader.bytes.length) return false
  reader.at += count * ID_BYTES
  let dtMs = fromZigzag(first)
  for (let index = 0; index < count; index++) {
    const step = index === 0 ? 0 : reader.uvarint()
    if (step < 0) return false
    dtMs += step
    if (dtMs < -MAX_DT_MS || dtMs > MAX_DT_MS) return false
    columns.add(reader.bytes, idsAt + index * ID_BYTES, dtMs, phase, vote)
    const last = columns.length - 1
    if (index > 0 && step === 0 && columns.compareIds(last - 1, last) >= 0) return false
  }
  return true
}

/**
 * Adds what a vote attests. False where the bytes are not canonical: then nothing is added. That no id comes twice is left to whoever
 * sorts the columns: {@link repeatsIds}.
 */
export const readAttestations = (bytes: Uint8Array, columns: AttestationColumns, vote: number): boolean => {
  if (bytes.length === 0) return true
  const before = columns.length
  const reader = new Reader(bytes)
  const isRead = PHASES.every((phase) => readPhase(reader, columns, phase, vote))
  if (isRead && reader.at === bytes.length && columns.length > before) return true
  columns.truncate(before)
  return false
}

/** The most attestations that so many bytes can hold. */
export const maxAttestations = (bytes: number): number => Math.floor(bytes / MIN_ATTESTATION_BYTES)

/**
 * Gives for each vote a 1 where an id comes twice in it, also in two phases: such a vote attests nothing. `order` is
 * that of `columns.sorted()`.
 */
export const repeatsIds = (columns: AttestationColumns, order: Uint32Array, votes: number): Uint8Array => {
  const repeats = new Uint8Array(votes)
  /** The group of equal ids in which a vote came last, counted from 1. */
  const seen = new Uint32Array(votes)
  let group = 0
  for (let at = 0; at < order.length; at++) {
    const index = order[at] as number
    if (at === 0 || !columns.hasSameId(order[at - 1] as number, index)) group++
    const vote = columns.vote[index] as number
    if (seen[vote] === group) repeats[vote] = 1
    seen[vote] = group
  }
  return repeats
}

/** No bytes at all are canonical, too. */
export const isCanonicalAttestations = (bytes: Uint8Array): boolean => {
  const columns = new AttestationColumns(maxAttestations(bytes.length))
  return readAttestations(bytes, columns, 0) && repeatsIds(columns, columns.sorted(), 1)[0] !== 1
}

/** The attestations in the order of the encoding; undefined where the bytes are not canonical. */
export const decodeAttestations = (bytes: Uint8Array): readonly Attestation[] | undefined => {
  const columns = new AttestationColumns(maxAttestations(bytes.length))
  if (!readAttestations(bytes, columns, 0)) return undefined
  if (repeatsIds(columns, columns.sorted(), 1)[0] === 1) return undefined
  return Array.from({ length: columns.length }, (_, at) => ({
    phase: columns.phase[at] as Attestation['phase'],
    id: columns.idAt(at),
    dtMs: columns.dtMs[at] as number,
  }))
}

const writeUvarint = (out: Uint8Array, offset: number, value: number): number => {
  let at = offset
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) out[at++] = (rest & 0x7f) | 0x80
  out[at++] = rest
  return at
}

/** Sorts by phase, dt and id: the order of the encoding. */
export const sortAttestations = (list: readonly Attestation[]): readonly Attestation[] =>
  list.toSorted((a, b) => a.phase - b.phase || a.dtMs - b.dtMs || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0))

/**
 * Encodes attestations in any order. Ids differ, and times lie within 30 s: nothing else can be attested, and decoding
 * refuses it.
 */
export const encodeAttestations = (list: readonly Attestation[]): Uint8Array => {
  if (list.length === 0) return EMPTY_BYTES
  const sorted = sortAttestations(list)
  const out = new Uint8Array(PHASES.length * PHASE_HEAD_BYTES + list.length * MAX_ATTESTATION_BYTES)
  let at = 0
  for (const phase of PHASES) {
    const own = sorted.filter((attestation) => attestation.phase === phase)
    at = writeUvarint(out, at, own.length)
    const [first] = own
    if (first === undefined) continue
    at = writeUvarint(out, at, toZigzag(first.dtMs))
    for (const { id } of own) {
      out.set(keyToBytes(id), at)
      at += ID_BYTES
    }
    let lastMs = first.dtMs
    for (const { dtMs } of own.slice(1)) {
      at = writeUvarint(out, at, dtMs - lastMs)
      lastMs = dtMs
    }
  }
  return out.slice(0, at)
}

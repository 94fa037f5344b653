/** Protobuf fields and Merkle roots as CometBFT hashes and signs them (its spec, core/data_structures and core/encoding). */
import { concatBytes, EMPTY_BYTES } from '../../../core/bytes.ts'
import { type Hash, sha256 } from '../../../core/hash.ts'

const NANOS_DIGITS = 9
const TIME = /^(\d{4,}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z$/
const LENGTH_DELIMITED = 2
const FIXED_64 = 1

/** Encodes 64 bits; below zero as protobuf has an int64: ten bytes. */
export const uvarint = (value: bigint | number): Uint8Array => {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  for (; rest >= 0x80n; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80)
  bytes.push(Number(rest))
  return Uint8Array.from(bytes)
}

/** Left out where it is 0. */
export const intField = (number: number, value: bigint | number): Uint8Array =>
  BigInt(value) === 0n ? EMPTY_BYTES : concatBytes(uvarint(number << 3), uvarint(value))

/** Written even where it is empty: a message that is there. */
export const messageField = (number: number, value: Uint8Array): Uint8Array =>
  concatBytes(uvarint((number << 3) | LENGTH_DELIMITED), uvarint(value.length), value)

/** Left out where it is empty. */
export const bytesField = (number: number, value: Uint8Array): Uint8Array =>
  value.length === 0 ? EMPTY_BYTES : messageField(number, value)

/** Left out where it is 0. */
export const sfixed64Field = (number: number, value: number): Uint8Array => {
  if (value === 0) return EMPTY_BYTES
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigInt64(0, BigInt(value), true)
  return concatBytes(uvarint((number << 3) | FIXED_64), bytes)
}

/** Parses a time as CometBFT writes it in JSON; undefined where it is none. */
export const parseTimeNs = (text: string): bigint | undefined => {
  const [, seconds, fraction = ''] = TIME.exec(text) ?? []
  const ms = seconds === undefined ? Number.NaN : Date.parse(`${seconds}Z`)
  if (Number.isNaN(ms)) return undefined
  return BigInt(ms) * 1_000_000n + BigInt(fraction.padEnd(NANOS_DIGITS, '0'))
}

/** A google.protobuf.Timestamp, which has nanoseconds from 0 on also before 1970. */
export const timestamp = (timeNs: bigint): Uint8Array => {
  const nanos = ((timeNs % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n
  return concatBytes(intField(1, (timeNs - nanos) / 1_000_000_000n), intField(2, nanos))
}

/** RFC 6962: leaves and inner nodes are told apart by their first byte, and the left side is the greatest power of two. */
export const merkleRoot = (leaves: readonly Uint8Array[]): Hash => {
  const [first] = leaves
  if (first === undefined) return sha256(EMPTY_BYTES)
  if (leaves.length === 1) return sha256(Uint8Array.of(0), first)
  let split = 1
  while (split * 2 < leaves.length) split *= 2
  return sha256(Uint8Array.of(1), merkleRoot(leaves.slice(0, split)), merkleRoot(leaves.slice(split)))
}

/**
 * The compression function F of BLAKE2b (RFC 7693, 3.2) as a precompiled contract (EIP-152), its rounds in WebAssembly:
 * a transaction can pay for 16,777,216 of them. The code is a list of operations on 64 bits, assembled below.
 */
import { readUint32 } from '../../core/bytes.ts'
import { INVALID_LENGTH, type Precompile } from './precompile.ts'

const INPUT_BYTES = 213
/** The input has rounds, state, message, offset counters, and whether it is the last block; here is where they begin. */
const [STATE_AT, MESSAGE_AT, COUNTERS_AT, FLAG_AT] = [4, 68, 196, 212]

/** Words of the message in the order in which a round takes them; of ten rounds. */
const SCHEDULE =
  '0123456789abcdefea489fd61c02b753b8c052fdae3671947931dcbe265a40f8905724afe1bc683d' +
  '2c6a0b834d75fe19c51fed4a0763928bdb7ec13950f4862a6fe9b308c2d714a5a2847615fb9e3cd0'
/** Rows of the working vector that are mixed: four columns, then four diagonals. */
const MIXED = ['048c', '159d', '26ae', '37bf', '05af', '16bc', '278d', '349e']
const IV = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
]

/** Places in the memory of the code: the working vector, the message, and a byte for each step of the schedule. */
const [VECTOR, MESSAGE, STEPS] = [0, 128, 256]
/** Parameter and local variables: rounds left, the first step of this one, then the working vector. */
const [ROUNDS, STEP, FIRST] = [0, 1, 2]
/** The entry is left after so many rounds, a multiple of ten: V8 replaces code by faster code at calls only. */
const ROUNDS_A_CALL = 5_000
const STEPS_A_ROUND = 16

/** Integers of the format, LEB128: enough for those below 2^13. */
const leb = (value: number): readonly number[] => (value < 64 ? [value] : [(value & 0x7f) | 0x80, value >> 7])
const section = (id: number, ...body: readonly number[]): readonly number[] => [id, ...leb(body.length), ...body]
const get = (local: number): readonly number[] => [0x20, local]
const set = (local: number): readonly number[] => [0x21, local]
const constant = (value: number): readonly number[] => [0x41, ...leb(value)]
const ADD = 0x7c
const XOR = 0x85
const END = 0x0b

/** The word of the message that a step takes: its place is in memory at the step. */
const message = (step: number): readonly number[] => [
  ...[...get(STEP), 0x2d, 0, ...leb(STEPS + step)],
  ...[0x29, 3, ...leb(MESSAGE)],
]
/** a += b + word of the message. */
const addMessage = (a: number, b: number, step: number): readonly number[] => [
  ...[...get(a), ...get(b), ADD, ...message(step), ADD, ...set(a)],
]
const addTo = (c: number, d: number): readonly number[] => [...get(c), ...get(d), ADD, ...set(c)]
/** d = (d ^ a) rotated to the right. */
const rotate = (d: number, a: number, bits: number): readonly number[] => [
  ...[...get(d), ...get(a), XOR, 0x42, bits, 0x8a, ...set(d)],
]

/** G of RFC 7693, 3.1. */
const mix = (rows: string, index: number): readonly number[] => {
  const [a = 0, b = 0, c = 0, d = 0] = Array.from(rows, (row) => FIRST + Number.parseInt(row, 16))
  return [
    ...[...addMessage(a, b, 2 * index), ...rotate(d, a, 32), ...addTo(c, d), ...rotate(b, c, 24)],
    ...[...addMessage(a, b, 2 * index + 1), ...rotate(d, a, 16), ...addTo(c, d), ...rotate(b, c, 63)],
  ]
}

const eachRow = (code: (row: number) => readonly number[]): readonly number[] =>
  Array.from({ length: 16 }, (_, row) => code(row)).flat()

/** A loop inside a block, left when no round is left. */
const rounds: readonly number[] = [
  ...[0x02, 0x40, 0x03, 0x40, ...get(ROUNDS), 0x45, 0x0d, 1],
  ...MIXED.flatMap(mix),
  // After the last step of the schedule comes its first.
  ...[...constant(0), ...get(STEP), ...constant(STEPS_A_ROUND), 0x6a, 0x22, STEP],
  ...[...get(STEP), ...constant(SCHEDULE.length), 0x46, 0x1b, ...set(STEP)],
  ...[...get(ROUNDS), ...constant(1), 0x6b, ...set(ROUNDS), 0x0c, 0, END, END],
]
const body: readonly number[] = [
  // One local of 32 bits, sixteen of 64.
  ...[2, 1, 0x7f, 16, 0x7e],
  ...eachRow((row) => [...constant(0), 0x29, 3, ...leb(VECTOR + 8 * row), ...set(FIRST + row)]),
  ...rounds,
  ...eachRow((row) => [...constant(0), ...get(FIRST + row), 0x37, 3, ...leb(VECTOR + 8 * row)]),
  END,
]

/** What of the standard's interface is used; Node's types leave it out. */
declare const WebAssembly: {
  readonly Module: new (binary: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: Exports }
}
interface Exports {
  readonly m: { readonly buffer: ArrayBuffer }
  readonly r: (rounds: number) => void
}

/** One function of one integer, a page of memory, and their names: m and r. */
const assemble = (): Exports => {
  const binary = Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, 1, 0x60, 1, 0x7f, 0),
    ...section(3, 1, 0),
    ...section(5, 1, 0, 1),
    ...section(7, 2, 1, 0x6d, 2, 0, 1, 0x72, 0, 0),
    ...section(10, 1, ...leb(body.length), ...body),
  ])
  return new WebAssembly.Instance(new WebAssembly.Module(binary)).exports
}

const { m: memory, r: run } = assemble()
const bytes = new Uint8Array(memory.buffer)
bytes.set(
  Array.from(SCHEDULE, (digit) => 8 * Number.parseInt(digit, 16)),
  STEPS,
)
const view = new DataView(memory.buffer)

const compress = (input: Uint8Array, roundCount: number): Uint8Array => {
  const from = new DataView(input.buffer, input.byteOffset)
  bytes.set(input.subarray(STATE_AT, MESSAGE_AT), VECTOR)
  bytes.set(input.subarray(MESSAGE_AT, COUNTERS_AT), MESSAGE)
  const offsets = [0n, 0n, 0n, 0n, from.getBigUint64(COUNTERS_AT, true), from.getBigUint64(COUNTERS_AT + 8, true)]
  if (input[FLAG_AT] === 1) offsets.push(0xffff_ffff_ffff_ffffn)
  IV.forEach((word, index) => view.setBigUint64(VECTOR + 64 + 8 * index, word ^ (offsets[index] ?? 0n), true))
  for (let left = roundCount; left > 0; left -= ROUNDS_A_CALL) run(Math.min(left, ROUNDS_A_CALL))
  return Uint8Array.from({ length: 64 }, (_, index) => {
    return (
      (input[STATE_AT + index] as number) ^ (bytes[VECTOR + index] as number) ^ (bytes[VECTOR + 64 + index] as number)
    )
  })
}

/** 0x09. A round costs one gas; of an input of another length none is asked. */
export const blake2f: Precompile = {
  gasOf: (input) => (input.length === INPUT_BYTES ? readUint32(input) : 0),
  run: (input) => {
    if (input.length !== INPUT_BYTES) return INVALID_LENGTH
    return (input[FLAG_AT] as number) > 1 ? 'invalid final flag' : compress(input, readUint32(input))
  },
}

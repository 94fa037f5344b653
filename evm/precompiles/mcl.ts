/**
 * The pairing library mcl in WebAssembly, by its C interface: numbers and points lie in the memory of the code, and bytes
 * go in and out without texts between them. An instance serves one curve.
 */
import createModule from 'mcl-wasm/dist/mcl_c.js'
import { invariant } from '../../core/errors.ts'

/** A place in the memory of the code. */
export type Place = number

type Operation = (result: Place, ...operands: readonly Place[]) => void
type Question = (operand: Place) => number

/** What of mcl is used: https://github.com/herumi/mcl/blob/master/include/mcl/bn.h */
interface Exports {
  readonly wasmMemory: { readonly buffer: ArrayBuffer }
  readonly _malloc: (bytes: number) => Place
  readonly _mclBn_init: (curve: number, variant: number) => number
  readonly _mclBn_setMapToMode: (mode: number) => number
  readonly _mclBn_verifyOrderG1: (verifies: number) => void
  readonly _mclBn_verifyOrderG2: (verifies: number) => void
  readonly _mclBn_getFpByteSize: () => number
  readonly _mclBn_getUint64NumToPrecompute: () => number
  readonly _mclBnFr_setBigEndianMod: (result: Place, bytes: Place, count: number) => number
  readonly _mclBnFp_deserialize: (result: Place, bytes: Place, count: number) => number
  readonly _mclBnFp_serialize: (bytes: Place, room: number, operand: Place) => number
  readonly _mclBnFp_setInt32: (result: Place, value: number) => void
  readonly _mclBnFp_isNegative: Question
  readonly _mclBnFp_add: Operation
  readonly _mclBnFp_mul: Operation
  readonly _mclBnFp_sqr: Operation
  readonly _mclBnFp_neg: Operation
  readonly _mclBnFp_squareRoot: (result: Place, operand: Place) => number
  readonly _mclBnFp_mapToG1: (result: Place, operand: Place) => number
  readonly _mclBnFp2_mapToG2: (result: Place, operand: Place) => number
  readonly _mclBnG1_clear: (result: Place) => void
  readonly _mclBnG1_isZero: Question
  readonly _mclBnG1_isValid: Question
  readonly _mclBnG1_isValidOrder: Question
  readonly _mclBnG1_add: Operation
  readonly _mclBnG1_neg: Operation
  readonly _mclBnG1_mul: Operation
  readonly _mclBnG1_normalize: Operation
  readonly _mclBnG1_mulVec: (result: Place, points: Place, scalars: Place, count: number) => void
  readonly _mclBnG2_clear: (result: Place) => void
  readonly _mclBnG2_isZero: Question
  readonly _mclBnG2_isValid: Question
  readonly _mclBnG2_isValidOrder: Question
  readonly _mclBnG2_add: Operation
  readonly _mclBnG2_normalize: Operation
  readonly _mclBnG2_mulVec: (result: Place, points: Place, scalars: Place, count: number) => void
  readonly _mclBnGT_setInt32: (result: Place, value: number) => void
  readonly _mclBnGT_mul: Operation
  readonly _mclBnGT_isOne: Question
  readonly _mclBn_millerLoopVec: (result: Place, points1: Place, points2: Place, count: number) => void
  readonly _mclBn_finalExp: Operation
  readonly _mclBn_precomputeG2: (lines: Place, point: Place) => void
  readonly _mclBn_precomputedMillerLoop2: Operation
}

/** Bytes of numbers in memory, as the library is compiled: room for the largest of its curves. */
export const FP_BYTES = 48
export const FR_BYTES = 32
/** Jacobian coordinates, of G2 in the quadratic extension. */
export const G1_BYTES = 3 * FP_BYTES
export const G2_BYTES = 6 * FP_BYTES
const GT_BYTES = 12 * FP_BYTES

/** BN_SNARK1 and BLS12_381 of the library. */
export const CURVES = { bn254: 4, bls12: 5 } as const
/** Words of 64 bits of the two fields: the library refuses to begin with others. */
const COMPILED_VARIANT = 46
/** The maps of RFC 9380, which EIP-2537 names. */
const RFC_9380 = 5

/** Points that lie in memory at once: longer lists are taken in parts. */
export const LIST_POINTS = 512
const SCRATCH_BYTES = 64

type CreateModule = (options: { readonly cryptoGetRandomValues: () => void }) => Promise<Exports>

/** Nothing that is used here takes chance. */
const noChance = (): void => invariant(false, 'the pairing library asks for chance')

export class Mcl {
  readonly calls: Exports
  readonly fieldBytes: number
  /** Lists of points and scalars, and the results of what is done with them. */
  readonly points1: Place
  readonly points2: Place
  readonly scalars: Place
  readonly sum1: Place
  readonly sum2: Place
  readonly part: Place
  readonly #target: Place
  readonly #factor: Place
  readonly #scratch: Place
  #memory: Uint8Array

  private constructor(calls: Exports, curve: number) {
    invariant(calls._mclBn_init(curve, COMPILED_VARIANT) === 0, 'the pairing library does not know the curve')
    this.calls = calls
    this.fieldBytes = calls._mclBn_getFpByteSize()
    this.#memory = new Uint8Array(calls.wasmMemory.buffer)
    this.points1 = this.reserve(LIST_POINTS * G1_BYTES)
    this.points2 = this.reserve(LIST_POINTS * G2_BYTES)
    this.scalars = this.reserve(LIST_POINTS * FR_BYTES)
    this.sum1 = this.reserve(G1_BYTES)
    this.sum2 = this.reserve(G2_BYTES)
    this.part = this.reserve(G2_BYTES)
    this.#target = this.reserve(GT_BYTES)
    this.#factor = this.reserve(GT_BYTES)
    this.#scratch = this.reserve(SCRATCH_BYTES)
    // Whether a point lies on the curve, and whether in the group, are questions of their own here.
    calls._mclBn_verifyOrderG1(0)
    calls._mclBn_verifyOrderG2(0)
    if (curve === CURVES.bls12) calls._mclBn_setMapToMode(RFC_9380)
  }

  static async load(curve: number): Promise<Mcl> {
    return new Mcl(await (createModule as CreateModule)({ cryptoGetRandomValues: noChance }), curve)
  }

  /** Memory for as long as the instance lives. */
  reserve(bytes: number): Place {
    const place = this.calls._malloc(bytes)
    invariant(place !== 0, 'the pairing library has no memory left')
    return place
  }

  /** Its buffer is another one when the memory has grown: the old one has no length then. */
  get #bytes(): Uint8Array {
    if (this.#memory.length === 0) this.#memory = new Uint8Array(this.calls.wasmMemory.buffer)
    return this.#memory
  }

  /** A field element, most significant byte first. False where it is not below the prime. */
  setField(at: Place, input: Uint8Array, offset: number): boolean {
    const { fieldBytes } = this
    const memory = this.#bytes
    const scratch = this.#scratch
    for (let i = 0, from = offset + fieldBytes - 1; i < fieldBytes; i++) memory[scratch + i] = input[from - i] as number
    return this.calls._mclBnFp_deserialize(at, scratch, fieldBytes) === fieldBytes
  }

  /** The inverse of {@link setField}. */
  getField(at: Place, out: Uint8Array, offset: number): void {
    const { fieldBytes } = this
    const written = this.calls._mclBnFp_serialize(this.#scratch, SCRATCH_BYTES, at)
    invariant(written === fieldBytes, 'a field element has another length')
    const memory = this.#bytes
    for (let i = 0, to = offset + fieldBytes - 1; i < fieldBytes; i++) out[to - i] = memory[this.#scratch + i] as number
  }

  /** 32 bytes as a number modulo the order of the group. */
  setScalar(at: Place, input: Uint8Array, offset: number): void {
    this.#bytes.set(input.subarray(offset, offset + FR_BYTES), this.#scratch)
    invariant(this.calls._mclBnFr_setBigEndianMod(at, this.#scratch, FR_BYTES) === 0, 'a scalar was refused')
  }

  copy(to: Place, from: Place, bytes: number): void {
    this.#bytes.copyWithin(to, from, from + bytes)
  }

  /** Begins a product of pairings. */
  beginPairing(): void {
    this.calls._mclBnGT_setInt32(this.#target, 1)
  }

  /** Multiplies with the pairings of the first `count` points of both lists. Infinity pairs to one. */
  multiplyPairings(count: number): void {
    if (count === 0) return
    this.calls._mclBn_millerLoopVec(this.#factor, this.points1, this.points2, count)
    this.calls._mclBnGT_mul(this.#target, this.#target, this.#factor)
  }

  /** Whether the product is one. */
  endPairing(): boolean {
    // One stays one: where all pairs have infinity, raising it would take all the time of the question.
    if (this.calls._mclBnGT_isOne(this.#target) === 1) return true
    this.calls._mclBn_finalExp(this.#target, this.#target)
    return this.calls._mclBnGT_isOne(this.#target) === 1
  }

  /** What pairings with a point of G2 need of it, computed once. */
  precompute(point: Place): Place {
    const lines = this.reserve(8 * this.calls._mclBn_getUint64NumToPrecompute())
    this.calls._mclBn_precomputeG2(lines, point)
    return lines
  }

  /** Whether e(p, P) e(q, Q) = 1 for points that {@link precompute} was given. None may be infinity. */
  pairsToOne(p: Place, linesP: Place, q: Place, linesQ: Place): boolean {
    this.calls._mclBn_precomputedMillerLoop2(this.#target, p, linesP, q, linesQ)
    return this.endPairing()
  }
}

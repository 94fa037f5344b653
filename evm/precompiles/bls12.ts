/** Operations on BLS12-381 (EIP-2537). Points are judged in geth's order. */
import { isZeroBytes } from '../../core/bytes.ts'
import { G1_DISCOUNTS, G2_DISCOUNTS } from './bls12-discounts.ts'
import { FP_BYTES, FR_BYTES, G1_BYTES, G2_BYTES, LIST_POINTS, type Mcl, type Place } from './mcl.ts'
import { INVALID_LENGTH, type Precompile } from './precompile.ts'

const TOP_BYTES = 'invalid field element top bytes'
const ENCODING = 'invalid fp.Element encoding'
const CURVE = 'invalid point: not on curve'
const G1_GROUP = 'g1 point is not on correct subgroup'
const G2_GROUP = 'g2 point is not on correct subgroup'

/** A field element has 48 bytes in 64. */
const FIELD = 64
const PADDING = 16
const SCALAR = 32
const G1_POINT = 2 * FIELD
const G2_POINT = 4 * FIELD
const PAIR = G1_POINT + G2_POINT

type Fault = string | undefined

/** What the operations on lists have in common for both groups. */
interface Group {
  readonly inputBytes: number
  readonly placeBytes: number
  readonly points: Place
  readonly sum: Place
  /** A point of the curve. */
  readonly set: (at: Place, input: Uint8Array, offset: number) => Fault
  readonly checkGroup: (at: Place) => Fault
  readonly clear: (at: Place) => void
  readonly add: (to: Place, a: Place, b: Place) => void
  readonly multiply: (to: Place, points: Place, scalars: Place, count: number) => void
  readonly output: (at: Place) => Uint8Array
}

class Bls12 {
  readonly #mcl: Mcl
  readonly g1: Group
  readonly g2: Group

  constructor(mcl: Mcl) {
    this.#mcl = mcl
    const { calls } = mcl
    this.g1 = {
      inputBytes: G1_POINT,
      placeBytes: G1_BYTES,
      points: mcl.points1,
      sum: mcl.sum1,
      set: (at, input, offset) => this.#setG1(at, input, offset),
      checkGroup: (at) => (calls._mclBnG1_isValidOrder(at) === 1 ? undefined : G1_GROUP),
      clear: calls._mclBnG1_clear,
      add: calls._mclBnG1_add,
      multiply: calls._mclBnG1_mulVec,
      output: (at) => this.#outputG1(at),
    }
    this.g2 = {
      inputBytes: G2_POINT,
      placeBytes: G2_BYTES,
      points: mcl.points2,
      sum: mcl.sum2,
      set: (at, input, offset) => this.#setG2(at, input, offset),
      checkGroup: (at) => (calls._mclBnG2_isValidOrder(at) === 1 ? undefined : G2_GROUP),
      clear: calls._mclBnG2_clear,
      add: calls._mclBnG2_add,
      multiply: calls._mclBnG2_mulVec,
      output: (at) => this.#outputG2(at),
    }
  }

  /** Elements that follow one another, into places that do. */
  #setFields(at: Place, input: Uint8Array, offset: number, count: number): Fault {
    for (let field = 0; field < count; field++) {
      const from = offset + field * FIELD
      if (!isZeroBytes(input.subarray(from, from + PADDING))) return TOP_BYTES
      if (!this.#mcl.setField(at + field * FP_BYTES, input, from + PADDING)) return ENCODING
    }
    return undefined
  }

  #setG1(at: Place, input: Uint8Array, offset: number): Fault {
    const { calls } = this.#mcl
    if (isZeroBytes(input.subarray(offset, offset + G1_POINT))) {
      calls._mclBnG1_clear(at)
      return undefined
    }
    const fault = this.#setFields(at, input, offset, 2)
    if (fault !== undefined) return fault
    calls._mclBnFp_setInt32(at + 2 * FP_BYTES, 1)
    return calls._mclBnG1_isValid(at) === 1 ? undefined : CURVE
  }

  #setG2(at: Place, input: Uint8Array, offset: number): Fault {
    const { calls } = this.#mcl
    if (isZeroBytes(input.subarray(offset, offset + G2_POINT))) {
      calls._mclBnG2_clear(at)
      return undefined
    }
    const fault = this.#setFields(at, input, offset, 4)
    if (fault !== undefined) return fault
    calls._mclBnFp_setInt32(at + 4 * FP_BYTES, 1)
    calls._mclBnFp_setInt32(at + 5 * FP_BYTES, 0)
    return calls._mclBnG2_isValid(at) === 1 ? undefined : CURVE
  }

  #outputFields(at: Place, count: number): Uint8Array {
    const out = new Uint8Array(count * FIELD)
    for (let field = 0; field < count; field++) {
      this.#mcl.getField(at + field * FP_BYTES, out, field * FIELD + PADDING)
    }
    return out
  }

  #outputG1(at: Place): Uint8Array {
    const { calls } = this.#mcl
    if (calls._mclBnG1_isZero(at) === 1) return new Uint8Array(G1_POINT)
    calls._mclBnG1_normalize(at, at)
    return this.#outputFields(at, 2)
  }

  #outputG2(at: Place): Uint8Array {
    const { calls } = this.#mcl
    if (calls._mclBnG2_isZero(at) === 1) return new Uint8Array(G2_POINT)
    calls._mclBnG2_normalize(at, at)
    return this.#outputFields(at, 4)
  }

  /** The group is not looked at (EIP-2537). */
  add({ inputBytes, placeBytes, points, set, add, output }: Group, input: Uint8Array): Uint8Array | string {
    if (input.length !== 2 * inputBytes) return INVALID_LENGTH
    const fault = set(points, input, 0) ?? set(points + placeBytes, input, inputBytes)
    if (fault !== undefined) return fault
    add(points, points, points + placeBytes)
    return output(points)
  }

  /** The sum of points, each times its scalar. */
  multiply(group: Group, input: Uint8Array): Uint8Array | string {
    const { inputBytes, placeBytes, points, sum } = group
    const itemBytes = inputBytes + SCALAR
    if (input.length === 0 || input.length % itemBytes !== 0) return INVALID_LENGTH
    const { part, scalars } = this.#mcl
    group.clear(sum)
    let count = 0
    for (let offset = 0; offset < input.length; offset += itemBytes) {
      const point = points + count * placeBytes
      const fault = group.set(point, input, offset) ?? group.checkGroup(point)
      if (fault !== undefined) return fault
      this.#mcl.setScalar(scalars + count * FR_BYTES, input, offset + inputBytes)
      if (++count < LIST_POINTS && offset + itemBytes < input.length) continue
      group.multiply(part, points, scalars, count)
      group.add(sum, sum, part)
      count = 0
    }
    return group.output(sum)
  }

  pairing(input: Uint8Array): Uint8Array | string {
    const mcl = this.#mcl
    const { g1, g2 } = this
    if (input.length === 0 || input.length % PAIR !== 0) return INVALID_LENGTH
    mcl.beginPairing()
    let count = 0
    for (let offset = 0; offset < input.length; offset += PAIR) {
      const [p, q] = [g1.points + count * G1_BYTES, g2.points + count * G2_BYTES]
      const fault =
        g1.set(p, input, offset) ?? g2.set(q, input, offset + G1_POINT) ?? g1.checkGroup(p) ?? g2.checkGroup(q)
      if (fault !== undefined) return fault
      if (mcl.calls._mclBnG1_isZero(p) === 1 || mcl.calls._mclBnG2_isZero(q) === 1) continue
      if (++count === LIST_POINTS) {
        mcl.multiplyPairings(count)
        count = 0
      }
    }
    mcl.multiplyPairings(count)
    const out = new Uint8Array(SCALAR)
    out[SCALAR - 1] = mcl.endPairing() ? 1 : 0
    return out
  }

  mapToG1(input: Uint8Array): Uint8Array | string {
    const { part, sum1, calls } = this.#mcl
    if (input.length !== FIELD) return INVALID_LENGTH
    const fault = this.#setFields(part, input, 0, 1)
    if (fault !== undefined) return fault
    calls._mclBnFp_mapToG1(sum1, part)
    return this.#outputG1(sum1)
  }

  mapToG2(input: Uint8Array): Uint8Array | string {
    const { part, sum2, calls } = this.#mcl
    if (input.length !== 2 * FIELD) return INVALID_LENGTH
    const fault = this.#setFields(part, input, 0, 2)
    if (fault !== undefined) return fault
    calls._mclBnFp2_mapToG2(sum2, part)
    return this.#outputG2(sum2)
  }
}

/** The discount is in thousandths of the price of one pair, by number of pairs. */
const multiplicationGas =
  (pairGas: number, itemBytes: number, discounts: readonly number[]) =>
  ({ length }: Uint8Array): number => {
    const pairs = Math.floor(length / itemBytes)
    const discount = discounts[Math.min(pairs, discounts.length) - 1] ?? 0
    return Math.floor((pairs * pairGas * discount) / 1_000)
  }

/** The precompiles by number, 0x0b to 0x11. */
export const bls12Precompiles = (mcl: Mcl): readonly (readonly [number: number, precompile: Precompile])[] => {
  const curve = new Bls12(mcl)
  const { g1, g2 } = curve
  return [
    [0x0b, { gasOf: () => 375, run: (input) => curve.add(g1, input) }],
    [
      0x0c,
      {
        gasOf: multiplicationGas(12_000, G1_POINT + SCALAR, G1_DISCOUNTS),
        run: (input) => curve.multiply(g1, input),
      },
    ],
    [0x0d, { gasOf: () => 600, run: (input) => curve.add(g2, input) }],
    [
      0x0e,
      {
        gasOf: multiplicationGas(22_500, G2_POINT + SCALAR, G2_DISCOUNTS),
        run: (input) => curve.multiply(g2, input),
      },
    ],
    [
      0x0f,
      { gasOf: ({ length }) => 37_700 + 32_600 * Math.floor(length / PAIR), run: (input) => curve.pairing(input) },
    ],
    [0x10, { gasOf: () => 5_500, run: (input) => curve.mapToG1(input) }],
    [0x11, { gasOf: () => 23_800, run: (input) => curve.mapToG2(input) }],
  ]
}

/** Addition, multiplication and pairing on alt_bn128 (EIP-196, 197, 1108). Points are judged in geth's order. */
import { isZeroBytes } from '../../core/bytes.ts'
import { FP_BYTES, G1_BYTES, G2_BYTES, LIST_POINTS, type Mcl, type Place } from './mcl.ts'
import { padRight, type Precompile } from './precompile.ts'

const ENCODING = 'invalid fp.Element encoding'
const CURVE = 'point is not on curve'
const GROUP = 'point is not in correct subgroup'

const WORD = 32
const POINT = 64
const TWIST_POINT = 128
const PAIR = POINT + TWIST_POINT

type Fault = string | undefined

class Bn254 {
  readonly #mcl: Mcl

  constructor(mcl: Mcl) {
    this.#mcl = mcl
  }

  /** Zeros are infinity. The curve has no other group: whatever lies on it is in it. */
  #setPoint(at: Place, input: Uint8Array, offset: number): Fault {
    const mcl = this.#mcl
    if (isZeroBytes(input.subarray(offset, offset + POINT))) {
      mcl.calls._mclBnG1_clear(at)
      return undefined
    }
    for (let part = 0; part < 2; part++) {
      if (!mcl.setField(at + part * FP_BYTES, input, offset + part * WORD)) return ENCODING
    }
    mcl.calls._mclBnFp_setInt32(at + 2 * FP_BYTES, 1)
    return mcl.calls._mclBnG1_isValid(at) === 1 ? undefined : CURVE
  }

  /** The imaginary part of an element of the extension comes first. */
  #setTwistPoint(at: Place, input: Uint8Array, offset: number): Fault {
    const mcl = this.#mcl
    if (isZeroBytes(input.subarray(offset, offset + TWIST_POINT))) {
      mcl.calls._mclBnG2_clear(at)
      return undefined
    }
    for (let part = 0; part < 4; part++) {
      if (!mcl.setField(at + (part ^ 1) * FP_BYTES, input, offset + part * WORD)) return ENCODING
    }
    mcl.calls._mclBnFp_setInt32(at + 4 * FP_BYTES, 1)
    mcl.calls._mclBnFp_setInt32(at + 5 * FP_BYTES, 0)
    if (mcl.calls._mclBnG2_isValid(at) !== 1) return CURVE
    return mcl.calls._mclBnG2_isValidOrder(at) === 1 ? undefined : GROUP
  }

  #output(at: Place): Uint8Array {
    const mcl = this.#mcl
    const out = new Uint8Array(POINT)
    if (mcl.calls._mclBnG1_isZero(at) === 1) return out
    mcl.calls._mclBnG1_normalize(at, at)
    mcl.getField(at, out, 0)
    mcl.getField(at + FP_BYTES, out, WORD)
    return out
  }

  add(input: Uint8Array): Uint8Array | string {
    const { points1, calls } = this.#mcl
    const padded = padRight(input, 2 * POINT)
    const fault = this.#setPoint(points1, padded, 0) ?? this.#setPoint(points1 + G1_BYTES, padded, POINT)
    if (fault !== undefined) return fault
    calls._mclBnG1_add(points1, points1, points1 + G1_BYTES)
    return this.#output(points1)
  }

  multiply(input: Uint8Array): Uint8Array | string {
    const { points1, scalars, calls } = this.#mcl
    const padded = padRight(input, POINT + WORD)
    const fault = this.#setPoint(points1, padded, 0)
    if (fault !== undefined) return fault
    this.#mcl.setScalar(scalars, padded, POINT)
    calls._mclBnG1_mul(points1, points1, scalars)
    return this.#output(points1)
  }

  pairing(input: Uint8Array): Uint8Array | string {
    const mcl = this.#mcl
    if (input.length % PAIR !== 0) return 'bad elliptic curve pairing size'
    mcl.beginPairing()
    let count = 0
    for (let offset = 0; offset < input.length; offset += PAIR) {
      const [p, q] = [mcl.points1 + count * G1_BYTES, mcl.points2 + count * G2_BYTES]
      const fault = this.#setPoint(p, input, offset) ?? this.#setTwistPoint(q, input, offset + POINT)
      if (fault !== undefined) return fault
      if (mcl.calls._mclBnG1_isZero(p) === 1 || mcl.calls._mclBnG2_isZero(q) === 1) continue
      if (++count === LIST_POINTS) {
        mcl.multiplyPairings(count)
        count = 0
      }
    }
    mcl.multiplyPairings(count)
    const out = new Uint8Array(WORD)
    out[WORD - 1] = mcl.endPairing() ? 1 : 0
    return out
  }
}

/** The precompiles by number, 0x06 to 0x08. */
export const bn254Precompiles = (mcl: Mcl): readonly (readonly [number: number, precompile: Precompile])[] => {
  const curve = new Bn254(mcl)
  return [
    [0x06, { gasOf: () => 150, run: (input) => curve.add(input) }],
    [0x07, { gasOf: () => 6_000, run: (input) => curve.multiply(input) }],
    [
      0x08,
      {
        gasOf: ({ length }) => 45_000 + 34_000 * Math.floor(length / PAIR),
        run: (input) => curve.pairing(input),
      },
    ],
  ]
}

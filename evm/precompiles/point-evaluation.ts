/** The point evaluation of blobs (EIP-4844): verify_kzg_proof over the pairing library. Inputs are judged in geth's order. */
import { bytesToBigint, concatBytes, equalBytes, isZeroBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { hexToBytes } from '../../core/hex.ts'
import { FP_BYTES, FR_BYTES, G1_BYTES, type Mcl, type Place } from './mcl.ts'
import { INVALID_LENGTH, type Precompile } from './precompile.ts'

const GAS = 50_000
const INPUT_BYTES = 192
/** Places in the input: versioned hash, z, y, commitment, proof. */
const [Z_AT, Y_AT, COMMITMENT_AT, PROOF_AT] = [32, 64, 96, 144]
const VERSION = 1
const ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n

/** FIELD_ELEMENTS_PER_BLOB and BLS_MODULUS. */
const OUTPUT = hexToBytes(
  '0x000000000000000000000000000000000000000000000000000000000000100073eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001',
)

/** The generators, and [tau]_2 of the Ethereum ceremony: the second of `g2_monomial` of the trusted setup. Coordinates. */
const BASE_G1 = [
  '17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac586c55e83ff97a1aeffb3af00adb22c6bb',
  '08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3edd03cc744a2888ae40caa232946c5e7e1',
]
const BASE_G2 = [
  '024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d1770bac0326a805bbefd48056c8c121bdb8',
  '13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049334cf11213945d57e5ac7d055d042b7e',
  '0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c923ac9cc3baca289e193548608b82801',
  '0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab3f370d275cec1da1aaa9075ff05f79be',
]
const TAU_G2 = [
  '185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
  '15bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72',
  '014353bdb96b626dd7d5ee8599d1fca2131569490e28de18e82451a496a9c9794ce26d105941f383ee689bfbbb832a99',
  '1666c54b0a32529503432fcae0181b4bef79de09fc63671fda5ed1ba9bfa07899495346f3d7ac9cd23048ef30d0a154f',
]

const REFUSED = 'error verifying kzg proof'
const SCALAR = 'scalar is not canonical when interpreted as a big integer in big-endian'

type Fault = string | undefined

const scalarFault = (input: Uint8Array, offset: number): Fault =>
  bytesToBigint(input.subarray(offset, offset + FR_BYTES)) < ORDER ? undefined : SCALAR

/** A commitment fits its versioned hash. */
const isCommittedTo = (input: Uint8Array): boolean => {
  const hash = sha256(input.subarray(COMMITMENT_AT, PROOF_AT))
  return equalBytes(concatBytes(Uint8Array.of(VERSION), hash.subarray(1)), input.subarray(0, 32))
}

class PointEvaluation {
  readonly #mcl: Mcl
  readonly #oppositeBase: Place
  readonly #four: Place
  readonly #baseLines: Place
  readonly #tauLines: Place
  readonly #proof: Place
  readonly #claim: Place

  constructor(mcl: Mcl) {
    this.#mcl = mcl
    this.#oppositeBase = this.#constant(BASE_G1, 2)
    mcl.calls._mclBnG1_neg(this.#oppositeBase, this.#oppositeBase)
    this.#baseLines = mcl.precompute(this.#constant(BASE_G2, 4))
    this.#tauLines = mcl.precompute(this.#constant(TAU_G2, 4))
    this.#four = mcl.reserve(FP_BYTES)
    mcl.calls._mclBnFp_setInt32(this.#four, 4)
    this.#proof = mcl.reserve(G1_BYTES)
    this.#claim = mcl.reserve(G1_BYTES)
  }

  /** A point of coordinates; of G2 each of them is two, and the third one too. */
  #constant(coordinates: readonly string[], thirdAt: number): Place {
    const mcl = this.#mcl
    const at = mcl.reserve((thirdAt + thirdAt / 2) * FP_BYTES)
    for (const [index, hex] of coordinates.entries()) mcl.setField(at + index * FP_BYTES, hexToBytes(`0x${hex}`), 0)
    for (let index = thirdAt; index < thirdAt + thirdAt / 2; index++) {
      mcl.calls._mclBnFp_setInt32(at + index * FP_BYTES, index === thirdAt ? 1 : 0)
    }
    return at
  }

  /** A point of 48 bytes: three flags, then x. The third flag names the larger of both y. */
  #setPoint(at: Place, bytes: Uint8Array): Fault {
    const { calls } = this.#mcl
    const flags = (bytes[0] as number) >> 5
    const bare = bytes.slice()
    bare[0] = (bytes[0] as number) & 0x1f
    // Such a point is not compressed, and so would be longer.
    if (flags === 0b000 || flags === 0b010) return 'short buffer'
    if (flags === 0b110) {
      calls._mclBnG1_clear(at)
      return isZeroBytes(bare) ? undefined : 'invalid infinity point encoding'
    }
    if (flags !== 0b100 && flags !== 0b101) return 'invalid point encoding'
    if (!this.#mcl.setField(at, bare, 0)) return 'invalid fp.Element encoding'
    const y = at + FP_BYTES
    calls._mclBnFp_sqr(y, at)
    calls._mclBnFp_mul(y, y, at)
    calls._mclBnFp_add(y, y, this.#four)
    if (calls._mclBnFp_squareRoot(y, y) !== 0) return "invalid compressed coordinate: square root doesn't exist"
    if ((calls._mclBnFp_isNegative(y) === 1) !== (flags === 0b101)) calls._mclBnFp_neg(y, y)
    calls._mclBnFp_setInt32(y + FP_BYTES, 1)
    return calls._mclBnG1_isValidOrder(at) === 1 ? undefined : 'invalid point: subgroup check failed'
  }

  /** The claimed value is read before the point that it is claimed for. */
  #read(input: Uint8Array): Fault {
    return (
      scalarFault(input, Y_AT) ??
      scalarFault(input, Z_AT) ??
      this.#setPoint(this.#claim, input.subarray(COMMITMENT_AT, PROOF_AT)) ??
      this.#setPoint(this.#proof, input.subarray(PROOF_AT, INPUT_BYTES))
    )
  }

  /**
   * e(proof, [tau - z]_2) = e(commitment - [y]_1, [1]_2), with the multiple of z moved to the first group: both points of
   * the second are constant then. e(proof, [tau]_2) = e(commitment - [y]_1 + z proof, [1]_2).
   */
  #holds(input: Uint8Array): boolean {
    const mcl = this.#mcl
    const { calls, part, points1, scalars } = mcl
    mcl.setScalar(scalars, input, Y_AT)
    mcl.setScalar(scalars + FR_BYTES, input, Z_AT)
    // -[y]_1 + z proof: y times the generator's opposite.
    mcl.copy(points1, this.#oppositeBase, G1_BYTES)
    mcl.copy(points1 + G1_BYTES, this.#proof, G1_BYTES)
    calls._mclBnG1_mulVec(part, points1, scalars, 2)
    calls._mclBnG1_add(this.#claim, this.#claim, part)
    // Infinity pairs to one, the other point alone does not: neither generates a smaller group.
    const [isNothing, isZero] = [calls._mclBnG1_isZero(this.#proof), calls._mclBnG1_isZero(this.#claim)]
    if (isNothing === 1 || isZero === 1) return isNothing === isZero
    calls._mclBnG1_neg(this.#claim, this.#claim)
    calls._mclBnG1_normalize(this.#claim, this.#claim)
    return mcl.pairsToOne(this.#proof, this.#tauLines, this.#claim, this.#baseLines)
  }

  run(input: Uint8Array): Uint8Array | string {
    if (input.length !== INPUT_BYTES) return INVALID_LENGTH
    if (!isCommittedTo(input)) return 'mismatched versioned hash'
    const fault = this.#read(input)
    if (fault !== undefined) return `${REFUSED}: ${fault}`
    return this.#holds(input) ? OUTPUT.slice() : `${REFUSED}: can't verify opening proof`
  }
}

/** 0x0a. */
export const pointEvaluation = (mcl: Mcl): Precompile => {
  const evaluation = new PointEvaluation(mcl)
  return { gasOf: () => GAS, run: (input) => evaluation.run(input) }
}

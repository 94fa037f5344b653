/**
 * The precompiles that the library wraps in promises, without them: BLS12-381 (EIP-2537) and the point evaluation of
 * blobs (EIP-4844). The curves are the same; prices and checks stand here. Failures are named in the library's words.
 */
import { EVMError, type EVMBLSInterface } from '@ethereumjs/evm'
import { concatBytes, isZeroBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { sha256 } from '../../core/hash.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { verifyKzgProof } from './crypto.ts'

/** Output, or the library's error; `gas` is the price, of which a failure takes all that was given. */
export interface CurveResult {
  readonly gas: number
  readonly output: Uint8Array | string
}

export type CurvePrecompile = (input: Uint8Array, gasGiven: number) => CurveResult

const { errorMessages } = EVMError
/** Thousandths of the price of one pair, by number of pairs (EIP-2537). */
const G1_DISCOUNTS: readonly number[] = [
  1000, 949, 848, 797, 764, 750, 738, 728, 719, 712, 705, 698, 692, 687, 682, 677, 673, 669, 665, 661, 658, 654, 651,
  648, 645, 642, 640, 637, 635, 632, 630, 627, 625, 623, 621, 619, 617, 615, 613, 611, 609, 608, 606, 604, 603, 601,
  599, 598, 596, 595, 593, 592, 591, 589, 588, 586, 585, 584, 582, 581, 580, 579, 577, 576, 575, 574, 573, 572, 570,
  569, 568, 567, 566, 565, 564, 563, 562, 561, 560, 559, 558, 557, 556, 555, 554, 553, 552, 551, 550, 549, 548, 547,
  547, 546, 545, 544, 543, 542, 541, 540, 540, 539, 538, 537, 536, 536, 535, 534, 533, 532, 532, 531, 530, 529, 528,
  528, 527, 526, 525, 525, 524, 523, 522, 522, 521, 520, 520, 519,
]
const G2_DISCOUNTS: readonly number[] = [
  1000, 1000, 923, 884, 855, 832, 812, 796, 782, 770, 759, 749, 740, 732, 724, 717, 711, 704, 699, 693, 688, 683, 679,
  674, 670, 666, 663, 659, 655, 652, 649, 646, 643, 640, 637, 634, 632, 629, 627, 624, 622, 620, 618, 615, 613, 611,
  609, 607, 606, 604, 602, 600, 598, 597, 595, 593, 592, 590, 589, 587, 586, 584, 583, 582, 580, 579, 578, 576, 575,
  574, 573, 571, 570, 569, 568, 567, 566, 565, 563, 562, 561, 560, 559, 558, 557, 556, 555, 554, 553, 552, 552, 551,
  550, 549, 548, 547, 546, 545, 545, 544, 543, 542, 541, 541, 540, 539, 538, 537, 537, 536, 535, 535, 534, 533, 532,
  532, 531, 530, 530, 529, 528, 528, 527, 526, 526, 525, 524, 524,
]
const POINT_EVALUATION_GAS = 50_000
const KZG_VERSION = 1
/** FIELD_ELEMENTS_PER_BLOB and BLS_MODULUS, as the point evaluation returns them. */
const POINT_EVALUATION_OUTPUT = hexToBytes(
  '0x000000000000000000000000000000000000000000000000000000000000100073eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001',
)

const attempt = (compute: () => Uint8Array): Uint8Array | string => {
  try {
    return compute()
  } catch (error) {
    return error instanceof EVMError ? error.error : errorMessages.REVERT
  }
}

/** The highest 16 bytes of a field element are zero; `fields` are their offsets in an item of the input. */
const hasPadding = (input: Uint8Array, itemBytes: number, fields: readonly number[]): boolean => {
  for (let item = 0; item < input.length; item += itemBytes) {
    for (const field of fields) if (!isZeroBytes(input.subarray(item + field, item + field + 16))) return false
  }
  return true
}

const G1_FIELDS = [0, 64]
const G2_FIELDS = [0, 64, 128, 192]

/** Of a fixed price and length. */
const fixed =
  (
    gas: number,
    length: number,
    fields: readonly number[],
    compute: (input: Uint8Array) => Uint8Array,
  ): CurvePrecompile =>
  (input, gasGiven) => {
    if (gasGiven < gas) return { gas, output: errorMessages.OUT_OF_GAS }
    if (input.length !== length) return { gas, output: errorMessages.BLS_12_381_INVALID_INPUT_LENGTH }
    if (!hasPadding(input, length, fields)) return { gas, output: errorMessages.BLS_12_381_POINT_NOT_ON_CURVE }
    return { gas, output: attempt(() => compute(input)) }
  }

/** Of a price for each item. */
const listed =
  (
    gasOf: (items: number) => number,
    itemBytes: number,
    fields: readonly number[],
    compute: (input: Uint8Array) => Uint8Array,
  ): CurvePrecompile =>
  (input, gasGiven) => {
    if (input.length === 0) return { gas: 0, output: errorMessages.BLS_12_381_INPUT_EMPTY }
    const gas = gasOf(Math.floor(input.length / itemBytes))
    if (gasGiven < gas) return { gas, output: errorMessages.OUT_OF_GAS }
    if (input.length % itemBytes !== 0) return { gas, output: errorMessages.BLS_12_381_INVALID_INPUT_LENGTH }
    if (!hasPadding(input, itemBytes, fields)) return { gas, output: errorMessages.BLS_12_381_POINT_NOT_ON_CURVE }
    return { gas, output: attempt(() => compute(input)) }
  }

const multiplicationGas =
  (pairGas: number, discounts: readonly number[]) =>
  (pairs: number): number => {
    const discount = discounts[Math.min(pairs, discounts.length) - 1] ?? 0
    return Math.floor((pairs * pairGas * discount) / 1_000)
  }

const isBadArgument = (error: unknown): boolean => error instanceof CodedError && error.message === 'C_KZG_BADARGS'

const verifyPoint = (input: Uint8Array): Uint8Array | string => {
  const commitment = input.subarray(96, 144)
  const versionedHash = concatBytes(Uint8Array.of(KZG_VERSION), sha256(commitment).subarray(1))
  if (bytesToHex(versionedHash) !== bytesToHex(input.subarray(0, 32))) return errorMessages.INVALID_COMMITMENT
  const [z, y] = [bytesToHex(input.subarray(32, 64)), bytesToHex(input.subarray(64, 96))]
  try {
    const holds = verifyKzgProof(bytesToHex(commitment), z, y, bytesToHex(input.subarray(144, 192)))
    return holds ? POINT_EVALUATION_OUTPUT.slice() : errorMessages.INVALID_PROOF
  } catch (error) {
    if (isBadArgument(error)) return errorMessages.INVALID_INPUTS
    throw error
  }
}

const evaluatePoint: CurvePrecompile = (input, gasGiven) => {
  const gas = POINT_EVALUATION_GAS
  if (gasGiven < gas) return { gas, output: errorMessages.OUT_OF_GAS }
  if (input.length !== 192) return { gas, output: errorMessages.INVALID_INPUT_LENGTH }
  return { gas, output: verifyPoint(input) }
}

/** By number: 0x0a, and 0x0b to 0x11 but for MUL, which MSM of one pair is. */
export const curvePrecompiles = (bls: EVMBLSInterface): ReadonlyMap<number, CurvePrecompile> =>
  new Map([
    [0x0a, evaluatePoint],
    [0x0b, fixed(375, 256, [0, 64, 128, 192], (input) => bls.addG1(input))],
    [0x0c, listed(multiplicationGas(12_000, G1_DISCOUNTS), 160, G1_FIELDS, (input) => bls.msmG1(input))],
    [0x0d, fixed(600, 512, [0, 64, 128, 192, 256, 320, 384, 448], (input) => bls.addG2(input))],
    [0x0e, listed(multiplicationGas(22_500, G2_DISCOUNTS), 288, G2_FIELDS, (input) => bls.msmG2(input))],
    [
      0x0f,
      listed(
        (pairs) => 37_700 + 32_600 * pairs,
        384,
        [...G1_FIELDS, ...G2_FIELDS.map((field) => field + 128)],
        (input) => bls.pairingCheck(input),
      ),
    ],
    [0x10, fixed(5_500, 64, [0], (input) => bls.mapFPtoG1(input))],
    [0x11, fixed(23_800, 128, [0, 64], (input) => bls.mapFP2toG2(input))],
  ])

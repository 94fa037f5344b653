/** Native and faster cryptography for the library, and the KZG verification that it leaves to others. */
import type { CustomCrypto } from '@ethereumjs/common'
import { bls12_381 } from '@noble/curves/bls12-381.js'
import { bytesToBigint } from '../../core/bytes.ts'
import { keccak256, sha256 } from '../../core/hash.ts'
import { type Hex, hexToBytes } from '../../core/hex.ts'
import { recoverPublicKey } from '../../core/signature.ts'
import { evmError } from '../errors.ts'

const { G1, G2, fields } = bls12_381

/** [tau]_2 of the Ethereum ceremony: the second element of `g2_monomial` of the trusted setup (EIP-4844). */
const TAU_G2 = G2.Point.fromHex(
  'b5bfd7dd8cdeb128843bc287230af38926187075cbfbefa81009a2ce615ac53d2914e5870cb452d2afaaab24f3499f72185cbfee53492714734429b7b38608e23926c911cceceac9a36851477ba4c60b087041de621000edc98edada20c1def2',
)

/** The library tells bad input from its own faults by this text. */
const badArguments = (): never => {
  throw evmError('badKzgArguments', 'C_KZG_BADARGS')
}

const toScalar = (hex: string): bigint => {
  const scalar = bytesToBigint(hexToBytes(hex))
  return scalar < fields.Fr.ORDER ? scalar : badArguments()
}

const toPoint = (hex: string): InstanceType<typeof G1.Point> => {
  try {
    const point = G1.Point.fromHex(hex.slice(2))
    point.assertValidity()
    return point
  } catch {
    // A commitment to the zero polynomial, or its proof, is the point at infinity: valid here.
    return /^0xc00*$/.test(hex) ? G1.Point.ZERO : badArguments()
  }
}

/**
 * verify_kzg_proof of EIP-4844: e(proof, [tau - z]_2) = e(commitment - [y]_1, [1]_2), with the multiple of z moved
 * to the first group: e(proof, [tau]_2) = e(commitment - [y]_1 + z proof, [1]_2).
 */
export const verifyKzgProof = (commitment: string, z: string, y: string, proof: string): boolean => {
  const quotient = toPoint(proof)
  const claim = toPoint(commitment)
    .add(G1.Point.BASE.multiplyUnsafe(toScalar(y)).negate())
    .add(quotient.multiplyUnsafe(toScalar(z)))
  const pairs = [
    { g1: quotient, g2: TAU_G2 },
    { g1: claim.negate(), g2: G2.Point.BASE },
  ].filter(({ g1 }) => !g1.is0())
  return pairs.length === 0 || fields.Fp12.eql(bls12_381.pairingBatch(pairs), fields.Fp12.ONE)
}

const unused = (): never => badArguments()

export const customCrypto: CustomCrypto = {
  keccak256: (message) => keccak256(message),
  sha256: (message) => sha256(message),
  ecrecover: (hash, v, r, s) => recoverPublicKey(hash, Number(v) - 27, bytesToBigint(r), bytesToBigint(s)),
  kzg: {
    verifyProof: (commitment, z, y, proof) => verifyKzgProof(commitment as Hex, z, y, proof),
    // The EVM verifies single proofs only: blobs themselves never come near this node.
    blobToKzgCommitment: unused,
    computeBlobProof: unused,
    verifyBlobProofBatch: unused,
    computeCells: unused,
    computeCellsAndProofs: unused,
    recoverCellsAndProofs: unused,
    verifyCellKzgProofBatch: unused,
  },
}

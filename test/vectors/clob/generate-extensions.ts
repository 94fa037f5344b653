/** Writes extensions.json: `node test/vectors/clob/generate-extensions.ts`. What holds is written by hand, by the text of ZIP-215. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesToHex, concatBytes } from '@noble/hashes/utils.js'
import { createTorsionedSigner, smallOrderPoint } from '../../../core/testing/torsioned-signer.ts'
import { extensionSignBytes, type SignedExtension } from '../../../core/vote-extension.ts'

const ABOUT =
  'Signatures of vote extensions by Ed25519 as ZIP-215 has it: signBytes is what is signed, isValid whether the signature holds. ' +
  'Libraries that leave the cofactor out refuse some that hold.'

const ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
const SIGNED: SignedExtension = {
  extension: Uint8Array.of(8, 1),
  height: 41,
  round: 2,
  chainId: 'localnat-1',
}

interface Vector {
  readonly name: string
  readonly signed: SignedExtension
  readonly publicKey: Uint8Array
  readonly signature: Uint8Array
  readonly isValid: boolean
}

const seedOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte)

/** Signed as `signed`, shown as `shown`. */
const madeBy = (
  name: string,
  [ofR, ofKey]: readonly [number, number],
  shown: Partial<SignedExtension> = {},
  signed = SIGNED,
): Vector => {
  const signer = createTorsionedSigner(seedOf(7), ofR, ofKey)
  const signature = signer.sign(extensionSignBytes(signed))
  const isValid = Object.keys(shown).length === 0
  return { name, signed: { ...signed, ...shown }, publicKey: signer.publicKey, signature, isValid }
}

/** s plus the order of the group is the same number to whoever reduces it. */
const unreduced = (vector: Vector): Vector => {
  let s = ORDER
  for (const [index, byte] of vector.signature.subarray(32).entries()) s += BigInt(byte) << BigInt(8 * index)
  const bytes = Uint8Array.from({ length: 32 }, (_, index) => Number((s >> BigInt(8 * index)) & 255n))
  const signature = concatBytes(vector.signature.subarray(0, 32), bytes)
  return { ...vector, name: 's of the order or more', signature, isValid: false }
}

const flipped = (vector: Vector): Vector => {
  const signature = Uint8Array.from(vector.signature, (byte, index) => (index === 40 ? byte ^ 1 : byte))
  return { ...vector, name: 'a bit of s', signature, isValid: false }
}

/** Key and R of small order, and s of 0, hold for every message. */
const ofSmallOrder = (key: number, r: number): Vector => ({
  name: `small order: ${key} in the key, ${r} in R`,
  signed: SIGNED,
  publicKey: smallOrderPoint(key).toBytes(),
  signature: concatBytes(smallOrderPoint(r).toBytes(), new Uint8Array(32)),
  isValid: true,
})

/** y of p, and of p + 1, are those of 0 and 1 to ZIP-215; x of 0 with the sign of 1 is x of 0. */
const NON_CANONICAL = ['ed', 'ee'].flatMap((first) =>
  ['7f', 'ff'].map((last) => Uint8Array.from(Buffer.from(`${first}${'ff'.repeat(30)}${last}`, 'hex'))),
)

const notCanonical = (point: Uint8Array): Vector => ({
  name: `an encoding that is not canonical: ${bytesToHex(point.subarray(0, 1))}..${bytesToHex(point.subarray(31))}`,
  signed: SIGNED,
  publicKey: point,
  signature: concatBytes(point, new Uint8Array(32)),
  isValid: true,
})

const noPoint = (vector: Vector): Vector => {
  const signature = concatBytes(Uint8Array.of(2), new Uint8Array(31), vector.signature.subarray(32))
  return { ...vector, name: 'an R that is no point', signature, isValid: false }
}

export const extensionVectors = (): readonly Vector[] => {
  const honest = madeBy('honest', [0, 0])
  return [
    honest,
    madeBy('of round 0', [0, 0], {}, { ...SIGNED, round: 0 }),
    madeBy('of nothing to say', [0, 0], {}, { ...SIGNED, extension: new Uint8Array(0) }),
    madeBy('of 300 bytes', [0, 0], {}, { ...SIGNED, extension: new Uint8Array(300).fill(9) }),
    ...[1, 2, 3, 4, 5, 6, 7].map((index) => madeBy(`torsion ${index} in R`, [index, 0])),
    ...[1, 4].map((index) => madeBy(`torsion ${index} in the key`, [0, index])),
    madeBy('torsion 3 in R and 5 in the key', [3, 5]),
    madeBy('of another height', [0, 0], { height: 42 }),
    madeBy('of another round', [0, 0], { round: 0 }),
    madeBy('of another chain', [0, 0], { chainId: 'localnat-2' }),
    madeBy('of another extension', [0, 0], { extension: Uint8Array.of(8, 2) }),
    madeBy('torsion in R, of another round', [1, 0], { round: 3 }),
    unreduced(honest),
    flipped(honest),
    noPoint(honest),
    ...[0, 1, 4].flatMap((key) => [0, 3].map((r) => ofSmallOrder(key, r))),
    ...NON_CANONICAL.map(notCanonical),
  ]
}

const jsonOf = ({ name, signed, publicKey, signature, isValid }: Vector) => ({
  name,
  isValid,
  extension: bytesToHex(signed.extension),
  height: signed.height,
  round: signed.round,
  chainId: signed.chainId,
  signBytes: bytesToHex(extensionSignBytes(signed)),
  publicKey: bytesToHex(publicKey),
  signature: bytesToHex(signature),
})

export const generateExtensions = (): string =>
  `${JSON.stringify({ about: ABOUT, vectors: extensionVectors().map(jsonOf) }, undefined, 2)}\n`

if (import.meta.main) writeFileSync(join(import.meta.dirname, 'extensions.json'), generateExtensions())

/** Public keys of native signers: Ethereum's, plain secp256k1, and multisigs of plain ones. */
import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import type { Address } from '../../core/address.ts'
import { bytesToUnprefixedHex } from '../../core/hex.ts'
import { bytesToKey, concatBytes } from '../../core/bytes.ts'
import { keccak256, ripemd160, sha256 } from '../../core/hash.ts'
import { decompressPublicKey, publicKeyToAddress, type SignatureTask, verifySecp256k1 } from '../../core/signature.ts'
import { sdkError } from '../../modules/sdk-errors.ts'
import { BoundedCache } from '../../store/cache.ts'
import { ethermintSecp256k1, ethSecp256k1, multisig, secp256k1 } from '../../proto/index.ts'
import { MAX_SIGNATURES } from './limits.ts'
import { checkFields, parseBinary } from './wire.ts'

/** 33 bytes, a point of the curve. `typeUrl` is kept as the signer wrote it: the Ethereum key has two names. */
export interface SinglePublicKey {
  readonly type: 'eth_secp256k1' | 'secp256k1'
  readonly typeUrl: string
  readonly key: Uint8Array
  /** The point with both coordinates (65 bytes), and the address of an Ethereum key, where the key was parsed. */
  readonly point?: Uint8Array
  readonly address?: Address
}

export interface MultisigPublicKey {
  readonly type: 'multisig'
  readonly typeUrl: string
  readonly threshold: number
  /** Plain secp256k1 keys. */
  readonly keys: readonly SinglePublicKey[]
}

export type PublicKey = SinglePublicKey | MultisigPublicKey

/** A google.protobuf.Any without its class. */
export interface PackedMessage {
  readonly typeUrl: string
  readonly value: Uint8Array
}

const SECP256K1_URL = `/${secp256k1.PubKeySchema.typeName}`
const MULTISIG_URL = `/${multisig.LegacyAminoPubKeySchema.typeName}`

/**
 * The most parsed keys of each type, which are kept by their bytes: those who sign once sign again, and to parse a key
 * costs half of verifying with it.
 */
const PARSED_KEYS = 8_192
const parsedKeys = () => new BoundedCache<SinglePublicKey>(PARSED_KEYS)

const SINGLE_KEYS = {
  [SECP256K1_URL]: { type: 'secp256k1', desc: secp256k1.PubKeySchema, parsed: parsedKeys() },
  [`/${ethSecp256k1.PubKeySchema.typeName}`]: {
    type: 'eth_secp256k1',
    desc: ethSecp256k1.PubKeySchema,
    parsed: parsedKeys(),
  },
  [`/${ethermintSecp256k1.PubKeySchema.typeName}`]: {
    type: 'eth_secp256k1',
    desc: ethermintSecp256k1.PubKeySchema,
    parsed: parsedKeys(),
  },
} as const

const KEY_LENGTH = 33
/** The length of a key with tag and length. */
const PACKED_KEY_LENGTH = KEY_LENGTH + 2
/** First byte of a point with both coordinates (SEC 1). */
const UNCOMPRESSED = Uint8Array.of(0x04)

const readPoint = (key: Uint8Array): Uint8Array => {
  try {
    return decompressPublicKey(key)
  } catch {
    throw sdkError('invalidPublicKey', `${bytesToUnprefixedHex(key)} is not a point of the curve`)
  }
}

const parseSingle = ({ typeUrl, value }: PackedMessage): SinglePublicKey | undefined => {
  const known = Object.hasOwn(SINGLE_KEYS, typeUrl) ? SINGLE_KEYS[typeUrl] : undefined
  if (known === undefined) return undefined
  const name = value.length === PACKED_KEY_LENGTH ? bytesToKey(value) : undefined
  const held = name === undefined ? undefined : known.parsed.get(name)
  if (held !== undefined) return held
  checkFields(value, known.desc)
  const { key } = parseBinary(known.desc, value)
  if (key.length !== KEY_LENGTH) {
    throw sdkError('invalidPublicKey', `a ${known.type} key has ${KEY_LENGTH} bytes, not ${key.length}`)
  }
  const coordinates = readPoint(key)
  const point = concatBytes(UNCOMPRESSED, coordinates)
  const { type } = known
  // A copy, also of a Buffer, whose slice is none: a remembered key must not hold the transaction that it came with.
  const own = new Uint8Array(key)
  const single: SinglePublicKey =
    type === 'secp256k1'
      ? { type, typeUrl, key: own, point }
      : { type, typeUrl, key: own, point, address: publicKeyToAddress(coordinates) }
  if (name !== undefined) known.parsed.set(name, single)
  return single
}

const parseMultisig = (value: Uint8Array): MultisigPublicKey => {
  checkFields(value, multisig.LegacyAminoPubKeySchema)
  const { threshold, publicKeys } = parseBinary(multisig.LegacyAminoPubKeySchema, value)
  if (publicKeys.length > MAX_SIGNATURES) {
    throw sdkError('tooManySignatures', `signatures: ${publicKeys.length}, limit: ${MAX_SIGNATURES}`)
  }
  if (threshold < 1 || threshold > publicKeys.length) {
    throw sdkError('invalidPublicKey', `threshold ${threshold} of a multisig of ${publicKeys.length} keys`)
  }
  const keys = publicKeys.map((each) => {
    const key = parseSingle(each)
    if (key?.type === 'secp256k1') return key
    // Encodings of other keys within a multisig differ between clients, and so would its address.
    throw sdkError('invalidPublicKey', `a multisig holds ${SECP256K1_URL} only, not ${each.typeUrl.slice(0, 100)}`)
  })
  return { type: 'multisig', typeUrl: MULTISIG_URL, threshold, keys }
}

/** Throws sdk/2 when malformed, sdk/8 when it is no key that may sign, sdk/14 with too many keys. */
export const parsePublicKey = (packed: PackedMessage): PublicKey => {
  if (packed.typeUrl === MULTISIG_URL) return parseMultisig(packed.value)
  const key = parseSingle(packed)
  if (key !== undefined) return key
  throw sdkError('invalidPublicKey', `unsupported public key type ${packed.typeUrl.slice(0, 100)}`)
}

/** The inverse of {@link parsePublicKey}: for an account's record, and for answers. */
export const packPublicKey = (publicKey: PublicKey): PackedMessage => {
  const { typeUrl } = publicKey
  if (publicKey.type !== 'multisig') {
    // All single keys are { bytes key = 1 }.
    const message = create(secp256k1.PubKeySchema, { key: publicKey.key })
    return { typeUrl, value: toBinary(secp256k1.PubKeySchema, message) }
  }
  const message = create(multisig.LegacyAminoPubKeySchema, {
    threshold: publicKey.threshold,
    publicKeys: publicKey.keys.map((key) => create(AnySchema, packPublicKey(key))),
  })
  return { typeUrl, value: toBinary(multisig.LegacyAminoPubKeySchema, message) }
}

// Amino's binary prefixes: of tendermint/PubKeyMultisigThreshold, and of tendermint/PubKeySecp256k1 with its length.
const AMINO_MULTISIG = Uint8Array.of(0x22, 0xc1, 0xf7, 0xe2)
const AMINO_SECP256K1 = Uint8Array.of(0xeb, 0x5a, 0xe9, 0x87, KEY_LENGTH)

/** The multisig as amino writes it: field 1 the threshold, field 2 each key. Both numbers are below 128. */
const encodeAminoMultisig = ({ threshold, keys }: MultisigPublicKey): Uint8Array =>
  concatBytes(
    AMINO_MULTISIG,
    Uint8Array.of(0x08, threshold),
    ...keys.map(({ key }) =>
      concatBytes(Uint8Array.of(0x12, AMINO_SECP256K1.length + KEY_LENGTH), AMINO_SECP256K1, key),
    ),
  )

/** The account of a key. */
export const publicKeyAddress = (publicKey: PublicKey): Address => {
  switch (publicKey.type) {
    case 'eth_secp256k1':
      return publicKey.address ?? publicKeyToAddress(decompressPublicKey(publicKey.key))
    case 'secp256k1':
      return ripemd160(sha256(publicKey.key))
    case 'multisig':
      return sha256(encodeAminoMultisig(publicKey)).slice(0, 20)
  }
}

/** What a single key has signed: the digest of these bytes, and r and s of the signature. */
const signedDigest = ({ type }: SinglePublicKey, signBytes: Uint8Array, signature: Uint8Array) =>
  type === 'secp256k1'
    ? { digest: sha256(signBytes), signature }
    : // Ethereum wallets may add a recovery byte, which says nothing new.
      { digest: keccak256(signBytes), signature: signature.length === 65 ? signature.subarray(0, 64) : signature }

/** Whether a single key signed these bytes. */
export const verifyWithKey = (publicKey: SinglePublicKey, signBytes: Uint8Array, given: Uint8Array): boolean => {
  const { digest, signature } = signedDigest(publicKey, signBytes, given)
  return verifySecp256k1(digest, signature, publicKey.point ?? publicKey.key)
}

/** {@link verifyWithKey} for another thread; undefined where it is not worth it, or false without any work. */
export const verifyTask = (
  publicKey: SinglePublicKey,
  signBytes: Uint8Array,
  given: Uint8Array,
): SignatureTask | undefined => {
  const { digest, signature } = signedDigest(publicKey, signBytes, given)
  const { point } = publicKey
  return point === undefined || signature.length !== 64
    ? undefined
    : { kind: 'verify', digest, signature, publicKey: point }
}

/** Signatures that a key stands for. */
export const countKeys = (publicKey: PublicKey): number => (publicKey.type === 'multisig' ? publicKey.keys.length : 1)

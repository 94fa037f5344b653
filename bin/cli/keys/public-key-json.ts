/** Public keys as the Cosmos SDK prints them: {"@type": ..., "key": base64}, and multisigs of those. */
import { createECDH } from 'node:crypto'
import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import * as z from 'zod'
import {
  type MultisigPublicKey,
  type PackedMessage,
  packPublicKey,
  parsePublicKey,
  type PublicKey,
  type SinglePublicKey,
} from '../../../app/native/public-key.ts'
import { plainBytes } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import { ethSecp256k1, multisig, secp256k1 } from '../../../proto/index.ts'
import { cliError } from '../../errors.ts'

export const ALGORITHMS = ['eth_secp256k1', 'secp256k1'] as const
export type Algorithm = (typeof ALGORITHMS)[number]

const TYPE_URLS: Readonly<Record<Algorithm, string>> = {
  eth_secp256k1: `/${ethSecp256k1.PubKeySchema.typeName}`,
  secp256k1: `/${secp256k1.PubKeySchema.typeName}`,
}
const MULTISIG_URL = `/${multisig.LegacyAminoPubKeySchema.typeName}`

const single = z.object({ '@type': z.string(), key: z.base64() })
const multiple = z.object({
  '@type': z.literal(MULTISIG_URL),
  threshold: z.int().positive(),
  public_keys: z.array(single),
})

export type PublicKeyJson = z.infer<typeof single> | z.infer<typeof multiple>

/** The public key of a private key of 32 bytes. */
export const publicKeyOf = (privateKey: Uint8Array, algorithm: Algorithm): SinglePublicKey => {
  const curve = createECDH('secp256k1')
  curve.setPrivateKey(privateKey)
  const key = plainBytes(curve.getPublicKey(null, 'compressed'))
  return { type: algorithm, typeUrl: TYPE_URLS[algorithm], key }
}

const printSingle = ({ typeUrl, key }: SinglePublicKey): z.infer<typeof single> => ({
  '@type': typeUrl,
  key: Buffer.from(key).toString('base64'),
})

export const printPublicKey = (publicKey: PublicKey): PublicKeyJson =>
  publicKey.type === 'multisig'
    ? { '@type': MULTISIG_URL, threshold: publicKey.threshold, public_keys: publicKey.keys.map(printSingle) }
    : printSingle(publicKey)

const packSingle = (json: z.infer<typeof single>): PackedMessage => ({
  typeUrl: json['@type'],
  // All single keys are { bytes key = 1 }.
  value: toBinary(
    secp256k1.PubKeySchema,
    create(secp256k1.PubKeySchema, { key: plainBytes(Buffer.from(json.key, 'base64')) }),
  ),
})

/** Throws cli/18 for what is no key that may sign. */
export const readPublicKey = (value: unknown): PublicKey => {
  const parsed = z.union([multiple, single]).safeParse(value)
  if (!parsed.success) {
    throw cliError('keyring', `not a public key: write {"@type":"${TYPE_URLS.secp256k1}","key":"<base64>"}`)
  }
  const json = parsed.data
  try {
    if (!('threshold' in json)) return parsePublicKey(packSingle(json))
    const message = create(multisig.LegacyAminoPubKeySchema, {
      threshold: json.threshold,
      publicKeys: json.public_keys.map((key) => create(AnySchema, packSingle(key))),
    })
    return parsePublicKey({ typeUrl: MULTISIG_URL, value: toBinary(multisig.LegacyAminoPubKeySchema, message) })
  } catch (error) {
    throw error instanceof CodedError ? cliError('keyring', error.message) : error
  }
}

/** A multisig of plain secp256k1 keys. Throws cli/18 for others, and for a threshold that cannot be reached. */
export const makeMultisig = (keys: readonly PublicKey[], threshold: number): MultisigPublicKey => {
  const singles = keys.filter((key) => key.type !== 'multisig')
  const packed = packPublicKey({ type: 'multisig', typeUrl: MULTISIG_URL, threshold, keys: singles })
  try {
    const parsed = parsePublicKey(packed)
    if (parsed.type === 'multisig' && singles.length === keys.length) return parsed
  } catch (error) {
    throw error instanceof CodedError ? cliError('keyring', error.message) : error
  }
  throw cliError('keyring', 'a multisig holds single keys only')
}

/** Keys that sign votes: ed25519 alone, as the consensus parameters have it. */
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import type { Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { consensusKeyFault, ED25519_KEY_BYTES } from '../../core/ed25519.ts'
import type { CodedError } from '../../core/errors.ts'
import { ed25519 } from '../../proto/index.ts'
import { sdkError } from '../sdk-errors.ts'
import { stakingError } from './errors.ts'

export const PUBLIC_KEY_URL = `/${ed25519.PubKeySchema.typeName}`

export const toWirePublicKey = (key: Uint8Array): MessageInitShape<typeof AnySchema> => ({
  typeUrl: PUBLIC_KEY_URL,
  value: toBinary(ed25519.PubKeySchema, create(ed25519.PubKeySchema, { key })),
})

const invalid = (message: string): CodedError => sdkError('invalidPublicKey', message)

/** Throws staking/39, staking/6 or sdk/8. */
export const parsePublicKey = (any: Any | undefined): Uint8Array => {
  if (any === undefined) throw stakingError('noPublicKey')
  if (any.typeUrl !== PUBLIC_KEY_URL) {
    throw stakingError('publicKeyType', `got: ${any.typeUrl.slice(0, 128)}, expected: [ed25519]`)
  }
  let key: Uint8Array
  try {
    ;({ key } = fromBinary(ed25519.PubKeySchema, any.value))
  } catch (error) {
    throw invalid((error as Error).message)
  }
  if (key.length !== ED25519_KEY_BYTES) {
    throw invalid(`an ed25519 key has ${ED25519_KEY_BYTES} bytes, not ${key.length}`)
  }
  return key.slice()
}

/** Apart from the parsing, for it takes a tenth of a millisecond: it is not for CheckTx. Throws sdk/8. */
export const checkPublicKey = (key: Uint8Array): void => {
  const fault = consensusKeyFault(key)
  if (fault !== undefined) throw invalid(fault)
}

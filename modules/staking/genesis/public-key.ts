/** Keys that sign votes, in a genesis file. */
import { consensusKeyFault, ED25519_KEY_BYTES } from '../../../core/ed25519.ts'
import { failAt, parseObject, parseString } from '../../../core/parse.ts'
import { PUBLIC_KEY_URL } from '../public-key.ts'

export const formatPublicKey = (key: Uint8Array) => ({
  '@type': PUBLIC_KEY_URL,
  key: Buffer.from(key).toString('base64'),
})

/** The inverse of {@link formatPublicKey}. Throws genesis/1. */
export const parseGenesisPublicKey = (value: unknown, path: string): Uint8Array => {
  const object = parseObject(value, path, ['@type', 'key'])
  if (object['@type'] !== PUBLIC_KEY_URL) failAt(`${path}.@type`, `must be ${PUBLIC_KEY_URL}`)
  const text = parseString(object['key'], `${path}.key`)
  const key = Buffer.from(text, 'base64')
  if (key.length !== ED25519_KEY_BYTES || key.toString('base64') !== text) {
    failAt(`${path}.key`, 'must be 32 bytes in base64')
  }
  const publicKey = new Uint8Array(key)
  const fault = consensusKeyFault(publicKey)
  return fault === undefined ? publicKey : failAt(`${path}.key`, fault)
}

/** Keys of validators that tests only name: points of the curve, as those of real ones are. */
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { concatBytes, plainBytes, utf8ToBytes } from '../bytes.ts'
import { sha256 } from '../hash.ts'

// PrivateKeyInfo of an ed25519 key (RFC 8410) up to its 32 bytes.
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** The public key, 32 bytes, whose private key is the hash of a name. */
export const testConsensusKey = (name: string): Uint8Array => {
  const der = Buffer.from(concatBytes(PKCS8_PREFIX, sha256(utf8ToBytes(name))))
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return plainBytes(createPublicKey(privateKey).export({ format: 'der', type: 'spki' })).slice(-32)
}

/**
 * A validator that signs a second extension for a height: the others have the first from its vote, and its own block holds the
 * second, which says nothing of the orders that it has seen. Both signatures hold.
 */
import { createPrivateKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { invariant } from '../../../core/errors.ts'
import { bytesToUnprefixedHex, plainBytes } from '../../../core/bytes.ts'
import { extensionSignBytes } from '../../../core/vote-extension.ts'
import { encodeExtension } from '../../../app/attestations/envelope.ts'
import type { PrepareProposalRequest } from '../../../app/ports.ts'

export const SIGNS_AGAIN = 'signs its vote again'

/** One byte that no honest application says: a body of an order that is none. */
export const SAID_AGAIN = encodeExtension({
  attestations: new Uint8Array(0),
  bodies: [Uint8Array.of(0x77)],
  bridge: [],
  bridgeContents: [],
  bridgeSignatures: [],
})

// PrivateKeyInfo of an ed25519 key (RFC 8410) up to its 32 bytes.
const ED25519_PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

interface KeyFile {
  readonly address: string
  readonly priv_key: { readonly value: string }
}

/** Reads the key of the home that the application was started for. */
const readKey = (): KeyFile => {
  const home = process.argv[process.argv.indexOf('--home') + 1]
  invariant(home !== undefined, 'the application knows its home')
  return JSON.parse(readFileSync(join(home, 'config', 'priv_validator_key.json'), 'utf8')) as KeyFile
}

/** The request with another vote of this validator in it; undefined where the last commit does not have its vote. */
export const signAgain = (request: PrepareProposalRequest, chainId: string): PrepareProposalRequest | undefined => {
  const { address, priv_key: secret } = readKey()
  const isOwn = (validator: Uint8Array): boolean => bytesToUnprefixedHex(validator).toUpperCase() === address
  const own = request.votes.find(({ validatorAddress, flag }) => flag === 'commit' && isOwn(validatorAddress))
  if (own === undefined) return undefined
  const der = Buffer.concat([ED25519_PKCS8_PREFIX, Buffer.from(secret.value, 'base64').subarray(0, 32)])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const extension = SAID_AGAIN
  const signed = { extension, height: request.height - 1, round: request.lastCommitRound, chainId }
  const extensionSignature = plainBytes(sign(null, extensionSignBytes(signed), key))
  const votes = request.votes.map((vote) => (vote === own ? { ...vote, extension, extensionSignature } : vote))
  return { ...request, votes }
}

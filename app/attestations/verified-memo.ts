/**
 * Signatures of vote extensions that were found valid. Who proposes judges each vote twice, and every round of a height
 * brings the votes again; a validator that signs as OpenSSL refuses makes each judgement take a millisecond (core/ed25519.ts).
 * What is valid is so for ever: the memo changes no answer. What is not valid is not kept, for it ends a proposal.
 */
import { bytesToKey, concatBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import { extensionSignBytes, type SignedExtension, verifyExtensionSignature } from '../../core/vote-extension.ts'

/** An extension with its signature and the key that made it. */
export type SignedVoteExtension = SignedExtension & { readonly publicKey: Uint8Array; readonly signature: Uint8Array }
export type VerifyExtension = (vote: SignedVoteExtension) => boolean

/** CometBFT knows no more validators than this. The oldest are forgotten. */
const MAX_KNOWN = 10_000

/** `verify` is asked where nothing is known. */
export const rememberValid = (
  verify: VerifyExtension = verifyExtensionSignature,
  maxKnown: number = MAX_KNOWN,
): VerifyExtension => {
  const known = new Set<string>()
  return (vote) => {
    const { publicKey, signature } = vote
    // Lengths keep the parts apart: keys and signatures of others are refused.
    const lengths = Uint8Array.of(publicKey.length & 0xff, signature.length & 0xff)
    const key = bytesToKey(sha256(concatBytes(lengths, publicKey, signature, extensionSignBytes(vote))))
    if (known.has(key)) return true
    if (!verify(vote)) return false
    for (const oldest of known) {
      if (known.size < maxKnown) break
      known.delete(oldest)
    }
    known.add(key)
    return true
  }
}

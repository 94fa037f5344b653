/** The precompiled contracts of Frontier: a recovered signer, two hashes, and the identity. */
import { bytesToBigint, EMPTY_BYTES, padLeft } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { ripemd160, sha256 } from '../../core/hash.ts'
import { publicKeyToAddress, recoverPublicKey } from '../../core/signature.ts'
import { padRight, type Precompile } from './precompile.ts'

const WORD = 32
/** v of both parities. */
const [EVEN, ODD] = [27n, 28n]

const perWord =
  (base: number, word: number) =>
  ({ length }: Uint8Array): number =>
    base + word * Math.ceil(length / WORD)

/** Nothing where there is no signer. A high s is taken (EIP-2 speaks of transactions alone). */
const recover = (input: Uint8Array): Uint8Array => {
  const padded = padRight(input, 4 * WORD)
  const word = (index: number): bigint => bytesToBigint(padded.subarray(index * WORD, index * WORD + WORD))
  const v = word(1)
  if (v !== EVEN && v !== ODD) return EMPTY_BYTES
  try {
    const key = recoverPublicKey(padded.slice(0, WORD), Number(v - EVEN), word(2), word(3))
    return padLeft(publicKeyToAddress(key), WORD)
  } catch (error) {
    if (error instanceof CodedError) return EMPTY_BYTES
    throw error
  }
}

/** The precompiles by number, 0x01 to 0x04. */
export const FRONTIER_PRECOMPILES: readonly (readonly [number: number, precompile: Precompile])[] = [
  [0x01, { gasOf: () => 3_000, run: recover }],
  [0x02, { gasOf: perWord(60, 12), run: (input) => sha256(input) }],
  [0x03, { gasOf: perWord(600, 120), run: (input) => padLeft(ripemd160(input), WORD) }],
  [0x04, { gasOf: perWord(15, 3), run: (input) => input.slice() }],
]

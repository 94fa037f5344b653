/** What geth says of an input that a precompile refuses, where the library's own error does not tell. */
import type { Address } from '../../core/address.ts'
import { bytesToBigint, isZeroBytes } from '../../core/bytes.ts'

/** Field of the curve BN254. */
const BN254_PRIME = 21888242871839275222246405745257275088696311157297823662689037894645226208583n
const MAX_MODEXP_BYTES = 1_024n
const BLAKE2F_BYTES = 213
/** A field element of BLS12-381 has 48 bytes in 64. */
const BLS_WORD_BYTES = 64
const BLS_PADDING_BYTES = 16

const OUT_OF_GAS = 'out of gas'

/** A word of the input, which zeros continue. */
const word = (input: Uint8Array, index: number): bigint => {
  const bytes = new Uint8Array(32)
  bytes.set(input.subarray(index * 32, index * 32 + 32))
  return bytesToBigint(bytes)
}

const modexp = (input: Uint8Array, message: string): string =>
  [0, 1, 2].some((index) => word(input, index) > MAX_MODEXP_BYTES)
    ? 'one or more of base/exponent/modulus length exceeded 1024 bytes'
    : message

const bnPoints = (input: Uint8Array, words: number, message: string): string => {
  if (message === OUT_OF_GAS) return message
  const isOutside = Array.from({ length: words }, (_, index) => word(input, index)).some((x) => x >= BN254_PRIME)
  return isOutside ? 'invalid fp.Element encoding' : message
}

const bnPairing = (input: Uint8Array, message: string): string =>
  message !== OUT_OF_GAS && input.length % 192 !== 0 ? 'bad elliptic curve pairing size' : message

const blake2f = (input: Uint8Array, message: string): string =>
  input.length === BLAKE2F_BYTES && message !== OUT_OF_GAS ? 'invalid final flag' : message

const blsPoints = (input: Uint8Array, message: string): string => {
  if (message !== 'invalid point: not on curve') return message
  for (let at = 0; at < input.length; at += BLS_WORD_BYTES) {
    if (!isZeroBytes(input.subarray(at, at + BLS_PADDING_BYTES))) return 'invalid field element top bytes'
  }
  return message
}

/** The text for a call of `address` that failed with `message`; undefined when it is no precompile of these. */
export const precompileFailure = (address: Address, input: Uint8Array, message: string): string | undefined => {
  if (!isZeroBytes(address.subarray(0, 19))) return undefined
  switch (address[19]) {
    case 0x05:
      return modexp(input, message)
    case 0x06:
      return bnPoints(input, 4, message)
    case 0x07:
      return bnPoints(input, 2, message)
    case 0x08:
      return bnPairing(input, message)
    case 0x09:
      return blake2f(input, message)
    case 0x0b:
    case 0x0d:
    case 0x0f:
    case 0x10:
    case 0x11:
      return blsPoints(input, message)
    default:
      return undefined
  }
}

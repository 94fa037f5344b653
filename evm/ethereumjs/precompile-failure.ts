/** What geth says of an input that a precompile refuses, where the library's own error does not tell. */
import type { Address } from '../../core/address.ts'
import { bytesToBigint, isZeroBytes } from '../../core/bytes.ts'
import { numberOfPrecompile } from '../precompile-addresses.ts'
import { curveFailure } from './curve-failure.ts'
import type { Curves } from './curves.ts'

/** Field of the curve BN254. */
const BN254_PRIME = 21888242871839275222246405745257275088696311157297823662689037894645226208583n
const MAX_MODEXP_BYTES = 1_024n
const MAX_UINT32 = 0xffff_ffffn
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

const bitLength = (value: bigint): bigint => (value === 0n ? 0n : BigInt(value.toString(2).length))

const most = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** EIP-7883; undefined is more than there can be. */
const modexpGas = (input: Uint8Array): bigint | undefined => {
  const [base, exponent, modulus] = [word(input, 0), word(input, 1), word(input, 2)]
  if (most(most(base, exponent), modulus) > MAX_UINT32) return undefined
  const start = 96 + Number(base)
  const head = new Uint8Array(Number(exponent < 32n ? exponent : 32n))
  head.set(input.subarray(start, start + head.length))
  const bits = most(bitLength(bytesToBigint(head)) - 1n, 0n)
  const rounds = most(exponent > 32n ? 16n * (exponent - 32n) + bits : bits, 1n)
  const bytes = most(base, modulus)
  const complexity = bytes <= 32n ? 16n : 2n * ((bytes + 7n) / 8n) ** 2n
  return most(500n, complexity * rounds)
}

const modexp = (input: Uint8Array, gas: bigint, message: string): string => {
  if (![0, 1, 2].some((index) => word(input, index) > MAX_MODEXP_BYTES)) return message
  const needed = modexpGas(input)
  if (needed === undefined || gas < needed) return OUT_OF_GAS
  return 'one or more of base/exponent/modulus length exceeded 1024 bytes'
}

const bnPoints = (input: Uint8Array, words: number, message: string): string => {
  if (message === OUT_OF_GAS) return message
  const isOutside = Array.from({ length: words }, (_, index) => word(input, index)).some((x) => x >= BN254_PRIME)
  return isOutside ? 'invalid fp.Element encoding' : message
}

/** geth asks for the gas before it looks at the length. */
const bnPairing = (input: Uint8Array, gas: bigint, message: string): string => {
  if (gas < 45_000n + 34_000n * BigInt(Math.floor(input.length / 192))) return OUT_OF_GAS
  return input.length % 192 !== 0 ? 'bad elliptic curve pairing size' : message
}

/** A round costs one gas, and is asked for before the flag is looked at. */
const blake2f = (input: Uint8Array, gas: bigint, message: string): string => {
  if (input.length !== BLAKE2F_BYTES) return message
  return gas < bytesToBigint(input.subarray(0, 4)) ? OUT_OF_GAS : 'invalid final flag'
}

const blsPairing = (input: Uint8Array, gas: bigint, message: string): string =>
  gas < 37_700n + 32_600n * BigInt(Math.floor(input.length / 384)) ? OUT_OF_GAS : blsPoints(input, message)

const blsPoints = (input: Uint8Array, message: string): string => {
  if (message !== 'invalid point: not on curve') return message
  for (let at = 0; at < input.length; at += BLS_WORD_BYTES) {
    if (!isZeroBytes(input.subarray(at, at + BLS_PADDING_BYTES))) return 'invalid field element top bytes'
  }
  return message
}

/** The text for a call of `address` that failed with `message`; undefined when it is no precompile of these. */
const inputFailure = (address: Address, input: Uint8Array, gas: bigint, message: string): string | undefined => {
  if (!isZeroBytes(address.subarray(0, 19))) return undefined
  switch (address[19]) {
    case 0x05:
      return modexp(input, gas, message)
    case 0x06:
      return bnPoints(input, 4, message)
    case 0x07:
      return bnPoints(input, 2, message)
    case 0x08:
      return bnPairing(input, gas, message)
    case 0x09:
      return blake2f(input, gas, message)
    case 0x0b:
    case 0x0d:
    case 0x10:
    case 0x11:
      return blsPoints(input, message)
    case 0x0f:
      return blsPairing(input, gas, message)
    default:
      return undefined
  }
}

/** What geth says where a library said `coarse` of a call of `address` with this input: the same of both engines. */
export const precompileFailure = (
  address: Address,
  input: Uint8Array,
  gas: bigint,
  coarse: string,
  curves: Curves,
): string => {
  if (!isZeroBytes(address.subarray(0, 18))) return coarse
  const message = inputFailure(address, input, gas, coarse) ?? coarse
  return curveFailure(numberOfPrecompile(address), input, message, curves) ?? message
}

/** Powers modulo a number of any length (EIP-198), priced by EIP-2565, from Osaka on by EIP-7883 and bounded by EIP-7823. */
import { bigintToBytes, bytesToBigint, EMPTY_BYTES, isZeroBytes, padLeft } from '../../core/bytes.ts'
import { OUT_OF_GAS, padRight, type Precompile } from './precompile.ts'

const WORD = 32
const HEAD = 3 * WORD
const MAX_BYTES = 1_024n
const MAX_UINT32 = 0xffff_ffffn
/** The most bytes of a number before Osaka: longer ones are not held in memory, whatever was paid for them. */
const MAX_HELD_BYTES = 0x7fff_ffffn

interface Lengths {
  readonly base: bigint
  readonly exponent: bigint
  readonly modulus: bigint
}

const lengthsOf = (input: Uint8Array): Lengths => {
  const head = padRight(input, HEAD)
  const at = (index: number): bigint => bytesToBigint(head.subarray(index * WORD, index * WORD + WORD))
  return { base: at(0), exponent: at(1), modulus: at(2) }
}

const largest = (a: bigint, b: bigint): bigint => (a > b ? a : b)
const bitLength = (value: bigint): bigint => (value === 0n ? 0n : BigInt(value.toString(2).length))

/** Squarings that the exponent asks for, of its first 32 bytes by their value, and so many for each other byte. */
const iterations = (input: Uint8Array, { base, exponent }: Lengths, perByte: bigint): bigint => {
  const size = Number(exponent < 32n ? exponent : 32n)
  const from = base > BigInt(input.length) ? input.length : HEAD + Number(base)
  const head = padRight(input.subarray(from), size)
  const bits = largest(bitLength(bytesToBigint(head)) - 1n, 0n)
  return largest(exponent > 32n ? perByte * (exponent - 32n) + bits : bits, 1n)
}

const wordsSquared = (bytes: bigint): bigint => ((bytes + 7n) / 8n) ** 2n

const toNumber = (gas: bigint): number => (gas > BigInt(Number.MAX_SAFE_INTEGER) ? Infinity : Number(gas))

/** EIP-7883. */
const osakaGas = (input: Uint8Array): number => {
  const lengths = lengthsOf(input)
  const bytes = largest(lengths.base, lengths.modulus)
  if (largest(bytes, lengths.exponent) > MAX_UINT32) return Infinity
  const complexity = bytes <= 32n ? 16n : 2n * wordsSquared(bytes)
  return toNumber(largest(500n, complexity * iterations(input, lengths, 16n)))
}

/** EIP-2565. */
const berlinGas = (input: Uint8Array): number => {
  const lengths = lengthsOf(input)
  const complexity = wordsSquared(largest(lengths.base, lengths.modulus))
  return toNumber(largest(200n, (complexity * iterations(input, lengths, 8n)) / 3n))
}

/**
 * Goes through the exponent's bytes from the first: shifting a bigint copies all of it for each bit, and before Osaka an
 * exponent is as long as memory.
 */
const power = (base: bigint, exponent: Uint8Array, modulus: bigint): bigint => {
  const one = 1n % modulus
  const factor = base % modulus
  // Zero and one are their own powers, but for the one without a factor.
  if (factor <= 1n) return isZeroBytes(exponent) ? one : factor
  let result = one
  for (const byte of exponent) {
    // Zeros before the first bit that counts square a one.
    if (byte === 0 && result === one) continue
    for (let mask = 0x80; mask > 0; mask >>= 1) {
      result = (result * result) % modulus
      if ((byte & mask) !== 0) result = (result * factor) % modulus
    }
  }
  return result
}

const compute = (input: Uint8Array, { base, exponent, modulus }: Lengths): Uint8Array | string => {
  // Where both are empty the exponent can be of any length, and is not looked at.
  if (base === 0n && modulus === 0n) return EMPTY_BYTES
  if (largest(largest(base, modulus), exponent) > MAX_HELD_BYTES) return OUT_OF_GAS
  const [baseBytes, exponentBytes, modulusBytes] = [Number(base), Number(exponent), Number(modulus)]
  const read = (from: number, size: number): Uint8Array => padRight(input.subarray(from), size)
  const divisor = bytesToBigint(read(HEAD + baseBytes + exponentBytes, modulusBytes))
  if (divisor === 0n) return new Uint8Array(modulusBytes)
  const result = power(bytesToBigint(read(HEAD, baseBytes)), read(HEAD + baseBytes, exponentBytes), divisor)
  return padLeft(bigintToBytes(result), modulusBytes)
}

/** 0x05. */
export const createModexp = (isOsaka: boolean): Precompile => ({
  gasOf: isOsaka ? osakaGas : berlinGas,
  run: (input) => {
    const lengths = lengthsOf(input)
    const isTooLong = largest(largest(lengths.base, lengths.exponent), lengths.modulus) > MAX_BYTES
    if (isOsaka && isTooLong) return 'one or more of base/exponent/modulus length exceeded 1024 bytes'
    return compute(input, lengths)
  },
})

/** Hexadecimal with and without the 0x prefix, as Ethereum's JSON-RPC writes data and quantities. */
import { bytesToBigint, bytesToUnprefixedHex, plainBytes } from './bytes.ts'
import { coreError } from './errors.ts'

export { bytesToUnprefixedHex }

export type Hex = `0x${string}`

export const bytesToHex = (bytes: Uint8Array): Hex => `0x${bytesToUnprefixedHex(bytes)}`

const HEX_DATA = /^0x(?:[0-9a-fA-F]{2})*$/

/** Decodes data with a 0x prefix and an even number of digits. Throws core/1 otherwise. */
export const hexToBytes = (hex: string): Uint8Array => {
  if (!HEX_DATA.test(hex)) throw coreError('hex', `invalid hex data: ${hex.slice(0, 80)}`)
  return plainBytes(Buffer.from(hex.slice(2), 'hex'))
}

/** A quantity: no leading zeros, zero is 0x0. */
export const quantityToHex = (value: bigint | number): Hex => `0x${value.toString(16)}`

/** Reads a quantity leniently (leading zeros allowed, "0x" is zero), as test vectors and genesis files write it. Throws core/1. */
export const hexToBigint = (hex: string): bigint => {
  if (!/^0x[0-9a-fA-F]*$/.test(hex)) throw coreError('hex', `invalid hex quantity: ${hex.slice(0, 80)}`)
  return hex === '0x' ? 0n : BigInt(hex)
}

/** Big-endian bytes as a quantity. */
export const bytesToQuantity = (bytes: Uint8Array): Hex => quantityToHex(bytesToBigint(bytes))

/** Twenty-byte account addresses: EIP-55 checksums, contract addresses and module addresses. */
import { bytesToUnprefixedHex, hexToBytes, type Hex } from './hex.ts'
import { bigintToBytes, concatBytes, utf8ToBytes } from './bytes.ts'
import { coreError } from './errors.ts'
import { keccak256, sha256, type Hash } from './hash.ts'
import { encodeRlp } from './rlp.ts'

/** Twenty bytes. Made by {@link toAddress}, {@link parseAddress} and the functions below. */
export type Address = Uint8Array & { readonly __address?: never }

export const ADDRESS_LENGTH = 20

/** Checks the length. Throws core/2. */
export const toAddress = (bytes: Uint8Array): Address => {
  if (bytes.length !== ADDRESS_LENGTH) throw coreError('addressLength', `an address has 20 bytes, not ${bytes.length}`)
  return bytes
}

/** Parses 0x and forty hexadecimal digits in any case. Throws core/1 or core/2. */
export const parseAddress = (hex: string): Address => toAddress(hexToBytes(hex))

export const ZERO_ADDRESS: Address = new Uint8Array(ADDRESS_LENGTH)

/** The mixed-case checksum form (EIP-55). */
export const checksumAddress = (address: Address): Hex => {
  const digits = bytesToUnprefixedHex(address)
  const hash = bytesToUnprefixedHex(keccak256(utf8ToBytes(digits)))
  let out = '0x'
  for (let i = 0; i < digits.length; i++) {
    out += Number.parseInt(hash.charAt(i), 16) >= 8 ? digits.charAt(i).toUpperCase() : digits.charAt(i)
  }
  return out as Hex
}

/** The address of a contract created by a transaction or CREATE: keccak256(rlp([sender, nonce])), last 20 bytes. */
export const contractAddress = (sender: Address, nonce: bigint): Address =>
  keccak256(encodeRlp([sender, bigintToBytes(nonce)])).slice(12)

/** The address of a contract created by CREATE2 (EIP-1014). */
export const contractAddress2 = (sender: Address, salt: Hash, initCode: Uint8Array): Address =>
  keccak256(concatBytes(Uint8Array.of(0xff), sender, salt, keccak256(initCode))).slice(12)

/** The system account of a native module, as the Cosmos SDK names it: the first 20 bytes of sha256(name). */
export const moduleAddress = (name: string): Address => sha256(utf8ToBytes(name)).slice(0, ADDRESS_LENGTH)

/** The account that collects the fees of both transaction families; `miner` of every block. */
export const FEE_COLLECTOR_ADDRESS: Address = moduleAddress('fee_collector')

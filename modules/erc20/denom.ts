/** Names of contracts and of their denominations. One contract has one spelling, so one denomination. */
import { type Address, checksumAddress, parseAddress } from '../../core/address.ts'
import { bytesToHex } from '../../core/hex.ts'

const PREFIX = 'erc20/'
const ADDRESS = /^0x[0-9a-fA-F]{40}$/
const DENOM = /^erc20\/0x[0-9a-f]{40}$/

/** `erc20/0x` and forty lower-case digits. */
export const denomOf = (token: Address): string => `${PREFIX}${bytesToHex(token)}`

/** The address of a text in lower case, or with a right checksum (EIP-55). Undefined for anything else. */
export const addressOfText = (text: string): Address | undefined => {
  if (!ADDRESS.test(text)) return undefined
  const address = parseAddress(text)
  return text === bytesToHex(address) || text === checksumAddress(address) ? address : undefined
}

/** The address; undefined for a denomination that is of no contract. */
export const addressOfDenom = (denom: string): Address | undefined =>
  DENOM.test(denom) ? parseAddress(denom.slice(PREFIX.length)) : undefined

/** Whatever stands behind the prefix: no other denomination begins with it. */
export const isTokenDenom = (denom: string): boolean => denom.startsWith(PREFIX)

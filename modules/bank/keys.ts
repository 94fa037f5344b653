/** Keys of the bank's store. Balances of anat are the accounts' own and stand in none of them. */
import type { Address } from '../../core/address.ts'
import { concatBytes, utf8ToBytes } from '../../core/bytes.ts'

const SUPPLY = Uint8Array.of(0x01)
const BALANCE = Uint8Array.of(0x02)

/** Supply of a denomination: big-endian integer. */
export const supplyKey = (denom: string): Uint8Array => concatBytes(SUPPLY, utf8ToBytes(denom))
export const SUPPLY_PREFIX = SUPPLY

/** Balance of an account in a denomination other than anat: big-endian integer; absent is zero. */
export const balanceKey = (address: Address, denom: string): Uint8Array =>
  concatBytes(BALANCE, address, utf8ToBytes(denom))
export const balancePrefix = (address: Address): Uint8Array => concatBytes(BALANCE, address)
export const BALANCES_PREFIX = BALANCE

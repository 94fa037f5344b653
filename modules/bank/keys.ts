/** Keys of the bank's store. Balances of anat are the accounts' own and stand in none of them. */
import type { Address } from '../../core/address.ts'
import { concatBytes, utf8ToBytes } from '../../core/bytes.ts'

const SUPPLY = Uint8Array.of(0x01)
const BALANCE = Uint8Array.of(0x02)
const SEND_ENABLED = Uint8Array.of(0x03)
const METADATA = Uint8Array.of(0x04)

/** Supply of a denomination: big-endian integer. */
export const supplyKey = (denom: string): Uint8Array => concatBytes(SUPPLY, utf8ToBytes(denom))
export const SUPPLY_PREFIX = SUPPLY

/** Balance of an account in a denomination other than anat: big-endian integer; absent is zero. */
export const balanceKey = (address: Address, denom: string): Uint8Array =>
  concatBytes(BALANCE, address, utf8ToBytes(denom))
export const balancePrefix = (address: Address): Uint8Array => concatBytes(BALANCE, address)
export const BALANCES_PREFIX = BALANCE

/** Whether a denomination may be sent: one byte, 1 or 0; absent is the default of the parameters. */
export const sendEnabledKey = (denom: string): Uint8Array => concatBytes(SEND_ENABLED, utf8ToBytes(denom))
export const SEND_ENABLED_PREFIX = SEND_ENABLED

/** Metadata of a denomination: cosmos.bank.v1beta1.Metadata. */
export const metadataKey = (denom: string): Uint8Array => concatBytes(METADATA, utf8ToBytes(denom))
export const METADATA_PREFIX = METADATA

/** Parameters: one byte, default_send_enabled; absent is 1. */
export const PARAMS_KEY = Uint8Array.of(0x05)

/** Gas that a transaction pays before its first instruction (Yellow Paper 6.2, EIP-2028, 2930, 3860, 7702, 7623). */
import type { AccessListEntry } from './transaction.ts'

export const TRANSACTION_GAS = 21_000n
const CREATION_GAS = 32_000
const ZERO_BYTE_GAS = 4
const NON_ZERO_BYTE_GAS = 16
const INIT_CODE_WORD_GAS = 2
const ACCESS_LIST_ADDRESS_GAS = 2_400
const ACCESS_LIST_SLOT_GAS = 1_900
/** EIP-7702: for every tuple, part of it refunded when the authority exists. */
export const NEW_ACCOUNT_GAS = 25_000
const FLOOR_TOKEN_GAS = 10
const NON_ZERO_BYTE_TOKENS = 4

export interface GasRelevant {
  readonly to: Uint8Array | undefined
  readonly data: Uint8Array
  readonly accessList?: readonly AccessListEntry[]
  readonly authorizationList?: readonly unknown[]
}

const countZeros = (data: Uint8Array): number => {
  let zeros = 0
  // The loop counts by index, for the iterator of an array takes as long as the rest of a short call.
  for (let at = 0; at < data.length; at++) if (data[at] === 0) zeros++
  return zeros
}

// Data is bounded by the size of a transaction, so numbers are exact throughout.
export const intrinsicGas = ({ to, data, accessList, authorizationList }: GasRelevant): bigint => {
  let gas = 0
  if (data.length > 0) {
    const zeros = countZeros(data)
    gas += zeros * ZERO_BYTE_GAS + (data.length - zeros) * NON_ZERO_BYTE_GAS
  }
  if (to === undefined) gas += CREATION_GAS + Math.ceil(data.length / 32) * INIT_CODE_WORD_GAS
  for (const entry of accessList ?? []) {
    gas += ACCESS_LIST_ADDRESS_GAS + entry.storageKeys.length * ACCESS_LIST_SLOT_GAS
  }
  gas += (authorizationList?.length ?? 0) * NEW_ACCOUNT_GAS
  return TRANSACTION_GAS + BigInt(gas)
}

/** The least that a transaction pays for its data (EIP-7623, from Prague on). */
export const floorDataGas = (data: Uint8Array): bigint => {
  if (data.length === 0) return TRANSACTION_GAS
  const zeros = countZeros(data)
  const tokens = zeros + (data.length - zeros) * NON_ZERO_BYTE_TOKENS
  return TRANSACTION_GAS + BigInt(tokens * FLOOR_TOKEN_GAS)
}

/** Keys of the admission store. */
import { type Address, moduleAddress } from '../../core/address.ts'
import { concatBytes } from '../../core/bytes.ts'

export const ADMISSION_ADDRESS: Address = moduleAddress('admission')

/** 0x01 when approval is required; absent when anyone may. */
export const APPROVAL_REQUIRED_KEY = Uint8Array.of(0x01)
export const OPERATOR_PREFIX = Uint8Array.of(0x02)
/** 0x01 for an approved operator. */
export const operatorKey = (operator: Address): Uint8Array => concatBytes(OPERATOR_PREFIX, operator)

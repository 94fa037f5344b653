/** Keys of distribution's store: one byte of prefix, then addresses of 20 bytes and big-endian numbers of 8. */
import type { Address } from '../../core/address.ts'
import { concatBytes, uint64ToBytes, utf8ToBytes } from '../../core/bytes.ts'

/** RLP [community tax, whether withdraw addresses can be set]. */
export const PARAMS_KEY = Uint8Array.of(0x01)
/** RLP [accumulator, anat that the records account for]; absent is zero. See accrual.ts. */
export const TOTALS_KEY = Uint8Array.of(0x02)
/** Consensus address (20) and power (8) of every voter that shares in fees, in the order of the votes. */
export const VOTERS_KEY = Uint8Array.of(0x03)

const CHECKPOINTS_PREFIX = Uint8Array.of(0x04)
/** The accumulator up to which a voter is settled; absent is zero. */
export const checkpointKey = (consensusAddress: Uint8Array): Uint8Array =>
  concatBytes(CHECKPOINTS_PREFIX, consensusAddress)

export const POOL_PREFIX = Uint8Array.of(0x05)
/** Decimal of one denomination in the community pool. */
export const poolKey = (denom: string): Uint8Array => concatBytes(POOL_PREFIX, utf8ToBytes(denom))

export const WITHDRAW_ADDRESSES_PREFIX = Uint8Array.of(0x06)
/** An address; absent is the delegator itself. */
export const withdrawAddressKey = (delegator: Address): Uint8Array => concatBytes(WITHDRAW_ADDRESSES_PREFIX, delegator)

export const VALIDATORS_PREFIX = Uint8Array.of(0x07)
/** RLP [period, current rewards, commission, outstanding rewards, period of the last slash]. */
export const validatorKey = (operator: Address): Uint8Array => concatBytes(VALIDATORS_PREFIX, operator)

export const HISTORICAL_PREFIX = Uint8Array.of(0x08)
/** RLP [references, cumulative reward ratio at the end of the period]. */
export const historicalKey = (operator: Address, period: number): Uint8Array =>
  concatBytes(HISTORICAL_PREFIX, operator, uint64ToBytes(period))

export const STARTS_PREFIX = Uint8Array.of(0x09)
/** RLP [period before the delegation's, stake, height]. */
export const startKey = (operator: Address, delegator: Address): Uint8Array =>
  concatBytes(STARTS_PREFIX, operator, delegator)

export const SLASHES_PREFIX = Uint8Array.of(0x0a)
export const slashesPrefix = (operator: Address): Uint8Array => concatBytes(SLASHES_PREFIX, operator)
/** RLP [height, fraction, period of the slash before] by the period that a slash ended. */
export const slashKey = (operator: Address, period: number): Uint8Array =>
  concatBytes(SLASHES_PREFIX, operator, uint64ToBytes(period))

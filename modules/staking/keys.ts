/**
 * Keys of the staking store. Integers are big-endian; addresses have 20 bytes.
 *
 * 0x11 operator                      power of a validator in CometBFT's set, as the last application left it
 * 0x12                               sum of those powers
 * 0x13                               the marker: the power index changed since the last application; never at a block's end
 * 0x14                               RLP [bonded, not bonded] tokens that stand behind records
 * 0x15 id(8)                         a slash that blocks go on with, RLP (slash-tasks.ts)
 * 0x21 operator                      validator, RLP (validator.ts)
 * 0x22 consensus address             operator
 * 0x23 inverted power(8) operator    0x01; ascending keys are falling powers, then operators: the SDK's order
 * 0x31 delegator operator            shares
 * 0x32 delegator operator            entries of an unbonding delegation, RLP
 * 0x33 operator delegator            0x01, index of 0x32
 * 0x34 delegator source destination  entries of a redelegation, RLP
 * 0x35 source delegator destination  0x01, index of 0x34
 * 0x36 delegator destination         how many redelegations of the delegator to it have not matured
 * 0x37                               last unbonding id(8)
 * 0x38 operator height(8) delegator  0x01, index of 0x32 by the height of the newest entry: those who pay for a fault
 * 0x39 source height(8) delegator destination  0x01, index of 0x34 likewise
 * 0x41 time in ns(8) id(8)           delegator operator: queue of unbonding delegations
 * 0x42 time in ns(8) id(8)           delegator source destination: queue of redelegations
 * 0x43 time in ns(8) height(8) operator  0x01: queue of unbonding validators
 * 0x51                               parameters, RLP (params.ts)
 * 0x71 operator delegator            0x01, index of 0x31
 */
import { type Address, ADDRESS_LENGTH, moduleAddress } from '../../core/address.ts'
import { concatBytes, uint64ToBytes } from '../../core/bytes.ts'

export const BONDED_POOL = 'bonded_tokens_pool'
export const NOT_BONDED_POOL = 'not_bonded_tokens_pool'

export const STAKING_ADDRESS: Address = moduleAddress('staking')
/** Holds the tokens of bonded validators. */
export const BONDED_POOL_ADDRESS: Address = moduleAddress(BONDED_POOL)
/** Holds the tokens of other validators, and those on their way out. */
export const NOT_BONDED_POOL_ADDRESS: Address = moduleAddress(NOT_BONDED_POOL)

/** The value of an index's key: the key says it all. */
export const PRESENT: Uint8Array = Uint8Array.of(1)

export const LAST_POWER_PREFIX = Uint8Array.of(0x11)
export const LAST_TOTAL_POWER_KEY = Uint8Array.of(0x12)
export const INDEX_CHANGED_KEY = Uint8Array.of(0x13)
export const POOLS_KEY = Uint8Array.of(0x14)
export const SLASH_TASK_PREFIX = Uint8Array.of(0x15)
export const VALIDATOR_PREFIX = Uint8Array.of(0x21)
const CONSENSUS_ADDRESS = Uint8Array.of(0x22)
export const POWER_PREFIX = Uint8Array.of(0x23)
export const DELEGATION_PREFIX = Uint8Array.of(0x31)
export const UNBONDING_PREFIX = Uint8Array.of(0x32)
const UNBONDING_BY_OPERATOR = Uint8Array.of(0x33)
export const REDELEGATION_PREFIX = Uint8Array.of(0x34)
const REDELEGATION_BY_SOURCE = Uint8Array.of(0x35)
const RECEIVING = Uint8Array.of(0x36)
export const UNBONDING_ID_KEY = Uint8Array.of(0x37)
const UNBONDING_SINCE = Uint8Array.of(0x38)
const REDELEGATION_SINCE = Uint8Array.of(0x39)
export const UNBONDING_QUEUE_PREFIX = Uint8Array.of(0x41)
export const REDELEGATION_QUEUE_PREFIX = Uint8Array.of(0x42)
export const VALIDATOR_QUEUE_PREFIX = Uint8Array.of(0x43)
export const PARAMS_KEY = Uint8Array.of(0x51)
const DELEGATION_BY_OPERATOR = Uint8Array.of(0x71)

/** 2^64 - 1 - power sorts the strongest first. */
const invertedPower = (power: bigint): Uint8Array => uint64ToBytes((1n << 64n) - 1n - power)

export const slashTaskKey = (id: number): Uint8Array => concatBytes(SLASH_TASK_PREFIX, uint64ToBytes(id))
export const lastPowerKey = (operator: Address): Uint8Array => concatBytes(LAST_POWER_PREFIX, operator)
export const validatorKey = (operator: Address): Uint8Array => concatBytes(VALIDATOR_PREFIX, operator)
export const consensusAddressKey = (address: Uint8Array): Uint8Array => concatBytes(CONSENSUS_ADDRESS, address)
export const powerKey = (power: bigint, operator: Address): Uint8Array =>
  concatBytes(POWER_PREFIX, invertedPower(power), operator)

export const delegationsPrefix = (delegator: Address): Uint8Array => concatBytes(DELEGATION_PREFIX, delegator)
export const delegationKey = (delegator: Address, operator: Address): Uint8Array =>
  concatBytes(DELEGATION_PREFIX, delegator, operator)
export const delegatorsPrefix = (operator: Address): Uint8Array => concatBytes(DELEGATION_BY_OPERATOR, operator)
export const delegatorKey = (operator: Address, delegator: Address): Uint8Array =>
  concatBytes(DELEGATION_BY_OPERATOR, operator, delegator)

export const unbondingsPrefix = (delegator: Address): Uint8Array => concatBytes(UNBONDING_PREFIX, delegator)
export const unbondingKey = (delegator: Address, operator: Address): Uint8Array =>
  concatBytes(UNBONDING_PREFIX, delegator, operator)
export const unbondingsFromPrefix = (operator: Address): Uint8Array => concatBytes(UNBONDING_BY_OPERATOR, operator)
export const unbondingFromKey = (operator: Address, delegator: Address): Uint8Array =>
  concatBytes(UNBONDING_BY_OPERATOR, operator, delegator)

export const redelegationsPrefix = (delegator: Address): Uint8Array => concatBytes(REDELEGATION_PREFIX, delegator)
export const redelegationKey = (delegator: Address, source: Address, destination: Address): Uint8Array =>
  concatBytes(REDELEGATION_PREFIX, delegator, source, destination)
export const redelegationsFromPrefix = (source: Address): Uint8Array => concatBytes(REDELEGATION_BY_SOURCE, source)
export const redelegationFromKey = (source: Address, delegator: Address, destination: Address): Uint8Array =>
  concatBytes(REDELEGATION_BY_SOURCE, source, delegator, destination)
export const receivingKey = (delegator: Address, destination: Address): Uint8Array =>
  concatBytes(RECEIVING, delegator, destination)

export const unbondingsSincePrefix = (operator: Address): Uint8Array => concatBytes(UNBONDING_SINCE, operator)
export const unbondingSinceKey = (operator: Address, height: number, delegator: Address): Uint8Array =>
  concatBytes(UNBONDING_SINCE, operator, uint64ToBytes(height), delegator)
export const redelegationsSincePrefix = (source: Address): Uint8Array => concatBytes(REDELEGATION_SINCE, source)
export const redelegationSinceKey = (
  source: Address,
  height: number,
  delegator: Address,
  destination: Address,
): Uint8Array => concatBytes(REDELEGATION_SINCE, source, uint64ToBytes(height), delegator, destination)

/** `prefix` is that of the queue of unbonding delegations or of redelegations. */
export const queueKey = (prefix: Uint8Array, timeNs: bigint, id: number): Uint8Array =>
  concatBytes(prefix, uint64ToBytes(timeNs), uint64ToBytes(id))
export const validatorQueueKey = (timeNs: bigint, height: number, operator: Address): Uint8Array =>
  concatBytes(VALIDATOR_QUEUE_PREFIX, uint64ToBytes(timeNs), uint64ToBytes(height), operator)

/** The address at `index` of a key or value whose addresses begin at `offset`. */
export const addressAt = (bytes: Uint8Array, offset: number, index = 0): Address =>
  bytes.slice(offset + index * ADDRESS_LENGTH, offset + (index + 1) * ADDRESS_LENGTH)

/** The addresses that follow prefix, validator and height in a key of an index by heights. */
export const addressesSince = (key: Uint8Array): Uint8Array => key.slice(1 + ADDRESS_LENGTH + 8)

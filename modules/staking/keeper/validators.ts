/** Records of validators, and the index of their powers: the only code that writes either. */
import { ADDRESS_LENGTH, type Address } from '../../../core/address.ts'
import { equalBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import type { ModuleContext } from '../../module.ts'
import type { StakingPorts } from '../deps.ts'
import { stakingError } from '../errors.ts'
import {
  addressAt,
  consensusAddressKey,
  INDEX_CHANGED_KEY,
  POWER_PREFIX,
  powerKey,
  PRESENT,
  STAKING_ADDRESS,
  validatorKey,
  VALIDATOR_PREFIX,
} from '../keys.ts'
import { readAll } from './scan.ts'
import { callHooks } from '../hooks.ts'
import { decodeValidator, encodeValidator, powerOf, type Validator } from '../validator.ts'

export const readValidator = (state: StateReader, operator: Address): Validator | undefined => {
  const value = state.value(STAKING_ADDRESS, validatorKey(operator))
  return value === undefined ? undefined : decodeValidator(operator, value)
}

/** Throws staking/3. */
export const requireValidator = (state: StateReader, operator: Address): Validator => {
  const validator = readValidator(state, operator)
  if (validator === undefined) throw stakingError('noValidator')
  return validator
}

/** The validator of a record that other records point to. */
export const existingValidator = (state: StateReader, operator: Address): Validator => {
  const validator = readValidator(state, operator)
  invariant(validator !== undefined, 'a record of staking points to a validator that does not exist')
  return validator
}

export const readOperatorOf = (state: StateReader, consensusAddress: Uint8Array): Address | undefined =>
  state.value(STAKING_ADDRESS, consensusAddressKey(consensusAddress))?.slice()

export const readValidatorByConsensusAddress = (
  state: StateReader,
  consensusAddress: Uint8Array,
): Validator | undefined => {
  const operator = readOperatorOf(state, consensusAddress)
  return operator === undefined ? undefined : existingValidator(state, operator)
}

/** Reads validators in the order of operators, from `start` (inclusive) on. */
export function* readValidators(state: StateReader, start?: Address): Generator<Validator, void> {
  for (const [key, value] of readAll(state, VALIDATOR_PREFIX, start === undefined ? undefined : validatorKey(start))) {
    yield decodeValidator(addressAt(key, 1), value)
  }
}

/** A jailed validator does not stand in the index. */
const powerKeyOf = (validator: Validator | undefined): Uint8Array | undefined =>
  validator === undefined || validator.isJailed ? undefined : powerKey(powerOf(validator), validator.operator)

/**
 * Keeps the index in step, and notes when it changed: only then can the next application find anything to do. The note
 * is gone at the end of the block.
 */
const updatePowerIndex = (state: StateWriter, before: Validator | undefined, after: Validator | undefined): void => {
  const [old, next] = [powerKeyOf(before), powerKeyOf(after)]
  if (old === undefined ? next === undefined : next !== undefined && equalBytes(old, next)) return
  if (old !== undefined) state.setValue(STAKING_ADDRESS, old, undefined)
  if (next !== undefined) state.setValue(STAKING_ADDRESS, next, PRESENT)
  noteIndexChange(state)
}

/** Also of what else decides who is bonded: the parameters. */
export const noteIndexChange = (state: StateWriter): void => state.setValue(STAKING_ADDRESS, INDEX_CHANGED_KEY, PRESENT)

export const hasIndexChange = (state: StateReader): boolean =>
  state.value(STAKING_ADDRESS, INDEX_CHANGED_KEY) !== undefined

export const forgetIndexChange = (state: StateWriter): void =>
  state.setValue(STAKING_ADDRESS, INDEX_CHANGED_KEY, undefined)

/** `before` is the record as it stands in the state. */
export const updateValidator = (state: StateWriter, before: Validator, after: Validator): Validator => {
  state.setValue(STAKING_ADDRESS, validatorKey(after.operator), encodeValidator(after))
  updatePowerIndex(state, before, after)
  return after
}

export const createValidator = (state: StateWriter, validator: Validator): void => {
  state.setValue(STAKING_ADDRESS, validatorKey(validator.operator), encodeValidator(validator))
  state.setValue(STAKING_ADDRESS, consensusAddressKey(validator.consensusAddress), validator.operator)
  updatePowerIndex(state, undefined, validator)
}

/** It is unbonded and has nothing left. */
export const removeValidator = (ports: StakingPorts, context: ModuleContext, validator: Validator): void => {
  invariant(validator.status === 'unbonded', 'a validator is removed before it is unbonded')
  invariant(validator.tokens === 0n && validator.shares === 0n, 'a validator is removed with stake behind it')
  const { state } = context
  state.setValue(STAKING_ADDRESS, validatorKey(validator.operator), undefined)
  state.setValue(STAKING_ADDRESS, consensusAddressKey(validator.consensusAddress), undefined)
  updatePowerIndex(state, validator, undefined)
  callHooks(ports, 'afterValidatorRemoved', context, validator.consensusAddress, validator.operator)
}

export interface PowerEntry {
  readonly operator: Address
  readonly power: bigint
}

/** At most `limit` validators that are not jailed, by falling power, then in the order of operators. */
export const readStrongest = (state: StateReader, limit: number): readonly PowerEntry[] =>
  state.values(STAKING_ADDRESS, POWER_PREFIX, limit).map(([key]) => {
    const inverted = new DataView(key.buffer, key.byteOffset + 1, 8).getBigUint64(0)
    return { operator: key.slice(9, 9 + ADDRESS_LENGTH), power: (1n << 64n) - 1n - inverted }
  })

/** Those that are bonded among the strongest, by falling power. */
export function* readBondedValidators(state: StateReader, maxValidators: number): Generator<Validator, void> {
  for (const { operator } of readStrongest(state, maxValidators)) {
    const validator = existingValidator(state, operator)
    if (validator.status === 'bonded') yield validator
  }
}

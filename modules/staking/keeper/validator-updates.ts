/** The end of a block: who is bonded, what CometBFT is told, and whose unbonding is over. */
import type { Address } from '../../../core/address.ts'
import { bigintToBytes, bytesToBigint, bytesToKey, equalBytes, keyToBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import type { ModuleContext, ValidatorUpdate } from '../../module.ts'
import type { StakingPorts } from '../deps.ts'
import { callHooks } from '../hooks.ts'
import {
  addressAt,
  LAST_POWER_PREFIX,
  LAST_TOTAL_POWER_KEY,
  lastPowerKey,
  PRESENT,
  STAKING_ADDRESS,
  VALIDATOR_QUEUE_PREFIX,
  validatorQueueKey,
} from '../keys.ts'
import { readAll } from './scan.ts'
import { readStakingParams } from './params.ts'
import { movePools } from './pools.ts'
import { nextUnbondingId, readMature } from './queue.ts'
import type { Validator } from '../validator.ts'
import {
  existingValidator,
  hasIndexChange,
  type PowerEntry,
  readStrongest,
  removeValidator,
  updateValidator,
} from './validators.ts'

/** CometBFT's set as the last application left it, in the order of operators. */
export function* readLastPowers(state: StateReader): Generator<PowerEntry, void> {
  for (const [key, value] of readAll(state, LAST_POWER_PREFIX)) {
    yield { operator: addressAt(key, 1), power: bytesToBigint(value) }
  }
}

export const writeLastPower = (state: StateWriter, operator: Address, power: bigint | undefined): void =>
  state.setValue(STAKING_ADDRESS, lastPowerKey(operator), power === undefined ? undefined : bigintToBytes(power))

export const readLastTotalPower = (state: StateReader): bigint => {
  const value = state.value(STAKING_ADDRESS, LAST_TOTAL_POWER_KEY)
  return value === undefined ? 0n : bytesToBigint(value)
}

export const writeLastTotalPower = (state: StateWriter, power: bigint): void =>
  state.setValue(STAKING_ADDRESS, LAST_TOTAL_POWER_KEY, power === 0n ? undefined : bigintToBytes(power))

export const enqueueValidator = (state: StateWriter, validator: Validator, value: Uint8Array | undefined): void => {
  const { unbondingTimeNs, unbondingHeight, operator } = validator
  state.setValue(STAKING_ADDRESS, validatorQueueKey(unbondingTimeNs, unbondingHeight, operator), value)
}

const bond = (ports: StakingPorts, context: ModuleContext, validator: Validator): void => {
  const { state } = context
  if (validator.status === 'unbonding') enqueueValidator(state, validator, undefined)
  updateValidator(state, validator, { ...validator, status: 'bonded', unbondingIds: [] })
  callHooks(ports, 'afterValidatorBonded', context, validator.consensusAddress, validator.operator)
}

const beginUnbonding = (
  ports: StakingPorts,
  context: ModuleContext,
  validator: Validator,
  unbondingTimeNs: bigint,
): void => {
  const { state, timeNs, height } = context
  invariant(validator.status === 'bonded', 'only a bonded validator begins to unbond')
  const after: Validator = {
    ...validator,
    status: 'unbonding',
    unbondingTimeNs: timeNs + unbondingTimeNs,
    unbondingHeight: height,
    unbondingIds: [nextUnbondingId(state)],
  }
  updateValidator(state, validator, after)
  enqueueValidator(state, after, PRESENT)
  callHooks(ports, 'afterValidatorBeginUnbonding', context, validator.consensusAddress, validator.operator)
}

/**
 * Bonds the strongest validators, lets the others of `last` unbond, and moves their tokens between the pools, once for
 * all. Returns what changes in CometBFT's set.
 */
const apply = (
  ports: StakingPorts,
  context: ModuleContext,
  last: ReadonlyMap<string, bigint>,
): readonly ValidatorUpdate[] => {
  const { state } = context
  const { maxValidators, unbondingTimeNs } = readStakingParams(state)
  const updates: ValidatorUpdate[] = []
  const leaving = new Map(last)
  let totalPower = 0n
  let bondedTokens = 0n
  for (const { operator, power } of readStrongest(state, maxValidators)) {
    if (power === 0n) break
    const key = bytesToKey(operator)
    leaving.delete(key)
    totalPower += power
    // Whoever stands in the set is bonded: with its old power there is nothing to do.
    if (last.get(key) === power) continue
    const validator = existingValidator(state, operator)
    if (validator.status !== 'bonded') {
      bond(ports, context, validator)
      bondedTokens += validator.tokens
    }
    updates.push({ publicKey: validator.publicKey, power })
    writeLastPower(state, operator, power)
  }
  // A map of what `readLastPowers` gave keeps the order of operators.
  for (const key of leaving.keys()) {
    const validator = existingValidator(state, keyToBytes(key))
    beginUnbonding(ports, context, validator, unbondingTimeNs)
    bondedTokens -= validator.tokens
    writeLastPower(state, validator.operator, undefined)
    updates.push({ publicKey: validator.publicKey, power: 0n })
  }
  if (bondedTokens > 0n) movePools(ports, context, 'notBonded', 'bonded', bondedTokens)
  else movePools(ports, context, 'bonded', 'notBonded', -bondedTokens)
  if (updates.length > 0) writeLastTotalPower(state, totalPower)
  return updates
}

/** Whether anyone has the power to be in a set. */
const hasPower = (state: StateReader): boolean => readStrongest(state, 1).some(({ power }) => power > 0n)

/**
 * Nothing is read beyond one marker when no power, jailing or parameter changed.
 *
 * CometBFT stops for good at an empty set, where the SDK gives it one. So when nobody has power any more (all left, or
 * all are jailed) the last set stays, bonded and with its old powers, until somebody has some.
 */
export const applyValidatorUpdates = (ports: StakingPorts, context: ModuleContext): readonly ValidatorUpdate[] => {
  if (!hasIndexChange(context.state) || !hasPower(context.state)) return []
  const last = [...readLastPowers(context.state)]
  return apply(ports, context, new Map(last.map(({ operator, power }) => [bytesToKey(operator), power])))
}

/** The first set of a chain. `bonded` are those that the genesis file calls bonded, in the order of operators. */
export const applyFirstValidators = (
  ports: StakingPorts,
  context: ModuleContext,
  bonded: readonly Validator[],
): readonly ValidatorUpdate[] =>
  apply(ports, context, new Map(bonded.map(({ operator }) => [bytesToKey(operator), 0n]))).filter(
    ({ power }) => power > 0n,
  )

/** Ends the unbonding of those whose time has come; whoever has nothing left goes. */
export const completeMatureValidators = (ports: StakingPorts, context: ModuleContext): void => {
  const { state, timeNs } = context
  for (const [key] of readMature(state, VALIDATOR_QUEUE_PREFIX, timeNs)) {
    const validator = existingValidator(state, addressAt(key, 17))
    invariant(validator.status === 'unbonding', 'a validator in the queue of unbonding is not unbonding')
    invariant(
      equalBytes(key, validatorQueueKey(validator.unbondingTimeNs, validator.unbondingHeight, validator.operator)),
      'a validator stands in the queue at another time than its own',
    )
    state.setValue(STAKING_ADDRESS, key, undefined)
    const after = updateValidator(state, validator, { ...validator, status: 'unbonded', unbondingIds: [] })
    if (after.shares === 0n) removeValidator(ports, context, after)
  }
}

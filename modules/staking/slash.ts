/** Punishment: burning stake, and jailing. */
import type { Address } from '../../core/address.ts'
import { type Decimal, divideRoundUp, multiply, ONE, toDecimal, truncate } from '../../core/decimal.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import type { StateReader } from '../../store/state.ts'
import type { ModuleContext } from '../module.ts'
import { sdkError } from '../sdk-errors.ts'
import { POWER_REDUCTION } from '../stake.ts'
import type { StakingPorts } from './deps.ts'
import { stakingError } from './errors.ts'
import { callHooks } from './hooks.ts'
import { redelegationsSincePrefix, unbondingsSincePrefix } from './keys.ts'
import { readKeysSince } from './keeper/scan.ts'
import { burnFromPool, poolOf } from './keeper/pools.ts'
import { nextUnbondingId } from './keeper/queue.ts'
import { readRedelegationsSince } from './keeper/redelegations.ts'
import { type Fault, slashRedelegation, slashUnbondings, smaller } from './slash-payers.ts'
import { hasTask, requireSettled, writeTask } from './keeper/slash-tasks.ts'
import { readUnbondingsSince } from './keeper/unbonding.ts'
import type { Validator } from './validator.ts'
import { readValidatorByConsensusAddress, updateValidator } from './keeper/validators.ts'

/** Records of those who left that the block of a slash looks at. More are left to the ends of blocks. */
export const RECORDS_AT_ONCE = 200

/** What those owe who left since the fault. The records are listed first: slashing one changes others of them. */
const slashLeavers = (ports: StakingPorts, context: ModuleContext, operator: Address, fault: Fault): bigint => {
  let owed = slashUnbondings(ports, context, readUnbondingsSince(context.state, operator, fault.height), fault)
  for (const redelegation of readRedelegationsSince(context.state, operator, fault.height)) {
    owed += slashRedelegation(ports, context, redelegation, fault)
  }
  return owed
}

/** Whether too many left for one block, or a slash is not done that came before. */
const mustWait = (state: StateReader, operator: Address, height: number): boolean => {
  const limit = RECORDS_AT_ONCE + 1
  const count = [unbondingsSincePrefix(operator), redelegationsSincePrefix(operator)].reduce(
    (sum, prefix) => sum + readKeysSince(state, prefix, height, EMPTY_BYTES, limit).length,
    0,
  )
  return count > RECORDS_AT_ONCE || hasTask(state, operator)
}

/** Burns what is owed still of the validator's own tokens. Returns what it burned. */
export const burnOwn = (ports: StakingPorts, context: ModuleContext, validator: Validator, owed: bigint): bigint => {
  const burned = owed > 0n ? smaller(owed, validator.tokens) : 0n
  if (burned === 0n) return 0n
  const effective = smaller(divideRoundUp(toDecimal(burned), toDecimal(validator.tokens)), ONE)
  callHooks(ports, 'beforeValidatorSlashed', context, validator.operator, effective)
  updateValidator(context.state, validator, { ...validator, tokens: validator.tokens - burned })
  burnFromPool(ports, context, poolOf(validator), burned)
  return burned
}

/**
 * Slashes as StakePunisher's `slash` says: what is burned of the validator is returned, without the part of those who
 * left. Nothing is burned yet where blocks go on with it.
 */
export const slash = (
  ports: StakingPorts,
  context: ModuleContext,
  consensusAddress: Uint8Array,
  infractionHeight: number,
  power: bigint,
  fraction: Decimal,
): bigint => {
  const { state, height, timeNs } = context
  if (fraction < 0n) throw sdkError('invalidRequest', 'attempted to slash with a negative slash factor')
  if (infractionHeight > height) {
    throw sdkError(
      'invalidRequest',
      `impossible attempt to slash future infraction at height ${infractionHeight} but we are at height ${height}`,
    )
  }
  const validator = readValidatorByConsensusAddress(state, consensusAddress)
  // Nobody stands behind an unbonded validator's signature any more.
  if (validator === undefined || validator.status === 'unbonded') return 0n
  callHooks(ports, 'beforeValidatorModified', context, validator.operator)
  const { operator } = validator
  const owed = truncate(multiply(toDecimal(power * POWER_REDUCTION), fraction))
  if (infractionHeight === height) return burnOwn(ports, context, validator, owed)
  if (mustWait(state, operator, infractionHeight)) {
    const progress = { phase: 'unbondings', last: EMPTY_BYTES } as const
    const fault = { infractionHeight: Math.max(0, infractionHeight), timeNs, fraction }
    writeTask(state, { id: nextUnbondingId(state), operator, ...fault, owed, ...progress })
    return 0n
  }
  const fault = { height: infractionHeight, fraction, timeNs }
  return burnOwn(ports, context, validator, owed - slashLeavers(ports, context, operator, fault))
}

const existing = ({ state }: ModuleContext, consensusAddress: Uint8Array): Validator => {
  const validator = readValidatorByConsensusAddress(state, consensusAddress)
  invariant(validator !== undefined, 'a validator is jailed or unjailed that does not exist')
  return validator
}

/** Throws staking/7 when it is jailed. */
export const jail = (context: ModuleContext, consensusAddress: Uint8Array): void => {
  const validator = existing(context, consensusAddress)
  if (validator.isJailed) throw stakingError('jailed')
  updateValidator(context.state, validator, { ...validator, isJailed: true })
}

/** Throws sdk/18 when it is not jailed, and staking/101 while it is slashed. */
export const unjail = (context: ModuleContext, consensusAddress: Uint8Array): void => {
  const validator = existing(context, consensusAddress)
  requireSettled(context.state, validator.operator)
  if (!validator.isJailed) throw sdkError('invalidRequest', 'cannot unjail already unjailed validator')
  updateValidator(context.state, validator, { ...validator, isJailed: false })
}

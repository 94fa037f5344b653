/** Punishment: burning stake, and jailing. */
import type { Address } from '../../core/address.ts'
import { type Decimal, divideRoundUp, multiply, ONE, toDecimal, truncate } from '../../core/decimal.ts'
import { invariant } from '../../core/errors.ts'
import type { ModuleContext } from '../module.ts'
import { sdkError } from '../sdk-errors.ts'
import { POWER_REDUCTION } from '../stake.ts'
import { readDelegation, unbond } from './delegations.ts'
import type { StakingPorts } from './deps.ts'
import { stakingError } from './errors.ts'
import { callHooks } from './hooks.ts'
import { burnFromPool, type Pool, poolOf } from './pools.ts'
import { type Redelegation, readRedelegationsSince } from './redelegations.ts'
import {
  readUnbondingEntries,
  readUnbondingsSince,
  type UnbondingDelegation,
  type UnbondingEntry,
  writeUnbonding,
} from './unbonding.ts'
import type { Validator } from './validator.ts'
import { readValidator, readValidatorByConsensusAddress, updateValidator } from './validators.ts'

interface Fault {
  readonly height: number
  readonly fraction: Decimal
}

const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/** Whether an entry began after the fault, so that its stake stood behind it, and is not over. */
const pays = (
  { creationHeight, completionTimeNs }: Pick<UnbondingEntry, 'creationHeight' | 'completionTimeNs'>,
  { height }: Fault,
  timeNs: bigint,
): boolean => creationHeight >= height && completionTimeNs > timeNs

/** Takes the parts of unbonding delegations, and burns them together. Returns what they owe: it may be more than they have. */
export const slashUnbondings = (
  ports: StakingPorts,
  context: ModuleContext,
  unbondings: Iterable<UnbondingDelegation>,
  fault: Fault,
): bigint => {
  let [owed, burned] = [0n, 0n]
  for (const unbonding of unbondings) {
    const before = burned
    const entries = unbonding.entries.map((entry) => {
      if (!pays(entry, fault, context.timeNs)) return entry
      const share = truncate(fault.fraction * entry.initialBalance)
      const paid = smaller(share, entry.balance)
      owed += share
      burned += paid
      return { ...entry, balance: entry.balance - paid }
    })
    if (burned > before) writeUnbonding(context.state, { ...unbonding, entries })
  }
  burnFromPool(ports, context, 'notBonded', burned)
  return owed
}

/** Takes up to `share` from what the delegator withdraws from the destination since. Returns what it took. */
const takeFromUnbonding = (
  { state, timeNs }: ModuleContext,
  delegator: Address,
  operator: Address,
  fault: Fault,
  share: bigint,
): bigint => {
  let rest = share
  const entries = readUnbondingEntries(state, delegator, operator).map((entry) => {
    if (!pays(entry, fault, timeNs)) return entry
    const paid = smaller(rest, entry.balance)
    rest -= paid
    return { ...entry, balance: entry.balance - paid }
  })
  if (rest < share) writeUnbonding(state, { delegator, operator, entries })
  return share - rest
}

/**
 * Burns the part of a redelegation: first of what leaves the destination already, then of the delegation there. Returns
 * what it owes.
 */
export const slashRedelegation = (
  ports: StakingPorts,
  context: ModuleContext,
  { delegator, destination, entries }: Redelegation,
  fault: Fault,
): bigint => {
  const { state, timeNs } = context
  const burned: { [Name in Pool]: bigint } = { bonded: 0n, notBonded: 0n }
  let owed = 0n
  for (const entry of entries) {
    if (!pays(entry, fault, timeNs)) continue
    const share = truncate(fault.fraction * entry.initialBalance)
    owed += share
    const taken = takeFromUnbonding(context, delegator, destination, fault, share)
    burned.notBonded += taken
    const shares = multiply(fault.fraction, entry.sharesDestination)
    if (shares === 0n || taken === share) continue
    const held = readDelegation(state, delegator, destination)
    if (held === undefined) continue
    const tokens = unbond(ports, context, delegator, destination, smaller(shares, held.shares))
    // Where the SDK stops the chain, for it asks for the validator again: one that is gone was unbonded.
    const validator = readValidator(state, destination)
    burned[validator === undefined ? 'notBonded' : poolOf(validator)] += tokens
  }
  burnFromPool(ports, context, 'bonded', burned.bonded)
  burnFromPool(ports, context, 'notBonded', burned.notBonded)
  return owed
}

/** What those owe who left since the fault. The records are listed first: slashing one changes others of them. */
const slashLeavers = (ports: StakingPorts, context: ModuleContext, { operator }: Validator, fault: Fault): bigint => {
  let owed = slashUnbondings(ports, context, readUnbondingsSince(context.state, operator, fault.height), fault)
  for (const redelegation of readRedelegationsSince(context.state, operator, fault.height)) {
    owed += slashRedelegation(ports, context, redelegation, fault)
  }
  return owed
}

/** As StakePunisher's `slash`: what is burned of the validator is returned, without the part of those who left. */
export const slash = (
  ports: StakingPorts,
  context: ModuleContext,
  consensusAddress: Uint8Array,
  infractionHeight: number,
  power: bigint,
  fraction: Decimal,
): bigint => {
  const { state, height } = context
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
  let owed = truncate(multiply(toDecimal(power * POWER_REDUCTION), fraction))
  if (infractionHeight < height) owed -= slashLeavers(ports, context, validator, { height: infractionHeight, fraction })
  const burned = owed > 0n ? smaller(owed, validator.tokens) : 0n
  if (burned === 0n) return 0n
  const effective = smaller(divideRoundUp(toDecimal(burned), toDecimal(validator.tokens)), ONE)
  callHooks(ports, 'beforeValidatorSlashed', context, validator.operator, effective)
  updateValidator(state, validator, { ...validator, tokens: validator.tokens - burned })
  burnFromPool(ports, context, poolOf(validator), burned)
  return burned
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

/** Throws sdk/18 when it is not jailed. */
export const unjail = (context: ModuleContext, consensusAddress: Uint8Array): void => {
  const validator = existing(context, consensusAddress)
  if (!validator.isJailed) throw sdkError('invalidRequest', 'cannot unjail already unjailed validator')
  updateValidator(context.state, validator, { ...validator, isJailed: false })
}

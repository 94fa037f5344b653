/** Delegations: their records, and shares coming and going. */
import type { Address } from '../../../core/address.ts'
import { bigintToBytes, bytesToBigint, equalBytes } from '../../../core/bytes.ts'
import { type Decimal, formatDecimal, truncate } from '../../../core/decimal.ts'
import { invariant } from '../../../core/errors.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import type { ModuleContext } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import type { DelegationView } from '../../stake.ts'
import type { StakingPorts } from '../deps.ts'
import { stakingError } from '../errors.ts'
import { callHooks } from '../hooks.ts'
import {
  addressAt,
  DELEGATION_PREFIX,
  delegationKey,
  delegationsPrefix,
  delegatorKey,
  delegatorsPrefix,
  PRESENT,
  STAKING_ADDRESS,
} from '../keys.ts'
import { readAll } from './scan.ts'
import { fillPool, movePools, type Pool, poolOf } from './pools.ts'
import {
  addTokens,
  hasInvalidRate,
  removeShares,
  sharesFromTokens,
  tokensFromShares,
  type Validator,
} from '../validator.ts'
import { existingValidator, removeValidator, requireValidator, updateValidator } from './validators.ts'

export const readDelegation = (
  state: StateReader,
  delegator: Address,
  operator: Address,
): DelegationView | undefined => {
  const value = state.value(STAKING_ADDRESS, delegationKey(delegator, operator))
  return value === undefined ? undefined : { delegator, operator, shares: bytesToBigint(value) }
}

export const writeDelegation = (state: StateWriter, { delegator, operator, shares }: DelegationView): void => {
  state.setValue(STAKING_ADDRESS, delegationKey(delegator, operator), bigintToBytes(shares))
  state.setValue(STAKING_ADDRESS, delegatorKey(operator, delegator), PRESENT)
}

const removeDelegation = (state: StateWriter, { delegator, operator }: DelegationView): void => {
  state.setValue(STAKING_ADDRESS, delegationKey(delegator, operator), undefined)
  state.setValue(STAKING_ADDRESS, delegatorKey(operator, delegator), undefined)
}

const decode = ([key, value]: readonly [Uint8Array, Uint8Array]): DelegationView => ({
  delegator: addressAt(key, 1),
  operator: addressAt(key, 1, 1),
  shares: bytesToBigint(value),
})

/** Reads delegations in the order of delegators, then of operators. */
export function* readAllDelegations(state: StateReader): Generator<DelegationView, void> {
  for (const entry of readAll(state, DELEGATION_PREFIX)) yield decode(entry)
}

/** Reads the delegations of one delegator in the order of operators, from `start` (inclusive) on. */
export function* readDelegationsOf(
  state: StateReader,
  delegator: Address,
  start?: Address,
): Generator<DelegationView, void> {
  const from = start === undefined ? undefined : delegationKey(delegator, start)
  for (const entry of readAll(state, delegationsPrefix(delegator), from)) yield decode(entry)
}

/** Reads the delegations to one validator in the order of delegators, from `start` (inclusive) on. */
export function* readDelegationsTo(
  state: StateReader,
  operator: Address,
  start?: Address,
): Generator<DelegationView, void> {
  const from = start === undefined ? undefined : delegatorKey(operator, start)
  for (const [key] of readAll(state, delegatorsPrefix(operator), from)) {
    const delegation = readDelegation(state, addressAt(key, 1, 1), operator)
    // It may have gone since the chunk was read.
    if (delegation !== undefined) yield delegation
  }
}

/** Where the tokens of a delegation come from: the delegator's account, or a pool that holds them already. */
export type TokenSource = 'account' | Pool

/**
 * Gives tokens to a validator. Returns the shares issued. Throws staking/34 for a validator without tokens behind its
 * shares, and sdk/5.
 */
export const delegate = (
  ports: StakingPorts,
  context: ModuleContext,
  delegator: Address,
  validator: Validator,
  amount: bigint,
  source: TokenSource,
): Decimal => {
  const { state } = context
  const { operator } = validator
  if (hasInvalidRate(validator)) throw stakingError('invalidExchangeRate')
  const held = readDelegation(state, delegator, operator)
  const hook = held === undefined ? 'beforeDelegationCreated' : 'beforeDelegationSharesModified'
  callHooks(ports, hook, context, delegator, operator)
  const pool = poolOf(validator)
  if (source === 'account') fillPool(ports, context, delegator, pool, amount)
  else movePools(ports, context, source, pool, amount)
  const [after, issued] = addTokens(validator, amount)
  updateValidator(state, validator, after)
  writeDelegation(state, { delegator, operator, shares: (held?.shares ?? 0n) + issued })
  callHooks(ports, 'afterDelegationModified', context, delegator, operator)
  return issued
}

/**
 * Takes shares out of a delegation and returns the tokens that they were worth, which still lie in the validator's pool.
 * An operator that falls below its minimum is jailed; an unbonded validator without shares is removed. Throws
 * staking/21, staking/24.
 */
export const unbond = (
  ports: StakingPorts,
  context: ModuleContext,
  delegator: Address,
  operator: Address,
  shares: Decimal,
): bigint => {
  const { state } = context
  const held = readDelegation(state, delegator, operator)
  if (held === undefined) throw stakingError('noDelegator')
  callHooks(ports, 'beforeDelegationSharesModified', context, delegator, operator)
  if (held.shares < shares) throw stakingError('notEnoughShares', formatDecimal(held.shares))
  const left = { ...held, shares: held.shares - shares }
  let validator = existingValidator(state, operator)
  if (
    equalBytes(delegator, operator) &&
    !validator.isJailed &&
    truncate(tokensFromShares(validator, left.shares)) < validator.minSelfDelegation
  ) {
    validator = updateValidator(state, validator, { ...validator, isJailed: true })
  }
  if (left.shares === 0n) {
    callHooks(ports, 'beforeDelegationRemoved', context, delegator, operator)
    removeDelegation(state, left)
  } else {
    writeDelegation(state, left)
    // The validator's tokens are still those of before: the SDK's order, on which rewards depend.
    callHooks(ports, 'afterDelegationModified', context, delegator, operator)
  }
  const [after, amount] = removeShares(validator, shares)
  updateValidator(state, validator, after)
  if (after.shares === 0n && after.status === 'unbonded') removeValidator(ports, context, after)
  return amount
}

/**
 * Shares to take out for an amount of tokens, at most all of the delegation. Throws staking/3, staking/19, staking/22,
 * and sdk/18 for more than there is.
 */
export const sharesToUnbond = (state: StateReader, delegator: Address, operator: Address, amount: bigint): Decimal => {
  const validator = requireValidator(state, operator)
  const held = readDelegation(state, delegator, operator)
  if (held === undefined) throw stakingError('noDelegation')
  const shares = sharesFromTokens(validator, amount)
  if (shares > held.shares) throw sdkError('invalidRequest', 'invalid shares amount')
  invariant(shares >= 0n, 'shares are not negative')
  return shares
}

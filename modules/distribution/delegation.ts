/** Rewards of a delegation, after x/distribution. */
import type { Address } from '../../core/address.ts'
import { type Decimal, divide, divideTruncate, multiplyTruncate, ONE } from '../../core/decimal.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import type { Coin } from '../ledger.ts'
import type { DelegationView, ValidatorView } from '../stake.ts'
import type { StartingInfo } from './codec.ts'
import { addCoins, type DecCoins, intersectCoins, multiplyCoinsTruncate, NO_COINS, subtractCoins } from './dec-coins.ts'
import type { DistributionDependencies, RewardContext } from './deps.ts'
import { distributionError } from './errors.ts'
import { rewardsWithdrawn } from './events.ts'
import {
  addReference,
  findStart,
  readHistorical,
  readSlash,
  readValidator,
  writeStart,
  writeValidator,
} from './keeper.ts'
import { type Destination, payOut } from './treasury.ts'
import { endPeriod } from './validator.ts'

/** Rounded as staking reckons what a delegation is worth. */
export const stakeOf = ({ tokens, shares }: ValidatorView, delegation: DelegationView): Decimal =>
  divide(delegation.shares * tokens, shares)

/** Starts from the period that has just ended. The stake is truncated: no more can be withdrawn than is owed. */
export const startDelegation = (
  { state, height }: { readonly state: StateWriter; readonly height: number },
  { operator, tokens, shares }: ValidatorView,
  delegation: DelegationView,
): void => {
  const previousPeriod = readValidator(state, operator).period - 1
  addReference(state, operator, previousPeriod, 1)
  const stake = divideTruncate(delegation.shares * tokens, shares)
  writeStart(state, operator, delegation.delegator, { previousPeriod, stake, height })
}

const rewardsBetween = (
  state: StateReader,
  operator: Address,
  first: number,
  last: number,
  stake: Decimal,
): DecCoins => {
  const [from, to] = [readHistorical(state, operator, first), readHistorical(state, operator, last)]
  return multiplyCoinsTruncate(subtractCoins(to.ratio, from.ratio), stake)
}

/** Those that ended a later period, the earliest first. The SDK looks for their heights, which gives the same. */
const slashesSince = (state: StateReader, operator: Address, period: number) => {
  const slashes: { readonly period: number; readonly fraction: Decimal }[] = []
  for (let at = readValidator(state, operator).lastSlash; at > period; ) {
    const { fraction, previous } = readSlash(state, operator, at)
    slashes.push({ period: at, fraction })
    at = previous
  }
  return slashes.reverse()
}

export interface ReckonedRewards {
  readonly rewards: DecCoins
  /** The stake after the last slash. */
  readonly stake: Decimal
  readonly slashes: number
}

/** What a delegation has earned up to the end of a period: the stake shrinks with every slash in between. */
export const reckonRewards = (
  { state, height }: { readonly state: StateReader; readonly height: number },
  validator: ValidatorView,
  delegation: DelegationView,
  start: StartingInfo,
  endingPeriod: number,
): ReckonedRewards => {
  const { operator } = validator
  let { previousPeriod: period, stake } = start
  // Begun at this height: no rewards yet.
  if (start.height === height) return { rewards: NO_COINS, stake, slashes: 0 }
  let rewards = NO_COINS
  const slashes = slashesSince(state, operator, period)
  for (const slash of slashes) {
    rewards = addCoins(rewards, rewardsBetween(state, operator, period, slash.period, stake))
    stake = multiplyTruncate(stake, ONE - slash.fraction)
    period = slash.period
  }
  // Each slash rounds here for itself, and in staking all at once. The SDK takes the smaller within 3 * 10^-18 and
  // fails above; failing would lock the delegation, so here the smaller counts always, and an invariant has the margin.
  const worth = stakeOf(validator, delegation)
  const least = stake > worth ? worth : stake
  rewards = addCoins(rewards, rewardsBetween(state, operator, period, endingPeriod, least))
  return { rewards, stake, slashes: slashes.length }
}

export interface Withdrawal {
  readonly coins: readonly Coin[]
  readonly slashes: number
}

/** Pays a delegation's rewards and ends its record: the caller begins a new one if the delegation stays. */
export const withdrawRewards = (
  context: RewardContext,
  dependencies: DistributionDependencies,
  validator: ValidatorView,
  delegation: DelegationView,
  destination: Destination,
): Withdrawal => {
  const { state, emit } = context
  const { operator } = validator
  const { delegator } = delegation
  const start = findStart(state, operator, delegator)
  if (start === undefined) throw distributionError('noDelegationInfo')
  const endingPeriod = endPeriod(context, validator)
  const { rewards, slashes } = reckonRewards(context, validator, delegation, start, endingPeriod)
  const record = readValidator(state, operator)
  // The order of operations can make the last digits of the last one's rewards more than there is. The SDK lets these
  // come out of the commission, and stops when the operator then withdraws it.
  const covered = intersectCoins(rewards, subtractCoins(record.outstanding, record.commission))
  writeValidator(state, operator, { ...record, outstanding: subtractCoins(record.outstanding, covered) })
  const coins = payOut(context, dependencies, covered, destination)
  addReference(state, operator, start.previousPeriod, -1)
  writeStart(state, operator, delegator, undefined)
  emit(rewardsWithdrawn(operator, delegator, coins))
  return { coins, slashes }
}

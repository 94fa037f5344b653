/** Periods of a validator's rewards, after "F1 Fee Distribution" and x/distribution. */
import type { Address } from '../../core/address.ts'
import { type Decimal, ONE } from '../../core/decimal.ts'
import { invariant } from '../../core/errors.ts'
import type { StateWriter } from '../../store/state.ts'
import type { ValidatorView } from '../stake.ts'
import { forgetVoter, settle } from './accrual.ts'
import { addCoins, divideCoins, NO_COINS, subtractCoins } from './dec-coins.ts'
import type { DistributionDependencies, RewardContext } from './deps.ts'
import {
  addReference,
  addToPool,
  deleteValidator,
  findValidator,
  readHistorical,
  readValidator,
  writeHistorical,
  writeSlash,
  writeValidator,
} from './keeper.ts'
import { fallbackDestination, payOut, tellRedirection } from './treasury.ts'

/** Period 0 is over, without rewards; period 1 runs. */
export const initializeValidator = (state: StateWriter, operator: Address): void => {
  writeHistorical(state, operator, 0, { ratio: NO_COINS, references: 1 })
  writeValidator(state, operator, {
    period: 1,
    current: NO_COINS,
    commission: NO_COINS,
    outstanding: NO_COINS,
    lastSlash: 0,
  })
}

/** Ends the running period and returns its number. */
export const endPeriod = (context: RewardContext, validator: ValidatorView): number => {
  settle(context, validator)
  const { state } = context
  const { operator, tokens } = validator
  const rewards = readValidator(state, operator)
  const { period, current } = rewards
  const before = readHistorical(state, operator, period - 1)
  // Without tokens there is nobody to share: then the rewards are the community's.
  if (tokens === 0n) addToPool(state, current)
  // Truncated, so that no more is withdrawn than is there; what that leaves stays outstanding.
  const ratio = tokens === 0n ? before.ratio : addCoins(before.ratio, divideCoins(current, tokens))
  writeHistorical(state, operator, period - 1, { ...before, references: before.references - 1 })
  writeHistorical(state, operator, period, { ratio, references: 1 })
  writeValidator(state, operator, {
    ...rewards,
    period: period + 1,
    current: NO_COINS,
    outstanding: tokens === 0n ? subtractCoins(rewards.outstanding, current) : rewards.outstanding,
  })
  return period
}

/** Called before the slash: the period that ends here is the last with the stake as it was. */
export const recordSlash = (context: RewardContext, validator: ValidatorView, fraction: Decimal): void => {
  invariant(fraction >= 0n && fraction <= ONE, 'a validator is slashed by less than nothing or more than all')
  if (fraction === 0n) return
  const { operator } = validator
  const period = endPeriod(context, validator)
  addReference(context.state, operator, period, 1)
  const rewards = readValidator(context.state, operator)
  writeSlash(context.state, operator, period, { height: context.height, fraction, previous: rewards.lastSlash })
  writeValidator(context.state, operator, { ...rewards, lastSlash: period })
}

/** Pays the commission; what is left after the last delegation is dust, and goes to the community pool. */
export const removeValidator = (
  context: RewardContext,
  dependencies: DistributionDependencies,
  consensusAddress: Uint8Array,
  operator: Address,
): void => {
  const { state } = context
  forgetVoter(state, consensusAddress)
  const rewards = findValidator(state, operator)
  if (rewards === undefined) return
  const { commission, outstanding } = rewards
  if (commission.length > 0) {
    const destination = fallbackDestination(state, dependencies, operator)
    payOut(context, dependencies, commission, destination)
    tellRedirection(context, destination, operator)
  }
  addToPool(state, subtractCoins(outstanding, commission))
  deleteValidator(state, operator, rewards)
}

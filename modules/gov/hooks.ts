/** What staking tells governance: the counts of votings follow the delegations of those who voted. */
import type { Address } from '../../core/address.ts'
import { invariant } from '../../core/errors.ts'
import type { ModuleContext } from '../module.ts'
import type { StakingHooks } from '../stake.ts'
import type { GovDependencies } from './deps.ts'
import { GAS_PER_COUNT, GAS_PER_VOTING } from './limits.ts'
import { addShares, isRunning, readCount, readVote, readVotingsOf, writeCount } from './keeper/votings.ts'

/** Adds what the delegation holds now to the counts of the delegator's votes, or takes it away. */
const follow = (
  { stake }: Pick<GovDependencies, 'stake'>,
  { state, consumeGas }: ModuleContext,
  delegator: Address,
  operator: Address,
  sign: 1n | -1n,
): void => {
  const held = stake.delegation(state, delegator, operator)
  invariant(held !== undefined, 'a delegation that changes is there')
  for (const voting of readVotingsOf(state, delegator)) {
    consumeGas?.(GAS_PER_VOTING, 'votings of the delegator')
    if (!isRunning(state, voting)) continue
    consumeGas?.(GAS_PER_COUNT, 'count of a vote')
    const vote = readVote(state, voting, delegator)
    invariant(vote !== undefined, 'a voting that an account has a vote in has that vote')
    const count = addShares(readCount(state, voting, operator), sign * held.shares, vote.options)
    writeCount(state, voting, operator, count)
  }
}

/** Every change of a delegation is between these two; one that is new has no first, one that goes has no second. */
export const createHooks = (dependencies: Pick<GovDependencies, 'stake'>): StakingHooks => ({
  beforeDelegationSharesModified: (context, delegator, operator) =>
    follow(dependencies, context, delegator, operator, -1n),
  afterDelegationModified: (context, delegator, operator) => follow(dependencies, context, delegator, operator, 1n),
})

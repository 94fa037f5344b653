/** What staking tells distribution. */
import type { Address } from '../../core/address.ts'
import { invariant } from '../../core/errors.ts'
import type { StateReader } from '../../store/state.ts'
import type { DelegationView, StakingHooks, ValidatorView } from '../stake.ts'
import { settle } from './accrual.ts'
import { startDelegation, withdrawRewards } from './delegation.ts'
import type { DistributionDependencies } from './deps.ts'
import { fallbackDestination, tellRedirection } from './treasury.ts'
import { endPeriod, initializeValidator, recordSlash, removeValidator } from './validator.ts'

export const createHooks = (dependencies: DistributionDependencies): StakingHooks => {
  const validatorOf = (state: StateReader, operator: Address): ValidatorView => {
    const validator = dependencies.stake.validator(state, operator)
    invariant(validator !== undefined, 'staking tells of a validator that it does not have')
    return validator
  }
  const delegationOf = (state: StateReader, delegator: Address, operator: Address): DelegationView => {
    const delegation = dependencies.stake.delegation(state, delegator, operator)
    invariant(delegation !== undefined, 'staking tells of a delegation that it does not have')
    return delegation
  }
  return {
    afterValidatorCreated: ({ state }, operator) => initializeValidator(state, operator),
    // The commission rate may change: what was earned until now has the old one.
    beforeValidatorModified: (context, operator) => settle(context, validatorOf(context.state, operator)),
    afterValidatorRemoved: (context, consensusAddress, operator) =>
      removeValidator(context, dependencies, consensusAddress, operator),
    beforeValidatorSlashed: (context, operator, fraction) =>
      recordSlash(context, validatorOf(context.state, operator), fraction),
    beforeDelegationCreated: (context, _delegator, operator) =>
      void endPeriod(context, validatorOf(context.state, operator)),
    beforeDelegationSharesModified: (context, delegator, operator) => {
      const { state } = context
      const destination = fallbackDestination(state, dependencies, delegator)
      const delegation = delegationOf(state, delegator, operator)
      withdrawRewards(context, dependencies, validatorOf(state, operator), delegation, destination)
      tellRedirection(context, destination, operator, delegator)
    },
    afterDelegationModified: (context, delegator, operator) =>
      startDelegation(context, validatorOf(context.state, operator), delegationOf(context.state, delegator, operator)),
  }
}

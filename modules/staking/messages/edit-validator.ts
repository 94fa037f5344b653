/** MsgEditValidator: description, commission rate, minimum of the operator's own stake. */
import { formatDecimal, ONE } from '../../../core/decimal.ts'
import { stakingTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import { checkNewRate, parseRate } from '../commission.ts'
import type { StakingDependencies } from '../deps.ts'
import { parseDescription, updateDescription } from '../description.ts'
import { stakingError } from '../errors.ts'
import { validatorEdited } from '../events.ts'
import { callHooks } from '../hooks.ts'
import { readStakingParams } from '../keeper/params.ts'
import { requireValidator, updateValidator } from '../keeper/validators.ts'
import { parseMinSelfDelegation, parseOperatorField } from './fields.ts'

/** Empty text is what a client sends for what stays as it is. */
const parse = (message: stakingTx.MsgEditValidator) => {
  const operator = parseOperatorField(message.validatorAddress)
  const description = parseDescription(message.description)
  const minimum = message.minSelfDelegation === '' ? undefined : parseMinSelfDelegation(message.minSelfDelegation)
  const rate = message.commissionRate === '' ? undefined : parseRate(message.commissionRate, 'commission rate')
  if (rate !== undefined && (rate < 0n || rate > ONE)) {
    throw sdkError('invalidRequest', 'commission rate must be between 0 and 1 (inclusive)')
  }
  return { operator, description, minimum, rate }
}

export const createEditValidator = (dependencies: StakingDependencies): MessageHandler =>
  handleMessage(stakingTx.Msg.method.editValidator, {
    checkStateless: (message) => void parse(message),
    execute: (context, message) => {
      const { operator, description, minimum, rate } = parse(message)
      const { state, timeNs } = context
      const { minCommissionRate } = readStakingParams(state)
      if (rate !== undefined && rate < minCommissionRate) {
        const floor = formatDecimal(minCommissionRate)
        throw sdkError('invalidRequest', `commission rate cannot be less than the min commission rate ${floor}`)
      }
      const validator = requireValidator(state, operator)
      let after = { ...validator, description: updateDescription(validator.description, description) }
      if (rate !== undefined) {
        checkNewRate(validator, rate, timeNs)
        callHooks(dependencies, 'beforeValidatorModified', context, operator)
        after = { ...after, commissionRate: rate, commissionTimeNs: timeNs }
      }
      if (minimum !== undefined) {
        if (minimum <= validator.minSelfDelegation) throw stakingError('minimumDecreased')
        if (minimum > validator.tokens) throw stakingError('selfDelegationBelowMinimum')
        after = { ...after, minSelfDelegation: minimum }
      }
      updateValidator(state, validator, after)
      context.emit(validatorEdited(after))
      return {}
    },
  })

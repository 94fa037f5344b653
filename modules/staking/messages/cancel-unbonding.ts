/** MsgCancelUnbondingDelegation: tokens on their way out go back to their validator. */
import { stakingTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import type { StakingDependencies } from '../deps.ts'
import { unbondingCancelled } from '../events.ts'
import { cancelUnbonding } from '../keeper/unbonding.ts'
import { checkBondDenomination, parseAmountField, parseDelegatorField, parseOperatorField } from './fields.ts'

const parse = (message: stakingTx.MsgCancelUnbondingDelegation) => {
  const operator = parseOperatorField(message.validatorAddress)
  const delegator = parseDelegatorField(message.delegatorAddress)
  const amount = parseAmountField(message.amount, 'invalid amount')
  if (message.creationHeight <= 0n) throw sdkError('invalidRequest', 'invalid height')
  return { operator, delegator, amount, creationHeight: message.creationHeight }
}

export const createCancelUnbonding = (dependencies: StakingDependencies): MessageHandler =>
  handleMessage(stakingTx.Msg.method.cancelUnbondingDelegation, {
    checkStateless: (message) => void parse(message),
    execute: (context, message) => {
      const { operator, delegator, amount, creationHeight } = parse(message)
      checkBondDenomination(context.state, amount)
      cancelUnbonding(dependencies, context, delegator, operator, amount.amount, creationHeight)
      context.emit(unbondingCancelled(operator, delegator, amount.text, creationHeight))
      return {}
    },
  })

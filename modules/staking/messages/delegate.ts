/** MsgDelegate: coins of an account become stake of a validator. */
import { stakingTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { delegate } from '../keeper/delegations.ts'
import type { StakingDependencies } from '../deps.ts'
import { delegated } from '../events.ts'
import { requireSettled } from '../keeper/slash-tasks.ts'
import { requireValidator } from '../keeper/validators.ts'
import { checkBondDenomination, parseAmountField, parseDelegatorField, parseOperatorField } from './fields.ts'

const parse = (message: stakingTx.MsgDelegate) => ({
  operator: parseOperatorField(message.validatorAddress),
  delegator: parseDelegatorField(message.delegatorAddress),
  amount: parseAmountField(message.amount, 'invalid delegation amount'),
})

export const createDelegate = (dependencies: StakingDependencies): MessageHandler =>
  handleMessage(stakingTx.Msg.method.delegate, {
    checkStateless: (message) => void parse(message),
    execute: (context, message) => {
      const { operator, delegator, amount } = parse(message)
      const validator = requireValidator(context.state, operator)
      requireSettled(context.state, operator)
      checkBondDenomination(context.state, amount)
      const shares = delegate(dependencies, context, delegator, validator, amount.amount, 'account')
      context.emit(delegated(operator, delegator, amount.text, shares))
      return {}
    },
  })

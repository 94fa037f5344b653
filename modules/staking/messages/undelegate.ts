/** MsgUndelegate: stake leaves a validator, and is paid when the unbonding time is over. */
import { toSecondsAndNanos } from '../../../core/time.ts'
import { stakingTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sharesToUnbond } from '../keeper/delegations.ts'
import type { StakingDependencies } from '../deps.ts'
import { undelegated } from '../events.ts'
import { undelegate } from '../keeper/unbonding.ts'
import { checkBondDenomination, parseAmountField, parseDelegatorField, parseOperatorField } from './fields.ts'

const parse = (message: stakingTx.MsgUndelegate) => ({
  operator: parseOperatorField(message.validatorAddress),
  delegator: parseDelegatorField(message.delegatorAddress),
  amount: parseAmountField(message.amount, 'invalid shares amount'),
})

export const createUndelegate = (dependencies: StakingDependencies): MessageHandler =>
  handleMessage(stakingTx.Msg.method.undelegate, {
    checkStateless: (message) => void parse(message),
    execute: (context, message) => {
      const { operator, delegator, amount } = parse(message)
      const shares = sharesToUnbond(context.state, delegator, operator, amount.amount)
      checkBondDenomination(context.state, amount)
      const result = undelegate(dependencies, context, delegator, operator, shares)
      // What the shares were worth: it may be less than was asked for.
      const coin = { denom: amount.denom, amount: result.amount.toString() }
      context.emit(undelegated(operator, delegator, `${coin.amount}${coin.denom}`, result.completionTimeNs))
      return { completionTime: toSecondsAndNanos(result.completionTimeNs), amount: coin }
    },
  })

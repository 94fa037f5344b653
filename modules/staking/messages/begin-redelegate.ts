/** MsgBeginRedelegate: stake moves from one validator to another at once. */
import { toSecondsAndNanos } from '../../../core/time.ts'
import { stakingTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { sharesToUnbond } from '../keeper/delegations.ts'
import type { StakingDependencies } from '../deps.ts'
import { redelegated } from '../events.ts'
import { redelegate } from '../keeper/redelegations.ts'
import { checkBondDenomination, parseAmountField, parseDelegatorField, parseOperatorField } from './fields.ts'

const parse = (message: stakingTx.MsgBeginRedelegate) => ({
  trio: {
    source: parseOperatorField(message.validatorSrcAddress, 'source validator'),
    destination: parseOperatorField(message.validatorDstAddress, 'destination validator'),
    delegator: parseDelegatorField(message.delegatorAddress),
  },
  amount: parseAmountField(message.amount, 'invalid shares amount'),
})

export const createBeginRedelegate = (dependencies: StakingDependencies): MessageHandler =>
  handleMessage(stakingTx.Msg.method.beginRedelegate, {
    checkStateless: (message) => void parse(message),
    execute: (context, message) => {
      const { trio, amount } = parse(message)
      const shares = sharesToUnbond(context.state, trio.delegator, trio.source, amount.amount)
      checkBondDenomination(context.state, amount)
      const { completionTimeNs } = redelegate(dependencies, context, trio, shares)
      context.emit(redelegated(trio, amount.text, completionTimeNs))
      return { completionTime: toSecondsAndNanos(completionTimeNs) }
    },
  })

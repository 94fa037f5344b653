/** MsgWithdrawDelegatorReward: pays what one delegation has earned. */
import { distributionTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { MessageHandler } from '../../module.ts'
import { unknownDelegation, unknownValidator } from '../../stake-errors.ts'
import { toWireCoins, withZero } from '../coins.ts'
import { startDelegation, withdrawRewards } from '../delegation.ts'
import type { DistributionDependencies } from '../deps.ts'
import { strictDestination } from '../treasury.ts'
import { parseAccount, parseValidator } from './parties.ts'

/** Each slash since the last withdrawal is read, and two periods with it. */
const GAS_PER_SLASH = 6_000n

const parse = (message: distributionTx.MsgWithdrawDelegatorReward) => ({
  operator: parseValidator(message.validatorAddress),
  delegator: parseAccount(message.delegatorAddress, 'delegator'),
})

export const createWithdrawDelegatorReward = (dependencies: DistributionDependencies): MessageHandler =>
  handleMessage(distributionTx.Msg.method.withdrawDelegatorReward, {
    checkStateless: (message) => void parse(message),
    execute: (context, message) => {
      const { operator, delegator } = parse(message)
      const { state } = context
      const validator = dependencies.stake.validator(state, operator)
      if (validator === undefined) throw unknownValidator()
      const delegation = dependencies.stake.delegation(state, delegator, operator)
      if (delegation === undefined) throw unknownDelegation()
      const destination = strictDestination(state, dependencies, delegator)
      const { coins, slashes } = withdrawRewards(context, dependencies, validator, delegation, destination)
      context.consumeGas(GAS_PER_SLASH * BigInt(slashes), 'slashes')
      startDelegation(context, validator, delegation)
      return { amount: toWireCoins(withZero(coins)) }
    },
  })

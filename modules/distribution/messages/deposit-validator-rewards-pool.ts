/** MsgDepositValidatorRewardsPool: a gift to a validator's delegators, less its commission. */
import { DENOMINATION } from '../../../core/amounts.ts'
import { distributionTx } from '../../../proto/index.ts'
import type { StateReader } from '../../../store/state.ts'
import { handleMessage } from '../../handlers.ts'
import type { Coin } from '../../ledger.ts'
import type { MessageHandler } from '../../module.ts'
import { sdkError } from '../../sdk-errors.ts'
import type { ValidatorView } from '../../stake.ts'
import { unknownValidator } from '../../stake-errors.ts'
import { allocate } from '../accrual.ts'
import { consumeCoinGas, parseCoins } from '../coins.ts'
import { toDecCoins } from '../dec-coins.ts'
import type { DistributionDependencies } from '../deps.ts'
import { readHistorical, readValidator } from '../keeper.ts'
import { collect } from '../treasury.ts'
import { parseAccount, parseValidator } from './parties.ts'

/**
 * anat, in which fees come, is one of them. Every withdrawal and every period of a validator carries all of them, so
 * strangers must not add more and more.
 */
export const MAX_REWARD_DENOMINATIONS = 16

const parse = (message: distributionTx.MsgDepositValidatorRewardsPool) => ({
  depositor: parseAccount(message.depositor, 'depositor'),
  operator: parseValidator(message.validatorAddress),
  coins: parseCoins(message.amount),
})

/** Throws sdk/18. */
const checkDenominations = (state: StateReader, { operator }: ValidatorView, coins: readonly Coin[]): void => {
  const { period, outstanding } = readValidator(state, operator)
  const { ratio } = readHistorical(state, operator, period - 1)
  const denominations = new Set([...ratio, ...outstanding, ...coins].map(({ denom }) => denom)).add(DENOMINATION)
  if (denominations.size <= MAX_REWARD_DENOMINATIONS) return
  throw sdkError('invalidRequest', `the rewards of a validator have at most ${MAX_REWARD_DENOMINATIONS} denominations`)
}

export const createDepositValidatorRewardsPool = (dependencies: DistributionDependencies): MessageHandler =>
  handleMessage(distributionTx.Msg.method.depositValidatorRewardsPool, {
    checkStateless: (message) => void parse(message),
    execute: (context, message) => {
      const { depositor, operator, coins } = parse(message)
      const validator = dependencies.stake.validator(context.state, operator)
      if (validator === undefined) throw unknownValidator()
      checkDenominations(context.state, validator, coins)
      consumeCoinGas(context, coins)
      collect(context, dependencies, depositor, coins)
      allocate(context, validator, toDecCoins(coins))
      return {}
    },
  })

/** MsgWithdrawValidatorCommission: pays an operator's commission in whole units; the rest stays for the next time. */
import type { Address } from '../../../core/address.ts'
import { distributionTx } from '../../../proto/index.ts'
import { handleMessage } from '../../handlers.ts'
import type { Coin } from '../../ledger.ts'
import type { MessageHandler } from '../../module.ts'
import { settle } from '../accrual.ts'
import { toWireCoins } from '../coins.ts'
import { subtractCoins, toDecCoins, truncateCoins } from '../dec-coins.ts'
import type { DistributionDependencies, RewardContext } from '../deps.ts'
import { distributionError } from '../errors.ts'
import { commissionWithdrawn } from '../events.ts'
import { findValidator, writeValidator } from '../keeper.ts'
import { pay, strictDestination } from '../treasury.ts'
import { parseValidator } from './parties.ts'

const withdraw = (
  context: RewardContext,
  dependencies: DistributionDependencies,
  operator: Address,
): readonly Coin[] => {
  const { state, emit } = context
  const validator = dependencies.stake.validator(state, operator)
  if (validator !== undefined) settle(context, validator)
  const rewards = findValidator(state, operator)
  if (rewards === undefined || rewards.commission.length === 0) throw distributionError('noCommission')
  const { whole, rest } = truncateCoins(rewards.commission)
  const outstanding = subtractCoins(rewards.outstanding, toDecCoins(whole))
  writeValidator(state, operator, { ...rewards, commission: rest, outstanding })
  if (whole.length > 0) {
    const { receiver } = strictDestination(state, dependencies, operator)
    pay(context, dependencies, receiver, whole)
  }
  emit(commissionWithdrawn(whole))
  return whole
}

export const createWithdrawValidatorCommission = (dependencies: DistributionDependencies): MessageHandler =>
  handleMessage(distributionTx.Msg.method.withdrawValidatorCommission, {
    checkStateless: (message) => void parseValidator(message.validatorAddress),
    execute: (context, message) => ({
      amount: toWireCoins(withdraw(context, dependencies, parseValidator(message.validatorAddress))),
    }),
  })

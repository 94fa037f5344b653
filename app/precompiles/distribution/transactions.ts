/** Rewards: what a caller can do with its own. */
import { parseAddress } from '../../../core/address.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { parseOperator } from '../../../modules/validator-addresses.ts'
import { distributionTx, stakingQuery } from '../../../proto/index.ts'
import { address, array, bool, string, uint32 } from '../abi/types.ts'
import { refuseCall } from '../errors.ts'
import { transaction } from '../precompile.ts'
import type { Scope } from '../scope.ts'
import { coin, fromCoins, requireAddress, toCoin } from '../shapes.ts'
import {
  claimRewardsEvent,
  depositEvent,
  fundEvent,
  setWithdrawAddressEvent,
  withdrawCommissionEvent,
  withdrawRewardEvent,
} from './events.ts'

const { method } = distributionTx.Msg
const INVALID_AMOUNT = 'invalid amount amount arg'
const HEX_ADDRESS = /^(?:0[xX])?([0-9a-fA-F]{40})$/

const readParams = (scope: Scope): { readonly bondDenom: string; readonly maxValidators: number } => {
  const params = scope.lookUp(stakingQuery.Query.method.params, {}).params
  return { bondDenom: params?.bondDenom ?? '', maxValidators: params?.maxValidators ?? 0 }
}

/** Logs have room for one amount: that of the bond denomination. */
const amountIn = (denom: string, coins: readonly { readonly denom: string; readonly amount: string }[]): bigint =>
  coins.reduce((sum, each) => (each.denom === denom ? sum + BigInt(each.amount) : sum), 0n)

/** Each validator is a message of its own, and costs as much. */
const claimRewards = transaction(
  'claimRewards',
  { delegatorAddress: address, maxRetrieve: uint32 },
  { success: bool },
  (scope, { delegatorAddress, maxRetrieve }) => {
    const delegator = requireAddress(delegatorAddress, 'delegator')
    const { bondDenom, maxValidators } = readParams(scope)
    if (maxRetrieve > BigInt(maxValidators)) {
      throw refuseCall(
        `maxRetrieve (${maxRetrieve}) parameter exceeds the maximum number of validators (${maxValidators})`,
      )
    }
    scope.requireCaller(delegatorAddress)
    let amount = 0n
    // A page of none would be a page of the default length.
    if (maxRetrieve > 0n) {
      const pagination = { limit: maxRetrieve }
      const request = { delegatorAddr: delegator, pagination }
      const { validators } = scope.query(stakingQuery.Query.method.delegatorValidators, request)
      for (const { operatorAddress } of validators) {
        const withdrawal = { delegatorAddress: delegator, validatorAddress: operatorAddress }
        amount += amountIn(bondDenom, scope.message(method.withdrawDelegatorReward, withdrawal).amount)
      }
    }
    scope.log(claimRewardsEvent, { delegatorAddress, amount })
    return { success: true }
  },
)

const setWithdrawAddress = transaction(
  'setWithdrawAddress',
  { delegatorAddress: address, withdrawerAddress: string },
  { success: bool },
  (scope, { delegatorAddress, withdrawerAddress: given }) => {
    const delegator = requireAddress(delegatorAddress, 'delegator')
    const digits = HEX_ADDRESS.exec(given)?.[1]
    const withdrawerAddress = digits === undefined ? given : encodeBech32(parseAddress(`0x${digits}`))
    scope.requireCaller(delegatorAddress)
    scope.message(method.setWithdrawAddress, { delegatorAddress: delegator, withdrawAddress: withdrawerAddress })
    scope.log(setWithdrawAddressEvent, { caller: delegatorAddress, withdrawerAddress })
    return { success: true }
  },
)

const withdrawDelegatorRewards = transaction(
  'withdrawDelegatorRewards',
  { delegatorAddress: address, validatorAddress: string },
  { amount: array(coin) },
  (scope, { delegatorAddress, validatorAddress }) => {
    const delegator = requireAddress(delegatorAddress, 'delegator')
    scope.requireCaller(delegatorAddress)
    const { bondDenom } = readParams(scope)
    const request = { delegatorAddress: delegator, validatorAddress }
    const { amount: coins } = scope.message(method.withdrawDelegatorReward, request)
    const amount = amountIn(bondDenom, coins)
    scope.log(withdrawRewardEvent, { delegatorAddress, validatorAddress: parseOperator(validatorAddress), amount })
    return { amount: coins.map(toCoin) }
  },
)

const withdrawValidatorCommission = transaction(
  'withdrawValidatorCommission',
  { validatorAddress: string },
  { amount: array(coin) },
  (scope, { validatorAddress }) => {
    scope.requireCaller(parseOperator(validatorAddress))
    const { bondDenom } = readParams(scope)
    const { amount: coins } = scope.message(method.withdrawValidatorCommission, { validatorAddress })
    scope.log(withdrawCommissionEvent, { validatorAddress, commission: amountIn(bondDenom, coins) })
    return { amount: coins.map(toCoin) }
  },
)

const fundCommunityPool = transaction(
  'fundCommunityPool',
  { depositor: address, amount: array(coin) },
  { success: bool },
  (scope, { depositor, amount }) => {
    const coins = fromCoins(amount, INVALID_AMOUNT)
    const from = requireAddress(depositor, 'depositor')
    scope.requireCaller(depositor)
    scope.message(method.fundCommunityPool, { depositor: from, amount: coins })
    for (const each of coins) scope.log(fundEvent, { depositor, ...toCoin(each) })
    return { success: true }
  },
)

const depositValidatorRewardsPool = transaction(
  'depositValidatorRewardsPool',
  { depositor: address, validatorAddress: string, amount: array(coin) },
  { success: bool },
  (scope, { depositor, validatorAddress, amount }) => {
    const coins = fromCoins(amount, INVALID_AMOUNT)
    const from = requireAddress(depositor, 'depositor')
    scope.requireCaller(depositor)
    scope.message(method.depositValidatorRewardsPool, { depositor: from, validatorAddress, amount: coins })
    const operator = parseOperator(validatorAddress)
    for (const each of coins) scope.log(depositEvent, { depositor, validatorAddress: operator, ...toCoin(each) })
    return { success: true }
  },
)

export const distributionTransactions = [
  claimRewards,
  setWithdrawAddress,
  withdrawDelegatorRewards,
  withdrawValidatorCommission,
  fundCommunityPool,
  depositValidatorRewardsPool,
] as const

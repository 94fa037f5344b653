/** What the distribution precompile tells. */
import { distributionQuery } from '../../../proto/index.ts'
import { address, array, string, tuple, uint64 } from '../abi/types.ts'
import { query } from '../precompile.ts'
import {
  dec,
  decCoin,
  fromPage,
  pageRequest,
  pageResponse,
  requireAddress,
  toDec,
  toDecCoin,
  toPage,
} from '../shapes.ts'

const { method } = distributionQuery.Query
const decCoins = array(decCoin)

const validatorDistributionInfo = query(
  'validatorDistributionInfo',
  { validatorAddress: string },
  { distributionInfo: tuple({ operatorAddress: string, selfBondRewards: decCoins, commission: decCoins }) },
  (scope, { validatorAddress }) => {
    const answer = scope.query(method.validatorDistributionInfo, { validatorAddress })
    return {
      distributionInfo: {
        operatorAddress: answer.operatorAddress,
        selfBondRewards: answer.selfBondRewards.map(toDecCoin),
        commission: answer.commission.map(toDecCoin),
      },
    }
  },
)

const validatorOutstandingRewards = query(
  'validatorOutstandingRewards',
  { validatorAddress: string },
  { rewards: decCoins },
  (scope, { validatorAddress }) => {
    const { rewards } = scope.query(method.validatorOutstandingRewards, { validatorAddress })
    return { rewards: (rewards?.rewards ?? []).map(toDecCoin) }
  },
)

const validatorCommission = query(
  'validatorCommission',
  { validatorAddress: string },
  { commission: decCoins },
  (scope, { validatorAddress }) => {
    const { commission } = scope.query(method.validatorCommission, { validatorAddress })
    return { commission: (commission?.commission ?? []).map(toDecCoin) }
  },
)

const validatorSlashes = query(
  'validatorSlashes',
  { validatorAddress: string, startingHeight: uint64, endingHeight: uint64, pageRequest },
  { slashes: array(tuple({ validatorPeriod: uint64, fraction: dec })), pageResponse },
  (scope, { validatorAddress, startingHeight, endingHeight, pageRequest: page }) => {
    const request = { validatorAddress, startingHeight, endingHeight, pagination: fromPage(page) }
    const { slashes, pagination } = scope.query(method.validatorSlashes, request)
    return {
      slashes: slashes.map(({ validatorPeriod, fraction }) => ({ validatorPeriod, fraction: toDec(fraction) })),
      pageResponse: toPage(pagination),
    }
  },
)

const delegationRewards = query(
  'delegationRewards',
  { delegatorAddress: address, validatorAddress: string },
  { rewards: decCoins },
  (scope, { delegatorAddress, validatorAddress }) => {
    const request = { delegatorAddress: requireAddress(delegatorAddress, 'delegator'), validatorAddress }
    return { rewards: scope.query(method.delegationRewards, request).rewards.map(toDecCoin) }
  },
)

const delegationTotalRewards = query(
  'delegationTotalRewards',
  { delegatorAddress: address },
  { rewards: array(tuple({ validatorAddress: string, reward: decCoins })), total: decCoins },
  (scope, { delegatorAddress }) => {
    const request = { delegatorAddress: requireAddress(delegatorAddress, 'delegator') }
    const { rewards, total } = scope.query(method.delegationTotalRewards, request)
    return {
      rewards: rewards.map(({ validatorAddress, reward }) => ({ validatorAddress, reward: reward.map(toDecCoin) })),
      total: total.map(toDecCoin),
    }
  },
)

const delegatorValidators = query(
  'delegatorValidators',
  { delegatorAddress: address },
  { validators: array(string) },
  (scope, { delegatorAddress }) => {
    const request = { delegatorAddress: requireAddress(delegatorAddress, 'delegator') }
    return { validators: scope.query(method.delegatorValidators, request).validators }
  },
)

const delegatorWithdrawAddress = query(
  'delegatorWithdrawAddress',
  { delegatorAddress: address },
  { withdrawAddress: string },
  (scope, { delegatorAddress }) => {
    const request = { delegatorAddress: requireAddress(delegatorAddress, 'delegator') }
    return { withdrawAddress: scope.query(method.delegatorWithdrawAddress, request).withdrawAddress }
  },
)

const communityPool = query('communityPool', {}, { coins: decCoins }, (scope) => ({
  coins: scope.query(method.communityPool, {}).pool.map(toDecCoin),
}))

export const distributionQueries = [
  validatorDistributionInfo,
  validatorOutstandingRewards,
  validatorCommission,
  validatorSlashes,
  delegationRewards,
  delegationTotalRewards,
  delegatorValidators,
  delegatorWithdrawAddress,
  communityPool,
] as const

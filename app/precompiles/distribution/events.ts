import { defineEvent } from '../abi/event.ts'
import { address, string, uint256 } from '../abi/types.ts'

export const claimRewardsEvent = defineEvent('ClaimRewards', { delegatorAddress: address }, { amount: uint256 })

export const setWithdrawAddressEvent = defineEvent(
  'SetWithdrawerAddress',
  { caller: address },
  { withdrawerAddress: string },
)

export const withdrawRewardEvent = defineEvent(
  'WithdrawDelegatorReward',
  { delegatorAddress: address, validatorAddress: address },
  { amount: uint256 },
)

export const withdrawCommissionEvent = defineEvent(
  'WithdrawValidatorCommission',
  { validatorAddress: string },
  { commission: uint256 },
)

export const fundEvent = defineEvent('FundCommunityPool', { depositor: address }, { denom: string, amount: uint256 })

export const depositEvent = defineEvent(
  'DepositValidatorRewardsPool',
  { depositor: address, validatorAddress: address },
  { denom: string, amount: uint256 },
)

/** 0x801: the distribution module for contracts. */
import { definePrecompile } from '../precompile.ts'
import {
  claimRewardsEvent,
  depositEvent,
  fundEvent,
  setWithdrawAddressEvent,
  withdrawCommissionEvent,
  withdrawRewardEvent,
} from './events.ts'
import { distributionQueries } from './queries.ts'
import { distributionTransactions } from './transactions.ts'

export const distributionPrecompile = definePrecompile(
  'distribution',
  0x801,
  [claimRewardsEvent, setWithdrawAddressEvent, withdrawRewardEvent, withdrawCommissionEvent, fundEvent, depositEvent],
  [...distributionTransactions, ...distributionQueries],
)

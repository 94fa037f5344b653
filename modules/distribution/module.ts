import { distribution, distributionQuery, distributionTx } from '../../proto/index.ts'
import type { ModuleHooks } from '../hooks.ts'
import type { ModuleDefinition, ModuleParts } from '../module.ts'
import type { StakingHooks } from '../stake.ts'
import { allocateFees } from './accrual.ts'
import type { DistributionDependencies } from './deps.ts'
import { DISTRIBUTION_ERRORS } from './errors.ts'
import { exportDistribution } from './genesis/export.ts'
import { initDistribution } from './genesis/init.ts'
import { parseDistributionGenesis } from './genesis/parse.ts'
import { createHooks } from './hooks.ts'
import { distributionInvariants } from './invariants.ts'
import { createCommunityPoolSpend } from './messages/community-pool-spend.ts'
import { createDepositValidatorRewardsPool } from './messages/deposit-validator-rewards-pool.ts'
import { createFundCommunityPool } from './messages/fund-community-pool.ts'
import { createSetWithdrawAddress } from './messages/set-withdraw-address.ts'
import { updateParams } from './messages/update-params.ts'
import { createWithdrawDelegatorReward } from './messages/withdraw-delegator-reward.ts'
import { createWithdrawValidatorCommission } from './messages/withdraw-validator-commission.ts'
import { distributionQueries } from './queries.ts'

export interface DistributionParts extends ModuleParts {
  readonly hooks: ModuleHooks & { readonly staking: StakingHooks }
}

export const distributionModule: ModuleDefinition<DistributionDependencies, DistributionParts> = {
  name: 'distribution',
  services: [distributionQuery.Query, distributionTx.Msg],
  packed: [distribution.file_cosmos_distribution_v1beta1_distribution],
  errors: DISTRIBUTION_ERRORS,
  parseGenesis: (genesis) => parseDistributionGenesis(genesis),
  create: (dependencies) => ({
    initGenesis: ({ state }, genesis) => initDistribution(dependencies, state, parseDistributionGenesis(genesis)),
    exportGenesis: ({ state }) => exportDistribution(state),
    hooks: {
      beginBlock: { phase: 'share', run: (context) => allocateFees(context, dependencies) },
      staking: createHooks(dependencies),
    },
    messages: [
      createSetWithdrawAddress(dependencies),
      createWithdrawDelegatorReward(dependencies),
      createWithdrawValidatorCommission(dependencies),
      createFundCommunityPool(dependencies),
      updateParams,
      createCommunityPoolSpend(dependencies),
      createDepositValidatorRewardsPool(dependencies),
    ],
    queries: distributionQueries(dependencies),
    invariants: distributionInvariants(dependencies),
  }),
}

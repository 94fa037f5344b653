import type { Address } from '../../core/address.ts'
import { toDecimal } from '../../core/decimal.ts'
import { failAt } from '../../core/parse.ts'
import { DENOMINATION } from '../../core/amounts.ts'
import type { StateWriter } from '../../store/state.ts'
import { distribution, distributionQuery, distributionTx } from '../../proto/index.ts'
import type { ModuleHooks } from '../hooks.ts'
import type { ModuleDefinition, ModuleParts } from '../module.ts'
import type { StakingHooks } from '../stake.ts'
import { allocateFees } from './accrual.ts'
import { amountOf } from './dec-coins.ts'
import type { DistributionDependencies } from './deps.ts'
import { exportDistribution } from './export-genesis.ts'
import { type DistributionGenesis, type GenesisSlash, parseDistributionGenesis } from './genesis.ts'
import { createHooks } from './hooks.ts'
import { distributionInvariants } from './invariants.ts'
import {
  addToPool,
  DISTRIBUTION_ADDRESS,
  findValidator,
  writeCheckpoint,
  writeHistorical,
  writeParams,
  writeSlash,
  writeStart,
  writeTotals,
  writeValidator,
  writeVoters,
  writeWithdrawAddress,
} from './keeper.ts'
import { createCommunityPoolSpend } from './messages/community-pool-spend.ts'
import { createDepositValidatorRewardsPool } from './messages/deposit-validator-rewards-pool.ts'
import { createFundCommunityPool } from './messages/fund-community-pool.ts'
import { createSetWithdrawAddress } from './messages/set-withdraw-address.ts'
import { updateParams } from './messages/update-params.ts'
import { createWithdrawDelegatorReward } from './messages/withdraw-delegator-reward.ts'
import { createWithdrawValidatorCommission } from './messages/withdraw-validator-commission.ts'
import { distributionQueries } from './queries.ts'
import { encodeVoters } from './voters.ts'

export interface DistributionParts extends ModuleParts {
  readonly hooks: ModuleHooks & { readonly staking: StakingHooks }
}

/** The balances of the bank are there already: its part of the genesis comes first. */
const checkBalances = (
  state: StateWriter,
  { ledger }: DistributionDependencies,
  { held }: DistributionGenesis,
): void => {
  for (const { denom, amount } of held) {
    const balance = ledger.balance(state, DISTRIBUTION_ADDRESS, denom)
    if (toDecimal(balance) >= amount) continue
    failAt('app_state.distribution', `owes more ${denom} than the balance of its account, ${balance}`)
  }
}

const appendSlash = (state: StateWriter, operator: Address, { height, period, fraction }: GenesisSlash): void => {
  const path = 'app_state.distribution.validator_slash_events'
  const rewards = findValidator(state, operator) ?? failAt(path, 'a validator has no current rewards')
  if (period <= rewards.lastSlash) failAt(path, 'the slashes of a validator must be in the order of their periods')
  writeSlash(state, operator, period, { height, fraction, previous: rewards.lastSlash })
  writeValidator(state, operator, { ...rewards, lastSlash: period })
}

const writeGenesis = (state: StateWriter, genesis: DistributionGenesis): void => {
  writeParams(state, genesis.params)
  addToPool(state, genesis.pool)
  for (const [delegator, receiver] of genesis.withdrawAddresses) writeWithdrawAddress(state, delegator, receiver)
  for (const [operator, rewards] of genesis.validators) writeValidator(state, operator, rewards)
  for (const [operator, { period, rewards }] of genesis.historical) writeHistorical(state, operator, period, rewards)
  for (const [operator, { delegator, start }] of genesis.starts) writeStart(state, operator, delegator, start)
  for (const [operator, slash] of genesis.slashes) appendSlash(state, operator, slash)
  writeVoters(state, encodeVoters(genesis.voters))
  for (const { consensusAddress, checkpoint } of genesis.voters) writeCheckpoint(state, consensusAddress, checkpoint)
  const heldAnat = amountOf(genesis.held, DENOMINATION) / toDecimal(1n)
  writeTotals(state, { accumulator: genesis.accumulator, heldAnat })
}

export const distributionModule: ModuleDefinition<DistributionDependencies, DistributionParts> = {
  name: 'distribution',
  services: [distributionQuery.Query, distributionTx.Msg],
  packed: [distribution.file_cosmos_distribution_v1beta1_distribution],
  parseGenesis: (genesis) => parseDistributionGenesis(genesis),
  create: (dependencies) => ({
    initGenesis: ({ state }, value) => {
      const genesis = parseDistributionGenesis(value)
      checkBalances(state, dependencies, genesis)
      writeGenesis(state, genesis)
    },
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

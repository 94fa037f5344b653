/** Writing the member `distribution` of app_state. */
import type { Address } from '../../../core/address.ts'
import { DENOMINATION } from '../../../core/amounts.ts'
import { toDecimal } from '../../../core/decimal.ts'
import { failAt } from '../../../core/parse.ts'
import type { StateWriter } from '../../../store/state.ts'
import { amountOf } from '../dec-coins.ts'
import type { DistributionDependencies } from '../deps.ts'
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
} from '../keeper.ts'
import { encodeVoters } from '../voters.ts'
import type { DistributionGenesis, GenesisSlash } from './parse.ts'

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

/** Throws genesis/1 for what contradicts itself, or owes more than its account holds. */
export const initDistribution = (
  dependencies: DistributionDependencies,
  state: StateWriter,
  genesis: DistributionGenesis,
): void => {
  checkBalances(state, dependencies, genesis)
  writeGenesis(state, genesis)
}

/** What must hold after every block, whatever happened in it. */
import { bytesToKey } from '../../core/bytes.ts'
import type { StateReader } from '../../store/state.ts'
import type { Ledger } from '../ledger.ts'
import type { Invariant } from '../module.ts'
import { formatOperator } from '../validator-addresses.ts'
import { readAllDelegations } from './keeper/delegations.ts'
import { BONDED_POOL_ADDRESS, NOT_BONDED_POOL_ADDRESS } from './keys.ts'
import { readStakingParams } from './keeper/params.ts'
import { poolOf, readPools } from './keeper/pools.ts'
import { readAllUnbondings } from './keeper/unbonding.ts'
import { readLastPowers, readLastTotalPower } from './keeper/validator-updates.ts'
import { powerOf } from './validator.ts'
import { hasIndexChange, readStrongest, readValidators } from './keeper/validators.ts'

/** The most entries of an index that is compared. */
const MAX_INDEX = 1_000_000

/** The pools hold at least what stands behind records, which is what was counted. */
const checkPools = (ledger: Ledger, state: StateReader): string | undefined => {
  const sums = { bonded: 0n, notBonded: 0n }
  for (const validator of readValidators(state)) sums[poolOf(validator)] += validator.tokens
  for (const { entries } of readAllUnbondings(state)) for (const { balance } of entries) sums.notBonded += balance
  const counted = readPools(state)
  const { bondDenomination } = readStakingParams(state)
  const held = {
    bonded: ledger.balance(state, BONDED_POOL_ADDRESS, bondDenomination),
    notBonded: ledger.balance(state, NOT_BONDED_POOL_ADDRESS, bondDenomination),
  }
  for (const name of ['bonded', 'notBonded'] as const) {
    if (counted[name] !== sums[name]) return `${name}: ${counted[name]} are counted, the records sum to ${sums[name]}`
    if (held[name] < sums[name]) return `${name}: the pool holds ${held[name]}, the records sum to ${sums[name]}`
  }
  return undefined
}

const checkPowerIndex = (state: StateReader): string | undefined => {
  const index = new Map(readStrongest(state, MAX_INDEX).map(({ operator, power }) => [bytesToKey(operator), power]))
  for (const validator of readValidators(state)) {
    const name = formatOperator(validator.operator)
    const expected = validator.isJailed ? undefined : powerOf(validator)
    const key = bytesToKey(validator.operator)
    if (index.get(key) !== expected) return `${name} has power ${expected}, the index says ${index.get(key)}`
    index.delete(key)
  }
  return index.size === 0 ? undefined : `${index.size} entries of the index have no validator`
}

/** Who is bonded is who stands in CometBFT's set, and the set is that of the strongest. */
const checkSet = (state: StateReader): string | undefined => {
  if (hasIndexChange(state)) return 'a change of power was not applied by the end of the block'
  const set = new Map([...readLastPowers(state)].map(({ operator, power }) => [bytesToKey(operator), power]))
  const total = [...set.values()].reduce((sum, power) => sum + power, 0n)
  if (total !== readLastTotalPower(state)) return `the powers sum to ${total}, not to ${readLastTotalPower(state)}`
  for (const { operator, power } of readStrongest(state, readStakingParams(state).maxValidators)) {
    if (power > 0n && set.get(bytesToKey(operator)) !== power) return `${formatOperator(operator)} is not in the set`
  }
  for (const { operator, status } of readValidators(state)) {
    if ((status === 'bonded') !== set.has(bytesToKey(operator))) return `${formatOperator(operator)} is ${status}`
  }
  return undefined
}

const checkPositive = (state: StateReader): string | undefined => {
  for (const { delegator, operator, shares } of readAllDelegations(state)) {
    if (shares <= 0n)
      return `delegation of ${bytesToKey(delegator)} to ${formatOperator(operator)} has ${shares} shares`
  }
  return undefined
}

const checkShares = (state: StateReader): string | undefined => {
  const sums = new Map<string, bigint>()
  for (const { operator, shares } of readAllDelegations(state)) {
    sums.set(bytesToKey(operator), (sums.get(bytesToKey(operator)) ?? 0n) + shares)
  }
  for (const { operator, shares } of readValidators(state)) {
    const sum = sums.get(bytesToKey(operator)) ?? 0n
    if (sum !== shares) return `${formatOperator(operator)} has ${shares} shares, its delegations sum to ${sum}`
    sums.delete(bytesToKey(operator))
  }
  return sums.size === 0 ? undefined : 'delegations to a validator that does not exist'
}

export const stakingInvariants = (ledger: Ledger): readonly Invariant[] => [
  { name: 'staking/module-accounts', check: ({ state }) => checkPools(ledger, state) },
  { name: 'staking/power-index', check: ({ state }) => checkPowerIndex(state) },
  // The first block applies the set of a genesis.
  { name: 'staking/validator-set', isNotOfGenesis: true, check: ({ state }) => checkSet(state) },
  { name: 'staking/positive-delegation', check: ({ state }) => checkPositive(state) },
  { name: 'staking/delegator-shares', check: ({ state }) => checkShares(state) },
]

/** What must hold after every block. Amounts that would be negative cannot be written (dec-coins.ts). */
import { type Address, ADDRESS_LENGTH } from '../../core/address.ts'
import { DENOMINATION } from '../../core/amounts.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { bytesToKey, readUint64 } from '../../core/bytes.ts'
import { ONE, toDecimal } from '../../core/decimal.ts'
import { InvariantError } from '../../core/errors.ts'
import { Overlay } from '../../store/overlay.ts'
import type { StateReader } from '../../store/state.ts'
import type { Invariant, QueryContext } from '../module.ts'
import { formatOperator } from '../validator-addresses.ts'
import { unsettledOf } from './accrual.ts'
import { decodeHistorical, decodeStart, decodeValidator } from './codec.ts'
import { addCoins, amountOf, type DecCoins, fallenDenom, intersectCoins, NO_COINS } from './dec-coins.ts'
import { reckonRewards, stakeOf, withdrawRewards } from './delegation.ts'
import type { DistributionDependencies } from './deps.ts'
import {
  DISTRIBUTION_ADDRESS,
  findStart,
  findValidator,
  readPools,
  readTotals,
  readValidator,
  readVoters,
  scan,
  splitKey,
} from './keeper.ts'
import * as keys from './keys.ts'
import { fallbackDestination } from './treasury.ts'
import { endPeriod } from './validator.ts'
import { decodeVoters } from './voters.ts'

/** What rounding of slashes may make of a stake, in 10^-18 anat (x/distribution's marginOfErr). */
const STAKE_MARGIN = 3n

const unsettledTotal = (state: StateReader): DecCoins => {
  let amount = 0n
  for (const { consensusAddress } of decodeVoters(readVoters(state))) amount += unsettledOf(state, consensusAddress)
  return amount === 0n ? NO_COINS : [{ denom: DENOMINATION, amount }]
}

const checkHoldings = (state: StateReader, { ledger }: DistributionDependencies): string | undefined => {
  let owed = addCoins([...readPools(state)], unsettledTotal(state))
  for (const [, value] of scan(state, keys.VALIDATORS_PREFIX)) owed = addCoins(owed, decodeValidator(value).outstanding)
  const { heldAnat } = readTotals(state)
  const owedAnat = amountOf(owed, DENOMINATION)
  if (owedAnat !== toDecimal(heldAnat)) return `${owedAnat} of 10^-18 anat are owed, ${heldAnat} anat accounted for`
  for (const { denom, amount } of owed) {
    const balance = ledger.balance(state, DISTRIBUTION_ADDRESS, denom)
    if (amount % ONE !== 0n) return `of ${denom} no whole number is owed`
    if (toDecimal(balance) < amount) return `the account has ${balance}${denom}, ${amount / ONE} are owed`
  }
  return undefined
}

/** Every period has one reference of the running period, of each delegation begun after it and of each slash. */
const checkReferences = (state: StateReader): string | undefined => {
  const expected = new Map<string, number>()
  const count = (operator: Address, period: number): void => {
    const key = bytesToKey(keys.historicalKey(operator, period))
    expected.set(key, (expected.get(key) ?? 0) + 1)
  }
  for (const [operator, value] of scan(state, keys.VALIDATORS_PREFIX))
    count(operator, decodeValidator(value).period - 1)
  for (const [key, value] of scan(state, keys.STARTS_PREFIX)) count(splitKey(key)[0], decodeStart(value).previousPeriod)
  for (const [key] of scan(state, keys.SLASHES_PREFIX)) {
    count(splitKey(key)[0], readUint64(key, ADDRESS_LENGTH))
  }
  let periods = 0
  for (const [key, value] of scan(state, keys.HISTORICAL_PREFIX)) {
    periods++
    const { references } = decodeHistorical(value)
    const wanted = expected.get(bytesToKey(keys.HISTORICAL_PREFIX) + bytesToKey(key)) ?? 0
    if (references !== wanted) return `a period has ${references} references, ${wanted} are there`
  }
  return periods === expected.size ? undefined : `${expected.size} periods are referred to, ${periods} are there`
}

/**
 * What is ended is before the running period, and the rewards of a token only grow: a withdrawal over periods in another
 * order would stop the block. Starts and slashes are at these periods, as references are counted.
 */
const checkPeriods = (state: StateReader): string | undefined => {
  let [validator, running, before]: [string, number, number] = ['', 0, 0]
  let earned = NO_COINS
  for (const [key, value] of scan(state, keys.HISTORICAL_PREFIX)) {
    const [operator, rest] = splitKey(key)
    const [period, { ratio }] = [readUint64(rest), decodeHistorical(value)]
    if (bytesToKey(operator) !== validator) {
      validator = bytesToKey(operator)
      running = findValidator(state, operator)?.period ?? 0
      earned = NO_COINS
    }
    if (period >= running)
      return `${formatOperator(operator)} has rewards of period ${period}, but period ${running} runs`
    const fallen = fallenDenom(earned, ratio)
    if (fallen !== undefined) {
      return `${formatOperator(operator)}: its rewards of ${fallen} fall from period ${before} to period ${period}`
    }
    earned = ratio
    before = period
  }
  return undefined
}

/** A validator without a record, or a delegation without its start, would stop the block that touches it. */
const checkRecords = (state: StateReader, { stake }: DistributionDependencies): string | undefined => {
  for (const { operator } of stake.validators(state)) {
    const name = formatOperator(operator)
    if (findValidator(state, operator) === undefined) return `${name} has no record of rewards`
    for (const { delegator } of stake.delegationsTo(state, operator)) {
      if (findStart(state, operator, delegator) === undefined) {
        return `the delegation of ${encodeBech32(delegator)} to ${name} has no starting info`
      }
    }
  }
  return undefined
}

const checkOutstanding = (state: StateReader): string | undefined => {
  for (const [, value] of scan(state, keys.VALIDATORS_PREFIX)) {
    const { outstanding, current, commission } = decodeValidator(value)
    const parts = addCoins(current, commission)
    if (intersectCoins(parts, outstanding).some(({ amount }, index) => amount !== parts[index]?.amount)) {
      return 'outstanding rewards do not cover commission and current rewards'
    }
  }
  return undefined
}

/** Checks on a copy: every delegator withdraws, and what is left is commission and dust. */
const checkWithdrawals = (
  { state, height }: QueryContext,
  dependencies: DistributionDependencies,
): string | undefined => {
  const copy = new Overlay(state)
  // The copy is at a later height: a delegation that began at this one has no rewards yet.
  const context = { state: copy, height: height + 1, emit: () => undefined }
  const { stake } = dependencies
  for (const [key, value] of scan(state, keys.STARTS_PREFIX)) {
    const [operator, rest] = splitKey(key)
    const [delegator] = splitKey(rest)
    const validator = stake.validator(copy, operator)
    const delegation = stake.delegation(copy, delegator, operator)
    if (validator === undefined || delegation === undefined)
      return 'a delegation is recorded that staking does not have'
    const period = endPeriod(context, validator)
    const reckoned = reckonRewards(context, validator, delegation, decodeStart(value), period)
    if (reckoned.stake > stakeOf(validator, delegation) + STAKE_MARGIN) return 'a stake is more than staking says'
    withdrawRewards(context, dependencies, validator, delegation, fallbackDestination(copy, dependencies, delegator))
    const { outstanding, commission } = readValidator(copy, operator)
    if (intersectCoins(commission, outstanding).some(({ amount }, index) => amount !== commission[index]?.amount)) {
      return 'delegators took of the commission'
    }
  }
  return undefined
}

const guarded = (check: () => string | undefined): string | undefined => {
  try {
    return check()
  } catch (error) {
    if (error instanceof InvariantError) return error.message
    throw error
  }
}

export const distributionInvariants = (dependencies: DistributionDependencies): readonly Invariant[] => [
  { name: 'distribution/holds-what-it-owes', check: ({ state }) => checkHoldings(state, dependencies) },
  { name: 'distribution/references-are-counted', check: ({ state }) => checkReferences(state) },
  { name: 'distribution/periods-are-in-order', check: ({ state }) => checkPeriods(state) },
  { name: 'distribution/stakes-have-records', check: ({ state }) => checkRecords(state, dependencies) },
  { name: 'distribution/outstanding-covers-its-parts', check: ({ state }) => checkOutstanding(state) },
  {
    name: 'distribution/all-can-withdraw',
    // A withdrawal by every delegator.
    isNotOfGenesis: true,
    check: (context) => guarded(() => checkWithdrawals(context, dependencies)),
  },
]

/** Parameters of staking: defaults, rules, and the form in which they are sent. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { DENOMINATION } from '../../core/amounts.ts'
import { type Decimal, formatDecimal, ONE, parseScaledDecimal } from '../../core/decimal.ts'
import { CodedError } from '../../core/errors.ts'
import { DAY_NS, NS_PER_SECOND, toSecondsAndNanos } from '../../core/time.ts'
import type { staking } from '../../proto/index.ts'
import { sdkError } from '../sdk-errors.ts'

export interface StakingParams {
  readonly unbondingTimeNs: bigint
  readonly maxValidators: number
  /** Most entries of an unbonding delegation, and of a redelegation. */
  readonly maxEntries: number
  readonly historicalEntries: number
  readonly bondDenomination: string
  readonly minCommissionRate: Decimal
}

export const DEFAULT_STAKING_PARAMS: StakingParams = {
  unbondingTimeNs: 21n * DAY_NS,
  maxValidators: 100,
  maxEntries: 7,
  historicalEntries: 10_000,
  bondDenomination: DENOMINATION,
  minCommissionRate: 0n,
}

/** Ten years: a time that begins now still fits a key for centuries. */
const MAX_UNBONDING_TIME_NS = 3_650n * DAY_NS
/** CometBFT's own bound is 10,000; each of them votes in every block. */
const MAX_VALIDATORS = 1_000
/** All entries of a pair are read and written together. */
const MAX_ENTRIES = 100
const MAX_HISTORICAL_ENTRIES = 2 ** 32 - 1

/** Throws sdk/18. */
export const checkStakingParams = (params: StakingParams): StakingParams => {
  const fail = (message: string): never => {
    throw sdkError('invalidRequest', message)
  }
  const { unbondingTimeNs, maxValidators, maxEntries, historicalEntries, bondDenomination, minCommissionRate } = params
  if (unbondingTimeNs <= 0n) fail(`unbonding time must be positive: ${unbondingTimeNs}`)
  if (unbondingTimeNs > MAX_UNBONDING_TIME_NS) fail('unbonding time must be at most 3650 days')
  if (maxValidators < 1) fail(`max validators must be positive: ${maxValidators}`)
  if (maxValidators > MAX_VALIDATORS) fail(`max validators must be at most ${MAX_VALIDATORS}`)
  if (maxEntries < 1) fail(`max entries must be positive: ${maxEntries}`)
  if (maxEntries > MAX_ENTRIES) fail(`max entries must be at most ${MAX_ENTRIES}`)
  if (historicalEntries > MAX_HISTORICAL_ENTRIES) fail('historical entries must be below 2^32')
  if (bondDenomination.trim() === '') fail('bond denom cannot be blank')
  // Voting power is counted in units of 10^18 anat, and the pools hold anat.
  if (bondDenomination !== DENOMINATION)
    fail(`bond denom must be ${DENOMINATION}, not ${bondDenomination.slice(0, 128)}`)
  if (minCommissionRate < 0n) fail(`minimum commission rate cannot be negative: ${formatDecimal(minCommissionRate)}`)
  if (minCommissionRate > ONE) {
    fail(`minimum commission rate cannot be greater than 100%: ${formatDecimal(minCommissionRate)}`)
  }
  return params
}

type WireParams = MessageInitShape<typeof staking.ParamsSchema>

export const toWireParams = (params: StakingParams): WireParams => ({
  unbondingTime: toSecondsAndNanos(params.unbondingTimeNs),
  maxValidators: params.maxValidators,
  maxEntries: params.maxEntries,
  historicalEntries: params.historicalEntries,
  bondDenom: params.bondDenomination,
  minCommissionRate: params.minCommissionRate.toString(),
})

/** Throws sdk/18. */
export const fromWireParams = (params: staking.Params | undefined): StakingParams => {
  if (params === undefined) throw sdkError('invalidRequest', 'params are missing')
  const { unbondingTime, maxValidators, maxEntries, historicalEntries, bondDenom } = params
  let minCommissionRate: Decimal
  try {
    minCommissionRate = parseScaledDecimal(params.minCommissionRate)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidRequest', `minimum commission rate: ${error.message}`)
  }
  return checkStakingParams({
    unbondingTimeNs: (unbondingTime?.seconds ?? 0n) * NS_PER_SECOND + BigInt(unbondingTime?.nanos ?? 0),
    maxValidators,
    maxEntries,
    historicalEntries,
    bondDenomination: bondDenom,
    minCommissionRate,
  })
}

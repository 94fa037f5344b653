/** Parameters of staking: defaults, rules, and the forms in which they are stored, sent and exported. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { DENOMINATION } from '../../core/amounts.ts'
import { bigintToBytes, bytesToBigint, bytesToUtf8, utf8ToBytes } from '../../core/bytes.ts'
import { type Decimal, formatDecimal, ONE, parseScaledDecimal } from '../../core/decimal.ts'
import { CodedError, invariant } from '../../core/errors.ts'
import { failAt, parseInteger, parseObject, parseString } from '../../core/parse.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'
import { DAY_NS, formatDuration, NS_PER_SECOND, parseDuration, toSecondsAndNanos } from '../../core/time.ts'
import type { staking } from '../../proto/index.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import { sdkError } from '../sdk-errors.ts'
import { locatedDecimal, located } from './genesis-values.ts'
import { PARAMS_KEY, STAKING_ADDRESS } from './keys.ts'

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
const checkStakingParams = (params: StakingParams): StakingParams => {
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

export const readStakingParams = (state: StateReader): StakingParams => {
  const value = state.value(STAKING_ADDRESS, PARAMS_KEY)
  invariant(value !== undefined, 'there are no staking parameters: the state has no genesis')
  const [unbonding, validators, entries, historical, denomination, rate] = decodeRlp(value) as Uint8Array[]
  const integer = (bytes: Uint8Array | undefined): bigint => bytesToBigint(bytes ?? new Uint8Array(0))
  return {
    unbondingTimeNs: integer(unbonding),
    maxValidators: Number(integer(validators)),
    maxEntries: Number(integer(entries)),
    historicalEntries: Number(integer(historical)),
    bondDenomination: bytesToUtf8(denomination ?? new Uint8Array(0)),
    minCommissionRate: integer(rate),
  }
}

export const writeStakingParams = (state: StateWriter, params: StakingParams): void => {
  const integers = [params.unbondingTimeNs, params.maxValidators, params.maxEntries, params.historicalEntries]
  const value = encodeRlp([
    ...integers.map((integer) => bigintToBytes(BigInt(integer))),
    utf8ToBytes(params.bondDenomination),
    bigintToBytes(params.minCommissionRate),
  ])
  state.setValue(STAKING_ADDRESS, PARAMS_KEY, value)
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

/** Members left out take their defaults. Throws genesis/1. */
export const parseStakingParams = (value: unknown, path: string): StakingParams => {
  const defaults = formatStakingParams(DEFAULT_STAKING_PARAMS)
  const object = { ...defaults, ...parseObject(value ?? {}, path, Object.keys(defaults)) }
  const params = {
    unbondingTimeNs: located(`${path}.unbonding_time`, () =>
      parseDuration(parseString(object.unbonding_time, `${path}.unbonding_time`)),
    ),
    maxValidators: parseInteger(object.max_validators, `${path}.max_validators`),
    maxEntries: parseInteger(object.max_entries, `${path}.max_entries`),
    historicalEntries: parseInteger(object.historical_entries, `${path}.historical_entries`),
    bondDenomination: parseString(object.bond_denom, `${path}.bond_denom`),
    minCommissionRate: locatedDecimal(object.min_commission_rate, `${path}.min_commission_rate`),
  }
  try {
    return checkStakingParams(params)
  } catch (error) {
    return failAt(path, (error as Error).message)
  }
}

/** The inverse of {@link parseStakingParams}. */
export const formatStakingParams = (params: StakingParams) => ({
  unbonding_time: formatDuration(params.unbondingTimeNs),
  max_validators: params.maxValidators,
  max_entries: params.maxEntries,
  historical_entries: params.historicalEntries,
  bond_denom: params.bondDenomination,
  min_commission_rate: formatDecimal(params.minCommissionRate),
})

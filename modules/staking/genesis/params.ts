/** The parameters in a genesis file. */
import { formatDecimal } from '../../../core/decimal.ts'
import { failAt, parseInteger, parseObject, parseString } from '../../../core/parse.ts'
import { formatDuration, parseDuration } from '../../../core/time.ts'
import { checkStakingParams, DEFAULT_STAKING_PARAMS, type StakingParams } from '../params.ts'
import { located, locatedDecimal } from './values.ts'

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

/** Rules of commission rates. */
import { type Decimal, formatDecimal, ONE, parseScaledDecimal } from '../../core/decimal.ts'
import { CodedError } from '../../core/errors.ts'
import { DAY_NS, toSecondsAndNanos } from '../../core/time.ts'
import type { staking } from '../../proto/index.ts'
import { sdkError } from '../sdk-errors.ts'
import { stakingError } from './errors.ts'
import type { Validator } from './validator.ts'

export interface CommissionRates {
  readonly rate: Decimal
  readonly maxRate: Decimal
  readonly maxChangeRate: Decimal
}

/** Throws sdk/18. */
export const parseRate = (text: string, what: string): Decimal => {
  try {
    return parseScaledDecimal(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidRequest', `${what}: ${error.message}`)
  }
}

/** Throws staking/9 to 14. */
export const checkCommissionRates = (rates: CommissionRates): CommissionRates => {
  const { rate, maxRate, maxChangeRate } = rates
  if (maxRate < 0n) throw stakingError('commissionNegative')
  if (maxRate > ONE) throw stakingError('commissionHuge')
  if (rate < 0n) throw stakingError('commissionNegative')
  if (rate > maxRate) throw stakingError('commissionAboveMaximum')
  if (maxChangeRate < 0n) throw stakingError('changeRateNegative')
  if (maxChangeRate > maxRate) throw stakingError('changeRateAboveMaximum')
  return rates
}

export const parseCommissionRates = (rates: staking.CommissionRates | undefined): CommissionRates => {
  if (rates === undefined || [rates.rate, rates.maxRate, rates.maxChangeRate].includes('')) {
    throw sdkError('invalidRequest', 'empty commission')
  }
  return checkCommissionRates({
    rate: parseRate(rates.rate, 'commission rate'),
    maxRate: parseRate(rates.maxRate, 'commission max rate'),
    maxChangeRate: parseRate(rates.maxChangeRate, 'commission max change rate'),
  })
}

/** Whether the rate may change now. Throws staking/12, 9, 11 or 15. */
export const checkNewRate = (validator: Validator, rate: Decimal, timeNs: bigint): void => {
  if (timeNs - validator.commissionTimeNs < DAY_NS) throw stakingError('commissionTooSoon')
  if (rate < 0n) throw stakingError('commissionNegative')
  if (rate > validator.maxCommissionRate) throw stakingError('commissionAboveMaximum')
  if (rate - validator.commissionRate > validator.maxCommissionChangeRate) throw stakingError('commissionChange')
}

/** Throws staking/40. */
export const checkMinimumRate = (rate: Decimal, minimum: Decimal): void => {
  if (rate >= minimum) return
  const detail = `cannot set validator commission to less than minimum rate of ${formatDecimal(minimum)}`
  throw stakingError('commissionBelowMinimum', detail)
}

/** The attribute of edit_validator: protobuf's compact text of the SDK's Commission, decimals in their wire form. */
export const formatCommission = (validator: Validator): string => {
  const { seconds, nanos } = toSecondsAndNanos(validator.commissionTimeNs)
  const time = `${seconds === 0n ? '' : `seconds:${seconds} `}${nanos === 0 ? '' : `nanos:${nanos} `}`
  const rates =
    `rate:"${validator.commissionRate}" max_rate:"${validator.maxCommissionRate}" ` +
    `max_change_rate:"${validator.maxCommissionChangeRate}" `
  return `commission_rates:<${rates}> update_time:<${time}> `
}

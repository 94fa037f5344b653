/** Values of the genesis file: every failure names the member at fault (genesis/1). */
import type { Address } from '../../../core/address.ts'
import { parseAccountAddress } from '../../../core/bech32.ts'
import { type Decimal, parseDecimal } from '../../../core/decimal.ts'
import { CodedError } from '../../../core/errors.ts'
import { failAt, parseInteger, parseString } from '../../../core/parse.ts'
import { MAX_TIME_NS, parseTime } from '../../../core/time.ts'
import { parseOperator } from '../../validator-addresses.ts'

/** Runs a parser whose failures do not know where they are. */
export const located = <T>(path: string, parse: () => T): T => {
  try {
    return parse()
  } catch (error) {
    // One of genesis names its place already.
    if (!(error instanceof CodedError) || error.codespace === 'genesis') throw error
    return failAt(path, error.message)
  }
}

/** Not negative. */
export const locatedDecimal = (value: unknown, path: string): Decimal => {
  const decimal = located(path, () => parseDecimal(parseString(value, path)))
  return decimal < 0n ? failAt(path, 'must not be negative') : decimal
}

export const locatedTime = (value: unknown, path: string): bigint => {
  const timeNs = located(path, () => parseTime(parseString(value, path)))
  return timeNs >= 0n && timeNs <= MAX_TIME_NS ? timeNs : failAt(path, 'must lie between 1970 and 2554')
}

export const locatedOperator = (value: unknown, path: string): Address =>
  located(path, () => parseOperator(parseString(value, path)))

export const locatedAccount = (value: unknown, path: string): Address =>
  located(path, () => parseAccountAddress(parseString(value, path)))

/** Holds of unbonding by other modules do not exist here. */
export const checkNoHold = (value: unknown, path: string): void => {
  if (value !== undefined && parseInteger(value, path) !== 0) failAt(path, 'must be 0: nothing holds unbonding here')
}

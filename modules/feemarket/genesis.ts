/** The member `feemarket` of app_state. */
import { failAt, parseAmount, parseInteger, parseObject } from '../../core/parse.ts'
import {
  DEFAULT_FEE_MARKET_GENESIS,
  type FeeMarketGenesis,
  MAX_CHANGE_DENOMINATOR,
  MAX_ELASTICITY,
  MAX_PRICE_ANAT,
  MAX_SET_PRICE_ANAT,
} from './params.ts'

const MEMBERS = ['base_fee', 'min_base_fee', 'elasticity_multiplier', 'base_fee_change_denominator'] as const

const parseBound = (value: unknown, path: string, fallback: number, most: number): number => {
  const number = value === undefined ? fallback : parseInteger(value, path)
  return number >= 1 && number <= most ? number : failAt(path, `must be between 1 and ${most}`)
}

/** Parses the member `feemarket` of app_state; members left out take their defaults. Throws genesis/1. */
export const parseFeeMarketGenesis = (genesis: unknown, path = 'app_state.feemarket'): FeeMarketGenesis => {
  const object = parseObject(genesis ?? {}, path, MEMBERS)
  const amount = (name: (typeof MEMBERS)[number], fallback: bigint): bigint => {
    const anat = object[name] === undefined ? fallback : parseAmount(object[name], `${path}.${name}`)
    const most = name === 'min_base_fee' ? MAX_SET_PRICE_ANAT : MAX_PRICE_ANAT
    return anat <= most ? anat : failAt(`${path}.${name}`, `must not be above ${most}`)
  }
  const minBaseFeeAnat = amount('min_base_fee', DEFAULT_FEE_MARKET_GENESIS.minBaseFeeAnat)
  const baseFeeAnat = amount('base_fee', DEFAULT_FEE_MARKET_GENESIS.baseFeeAnat)
  if (baseFeeAnat < minBaseFeeAnat) failAt(`${path}.base_fee`, `must not be below min_base_fee ${minBaseFeeAnat}`)
  return {
    baseFeeAnat,
    minBaseFeeAnat,
    elasticityMultiplier: parseBound(
      object['elasticity_multiplier'],
      `${path}.elasticity_multiplier`,
      2,
      MAX_ELASTICITY,
    ),
    baseFeeChangeDenominator: parseBound(
      object['base_fee_change_denominator'],
      `${path}.base_fee_change_denominator`,
      8,
      MAX_CHANGE_DENOMINATOR,
    ),
  }
}

/** The inverse of {@link parseFeeMarketGenesis}. */
export const formatFeeMarketGenesis = (genesis: FeeMarketGenesis): Record<(typeof MEMBERS)[number], unknown> => ({
  base_fee: genesis.baseFeeAnat.toString(),
  min_base_fee: genesis.minBaseFeeAnat.toString(),
  elasticity_multiplier: genesis.elasticityMultiplier,
  base_fee_change_denominator: genesis.baseFeeChangeDenominator,
})

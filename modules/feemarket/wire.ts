/** The parameters as cosmos.evm.feemarket.v1 has them: decimals of anat, and members that are fixed here. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { ONE, parseScaledDecimal, toDecimal } from '../../core/decimal.ts'
import { CodedError } from '../../core/errors.ts'
import type { feeMarket } from '../../proto/index.ts'
import { sdkError } from '../sdk-errors.ts'
import { type FeeMarketGenesis, MAX_CHANGE_DENOMINATOR, MAX_ELASTICITY, MAX_SET_PRICE_ANAT } from './params.ts'

/** `no_base_fee`, `enable_height` and `min_gas_multiplier` are zero: gas that is not used costs an Ethereum sender nothing. */
export const toWire = (market: FeeMarketGenesis): MessageInitShape<typeof feeMarket.ParamsSchema> => ({
  noBaseFee: false,
  baseFeeChangeDenominator: market.baseFeeChangeDenominator,
  elasticityMultiplier: market.elasticityMultiplier,
  enableHeight: 0n,
  baseFee: toDecimal(market.baseFeeAnat).toString(),
  minGasPrice: toDecimal(market.minBaseFeeAnat).toString(),
  minGasMultiplier: '0',
})

const invalid = (message: string): CodedError => sdkError('invalidRequest', message)

/** An empty text is zero. Throws sdk/18. */
const parseDecimal = (text: string, name: string): bigint => {
  try {
    return text === '' ? 0n : parseScaledDecimal(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw invalid(`${name}: ${error.message}`)
  }
}

const parsePrice = (text: string, name: string): bigint => {
  const decimal = parseDecimal(text, name)
  if (decimal < 0n) throw invalid(`${name} cannot be negative: ${text}`)
  if (decimal % ONE !== 0n) throw invalid(`${name} must be a whole number of anat`)
  const anat = decimal / ONE
  if (anat < 1n || anat > MAX_SET_PRICE_ANAT) throw invalid(`${name} must be between 1 and ${MAX_SET_PRICE_ANAT} anat`)
  return anat
}

const checkBound = (value: number, most: number, name: string): number => {
  if (value < 1 || value > most) throw invalid(`${name} must be between 1 and ${most}, not ${value}`)
  return value
}

/** What a change brings. The base fee goes on from `base_fee`, raised to the floor. Throws sdk/18. */
export const fromWire = (params: feeMarket.Params | undefined): FeeMarketGenesis => {
  if (params === undefined) throw invalid('all parameters must be present')
  if (params.baseFeeChangeDenominator === 0) throw invalid('base fee change denominator cannot be 0')
  if (params.elasticityMultiplier === 0) throw invalid('elasticity multiplier cannot be zero: 0')
  if (params.noBaseFee) throw invalid('no_base_fee cannot be set: the base fee cannot be switched off')
  if (params.enableHeight !== 0n) throw invalid('enable_height must be 0: the base fee is in force already')
  if (parseDecimal(params.minGasMultiplier, 'min_gas_multiplier') !== 0n) {
    throw invalid('min_gas_multiplier must be 0: Ethereum transactions pay for the gas that they use')
  }
  const minBaseFeeAnat = parsePrice(params.minGasPrice, 'min_gas_price')
  const baseFeeAnat = parsePrice(params.baseFee, 'base_fee')
  return {
    baseFeeAnat: baseFeeAnat > minBaseFeeAnat ? baseFeeAnat : minBaseFeeAnat,
    minBaseFeeAnat,
    elasticityMultiplier: checkBound(params.elasticityMultiplier, MAX_ELASTICITY, 'elasticity_multiplier'),
    baseFeeChangeDenominator: checkBound(
      params.baseFeeChangeDenominator,
      MAX_CHANGE_DENOMINATOR,
      'base_fee_change_denominator',
    ),
  }
}

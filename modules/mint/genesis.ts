/** The member `mint` of app_state: x/mint's GenesisState. */
import { type Decimal, formatDecimal, parseDecimal } from '../../core/decimal.ts'
import { CodedError } from '../../core/errors.ts'
import { failAt, parseAmount, parseObject, parseString } from '../../core/parse.ts'
import { IDLE_MINTER, type Minter } from './minter.ts'
import { DEFAULT_PARAMS, faultOfParams, type MintParams } from './params.ts'

export interface MintGenesis {
  readonly minter: Minter
  readonly params: MintParams
}

const decimalAt = (value: unknown, path: string, fallback: Decimal): Decimal => {
  if (value === undefined) return fallback
  try {
    const decimal = parseDecimal(parseString(value, path))
    return decimal < 0n ? failAt(path, 'must not be negative') : decimal
  } catch (error) {
    if (!(error instanceof CodedError) || error.codespace === 'genesis') throw error
    return failAt(path, error.message)
  }
}

const parseParams = (value: unknown, path: string): MintParams => {
  const object = parseObject(value ?? {}, path, [
    'mint_denom',
    'inflation_rate_change',
    'inflation_max',
    'inflation_min',
    'goal_bonded',
    'blocks_per_year',
    'max_supply',
  ])
  const rate = (name: string, fallback: Decimal) => decimalAt(object[name], `${path}.${name}`, fallback)
  const amount = (name: string, fallback: bigint) =>
    object[name] === undefined ? fallback : parseAmount(object[name], `${path}.${name}`)
  const denom = object['mint_denom']
  const params: MintParams = {
    mintDenom: denom === undefined ? DEFAULT_PARAMS.mintDenom : parseString(denom, `${path}.mint_denom`),
    inflationRateChange: rate('inflation_rate_change', DEFAULT_PARAMS.inflationRateChange),
    inflationMax: rate('inflation_max', DEFAULT_PARAMS.inflationMax),
    inflationMin: rate('inflation_min', DEFAULT_PARAMS.inflationMin),
    goalBonded: rate('goal_bonded', DEFAULT_PARAMS.goalBonded),
    blocksPerYear: amount('blocks_per_year', DEFAULT_PARAMS.blocksPerYear),
    maxSupply: amount('max_supply', DEFAULT_PARAMS.maxSupply),
  }
  const fault = faultOfParams(params)
  return fault === undefined ? params : failAt(path, fault)
}

/** Throws genesis/1 with the member at fault. */
export const parseMintGenesis = (genesis: unknown, path = 'app_state.mint'): MintGenesis => {
  const object = parseObject(genesis ?? {}, path, ['minter', 'params'])
  const members = ['inflation', 'annual_provisions']
  const minter = parseObject(object['minter'] ?? {}, `${path}.minter`, members)
  const at = (name: string, fallback: Decimal) => decimalAt(minter[name], `${path}.minter.${name}`, fallback)
  return {
    minter: {
      inflation: at('inflation', IDLE_MINTER.inflation),
      annualProvisions: at('annual_provisions', IDLE_MINTER.annualProvisions),
    },
    params: parseParams(object['params'], `${path}.params`),
  }
}

/** The inverse of {@link parseMintGenesis}. */
export const formatMintGenesis = ({ minter, params }: MintGenesis) => ({
  minter: {
    inflation: formatDecimal(minter.inflation),
    annual_provisions: formatDecimal(minter.annualProvisions),
  },
  params: {
    mint_denom: params.mintDenom,
    inflation_rate_change: formatDecimal(params.inflationRateChange),
    inflation_max: formatDecimal(params.inflationMax),
    inflation_min: formatDecimal(params.inflationMin),
    goal_bonded: formatDecimal(params.goalBonded),
    blocks_per_year: params.blocksPerYear.toString(),
    max_supply: params.maxSupply.toString(),
  },
})

/** The figures of inflation, with the rounding of x/mint. */
import { MAX_UINT256 } from '../../core/amounts.ts'
import { type Decimal, divide, divideByInteger, multiply, ONE, toDecimal, truncate } from '../../core/decimal.ts'
import type { MintParams } from './params.ts'

export interface Minter {
  /** The inflation of a year. */
  readonly inflation: Decimal
  /** What a year of it would mint, in the smallest unit. */
  readonly annualProvisions: Decimal
}

export const IDLE_MINTER: Minter = { inflation: 0n, annualProvisions: 0n }

/** It grows while less than the goal is bonded and falls while more is, and stays within its bounds. */
export const nextInflation = (inflation: Decimal, params: MintParams, bondedRatio: Decimal): Decimal => {
  const changePerYear = multiply(ONE - divide(bondedRatio, params.goalBonded), params.inflationRateChange)
  const next = inflation + divide(changePerYear, toDecimal(params.blocksPerYear))
  if (next > params.inflationMax) return params.inflationMax
  return next < params.inflationMin ? params.inflationMin : next
}

/** What a block mints, in the smallest unit; what truncating leaves is never minted. */
export const blockProvision = (annualProvisions: Decimal, { blocksPerYear }: MintParams): bigint =>
  truncate(divideByInteger(annualProvisions, blocksPerYear))

/** Cuts what a block would mint to what the largest supply allows; zero is no limit but that of the EVM's balances. */
export const withinSupply = (amount: bigint, supply: bigint, { maxSupply }: MintParams): bigint => {
  const most = maxSupply === 0n ? MAX_UINT256 : maxSupply
  if (supply + amount <= most) return amount
  return supply < most ? most - supply : 0n
}

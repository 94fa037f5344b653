/** Parameters of EIP-1559 and their defaults. */
import { ANAT_PER_NAT } from '../../core/amounts.ts'

export interface FeeMarketParams {
  /** The base fee never falls below it. */
  readonly minBaseFeeAnat: bigint
  /** Gas limit / gas target. */
  readonly elasticityMultiplier: number
  /** The base fee moves by at most 1 / this a block. */
  readonly baseFeeChangeDenominator: number
}

export interface FeeMarketGenesis extends FeeMarketParams {
  readonly baseFeeAnat: bigint
}

export const DEFAULT_FEE_MARKET_GENESIS: FeeMarketGenesis = {
  baseFeeAnat: 1_900_000_000n,
  minBaseFeeAnat: 1_900_000_000n,
  elasticityMultiplier: 2,
  baseFeeChangeDenominator: 8,
}

/** Nobody could pay more than a NAT for a unit of gas: the base fee does not rise above it. */
export const MAX_PRICE_ANAT = ANAT_PER_NAT
/**
 * Most that governance may set, and a genesis as the floor: half a million times the default. A vote of 100,000 gas costs 100 NAT then: at
 * the price above it would cost 100,000, and nobody could vote the price down again.
 */
export const MAX_SET_PRICE_ANAT = ANAT_PER_NAT / 1_000n
export const MAX_ELASTICITY = 1_000
export const MAX_CHANGE_DENOMINATOR = 1_000_000

import { type FeeMarketParams, MAX_PRICE_ANAT } from './params.ts'

/**
 * The base fee of the next block (EIP-1559), never below the minimum, nor above what is read as a price.
 * `gasUsed` is the gas of both transaction families, `gasLimit` that of the block; both in gas, fees in anat.
 */
export const nextBaseFee = (
  baseFeeAnat: bigint,
  gasUsed: bigint,
  gasLimit: bigint,
  params: FeeMarketParams,
): bigint => {
  const target = gasLimit / BigInt(params.elasticityMultiplier)
  const denominator = BigInt(params.baseFeeChangeDenominator)
  let next = baseFeeAnat
  if (target > 0n && gasUsed > target) {
    const delta = (baseFeeAnat * (gasUsed - target)) / target / denominator
    next = baseFeeAnat + (delta > 0n ? delta : 1n)
  } else if (target > 0n && gasUsed < target) {
    next = baseFeeAnat - (baseFeeAnat * (target - gasUsed)) / target / denominator
  }
  if (next > MAX_PRICE_ANAT) return MAX_PRICE_ANAT
  return next > params.minBaseFeeAnat ? next : params.minBaseFeeAnat
}

/** Parameters of distribution. The rewards of proposers that the SDK once had are gone there too: they are zero. */
import { type Decimal, formatDecimal, ONE } from '../../core/decimal.ts'

export interface DistributionParams {
  /** Part of all fees that goes to the community pool: 0 to 1. */
  readonly communityTax: Decimal
  /** Whether rewards can be directed to another account. */
  readonly withdrawAddrEnabled: boolean
}

export const DEFAULT_PARAMS: DistributionParams = { communityTax: ONE / 50n, withdrawAddrEnabled: true }

/** What is wrong, in the SDK's words. */
export const faultOfTax = (tax: Decimal): string | undefined => {
  if (tax < 0n) return `community tax must be positive: ${formatDecimal(tax)}`
  if (tax > ONE) return `community tax too large: ${formatDecimal(tax)}`
  return undefined
}

/** Parameters of mint, and x/mint's rules for them. */
import { DENOMINATION, MAX_UINT256 } from '../../core/amounts.ts'
import { type Decimal, formatDecimal, ONE } from '../../core/decimal.ts'

export interface MintParams {
  readonly mintDenom: string
  /** Most that the inflation of a year may change within a year. */
  readonly inflationRateChange: Decimal
  readonly inflationMax: Decimal
  readonly inflationMin: Decimal
  /** Part of the supply that should be bonded. */
  readonly goalBonded: Decimal
  readonly blocksPerYear: bigint
  /** The largest supply in the smallest unit; zero is no limit. */
  readonly maxSupply: bigint
}

/** No inflation. About one block a second. */
export const DEFAULT_PARAMS: MintParams = {
  mintDenom: DENOMINATION,
  inflationRateChange: 0n,
  inflationMax: 0n,
  inflationMin: 0n,
  goalBonded: (67n * ONE) / 100n,
  blocksPerYear: 31_536_000n,
  maxSupply: 0n,
}

const MAX_INT64 = 2n ** 63n - 1n

const faultOfRate = (rate: Decimal, name: string): string | undefined => {
  if (rate < 0n) return `${name} cannot be negative: ${formatDecimal(rate)}`
  return rate > ONE ? `${name} too large: ${formatDecimal(rate)}` : undefined
}

const faultOfGoal = (goal: Decimal): string | undefined => {
  if (goal <= 0n) return `goal bonded must be positive: ${formatDecimal(goal)}`
  return goal > ONE ? `goal bonded too large: ${formatDecimal(goal)}` : undefined
}

const faultOfBlocks = (blocks: bigint): string | undefined => {
  if (blocks === 0n) return `blocks per year must be positive: ${blocks}`
  return blocks > MAX_INT64 ? `blocks per year too large: ${blocks}, maximum value is: ${MAX_INT64}` : undefined
}

const faultOfSupply = (supply: bigint): string | undefined => {
  if (supply < 0n) return `max supply must be positive: ${supply}`
  return supply > MAX_UINT256 ? `max supply too large: ${supply}` : undefined
}

/** What is wrong, in the SDK's words where it has them. */
export const faultOfParams = (params: MintParams): string | undefined => {
  const { mintDenom, inflationMax, inflationMin } = params
  if (mintDenom.trim() === '') return 'mint denom cannot be blank'
  // Distribution pays fees out in anat alone.
  if (mintDenom !== DENOMINATION) return `mint denom must be ${DENOMINATION}: ${mintDenom.slice(0, 128)}`
  const fault =
    faultOfRate(params.inflationRateChange, 'inflation rate change') ??
    faultOfRate(inflationMax, 'max inflation') ??
    faultOfRate(inflationMin, 'min inflation') ??
    faultOfGoal(params.goalBonded) ??
    faultOfBlocks(params.blocksPerYear) ??
    faultOfSupply(params.maxSupply)
  if (fault !== undefined || inflationMax >= inflationMin) return fault
  const [most, least] = [formatDecimal(inflationMax), formatDecimal(inflationMin)]
  return `max inflation (${most}) must be greater than or equal to min inflation (${least})`
}

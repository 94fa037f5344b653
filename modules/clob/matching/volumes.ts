/** What owners traded by day, and the fees that follow from it. */
import type { Address } from '../../../core/address.ts'
import type { StateReader } from '../../../store/state.ts'
import { readVolume } from '../keeper/index.ts'
import type { FeeTier, Market } from '../domain/market.ts'
import { type TradedVolume, VOLUME_DAYS } from '../domain/volume.ts'

const DAY_MS = 86_400_000

/** Days since 1970, UTC. */
export const dayOf = (timeMs: number): number => Math.floor(timeMs / DAY_MS)

/** The sums as of `day`: those of days without a trade are 0. */
export const rollTo = (volume: TradedVolume | undefined, day: number): TradedVolume => {
  const sums = new Array<bigint>(VOLUME_DAYS).fill(0n)
  if (volume === undefined) return { lastDay: day, sums }
  const passed = Math.max(0, day - volume.lastDay)
  for (let at = passed; at < VOLUME_DAYS; at++) sums[at] = volume.sums[at - passed] ?? 0n
  return { lastDay: Math.max(day, volume.lastDay), sums }
}

/** The volume of the 30 days before: the running one does not count. */
export const thirtyDays = ({ sums }: TradedVolume): bigint => {
  let sum = 0n
  for (let at = 1; at < sums.length; at++) sum += sums[at] ?? 0n
  return sum
}

/** The volume of an owner in a denomination on the 30 days before that of `timeMs`, in its smallest unit. */
export const tradedVolume = (state: StateReader, owner: Address, denom: string, timeMs: number): bigint =>
  thirtyDays(rollTo(readVolume(state, owner, denom), dayOf(timeMs)))

/** The last tier whose volume was reached. */
export const tierOf = (market: Market, volume: bigint): FeeTier => {
  let reached = market.fees[0] ?? { volume: 0n, makerPpm: 0, takerPpm: 0 }
  for (const tier of market.fees) if (tier.volume <= volume) reached = tier
  return reached
}

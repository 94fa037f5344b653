/** Candles: prices and volume of a market in a span of time that begins at a multiple of its length since 1970. */
import { encodeFields, FieldReader } from './fields.ts'
import type { FillEntry } from './fill-entry.ts'

/** The spans of candles in seconds: 1m, 5m, 15m, 1h, 4h, 1d. */
export const RESOLUTIONS_S = [60, 300, 900, 3_600, 14_400, 86_400] as const

export interface Candle {
  readonly openTicks: number
  readonly highTicks: number
  readonly lowTicks: number
  readonly closeTicks: number
  readonly lots: bigint
  /** Sum of ticks x lots. */
  readonly ticks: bigint
  readonly trades: number
}

export const startOf = (timeMs: number, resolutionS: number): number => {
  const seconds = Math.floor(timeMs / 1_000)
  return seconds - (seconds % resolutionS)
}

export const withFill = (candle: Candle | undefined, { priceTicks, lots }: FillEntry): Candle => ({
  openTicks: candle?.openTicks ?? priceTicks,
  highTicks: Math.max(candle?.highTicks ?? priceTicks, priceTicks),
  lowTicks: Math.min(candle?.lowTicks ?? priceTicks, priceTicks),
  closeTicks: priceTicks,
  lots: (candle?.lots ?? 0n) + BigInt(lots),
  ticks: (candle?.ticks ?? 0n) + BigInt(priceTicks) * BigInt(lots),
  trades: (candle?.trades ?? 0) + 1,
})

export const encodeCandle = (candle: Candle): Uint8Array =>
  encodeFields([
    candle.openTicks,
    candle.highTicks,
    candle.lowTicks,
    candle.closeTicks,
    candle.lots,
    candle.ticks,
    candle.trades,
  ])

export const decodeCandle = (value: Uint8Array): Candle => {
  const reader = new FieldReader(value)
  return {
    openTicks: reader.number(),
    highTicks: reader.number(),
    lowTicks: reader.number(),
    closeTicks: reader.number(),
    lots: reader.bigint(),
    ticks: reader.bigint(),
    trades: reader.number(),
  }
}

/**
 * Which heights' state can still be read. The sweep deletes what no kept height needs, so whoever answers at a height
 * looks here before and after reading: a prune in between then cannot make a wrong answer.
 */
import { concatBytes, readUint64, uint64ToBytes, utf8ToBytes } from '../core/bytes.ts'
import type { Batch } from './store.ts'
import { readUntilWritten } from './until-written.ts'

export interface KeptRange {
  /** Every height from here on is kept. */
  readonly from: number
  /** Heights below it are kept that are multiples of this number and not below `sparseFrom`; 0 for none. */
  readonly interval: number
  readonly sparseFrom: number
}

export const EVERYTHING_KEPT: KeptRange = { from: 0, interval: 0, sparseFrom: 0 }

/** Column `meta`: from(8) interval(8) sparseFrom(8). */
const KEPT_KEY = utf8ToBytes('kept')

export const readKeptRange = readUntilWritten((store): KeptRange => {
  const bytes = store.get('meta', KEPT_KEY)
  if (bytes === undefined) return EVERYTHING_KEPT
  return { from: readUint64(bytes), interval: readUint64(bytes, 8), sparseFrom: readUint64(bytes, 16) }
})

/** Must be synced before the first entry that it gives up is deleted. */
export const writeKeptRange = (batch: Batch, { from, interval, sparseFrom }: KeptRange): void => {
  batch.put('meta', KEPT_KEY, concatBytes(uint64ToBytes(from), uint64ToBytes(interval), uint64ToBytes(sparseFrom)))
}

export const isKept = ({ from, interval, sparseFrom }: KeptRange, height: number): boolean =>
  height >= from || (interval > 0 && height >= sparseFrom && height % interval === 0)

/** The lowest kept height at or above `height`. */
export const firstKeptFrom = ({ from, interval, sparseFrom }: KeptRange, height: number): number => {
  if (height >= from) return height
  if (interval === 0) return from
  return Math.min(from, Math.ceil(Math.max(height, sparseFrom) / interval) * interval)
}

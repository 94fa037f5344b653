/** The lowest height whose block is here: below it there are no bodies, receipts, logs and hashes. */
import { readUint64, uint64ToBytes, utf8ToBytes } from '../core/bytes.ts'
import type { Batch } from './store.ts'
import { readUntilWritten } from './until-written.ts'

/** Column `meta`: height(8). */
const BASE_KEY = utf8ToBytes('base')

/** 0 when nothing is missing, whatever the height of the genesis block. */
export const readBaseHeight = readUntilWritten((store): number => {
  const bytes = store.get('meta', BASE_KEY)
  return bytes === undefined ? 0 : readUint64(bytes)
})

/** Must be synced before the first block below it is deleted. */
export const writeBaseHeight = (batch: Batch, height: number): void => {
  batch.put('meta', BASE_KEY, uint64ToBytes(height))
}

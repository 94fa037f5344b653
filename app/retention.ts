/** How far back state and blocks are kept. What may go is written with the block that lets it go; the sweep deletes it. */
import { readConsensusParameters } from '../modules/consensus/index.ts'
import { readStakingParams } from '../modules/staking/index.ts'
import { readBaseHeight, writeBaseHeight } from '../store/base-height.ts'
import { type KeptRange, readKeptRange, writeKeptRange } from '../store/kept-range.ts'
import type { StateReader } from '../store/state.ts'
import type { Batch } from '../store/store.ts'
import { BLOCK_HASH_WINDOW } from './index/block-hash.ts'
import type { ChainReader } from './index/chain-reader.ts'
import type { HeaderRecord } from './records/records.ts'
import type { ApplicationSettings, PruningSettings } from './settings.ts'

/** CometBFT needs the last block and the commit of the one before. */
const LEAST_BLOCKS = 2

/**
 * The range after `height` was committed. It only ever shrinks from below: a policy that keeps more keeps it from now
 * on.
 */
export const advanceKept = (range: KeptRange, { keepRecent, interval }: PruningSettings, height: number): KeptRange => {
  if (keepRecent === 0) return range
  const from = Math.max(range.from, height - keepRecent + 1)
  if (interval === range.interval) return from === range.from ? range : { ...range, from }
  // A coarser spacing has only heights that lie on the finer one, and all of these are there; with any other spacing
  // nothing below `from` is.
  const keepsOld = range.from === 0 || (interval > 0 && range.interval > 0 && interval % range.interval === 0)
  return { from, interval, sparseFrom: keepsOld ? range.sparseFrom : range.from }
}

export interface RetainInputs {
  readonly height: number
  readonly minRetainBlocks: number
  /** Evidence of older blocks is too old, as far as blocks count. */
  readonly evidenceBlocks: number
  /** First height that is not older than the unbonding time. */
  readonly unbondingHeight: number
  readonly oldestSnapshotHeight: number | undefined
}

/** The lowest height that CometBFT must keep; 0 keeps every block. */
export const retainHeight = (inputs: RetainInputs): number => {
  const { height, minRetainBlocks, evidenceBlocks, unbondingHeight, oldestSnapshotHeight } = inputs
  if (minRetainBlocks === 0) return 0
  const lowest = Math.min(
    height - minRetainBlocks,
    height - evidenceBlocks,
    height - LEAST_BLOCKS,
    unbondingHeight,
    oldestSnapshotHeight ?? Number.POSITIVE_INFINITY,
  )
  return Math.max(0, lowest)
}

/** The first height from `low` to `high` whose block is not older than `sinceNs`; `high` when all are. */
const firstHeightSince = (reader: ChainReader, sinceNs: bigint, low: number, high: number): number => {
  let first = low
  let last = high
  while (first < last) {
    const middle = Math.floor((first + last) / 2)
    const record = reader.header(middle)
    if (record === undefined || record.timeNs < sinceNs) first = middle + 1
    else last = middle
  }
  return first
}

export interface RetentionOptions {
  readonly reader: ChainReader
  readonly settings: Pick<ApplicationSettings, 'pruning' | 'minRetainBlocks'>
  /** Height of the genesis block. */
  readonly firstHeight: number
  readonly oldestSnapshotHeight: number | undefined
}

/**
 * Adds to the batch of a block what it no longer lets anyone read: it is synced with the block, before anything is
 * deleted. `state` is that before the block. Returns the retain height for CometBFT.
 */
export const writeRetention = (
  batch: Batch,
  { header, timeNs }: HeaderRecord,
  state: StateReader,
  options: RetentionOptions,
): number => {
  const { reader, settings, firstHeight, oldestSnapshotHeight } = options
  const height = header.number
  const range = readKeptRange(reader.store)
  const kept = advanceKept(range, settings.pruning, height)
  if (kept !== range) writeKeptRange(batch, kept)
  const { minRetainBlocks } = settings
  if (minRetainBlocks === 0) return 0
  const base = readBaseHeight(reader.store)
  const retain = retainHeight({
    height,
    minRetainBlocks,
    evidenceBlocks: readConsensusParameters(state).evidence.maxAgeNumBlocks,
    unbondingHeight: firstHeightSince(
      reader,
      timeNs - readStakingParams(state).unbondingTimeNs,
      Math.max(base, firstHeight),
      height,
    ),
    oldestSnapshotHeight,
  })
  // What BLOCKHASH can ask for stays, whatever the settings say.
  const newBase = Math.min(retain, height - BLOCK_HASH_WINDOW)
  if (newBase > Math.max(base, firstHeight)) writeBaseHeight(batch, newBase)
  return retain
}

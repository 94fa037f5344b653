/** Takes the application back to an earlier height. Nobody else may have the database open. */
import { uint64ToBytes } from '../core/bytes.ts'
import { readBaseHeight } from '../store/base-height.ts'
import {
  markRollback,
  readRollbackTarget,
  requireRollbackPossible,
  rollbackState,
  unmarkRollback,
} from '../store/rollback.ts'
import type { KeyValueStore } from '../store/store.ts'
import { verifyState } from '../store/verify-state.ts'
import { appError } from './errors.ts'
import { isModuleAddress } from './genesis/module-accounts.ts'
import { ChainReader, HEIGHT_KEY, readChainParameters, readCommittedHeight } from './index/chain-reader.ts'
import { deleteBlock } from './index/prune-blocks.ts'

const BLOCKS_A_WRITE = 20

export interface RollbackPlan {
  readonly head: number
  readonly target: number
  /** An earlier run to the same height was cut short. */
  readonly resumed: boolean
}

/**
 * What rolling back to `target` (one height without it) would do. Throws app/12 and rollback/1 when it is not possible;
 * nothing is changed.
 */
export const planRollback = (store: KeyValueStore, wanted: number | undefined): RollbackPlan => {
  const parameters = readChainParameters(store)
  const head = readCommittedHeight(store)
  if (parameters === undefined || head === undefined) throw appError('rollback', 'there is no chain to roll back')
  const unfinished = readRollbackTarget(store)
  const target = wanted ?? unfinished ?? head - 1
  if (unfinished !== undefined && unfinished !== target) {
    throw appError('rollback', `a rollback to height ${unfinished} was cut short: finish that one first`)
  }
  if (unfinished !== undefined) return { head, target, resumed: true }
  if (target >= head) throw appError('rollback', `height ${target} is not below the head, ${head}`)
  // Block 0 was never committed: CometBFT would call InitChain and begin anew.
  const lowest = Math.max(parameters.initialHeight, readBaseHeight(store))
  if (target < lowest) throw appError('rollback', `the lowest block to roll back to is ${lowest}, not ${target}`)
  requireRollbackPossible(store, target)
  return { head, target, resumed: false }
}

export const beginRollback = (store: KeyValueStore, { target }: RollbackPlan): void => markRollback(store, target)

/** Takes {@link beginRollback} back, as long as nothing was undone. */
export const abandonRollback = (store: KeyValueStore): void => {
  const batch = store.batch()
  unmarkRollback(batch)
  store.write(batch, { sync: true })
}

const deleteBlocksAbove = (store: KeyValueStore, head: number, target: number): void => {
  for (let high = head; high > target; high -= BLOCKS_A_WRITE) {
    const reader = new ChainReader(store)
    const batch = store.batch()
    for (let height = high; height > Math.max(target, high - BLOCKS_A_WRITE); height--) {
      deleteBlock(batch, reader, height)
    }
    store.write(batch, { sync: false })
  }
}

/**
 * Undoes state and blocks, checks the result against the header of `target`, and only then lowers the height. Throws
 * app/13 when the state that came out is not that of the header: the database stays marked.
 */
export const finishRollback = (
  store: KeyValueStore,
  { head, target }: RollbackPlan,
): { readonly values: number; readonly nodes: number } => {
  const undone = rollbackState(store, target)
  deleteBlocksAbove(store, head, target)
  const record = new ChainReader(store).header(target)
  if (record === undefined) throw appError('damaged', `block ${target} is missing: restore from a snapshot`)
  const verdict = verifyState(store, record.header.stateRoot, isModuleAddress)
  if ('difference' in verdict) {
    throw appError('damaged', `after the rollback ${verdict.difference}: restore from a snapshot`)
  }
  const batch = store.batch()
  batch.put('meta', HEIGHT_KEY, uint64ToBytes(target))
  unmarkRollback(batch)
  store.write(batch, { sync: true })
  return undone
}

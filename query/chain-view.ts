/** What answering a question needs: the chain as of one head, read-only. Used on the main thread and in workers. */
import type { CodedError } from '../core/errors.ts'
import { hexToBytes } from '../core/hex.ts'
import type { Engine } from '../evm/engine.ts'
import type { Module } from '../modules/module.ts'
import { readBaseHeight } from '../store/base-height.ts'
import { isKept, readKeptRange } from '../store/kept-range.ts'
import type { StateReader } from '../store/state.ts'
import type { TrieNodeReader } from '../store/trie/trie.ts'
import type { FamilyTable } from '../app/block/family.ts'
import type { ChainParameters } from '../app/records/chain-parameters.ts'
import type { Clock } from '../app/environment.ts'
import { prunedHistory, prunedState, queryFailed } from '../app/errors.ts'
import type { ChainReader } from '../app/index/chain-reader.ts'
import type { HeaderRecord } from '../app/records/records.ts'
import type { BlockReference } from '../app/ports.ts'
import type { ApplicationSettings } from '../app/settings.ts'

export interface ChainView {
  readonly reader: ChainReader
  readonly parameters: ChainParameters
  readonly settings: ApplicationSettings
  readonly engine: Engine
  /** The clock for limits of time. */
  readonly clock: Clock
  readonly modules: readonly Module[]
  readonly families: FamilyTable
  /** Height that the asking gateway shows as its newest. */
  readonly head: number
  /** Committed state at a height up to the head. */
  stateAt(height: number): StateReader
  /** Trie nodes by their keys in the `trie` column, at a height up to the head. */
  trieNodesAt(height: number): TrieNodeReader
  /** Wire forms of what the pending block would run, best first. */
  readonly pending: readonly Uint8Array[]
  /** Called in loops over what is stored: throws where nobody waits for the answer any more, or for too long. */
  interrupt(): void
}

/** Height of the genesis block. */
const genesisHeight = (view: ChainView): number => view.parameters.initialHeight - 1

/** Height of the lowest block that is here. */
export const firstHeight = (view: ChainView): number => Math.max(genesisHeight(view), readBaseHeight(view.reader.store))

/** Refuses with query/9 unless the state of `height` is kept. */
export const requireKept = (reader: ChainReader, height: number): void => {
  if (isKept(readKeptRange(reader.store), height)) return
  const record = reader.header(height)
  throw record === undefined ? prunedHistory() : prunedState(record.header.stateRoot)
}

export const isPending = (block: BlockReference): boolean => 'tag' in block && block.tag === 'pending'

/**
 * The height that a reference means, or undefined when there is no such block here, because it never was or because it
 * lies below the lowest one; `pending` is the head here.
 */
export const resolveHeight = (view: ChainView, block: BlockReference): number | undefined => {
  if ('tag' in block) return block.tag === 'earliest' ? firstHeight(view) : view.head
  const height = 'number' in block ? block.number : view.reader.heightOfBlock(hexToBytes(block.hash))
  return height === undefined || height < firstHeight(view) || height > view.head ? undefined : height
}

/** Tells whether a number is that of a block that was here and was pruned. */
export const isPrunedBlock = (view: ChainView, block: BlockReference): boolean =>
  'number' in block && block.number >= genesisHeight(view) && block.number < firstHeight(view)

/** The error is geth's for methods that read state. The hash of a pruned block is not known any more. */
const unknownBlock = (view: ChainView, block: BlockReference): CodedError => {
  if ('hash' in block) return queryFailed('header for hash not found')
  return isPrunedBlock(view, block) ? prunedHistory() : queryFailed('header not found')
}

/** Throws query/1 when there is no such block, query/8 when it is pruned. */
export const requireHeight = (view: ChainView, block: BlockReference): number => {
  const height = resolveHeight(view, block)
  if (height === undefined) throw unknownBlock(view, block)
  return height
}

export const requireHeader = (view: ChainView, height: number): HeaderRecord => {
  const record = view.reader.header(height)
  if (record === undefined) throw queryFailed('header not found')
  return record
}

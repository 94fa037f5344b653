/** What answering a question needs: the chain as of one head, read-only. Used on the main thread and in workers. */
import type { CodedError } from '../../core/errors.ts'
import { hexToBytes } from '../../core/hex.ts'
import type { Engine } from '../../evm/engine.ts'
import type { Module } from '../../modules/module.ts'
import type { StateReader } from '../../store/state.ts'
import type { ChainParameters } from '../chain.ts'
import { queryFailed } from '../errors.ts'
import type { ChainReader } from '../index/chain-reader.ts'
import type { HeaderRecord } from '../index/records.ts'
import type { BlockReference } from '../ports.ts'
import type { ApplicationSettings } from '../settings.ts'

export interface View {
  readonly reader: ChainReader
  readonly parameters: ChainParameters
  readonly settings: ApplicationSettings
  readonly engine: Engine
  readonly modules: readonly Module[]
  /** Height that the asking gateway shows as its newest. */
  readonly head: number
  /** Committed state at a height up to the head. */
  stateAt(height: number): StateReader
  /** Wire forms of what the pending block would run, best first. */
  readonly pending: readonly Uint8Array[]
}

/** Height of the genesis block. */
export const firstHeight = (view: View): number => view.parameters.initialHeight - 1

export const isPending = (block: BlockReference): boolean => 'tag' in block && block.tag === 'pending'

/** The height that a reference means, or undefined when there is no such block; `pending` is the head here. */
export const resolveHeight = (view: View, block: BlockReference): number | undefined => {
  if ('tag' in block) return block.tag === 'earliest' ? firstHeight(view) : view.head
  if ('number' in block) {
    return block.number >= firstHeight(view) && block.number <= view.head ? block.number : undefined
  }
  const height = view.reader.heightOfBlock(hexToBytes(block.hash))
  return height === undefined || height > view.head ? undefined : height
}

/** As geth says it for methods that read state. */
const unknownBlock = (block: BlockReference): CodedError =>
  queryFailed('hash' in block ? 'header for hash not found' : 'header not found')

/** Throws query/1 when there is no such block. */
export const requireHeight = (view: View, block: BlockReference): number => {
  const height = resolveHeight(view, block)
  if (height === undefined) throw unknownBlock(block)
  return height
}

export const requireHeader = (view: View, height: number): HeaderRecord => {
  const record = view.reader.header(height)
  if (record === undefined) throw queryFailed('header not found')
  return record
}

/** What stands beside the chain reads of it, and is told of it. */
import type { Hash } from '../core/hash.ts'
import type { Books } from '../modules/clob/index.ts'
import type { Module } from '../modules/module.ts'
import type { StateReader } from '../store/state.ts'
import type { TrieNodeReader } from '../store/trie/trie.ts'
import type { SealedBlock } from './block/candidate.ts'
import type { Families } from './families/index.ts'
import type { ChainReader } from './index/chain-reader.ts'
import type { Mempool } from './mempool.ts'
import type { Orders } from './orders/orders.ts'
import type { UpdateRing } from './orders/update-ring.ts'
import type { ChainParameters } from './records/chain-parameters.ts'
import type { HeaderRecord } from './records/records.ts'

/** Told of what happens to the chain, after it has happened. */
export interface ChainListener {
  /** A block is committed, and the pool knows. */
  committed(block: SealedBlock): void
  /** The head is told: `isNew` after a commit, otherwise because what surrounds it has changed. */
  head(isNew: boolean): void
  /** A transaction became executable that eth_subscribe tells of. */
  executable(hash: Hash): void
  /** The database is empty: another chain begins, or this one comes from a snapshot. */
  wiped(): void
}

export const NOBODY: ChainListener = {
  committed: () => undefined,
  head: () => undefined,
  executable: () => undefined,
  wiped: () => undefined,
}

/** What is read of the chain beside its steps: the committed head, and the pool. */
export interface ChainSource {
  readonly modules: readonly Module[]
  readonly families: Families
  readonly reader: ChainReader
  readonly mempool: Mempool
  readonly orders: Orders
  /** State and trie nodes of the committed head. */
  latest(): StateReader
  latestTrieNodes(): TrieNodeReader
  /** The order book of the committed head. */
  books(): Books
  /** What the last blocks have changed of it. */
  readonly updates: UpdateRing
  /** Throws app/10 before InitChain. */
  parameters(): ChainParameters
  /** The base fee of the next block, in anat. */
  baseFeePerGas(): bigint
  /** Undefined before InitChain. */
  head(): HeaderRecord | undefined
}

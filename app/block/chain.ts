/** What every step of a block needs to know of the chain: its fixed parts, and the committed head. */
import type { Hash } from '../../core/hash.ts'
import type { Engine } from '../../evm/engine.ts'
import type { Module } from '../../modules/module.ts'
import type { StateReader } from '../../store/state.ts'
import type { KeyValueStore } from '../../store/store.ts'
import type { TrieNodeReader } from '../../store/trie/trie.ts'
import type { VerifyExtension } from '../attestations/verified-memo.ts'
import type { ChainParameters } from '../records/chain-parameters.ts'
import type { BatchStep } from './batch.ts'
import type { FamilyTable } from './family.ts'
import type { HeaderRecord } from '../records/records.ts'

/** The committed head. Replaced as a whole at every commit. */
export interface CommittedHead {
  readonly height: number
  readonly record: HeaderRecord
}

/** Everything that executing on top of the committed head needs. */
export interface Chain {
  readonly parameters: ChainParameters
  readonly head: CommittedHead
  readonly state: StateReader
  readonly store: KeyValueStore
  /** Trie nodes of the committed head. */
  readonly trieNodes: TrieNodeReader
  readonly engine: Engine
  readonly modules: readonly Module[]
  readonly families: FamilyTable
  readonly verifyExtension: VerifyExtension
  readonly batch: BatchStep
  /** Hash of a committed block. */
  blockHash(height: number): Hash | undefined
}

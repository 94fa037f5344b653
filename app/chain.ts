/** What every step of a block needs to know of the chain: its fixed parts, and the committed head. */
import type { Hash } from '../core/hash.ts'
import type { Engine, Hardfork } from '../evm/engine.ts'
import type { Module } from '../modules/module.ts'
import type { StateReader } from '../store/state.ts'
import type { KeyValueStore } from '../store/store.ts'
import type { TrieNodeReader } from '../store/trie/trie.ts'
import type { VerifyExtension } from './attestations/verified-memo.ts'
import type { FamilyTable } from './block/family.ts'
import type { HeaderRecord } from './index/records.ts'

/** Facts of the genesis that never change. */
export interface ChainParameters {
  /** CometBFT's chain id, such as localnat-1. */
  readonly chainId: string
  readonly evmChainId: bigint
  readonly initialHeight: number
  /** Forks with the second from which they hold, ascending. */
  readonly hardforks: readonly { readonly hardfork: Hardfork; readonly timestamp: number }[]
}

/** The fork in force at a timestamp in seconds. */
export const hardforkAt = (parameters: ChainParameters, timestamp: number): Hardfork =>
  parameters.hardforks.findLast((entry) => entry.timestamp <= timestamp)?.hardfork ?? 'osaka'

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
  /** Hash of a committed block. */
  blockHash(height: number): Hash | undefined
}

/** For tests: blocks of random changes, written as the committer writes them, with a copy of every height's columns. */
import { bytesToKey, equalBytes, keyToBytes, uint64ToBytes } from '../../core/bytes.ts'
import { EMPTY_TRIE_ROOT, type Hash, keccak256 } from '../../core/hash.ts'
import { computeCommitment } from '../commitment.ts'
import { LatestState } from '../latest.ts'
import { Overlay } from '../overlay.ts'
import { EMPTY_ACCOUNT } from '../state.ts'
import type { Batch, Column, KeyValueStore } from '../store.ts'
import { writeState } from '../write-state.ts'
import type { Pick } from './seeded-random.ts'

/** Entries of a column, keys by bytesToKey. */
export type Columns = Readonly<Record<'state' | 'trie', ReadonlyMap<string, Uint8Array>>>

const LIMIT = 1_000_000

export const readColumn = (store: KeyValueStore, column: Column): ReadonlyMap<string, Uint8Array> =>
  new Map(store.scan(column, { limit: LIMIT }).map(([key, value]) => [bytesToKey(key), value]))

const address = (index: number): Uint8Array => keccak256(uint64ToBytes(index)).slice(0, 20)
const slot = (index: number): Uint8Array => keccak256(uint64ToBytes(1_000_000 + index))

export class RandomChain {
  readonly store: KeyValueStore
  readonly #pick: Pick
  readonly #accounts: number
  #root: Hash = EMPTY_TRIE_ROOT
  /** The columns by height. Height 0 is empty. */
  readonly columns: Columns[] = []
  readonly roots: Hash[] = []
  height = 0

  constructor(store: KeyValueStore, pick: Pick, accounts = 60) {
    this.store = store
    this.#pick = pick
    this.#accounts = accounts
    this.#remember()
  }

  /** Those that have module values. */
  isModule(who: Uint8Array): boolean {
    return [0, 1].some((index) => equalBytes(address(this.#accounts + index), who))
  }

  /** `more` adds to the block's batch. */
  block(changes = 12, more: (batch: Batch, height: number) => void = () => undefined): void {
    const base = new LatestState(this.store, 1)
    const overlay = new Overlay(base)
    overlay.beginTransaction()
    for (let i = 1 + this.#pick(changes); i > 0; i--) this.#change(overlay)
    const commitment = computeCommitment(this.store, base, this.#root, overlay.changes())
    const batch = this.store.batch()
    this.height++
    writeState(batch, this.height, commitment)
    more(batch, this.height)
    this.store.write(batch, { sync: false })
    this.#root = commitment.stateRoot
    this.#remember()
  }

  /** Continues from an earlier height, as after a rollback. */
  resume(height: number): void {
    this.height = height
    this.#root = this.roots[height] as Hash
    this.columns.length = height + 1
    this.roots.length = height + 1
  }

  #remember(): void {
    this.columns[this.height] = { state: readColumn(this.store, 'state'), trie: readColumn(this.store, 'trie') }
    this.roots[this.height] = this.#root
  }

  #change(overlay: Overlay): void {
    const pick = this.#pick
    // Some accounts change in nearly every block, most seldom.
    const who = address(pick(3) === 0 ? pick(3) : pick(this.#accounts))
    const account = overlay.account(who) ?? EMPTY_ACCOUNT
    const kind = pick(10)
    if (kind === 0) overlay.setAccount(who, undefined)
    else if (kind < 4) overlay.setAccount(who, { ...account, nonce: account.nonce + 1n, balance: BigInt(pick(1e9)) })
    else if (kind < 8) {
      overlay.setAccount(who, { ...account, nonce: account.nonce + 1n })
      overlay.setStorage(who, slot(pick(20)), pick(4) === 0 ? new Uint8Array(0) : Uint8Array.of(1 + pick(255)))
    } else {
      const system = address(this.#accounts + pick(2))
      if (overlay.account(system) === undefined) overlay.setAccount(system, { ...EMPTY_ACCOUNT, nonce: 1n })
      const key = Uint8Array.of(pick(2), pick(8))
      overlay.setValue(system, key, pick(4) === 0 ? undefined : uint64ToBytes(pick(1e6)))
    }
  }
}

/** Every key that some height had. */
export const keysOf = (chain: RandomChain, column: 'state' | 'trie'): readonly Uint8Array[] => {
  const keys = new Set<string>()
  for (const columns of chain.columns) for (const key of columns[column].keys()) keys.add(key)
  return [...keys].map(keyToBytes)
}

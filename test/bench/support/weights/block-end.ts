/** What a change costs at the end of its block: the trie, the database, receipts, blooms and the index of logs. */
import { keccak256, EMPTY_TRIE_ROOT, type Hash } from '../../../../core/hash.ts'
import { uint64ToBytes } from '../../../../core/bytes.ts'
import { encodeReceipt, logsBloom, type Receipt } from '../../../../app/records/receipt.ts'
import { writeTransactions } from '../../../../app/index/write-block.ts'
import type { Log } from '../../../../evm/engine.ts'
import { computeCommitment } from '../../../../store/commitment.ts'
import { LatestState } from '../../../../store/latest.ts'
import { Overlay } from '../../../../store/overlay.ts'
import type { RocksStore } from '../../../../store/rocks/rocks-store.ts'
import { EMPTY_ACCOUNT } from '../../../../store/state.ts'
import { orderedTrieRoot } from '../../../../store/trie/ordered-root.ts'
import { TrieNodeCache } from '../../../../store/trie/node-cache.ts'
import { writeState } from '../../../../store/write-state.ts'
import { processorNs, TARGET } from './bench-machine.ts'
import type { Row } from './program.ts'

const ENTRIES = 400_000
const LOAD = 40_000
const CHANGES = 4_000
/** Gas that each of them takes at least in a transaction. */
const GAS = { changedSlot: 5_000, newSlot: 22_100, clearedSlot: 5_000, changedAccount: 9_000, newAccount: 21_000 }

const slotOf = (index: number): Uint8Array => keccak256(uint64ToBytes(index))
const accountOf = (index: number): Uint8Array => slotOf(index).slice(12)

class Chain {
  readonly #store: RocksStore
  #root: Hash = EMPTY_TRIE_ROOT
  #height = 0

  constructor(store: RocksStore) {
    this.#store = store
  }

  /** A block of changes over caches that are empty, written without waiting for the disk. Its nanoseconds, root alone and all. */
  block(change: (state: Overlay) => void): { readonly rootNs: number; readonly ns: number } {
    const base = new LatestState(this.#store, 200_000)
    const overlay = new Overlay(base)
    change(overlay)
    const reader = new TrieNodeCache(this.#store, 64 * 1024 * 1024)
    const from = processorNs()
    const commitment = computeCommitment(this.#store, base, this.#root, overlay.changes(), reader)
    const rootNs = processorNs() - from
    const batch = this.#store.batch()
    writeState(batch, ++this.#height, commitment)
    this.#store.write(batch, { sync: false })
    const ns = processorNs() - from
    this.#root = commitment.stateRoot
    return { rootNs, ns }
  }
}

const account = (balance: bigint) => ({ ...EMPTY_ACCOUNT, nonce: 1n, balance })

const loadTrie = (chain: Chain): void => {
  for (let from = 0; from < ENTRIES; from += LOAD) {
    chain.block((state) => {
      state.setAccount(TARGET, state.account(TARGET) ?? account(1n))
      for (let index = from; index < from + LOAD; index++) {
        state.setStorage(TARGET, slotOf(index), slotOf(index))
        state.setAccount(accountOf(index), account(BigInt(index)))
      }
    })
  }
}

const spread = (index: number): number => (index * 7_919) % ENTRIES

const stateRows = (store: RocksStore): Row[] => {
  const chain = new Chain(store)
  loadTrie(chain)
  const rows: Row[] = []
  const measure = (name: string, gas: number, change: (state: Overlay, index: number) => void): void => {
    const { rootNs, ns } = chain.block((state) => {
      for (let index = 0; index < CHANGES; index++) change(state, index)
    })
    rows.push({ name: `block: ${name}, root`, ns: rootNs / CHANGES, gas })
    rows.push({ name: `block: ${name}, root and write`, ns: ns / CHANGES, gas })
  }
  measure('changed slot', GAS.changedSlot, (state, index) =>
    state.setStorage(TARGET, slotOf(spread(index)), slotOf(index + 7)),
  )
  measure('cleared slot', GAS.clearedSlot, (state, index) =>
    state.setStorage(TARGET, slotOf(spread(index)), new Uint8Array(0)),
  )
  measure('new slot', GAS.newSlot, (state, index) => state.setStorage(TARGET, slotOf(ENTRIES + index), slotOf(index)))
  measure('first slot of an account', GAS.newSlot, (state, index) =>
    state.setStorage(accountOf(spread(index)), slotOf(index), slotOf(index)),
  )
  measure('changed account', GAS.changedAccount, (state, index) =>
    state.setAccount(accountOf(spread(index + CHANGES)), account(1n)),
  )
  measure('new account', GAS.newAccount, (state, index) => state.setAccount(accountOf(ENTRIES + index), account(1n)))
  return rows
}

const codeRow = (store: RocksStore): Row => {
  const chain = new Chain(store)
  const count = 200
  const { ns } = chain.block((state) => {
    for (let index = 0; index < count; index++) {
      const code = new Uint8Array(24_576)
      for (let at = 0; at < code.length; at += 32) code.set(keccak256(uint64ToBytes(index), uint64ToBytes(at)), at)
      state.setAccount(accountOf(index + 900_000), { ...account(1n), codeHash: state.setCode(code) })
    }
  })
  return { name: 'block: new code of 24 KB', ns: ns / count, gas: 32_000 + 24_576 * 200 }
}

const receiptOf = (logs: readonly Log[]): Receipt => ({
  type: 2,
  succeeded: true,
  gasUsed: 1_000_000n,
  cumulativeGasUsed: 1_000_000n,
  effectiveGasPrice: 1n,
  contractAddress: undefined,
  firstLogIndex: 0,
  logs,
})

/** Goes over the receipts of a block as app/block/candidate.ts and app/index/write-block.ts do. */
const logNs = (store: RocksStore, count: number, topics: number, bytes: number): number => {
  const logs = Array.from({ length: count }, (_, index) => ({
    address: TARGET,
    topics: Array.from({ length: topics }, (__, topic) => slotOf(index * 5 + topic)),
    data: new Uint8Array(bytes).fill(1),
  }))
  const signed = { transaction: {} as never, raw: slotOf(1), hash: slotOf(2), sender: TARGET }
  let least = Infinity
  for (let run = 0; run < 3; run++) {
    const from = processorNs()
    const receipt = receiptOf(logs)
    orderedTrieRoot([encodeReceipt(receipt, logsBloom(logs))])
    const batch = store.batch()
    writeTransactions(batch, 1_000 + run, [signed], [receipt])
    store.write(batch, { sync: false })
    least = Math.min(least, processorNs() - from)
  }
  return least / count
}

const logRows = (store: RocksStore): Row[] => [
  ...[0, 1, 2, 3, 4].map((topics) => ({
    name: `block: LOG${topics} of 0`,
    ns: logNs(store, 10_000, topics, 0),
    gas: 375 * (topics + 1),
  })),
  { name: 'block: LOG0 of 1,024', ns: logNs(store, 2_000, 0, 1_024), gas: 375 + 8 * 1_024 },
  { name: 'block: LOG0 of 32,768', ns: logNs(store, 100, 0, 32_768), gas: 375 + 8 * 32_768 },
]

export const measureBlockEnd = (store: RocksStore): readonly Row[] => [
  ...logRows(store),
  ...stateRows(store),
  codeRow(store),
]

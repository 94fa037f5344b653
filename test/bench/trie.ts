/**
 * The state root over 10,000 changed accounts in a trie of 1,000,000, on RocksDB with a warm cache, and the reads it
 * stands on. By hand: node test/bench/trie.ts [accounts] [changes]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keyToBytes, uint64ToBytes } from '../../core/bytes.ts'
import { EMPTY_TRIE_ROOT, keccak256, type Hash } from '../../core/hash.ts'
import { encodeAccount, encodeTrieAccount } from '../../store/account-codec.ts'
import { accountKey, accountTriePath } from '../../store/keys.ts'
import { openRocksStore } from '../../store/rocks/rocks-store.ts'
import { EMPTY_ACCOUNT } from '../../store/state.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { TrieNodeCache } from '../../store/trie/node-cache.ts'
import type { TrieChange, TrieNodeReader, TrieUpdate } from '../../store/trie/trie.ts'
import { updateTrie } from '../../store/trie/update-trie.ts'

const [accounts = 1_000_000, changes = 10_000] = process.argv.slice(2).map(Number)
const PREFIX = accountTriePath(new Uint8Array(0))
const LOAD_BATCH = 50_000
const ROUNDS = 8

const addressOf = (index: number): Uint8Array => keccak256(uint64ToBytes(index)).slice(12)
const accountOf = (index: number, round: number) => ({
  ...EMPTY_ACCOUNT,
  nonce: BigInt(round),
  balance: BigInt(index + 1) * 10n ** 15n,
})

const writeUpdate = (store: KeyValueStore, update: TrieUpdate, sync: boolean, from: number, to: number): void => {
  const batch = store.batch()
  for (const [name, node] of update.nodes) {
    const key = keyToBytes(name)
    if (node === undefined) batch.delete('trie', key)
    else batch.put('trie', key, node)
  }
  for (let i = from; i < to; i++) batch.put('state', accountKey(addressOf(i)), encodeAccount(accountOf(i, 0)))
  store.write(batch, { sync })
}

const timed = <Result>(name: string, count: number, work: () => Result): Result => {
  const startedCpu = process.threadCpuUsage()
  const started = performance.now()
  const result = work()
  const ms = performance.now() - started
  // What the thread computed, without what others on the machine took from it.
  const { user, system } = process.threadCpuUsage(startedCpu)
  const cpuMs = ((user + system) / 1000).toFixed(1).padStart(8)
  const microseconds = ((ms * 1000) / count).toFixed(2)
  console.log(`${name.padEnd(46)} ${ms.toFixed(1).padStart(8)} ms  (cpu ${cpuMs} ms)  ${microseconds} us each`)
  return result
}

/** The same accounts every round: all but the first find their nodes in the caches. */
const changesOf = (round: number): TrieChange[] =>
  Array.from({ length: changes }, (_, i) => {
    const index = (i * 7919) % accounts
    return { key: keccak256(addressOf(index)), value: encodeTrieAccount(accountOf(index, round)) }
  })

const load = (store: KeyValueStore, reader: TrieNodeReader): Hash => {
  let root = EMPTY_TRIE_ROOT
  for (let from = 0; from < accounts; from += LOAD_BATCH) {
    const to = Math.min(accounts, from + LOAD_BATCH)
    const batch = []
    for (let i = from; i < to; i++) {
      batch.push({ key: keccak256(addressOf(i)), value: encodeTrieAccount(accountOf(i, 0)) })
    }
    const update = updateTrie(reader, root, batch, { prefix: PREFIX })
    writeUpdate(store, update, false, from, to)
    root = update.root
  }
  return root
}

const path = mkdtempSync(join(tmpdir(), 'bench-trie-'))
const store = await openRocksStore({ path, cacheBytes: 512 * 1024 * 1024 })
let reads = 0
let readMs = 0
const reader: TrieNodeReader = {
  getMany: (keys) => {
    const started = performance.now()
    const nodes = store.getMany('trie', keys)
    readMs += performance.now() - started
    reads += keys.length
    return nodes
  },
}
try {
  let root = timed(`load ${accounts} accounts`, accounts, () => load(store, reader))
  for (let round = 1; round <= ROUNDS; round++) {
    const changed = changesOf(round)
    reads = 0
    readMs = 0
    const update = timed(`round ${round}: root over ${changes} changes`, changes, () =>
      updateTrie(reader, root, changed, { prefix: PREFIX }),
    )
    console.log(`    of it ${readMs.toFixed(1)} ms for ${reads} node reads; ${update.nodes.size} nodes changed`)
    timed('    write the nodes, synced', update.nodes.size, () => writeUpdate(store, update, true, 0, 0))
    root = update.root
  }
  const cache = new TrieNodeCache(store, 64 * 1024 * 1024)
  for (let round = ROUNDS + 1; round <= 2 * ROUNDS; round++) {
    const changed = changesOf(round)
    const update = timed(`round ${round}: the same with a node cache`, changes, () =>
      updateTrie(cache, root, changed, { prefix: PREFIX }),
    )
    writeUpdate(store, update, true, 0, 0)
    timed('    note the nodes', update.nodes.size, () => {
      for (const [name, node] of update.nodes) cache.note(name, node)
    })
    root = update.root
  }
  const keys = Array.from({ length: 100_000 }, (_, i) => accountKey(addressOf((i * 7919) % accounts)))
  for (let round = 0; round < 3; round++) {
    timed('get() of 100,000 accounts', keys.length, () => keys.forEach((key) => store.get('state', key)))
    timed('getMany() of 100,000 accounts', keys.length, () => store.getMany('state', keys))
    timed('get() of 100,000 absent accounts', keys.length, () =>
      keys.forEach((key) => store.get('state', key.subarray(0, 20))),
    )
    const cursor = store.cursor('state')
    timed('seek() of 100,000 accounts, one cursor', keys.length, () => keys.forEach((key) => cursor.seek(key)))
    cursor.close()
  }
  timed('sequence()', 100_000, () => keys.forEach(() => store.sequence()))
  console.log(`resident memory ${(process.memoryUsage().rss / 1048576).toFixed(0)} MiB`)
} finally {
  store.close()
  await store.closed
  rmSync(path, { recursive: true })
}

/**
 * Snapshots of a large state on RocksDB: how long one takes to make beside a running chain, what that costs the
 * blocks, how large it is, and how long a restore takes. By hand: node test/bench/snapshot.ts [accounts]
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RestoreSession } from '../../app/restore-session.ts'
import { encodeHeaderRecord } from '../../app/records/records.ts'
import { ChainReader } from '../../app/index/chain-reader.ts'
import { hashHeader, encodeHeader } from '../../app/records/header.ts'
import { decompressChunk, listSnapshots, readChunk } from '../../bin/node/runtime/snapshot-files.ts'
import { type Snapshots, startSnapshots } from '../../bin/node/runtime/snapshots.ts'
import { EMPTY_BYTES, keyToBytes, uint64ToBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { type Hash, keccak256 } from '../../core/hash.ts'
import { encodeAccount, encodeTrieAccount } from '../../store/account-codec.ts'
import { accountKey, accountTriePath, blockHashKey, headerKey } from '../../store/keys.ts'
import { openRocksStore, type RocksStore } from '../../store/rocks/rocks-store.ts'
import { EMPTY_ACCOUNT } from '../../store/state.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { updateTrie } from '../../store/trie/update-trie.ts'
import { Random } from '../sim/random.ts'
import type { SimNode } from '../sim/sim-node.ts'
import { gossip, makeWorld, type World } from '../sim/world.ts'

const [accounts = 1_000_000] = process.argv.slice(2).map(Number)
const LOAD_BATCH = 50_000
const TRANSFERS_A_BLOCK = 40
const BLOCKS = 40

const addressOf = (index: number): Uint8Array => keccak256(uint64ToBytes(index)).slice(12)
const accountOf = (index: number) => ({ ...EMPTY_ACCOUNT, nonce: 1n, balance: BigInt(index + 1) * 10n ** 15n })
const seconds = (sinceMs: number): string => ((performance.now() - sinceMs) / 1_000).toFixed(1)
/** What this thread computed, without what others on the machine took from it. */
const cpuSeconds = (since: NodeJS.CpuUsage): string => {
  const { user, system } = process.threadCpuUsage(since)
  return ((user + system) / 1e6).toFixed(1)
}

/** Puts accounts under the last block, as if they had always been there: its header gets the new root. */
const load = (store: KeyValueStore, height: number): void => {
  const record = new ChainReader(store).header(height)
  invariant(record !== undefined, 'the chain has a head')
  let root: Hash = record.header.stateRoot
  const prefix = accountTriePath(EMPTY_BYTES)
  for (let from = 0; from < accounts; from += LOAD_BATCH) {
    const batch = store.batch()
    const changes = []
    for (let i = from; i < Math.min(accounts, from + LOAD_BATCH); i++) {
      batch.put('state', accountKey(addressOf(i)), encodeAccount(accountOf(i)))
      changes.push({ key: keccak256(addressOf(i)), value: encodeTrieAccount(accountOf(i)) })
    }
    const update = updateTrie({ getMany: (keys) => store.getMany('trie', keys) }, root, changes, { prefix })
    for (const [key, node] of update.nodes) if (node !== undefined) batch.put('trie', keyToBytes(key), node)
    store.write(batch, { sync: false })
    root = update.root
  }
  const header = { ...record.header, stateRoot: root }
  const hash = hashHeader(encodeHeader(header))
  const batch = store.batch()
  batch.put('blocks', headerKey(height), encodeHeaderRecord({ ...record, header, hash }))
  batch.put('index', blockHashKey(hash), uint64ToBytes(height))
  store.write(batch, { sync: true })
}

const percentile = (sorted: readonly number[], percent: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0).toFixed(1)

/** Milliseconds of executing and committing a block: proposal, vote, FinalizeBlock, Commit. */
const timeBlocks = async (
  { driver, nodes, traffic }: World,
  name: string,
  until: (count: number) => boolean,
): Promise<readonly number[]> => {
  const times: number[] = []
  while (!until(times.length)) {
    for (let i = 0; i < TRANSFERS_A_BLOCK; i++) gossip(nodes, await traffic.next())
    // The time between two blocks is the threads' own.
    await new Promise((resolve) => setTimeout(resolve, 20))
    const started = performance.now()
    await driver.step()
    times.push(performance.now() - started)
  }
  const sorted = times.toSorted((a, b) => a - b)
  const mean = times.reduce((sum, time) => sum + time, 0) / times.length
  console.log(
    `${name.padEnd(38)} ${times.length} blocks: mean ${mean.toFixed(1)} ms, median ${percentile(sorted, 50)}, p95 ${percentile(sorted, 95)}, longest ${percentile(sorted, 100)}`,
  )
  return times
}

const make = async (world: World, snapshots: Snapshots): Promise<number> => {
  const height = world.driver.height
  await timeBlocks(world, 'blocks alone', (count) => count >= BLOCKS)
  // The first wait is for the thread itself.
  const at = world.driver.height
  const begun = performance.now()
  snapshots.shelf.committed(at)
  console.log(`the writer waited ${(performance.now() - begun).toFixed(2)} ms for the cursors`)
  await timeBlocks(world, 'blocks while a snapshot is made', () => snapshots.shelf.list().length > 0)
  console.log(`made in ${seconds(begun)} s, heights ${height} to ${world.driver.height} meanwhile`)
  await timeBlocks(world, 'blocks alone, again', (count) => count >= BLOCKS)
  return at
}

const restore = async (path: string, folder: string, source: SimNode, height: number): Promise<void> => {
  const [made] = listSnapshots(folder, console.log)
  const { parameters } = source.application
  const header = new ChainReader(source.store).header(height)
  invariant(made !== undefined && parameters !== undefined && header !== undefined, 'a snapshot was made')
  const files = readdirSync(join(folder, `${height}-1`))
  const bytes = files.reduce((sum, name) => sum + statSync(join(folder, `${height}-1`, name)).size, 0)
  console.log(`${files.length} files of ${(bytes / 1e6).toFixed(1)} MB, metadata ${made.metadata.length} bytes`)
  const store = await openRocksStore({ path, cacheBytes: 512 * 1024 * 1024 })
  const started = performance.now()
  const startedCpu = process.threadCpuUsage()
  try {
    const session = new RestoreSession(store, parameters, made, header.hash, decompressChunk)
    for (let index = 0; index < made.chunks; index++) session.apply(readChunk(folder, height, 1, index))
    session.finish()
    console.log(`restored in ${seconds(started)} s (cpu ${cpuSeconds(startedCpu)} s)`)
  } finally {
    store.close()
    await store.closed
  }
}

const root = mkdtempSync(join(tmpdir(), 'bench-snapshot-'))
const folder = join(root, 'snapshots')
const note = (message: string, fields?: unknown): void => console.log(`  ${message} ${JSON.stringify(fields ?? '')}`)
const world = await makeWorld({
  random: new Random(1),
  nodes: [{ name: 'one', path: join(root, 'db') }],
  maxGas: 100_000_000,
})
const source = world.nodes[0] as SimNode
let snapshots: Snapshots | undefined
try {
  await world.driver.step()
  const started = performance.now()
  load(source.store, world.driver.height)
  await source.restart()
  console.log(`${accounts} accounts loaded in ${seconds(started)} s`)
  const { handle } = source.store as RocksStore
  const log = { info: note, warn: note, error: note }
  snapshots = startSnapshots({ handle, folder, interval: 1, keepRecent: 2, head: world.driver.height, log })
  const height = await make(world, snapshots)
  await snapshots.close()
  await restore(join(root, 'restored'), folder, source, height)
  console.log(`resident memory ${(process.memoryUsage().rss / 1048576).toFixed(0)} MiB`)
} finally {
  await snapshots?.close()
  await world.close()
  rmSync(root, { recursive: true, force: true })
}

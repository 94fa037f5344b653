/**
 * What a Commit costs, and reading what it wrote: blocks of transfers between few accounts and to many, the bytes that a
 * transfer takes on disk, reads of the newest state, of old heights, and proofs of old heights.
 * Run: node test/bench/commit.ts
 */
import { keccak256 } from '../../core/hash.ts'
import { HistoricalTrieNodes } from '../../store/historical-trie-nodes.ts'
import { HistoricalState } from '../../store/history.ts'
import { accountKey } from '../../store/keys.ts'
import { StateTrie } from '../../store/state-trie.ts'
import { COLUMNS, type KeyValueStore } from '../../store/store.ts'
import { addressOf, TransferChain } from './support/transfer-chain.ts'

const BLOCKS = 8
const WARM_UP_BLOCKS = 2
const READS = 50_000
const PROOFS = 2_000

interface Cost {
  readonly ms: number
  /** Processor time of this thread. */
  readonly cpuMs: number
}

const measure = async <T>(work: () => T | Promise<T>): Promise<{ readonly result: T; readonly cost: Cost }> => {
  const startedCpu = process.threadCpuUsage()
  const started = performance.now()
  const result = await work()
  const ms = performance.now() - started
  const { user, system } = process.threadCpuUsage(startedCpu)
  return { result, cost: { ms, cpuMs: (user + system) / 1000 } }
}

const median = (values: readonly number[]): string =>
  (values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0).toFixed(1).padStart(7)

const show = (name: string, costs: readonly Cost[]): void => {
  const [ms, cpuMs] = [costs.map((cost) => cost.ms), costs.map((cost) => cost.cpuMs)]
  console.log(`  ${name.padEnd(44)} ${median(ms)} ms  (cpu ${median(cpuMs)} ms)`)
}

/** A store that tells what each synced write cost. */
const watched = (store: KeyValueStore, writes: Cost[]): KeyValueStore => ({
  get: (column, key) => store.get(column, key),
  getMany: (column, keys) => store.getMany(column, keys),
  scan: (column, range) => store.scan(column, range),
  cursor: (column) => store.cursor(column),
  batch: () => store.batch(),
  sequence: () => store.sequence(),
  close: () => store.close(),
  write: (batch, options) => {
    const startedCpu = process.threadCpuUsage()
    const started = performance.now()
    store.write(batch, options)
    const { user, system } = process.threadCpuUsage(startedCpu)
    writes.push({ ms: performance.now() - started, cpuMs: (user + system) / 1000 })
  },
})

/** Keys and values of a column, before RocksDB packs them. */
const bytesOf = (chain: TransferChain, column: (typeof COLUMNS)[number]): number => {
  const cursor = chain.store.cursor(column)
  let bytes = 0
  for (let entry = cursor.seek(new Uint8Array(0)); entry !== undefined; entry = cursor.next()) {
    bytes += entry[0].length + entry[1].length
  }
  cursor.close()
  return bytes
}

const commits = async (name: string, perBlock: number, recipients: number): Promise<TransferChain> => {
  const writes: Cost[] = []
  const chain = await TransferChain.open({
    senders: 64,
    recipient: (_, index) => index % recipients,
    wrap: (store) => watched(store, writes),
  })
  const costs: Cost[] = []
  const before = new Map<string, number>()
  for (let block = 0; block < WARM_UP_BLOCKS + BLOCKS; block++) {
    if (block === WARM_UP_BLOCKS) for (const column of COLUMNS) before.set(column, bytesOf(chain, column))
    await chain.block(perBlock, async (step, work) => {
      const { result, cost } = await measure(work)
      if (step === 'commit' && block >= WARM_UP_BLOCKS) costs.push(cost)
      return result
    })
  }
  console.log(`${name}: ${perBlock} transfers a block, ${recipients} recipients, ${BLOCKS} blocks, medians`)
  show('commit', costs)
  show('  of it the synced write', writes.slice(-BLOCKS))
  const perThousand = COLUMNS.map((column) => {
    const bytes = (bytesOf(chain, column) - (before.get(column) ?? 0)) / ((BLOCKS * perBlock) / 1000)
    return [column, Math.round(bytes / 1000)] as const
  })
  const total = perThousand.reduce((sum, [, kilobytes]) => sum + kilobytes, 0)
  console.log(
    `  kB a thousand transfers, not packed: ${total} (${perThousand.map((entry) => entry.join(' ')).join(', ')})`,
  )
  return chain
}

const rate = (count: number, { ms, cpuMs }: Cost): string =>
  `${Math.round((count / ms) * 1000)}/s (${Math.round((count / cpuMs) * 1000)}/s of processor time)`

const reads = async (chain: TransferChain, accounts: number): Promise<void> => {
  const { store, height: head } = chain
  const addresses = Array.from({ length: READS }, (_, i) => addressOf((i * 7919) % accounts))
  const committed = (): number => head
  console.log(`reads over ${accounts} accounts, one thread`)
  const latest = await measure(() => addresses.forEach((address) => store.get('state', accountKey(address))))
  console.log(`  ${'one account of the newest state'.padEnd(44)} ${rate(READS, latest.cost)}`)
  const keys = addresses.map(accountKey)
  const many = await measure(() => store.getMany('state', keys))
  console.log(`  ${'many at once'.padEnd(44)} ${rate(READS, many.cost)}`)
  for (const height of [head - 1, head - BLOCKS]) {
    const state = new HistoricalState(store, height, committed)
    const old = await measure(() => addresses.forEach((address) => state.account(address)))
    console.log(`  ${`one account at ${head - height} below the head`.padEnd(44)} ${rate(READS, old.cost)}`)
    const nodes = new HistoricalTrieNodes(store, height, committed, state)
    const root = keccak256(nodes.getMany([Uint8Array.of(65)])[0] ?? new Uint8Array(0))
    const trie = new StateTrie(nodes, root)
    const proofs = await measure(() => addresses.slice(0, PROOFS).forEach((address) => trie.proveAccount(address)))
    console.log(`  ${`one proof at ${head - height} below the head`.padEnd(44)} ${rate(PROOFS, proofs.cost)}`)
    state.close()
    nodes.close()
  }
}

const few = await commits('few accounts', 5_000, 64)
await few.close()
const many = await commits('many accounts', 10_000, 10_000)
await reads(many, 10_000)
await many.close()

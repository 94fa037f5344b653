/**
 * The history of the order book: `make bench BENCH=clob-history`. Blocks of 1,000 fills between 1,000 owners are put in, then the
 * questions of a busy owner are timed. `node test/bench/clob-history.ts 10000000` chooses how many fills; a folder behind it keeps the
 * database, and one that is full is asked as it is. On a shared machine the processor time of a question says more than its wall time.
 */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCursor, writeHistory } from '../../app/clob-history/write-history.ts'
import type { CommittedBlock } from '../../app/feed/committed-block.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { uint64ToBytes } from '../../core/bytes.ts'
import { keccak256, sha256 } from '../../core/hash.ts'
import type { Event } from '../../modules/module.ts'
import { HistoryReader } from '../../query/clob-history/history-reader.ts'
import { openRocksStore } from '../../store/rocks/rocks-store.ts'

const FILLS = Number(process.argv[2] ?? 1_000_000)
const FILLS_A_BLOCK = 1_000
const OWNERS = 1_000
const CACHE_BYTES = 64 * 1024 * 1024
const QUESTIONS = 2_000
const PAGE = 100
const BLOCK_MS = 1_000

const owners = Array.from({ length: OWNERS }, (_, index) => sha256(uint64ToBytes(index)).slice(0, 20))
const names = owners.map((owner) => encodeBech32(owner))

const event = (type: string, members: Readonly<Record<string, number | string>>): Event => ({
  type,
  attributes: Object.entries(members).map(([key, value]) => ({ key, value: String(value), index: false })),
})

/** Each fill is an order of one owner that another one takes whole. */
const blockOf = (height: number): CommittedBlock => {
  const events: Event[] = []
  for (let at = 0; at < FILLS_A_BLOCK; at++) {
    const fill = (height - 1) * FILLS_A_BLOCK + at
    const [makerSeq, takerSeq] = [2 * fill + 1, 2 * fill + 2]
    const priceTicks = 1_000 + ((fill * 7) % 200)
    const order = { market: 1, subaccount: 0, tif: 1, price_ticks: priceTicks, lots: 5 }
    const placed = (seq: number, owner: number, side: string, sequence: number): Event =>
      event('order_placed', {
        ...order,
        ...{ order_seq: seq, owner: names[owner % OWNERS] ?? '', side, tif: 'gtc', sequence },
        client_id: seq.toString(16).padStart(16, '0'),
      })
    events.push(
      placed(makerSeq, fill * 31, 'sell', 3 * fill + 1),
      placed(takerSeq, fill * 17 + 5, 'buy', 3 * fill + 2),
      event('fill', {
        ...{ market: 1, sequence: 3 * fill + 3, maker_seq: makerSeq, taker_seq: takerSeq, price_ticks: priceTicks },
        ...{ lots: 5, maker_fee: 12_345, maker_rebate: 0, taker_fee: 45_678 },
      }),
    )
  }
  return {
    // Only what the history reads.
    ...({ header: {}, proposerAddress: new Uint8Array(20), validatorUpdates: [] } as unknown as CommittedBlock),
    height,
    hash: keccak256(uint64ToBytes(height)),
    timeNs: BigInt(1_700_000_000_000 + height * BLOCK_MS) * 1_000_000n,
    events,
    transactionCount: 0,
    *transactions() {},
  }
}

const bytesIn = (path: string): number =>
  readdirSync(path, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)

const percentile = (sorted: readonly number[], part: number): string =>
  (sorted[Math.floor(part * (sorted.length - 1))] ?? 0).toFixed(2)

const time = (name: string, ask: (index: number) => number): void => {
  const taken: number[] = []
  const worked: number[] = []
  let found = 0
  for (let index = 0; index < QUESTIONS; index++) {
    const startedMs = performance.now()
    const before = process.threadCpuUsage()
    found += ask(index)
    const { user, system } = process.threadCpuUsage(before)
    taken.push(performance.now() - startedMs)
    worked.push((user + system) / 1_000)
  }
  const shown = [taken, worked].map((times) => {
    const sorted = times.toSorted((a, b) => a - b)
    return `p50 ${percentile(sorted, 0.5)} ms, p99 ${percentile(sorted, 0.99)} ms`
  })
  const entries = (found / QUESTIONS).toFixed(0)
  console.log(`${name}: ${shown[0]}; processor ${shown[1]}; ${entries} entries each`)
}

const given = process.argv[3]
const folder = given ?? mkdtempSync(join(tmpdir(), 'bench-clob-history-'))
try {
  const isFull = given !== undefined && existsSync(join(given, 'CURRENT'))
  const store = await openRocksStore({ path: folder, cacheBytes: CACHE_BYTES })
  const startedMs = performance.now()
  let busyMs = 0
  const blocks = isFull ? (readCursor(store)?.height ?? 0) : Math.ceil(FILLS / FILLS_A_BLOCK)
  for (let height = 1; !isFull && height <= blocks; height++) {
    const block = blockOf(height)
    const beforeMs = performance.now()
    writeHistory(store, block)
    busyMs += performance.now() - beforeMs
  }
  const fills = blocks * FILLS_A_BLOCK
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0)
  const rate = Math.round((fills / busyMs) * 1_000)
  if (isFull) console.log(`${fills} fills of ${2 * fills} orders`)
  else
    console.log(
      `${fills} fills of ${2 * fills} orders: ${rate} fills/s, ${(busyMs / blocks).toFixed(1)} ms a block (${seconds} s)`,
    )
  const reader = new HistoryReader(store)
  const ownerOf = (index: number) => owners[(index * 37) % OWNERS] ?? new Uint8Array(20)
  const newest = { before: undefined, limit: PAGE }
  time('fills of an owner', (index) => reader.fills(ownerOf(index), 0, newest).items.length)
  time('orders of an owner', (index) => reader.orders(ownerOf(index), 0, newest, () => true).items.length)
  time('trades of the market', () => reader.trades(1, newest).items.length)
  time('an order', (index) => (reader.order(1, 1 + ((index * 7_919) % (2 * fills))) === undefined ? 0 : 1))
  time('minutes of a market', () => reader.candles(1, 60, { fromS: undefined, toS: undefined, limit: 500 }).length)
  store.close()
  await store.closed
  console.log(`disk: ${(bytesIn(folder) / 1e6 / (fills / 1e6)).toFixed(0)} MB a million fills`)
} finally {
  if (given === undefined) rmSync(folder, { recursive: true, force: true })
}

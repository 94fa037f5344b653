/** Ranges of logs that cannot be answered, in the order of geth 1.16's FilterAPI.GetLogs. */
import { describe, expect, it } from 'vitest'
import { keccak256, ZERO_HASH } from '../core/hash.ts'
import { bytesToHex } from '../core/hex.ts'
import type { Log } from '../evm/engine.ts'
import type { SignedTransaction } from '../evm/transaction/transaction.ts'
import { writeBaseHeight } from '../store/base-height.ts'
import { openMemoryStore } from '../store/memory/memory-store.ts'
import { ChainReader } from '../app/index/chain-reader.ts'
import { writeHeader, writeTransactions } from '../app/index/write-block.ts'
import type { BlockReference, BlockTag, LogCursor } from '../app/ports.ts'
import { EMPTY_BLOOM, encodeHeader, type Header } from '../app/records/header.ts'
import type { Receipt } from '../app/records/receipt.ts'
import { APPLICATION_DEFAULTS } from '../app/settings.ts'
import { type Random, seeded } from '../test/sim/random.ts'
import type { ChainView } from './chain-view.ts'
import type { Json } from './ethereum-json.ts'
import { logs, logsPage } from './logs.ts'

const HEAD = 20
const BASE = 10

const viewOf = (): ChainView => {
  const store = openMemoryStore()
  const batch = store.batch()
  writeBaseHeight(batch, BASE)
  store.write(batch, { sync: true })
  const parameters = { initialHeight: 1 } as ChainView['parameters']
  return { head: HEAD, reader: new ChainReader(store), parameters, settings: APPLICATION_DEFAULTS } as ChainView
}

const bound = (text: number | BlockTag): BlockReference => (typeof text === 'number' ? { number: text } : { tag: text })

const ask = (from: number | BlockTag, to: number | BlockTag): unknown => {
  try {
    return logs(viewOf(), { addresses: [], topics: [], fromBlock: bound(from), toBlock: bound(to) })
  } catch (error) {
    return (error as Error).message
  }
}

const REVERSED = 'invalid block range params'
const PRUNED = 'pruned history unavailable'
const PENDING = 'pending logs are not supported'

describe('a range of logs', () => {
  it.each([
    [5, 3, REVERSED],
    [5, 'pending', PRUNED],
    [5, 0, PRUNED],
    [0, 'latest', PRUNED],
    [5, HEAD + 1, PRUNED],
    [BASE, 'pending', PENDING],
    ['pending', 3, PENDING],
    [BASE, HEAD + 1, REVERSED],
    [HEAD + 1, 'latest', REVERSED],
    ['latest', HEAD, []],
    ['earliest', 0, []],
    ['earliest', 'latest', []],
    ['finalized', 'earliest', []],
  ] as const)('from %s to %s gives %s', (from, to, expected) => {
    expect(ask(from, to)).toEqual(expected)
  })
})

const TOPICS = Array.from({ length: 5 }, (_, index) => new Uint8Array(32).fill(index + 1))
const ADDRESSES = TOPICS.map((topic) => topic.slice(0, 20))

const HEADER: Header = {
  parentHash: ZERO_HASH,
  miner: new Uint8Array(20),
  stateRoot: ZERO_HASH,
  transactionsRoot: ZERO_HASH,
  receiptsRoot: ZERO_HASH,
  logsBloom: EMPTY_BLOOM,
  number: 0,
  gasLimit: 1n,
  gasUsed: 1n,
  timestamp: 1,
  extraData: ZERO_HASH,
  mixHash: ZERO_HASH,
  baseFeePerGas: 1n,
}

const makeReceipts = (random: Random, count: number): Receipt[] => {
  let firstLogIndex = 0
  return Array.from({ length: count }, () => {
    // Some have hundreds of logs, so that their receipts fill pages of their own.
    const logs = Array.from({ length: random.chance(5) ? 700 : random.below(4) }, () => ({
      address: random.pick(ADDRESSES),
      topics: Array.from({ length: random.below(4) }, () => random.pick(TOPICS)),
      data: random.bytes(random.below(300)),
    }))
    const common = { type: 2, succeeded: true, gasUsed: 1n, cumulativeGasUsed: 1n, effectiveGasPrice: 1n }
    const receipt = { ...common, contractAddress: undefined, firstLogIndex, logs }
    firstLogIndex += logs.length
    return receipt
  })
}

interface Placed {
  readonly height: number
  readonly transaction: number
  readonly logIndex: number
  readonly log: Log
}

const makeChain = (random: Random, heights: number) => {
  const store = openMemoryStore()
  const placed: Placed[] = []
  for (let height = 1; height <= heights; height++) {
    const receipts = makeReceipts(random, random.chance(20) ? 400 : random.below(4))
    const transactions = receipts.map(() => {
      const raw = random.bytes(120)
      return { raw, hash: keccak256(raw), sender: random.bytes(20) } as unknown as SignedTransaction
    })
    const batch = store.batch()
    const header = { ...HEADER, number: height }
    const record = { header, hash: keccak256(encodeHeader(header)), timeNs: 0n, sizeBytes: 0 }
    writeHeader(batch, { ...record, transactionCount: receipts.length, logCount: 0, logBytes: 0 })
    writeTransactions(batch, height, transactions, receipts)
    store.write(batch, { sync: false })
    for (const [transaction, { logs: all, firstLogIndex }] of receipts.entries())
      for (const [at, log] of all.entries()) placed.push({ height, transaction, logIndex: firstLogIndex + at, log })
  }
  return { store, placed }
}

describe('logs of blocks of all sizes', () => {
  it(
    'are those that a look at every log finds, at once and page by page from any place',
    seeded(78, (random) => {
      const heights = 25
      const { store, placed } = makeChain(random, heights)
      const view = {
        ...viewOf(),
        head: heights,
        reader: new ChainReader(store),
        settings: { ...APPLICATION_DEFAULTS, logsCap: 100_000 },
        interrupt: () => undefined,
      } as ChainView
      let found = 0
      for (let query = 0; query < 60; query++) {
        const pick = (values: readonly Uint8Array[]): readonly `0x${string}`[] =>
          Array.from({ length: random.below(3) }, () => bytesToHex(random.pick(values)))
        const criteria = {
          addresses: pick(ADDRESSES),
          topics: Array.from({ length: random.below(3) }, () => pick(TOPICS)),
        }
        const wanted = ({ log }: Placed): boolean =>
          (criteria.addresses.length === 0 || criteria.addresses.includes(bytesToHex(log.address))) &&
          criteria.topics.length <= log.topics.length &&
          criteria.topics.every((set, at) => set.length === 0 || set.includes(bytesToHex(log.topics[at] as Uint8Array)))
        const show = ({ height, transaction, logIndex, log }: Placed): string =>
          [height, transaction, logIndex, bytesToHex(log.data)].join('/')
        const shown = (json: readonly Json[]): string[] =>
          json.map((one) =>
            [Number(one['blockNumber']), Number(one['transactionIndex']), Number(one['logIndex']), one['data']].join(
              '/',
            ),
          )
        const from = 1 + random.below(heights)
        const to = from + random.below(heights - from + 1)
        const expected = placed.filter((one) => one.height >= from && one.height <= to && wanted(one)).map(show)
        const range = { fromBlock: { number: from }, toBlock: { number: to } }
        expect(shown(logs(view, { ...criteria, ...range }))).toEqual(expected)
        // Pages of a few logs, each from where the last one ended.
        const paged: string[] = []
        const small = { ...view, settings: { ...view.settings, logsCap: 40 + random.below(900) } }
        for (let next: LogCursor | null = { height: from, log: 0 }; next !== null; ) {
          const page = logsPage(small, { criteria, from: next, to }) as { next: LogCursor | null; logs: Json[] }
          paged.push(...shown(page.logs))
          next = page.next
        }
        expect(paged).toEqual(expected)
        found += expected.length
      }
      expect(found).toBeGreaterThan(5_000)
    }),
  )
})

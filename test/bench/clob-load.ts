/**
 * Orders at a rate against nodes with real CometBFTs: what is accepted and executed, how long blocks take, and the time from
 * submission to a fill. 70 % post-only, 25 % cancels, 5 % takers, signed beforehand above 500/s. Load generator and nodes share the machine.
 * Run: make bench BENCH=clob-load, or
 * node test/bench/clob-load.ts [orders a second] [seconds] [validators] [timeout_commit in ms] [min_age in ms] [weight of a block] [most fills of a taker]
 * The last four are those of the chain when left out or -. Up to 500/s orders go by clob_sendOrder, above that by CometBFT.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { uint32ToBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import type { Action } from '../../modules/clob/orders/index.ts'
import { bytesToHex } from '../../core/hex.ts'
import { createNetwork } from '../e2e/network.ts'
import type { TestNode } from '../e2e/harness.ts'
import { Random } from '../sim/random.ts'
import { BookTrader, limit } from './support/book-traders.ts'
import { fundTraders } from './support/fund-traders.ts'
import { machine } from './support/devnet.ts'
import { cpuSeconds } from './support/process-times.ts'

const given = process.argv.slice(2).map((text) => (text === '-' ? undefined : text))
const [rateText = '5000', secondsText = '30', validatorsText = '1', timeoutText, minAgeText, weightText, fillsText] =
  given
const rate = Number(rateText)
const seconds = Number(secondsText)
const validators = Number(validatorsText)

const OWNERS = 2_000
const MIDDLE = 10_000
const SPREAD = 500
const LOTS = 100
/** Few at once at a low rate: its times are those of orders that come one by one. */
const BATCH = Math.max(1, Math.min(40, Math.floor(rate / 50)))
/** Up to this rate orders are signed when they are sent: blocks may come so fast that nobody can guess a height beforehand. */
const MOST_SIGNED_LIVE = 500
const isLive = rate <= MOST_SIGNED_LIVE
const CONNECTIONS = 12
/** Sent before takers come, so that they meet something. */
const WARM_UP_SECONDS = 5
/**
 * How many blocks an order has left when the height of the first one is guessed beforehand: half of what a transaction
 * may live.
 */
const BLOCKS_LEFT = 20
const MS_A_DAY = 86_400_000

interface Order {
  text: string
  key: string
  readonly isTaker: boolean
  sentMs: number
  sign(terms: { readonly nonceMs: number; readonly goodTilBlock: number }): void
}

const percentile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
}

/** All orders of the run. The nonce of one that is signed here is the time when it is to be sent. */
const makeAll = (traders: readonly BookTrader[], height: number, blockMs: number): readonly Order[] => {
  const random = new Random(1)
  const placed = traders.map((): Uint8Array[] => [])
  const total = rate * (WARM_UP_SECONDS + seconds)
  const startMs = Date.now()
  return Array.from({ length: total }, (_, index) => {
    const from = random.below(OWNERS)
    const trader = traders[from] as BookTrader
    const isWarm = index >= rate * WARM_UP_SECONDS
    const kind = isWarm ? random.below(100) : 0
    const own = placed[from] ?? []
    const afterMs = (index * 1_000) / rate
    const goodTilBlock = height + BLOCKS_LEFT + Math.floor(((Date.now() - startMs + afterMs) / blockMs) * 0.9)
    const terms = { nonceMs: Math.floor(Date.now() + afterMs), goodTilBlock }
    const isTaker = kind >= 95
    const side = random.below(2) === 0 ? 'buy' : 'sell'
    const choose = (): Action => {
      if (isTaker) {
        const priceTicks = side === 'buy' ? MIDDLE + SPREAD : MIDDLE - SPREAD
        return limit(side, LOTS, priceTicks, { tif: 'ioc', stp: 'decrement', maxFills: Number(fillsText ?? 0) })
      }
      const clientId = kind >= 70 ? own.shift() : undefined
      if (clientId !== undefined) return { kind: 'cancel', market: 1, target: { kind: 'client', clientId } }
      const fresh = uint32ToBytes(index + 1)
      own.push(fresh)
      const off = 1 + random.below(SPREAD - 1)
      const priceTicks = side === 'buy' ? MIDDLE - off : MIDDLE + off
      return limit(side, LOTS, priceTicks, { clientId: fresh })
    }
    const action = choose()
    const order: Order = {
      text: '',
      key: '',
      isTaker,
      sentMs: 0,
      sign: (given) => {
        const raw = trader.sign([action], given)
        order.text = Buffer.from(raw).toString('base64')
        order.key = bytesToHex(sha256(raw))
      },
    }
    if (!isLive) order.sign(terms)
    return order
  })
}

interface Counts {
  sent: number
  accepted: number
  readonly refused: Map<string, number>
}

interface BroadcastReply {
  readonly result?: { readonly code: number; readonly log: string }
  readonly error?: { readonly data?: string; readonly message: string }
}

const refuse = ({ refused }: Counts, reason: string): void => {
  const text = reason.replaceAll(/\d+/g, 'n')
  refused.set(text, (refused.get(text) ?? 0) + 1)
}

const submit = async (node: TestNode, orders: readonly Order[], counts: Counts, height: number): Promise<void> => {
  const now = performance.now()
  for (const order of orders) {
    order.sentMs = now
    order.sign({ nonceMs: Date.now(), goodTilBlock: height + BLOCKS_LEFT })
  }
  const body = JSON.stringify(
    orders.map(({ text }, id) => {
      const params = [bytesToHex(Buffer.from(text, 'base64'))]
      return { jsonrpc: '2.0', id, method: 'clob_sendOrder', params }
    }),
  )
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(node.urls.http, { method: 'POST', body, headers })
  const replies = (await response.json()) as readonly BroadcastReply[]
  for (const { error } of replies) {
    if (error === undefined) counts.accepted++
    else refuse(counts, error.message)
  }
  counts.sent += orders.length
}

/**
 * CometBFT answers before CheckTx has: with broadcast_tx_sync it hands a connection's orders over one by one, each up to 20 ms after the
 * last. What CheckTx refuses is missing among the executed.
 */
const broadcast = async (node: TestNode, orders: readonly Order[], counts: Counts): Promise<void> => {
  const now = performance.now()
  const body = JSON.stringify(
    orders.map(({ text }, id) => ({ jsonrpc: '2.0', id, method: 'broadcast_tx_async', params: { tx: text } })),
  )
  for (const order of orders) order.sentMs = now
  const response = await fetch(node.urls.comet, { method: 'POST', body, headers: { connection: 'close' } })
  const replies = [
    (await response.json()) as BroadcastReply | readonly BroadcastReply[],
  ].flat() as readonly BroadcastReply[]
  for (const { result, error } of replies) {
    if (result?.code === 0) counts.accepted++
    else refuse(counts, result?.log ?? error?.data ?? error?.message ?? '')
  }
  counts.sent += orders.length
}

/** Sends at the rate, each batch to the next node; what is behind goes out at once. */
const sendAll = async (
  nodes: readonly TestNode[],
  orders: readonly Order[],
  counts: Counts,
  watch: HeightWatch,
): Promise<void> => {
  const startMs = performance.now()
  let next = 0
  const loop = async (): Promise<void> => {
    while (next < orders.length) {
      const at = next
      next += BATCH
      const waitMs = startMs + ((at + BATCH) * 1_000) / rate - performance.now()
      if (waitMs > 0) await pause(waitMs)
      const node = nodes[(at / BATCH) % nodes.length] as TestNode
      const batch = orders.slice(at, at + BATCH)
      await (isLive ? submit(node, batch, counts, watch.height) : broadcast(node, batch, counts))
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, loop))
}

interface SeenBlock {
  readonly height: number
  readonly seenMs: number
}

/** Asks for the height until it is stopped, and notes when each was first seen. */
class HeightWatch {
  readonly seen: SeenBlock[] = []
  height = 0
  #runs = true
  readonly #done: Promise<void>

  constructor(node: TestNode) {
    this.#done = this.#watch(node)
  }

  async stop(): Promise<void> {
    this.#runs = false
    await this.#done
  }

  async #watch(node: TestNode): Promise<void> {
    let last = await node.height()
    this.height = last
    while (this.#runs) {
      const height = await node.height()
      const seenMs = performance.now()
      for (; last < height; last++) this.seen.push({ height: last + 1, seenMs })
      this.height = height
      await pause(10)
    }
  }
}

interface CometBlock {
  readonly block: { readonly header: { readonly time: string }; readonly data: { readonly txs: readonly string[] } }
}

interface CometResults {
  readonly txs_results: readonly { readonly code?: number; readonly events?: readonly { readonly type: string }[] }[]
}

/** What blocks made of the orders. */
const readBlocks = async (node: TestNode, orders: readonly Order[], seen: readonly SeenBlock[]) => {
  const byKey = new Map(orders.map((order) => [order.key, order]))
  const fillMs: number[] = []
  const times: number[] = []
  const [blockBytes, injectedBytes, inBlock]: [number[], number[], number[]] = [[], [], []]
  let [executed, failed, fills] = [0, 0, 0]
  for (const { height, seenMs } of seen) {
    const { block } = await node.comet<CometBlock>(`block?height=${height}`)
    const { txs_results: results } = await node.comet<CometResults>(`block_results?height=${height}`)
    const raws = block.data.txs.map((text) => Buffer.from(text, 'base64'))
    times.push(Date.parse(block.header.time))
    blockBytes.push(raws.reduce((sum, { length }) => sum + length, 0))
    injectedBytes.push(raws[0]?.length ?? 0)
    let count = 0
    for (const [index, raw] of raws.entries()) {
      const order = byKey.get(bytesToHex(sha256(raw)))
      const { code = 0, events = [] } = results[index] ?? {}
      if (order === undefined) continue
      count++
      if (code === 0) executed++
      else failed++
      const met = events.filter(({ type }) => type === 'fill').length
      fills += met
      if (met > 0 && order.isTaker) fillMs.push(seenMs - order.sentMs)
    }
    inBlock.push(count)
  }
  const intervals = times.slice(1).map((time, index) => time - (times[index] ?? time))
  return { executed, failed, fills, fillMs, intervals, blockBytes, injectedBytes, inBlock }
}

const diskBytes = (node: TestNode): number =>
  Number(execFileSync('du', ['-sb', join(node.home)], { encoding: 'utf8' }).split(/\s/)[0])

const processesOf = (nodes: readonly TestNode[]): ReadonlyMap<string, number> =>
  new Map(
    nodes.flatMap((node, index) =>
      (['application', 'gateway', 'cometbft'] as const).map((part) => [`${part} ${index}`, node.pidOf(part)] as const),
    ),
  )

const report = (
  { accepted, sent, refused }: Counts,
  blocks: Awaited<ReturnType<typeof readBlocks>>,
  sendMs: number,
  cpu: readonly string[],
  diskADay: number,
): void => {
  const { executed, failed, fills, fillMs, intervals, blockBytes, injectedBytes, inBlock } = blocks
  const passed = intervals.reduce((sum, each) => sum + each, 0) / 1_000
  const rated = (count: number, over = sendMs / 1_000): string => `${(count / over).toFixed(0)}/s`
  console.log(
    `sent ${sent} in ${(sendMs / 1_000).toFixed(1)} s (${rated(sent)}), accepted ${accepted} (${rated(accepted)})`,
  )
  for (const [reason, count] of refused) console.log(`  refused ${count}: ${reason}`)
  console.log(`executed ${executed} (${rated(executed, passed)} over all blocks), failed ${failed}, fills ${fills}`)
  const interval = [0.5, 0.99].map((part) => percentile(intervals, part).toFixed(0))
  console.log(
    `block interval ms: median ${interval[0]}, p99 ${interval[1]}; ClobTx a block: most ${Math.max(...inBlock)}`,
  )
  const fill = [0.5, 0.99].map((part) => percentile(fillMs, part).toFixed(0))
  console.log(`submission to fill ms (${fillMs.length} takers): p50 ${fill[0]}, p99 ${fill[1]}`)
  const bytes = [blockBytes, injectedBytes].map((each) => `${percentile(each, 0.5)}, most ${Math.max(...each)}`)
  console.log(`bytes of a block: median ${bytes[0]}; of its votes: median ${bytes[1]}`)
  console.log(`disk: ${(diskADay / 1e9).toFixed(1)} GB a day of this load`)
  console.log(`processor time, s a second: ${cpu.join(', ')}`)
}

const traders = Array.from({ length: OWNERS }, (_, index) => BookTrader.at(index))
const timeoutCommitMs = timeoutText === undefined ? {} : { timeoutCommitMs: Number(timeoutText) }
console.log(
  `machine: ${machine()}; ${validators} validators, ${rate} orders/s for ${seconds} s, timeout_commit ${timeoutText ?? 'of the chain'}, min_age ${minAgeText ?? 'of the chain'}, weight ${weightText ?? 'of the chain'}, most fills of a taker ${fillsText ?? 'of the chain'}`,
)
const network = await createNetwork({
  members: Array.from({ length: validators }, () => ({ hasTestMarkets: true, ...timeoutCommitMs })),
  editGenesis: fundTraders(traders, {
    ...(minAgeText === undefined ? {} : { min_age_ms: Number(minAgeText) }),
    ...(weightText === undefined ? {} : { block_weight: Number(weightText) }),
  }),
  cometToml: { 'rpc.max_request_batch_size': '0' },
})
const { nodes } = network
try {
  await network.start()
  const node = network.at(0)
  const from = await node.height()
  const fromMs = performance.now()
  await node.untilHeight(from + 5, 60_000)
  const blockMs = (performance.now() - fromMs) / 5
  const signing = performance.now()
  const orders = makeAll(traders, await node.height(), blockMs)
  console.log(
    `${isLive ? 'made' : 'signed'} ${orders.length} in ${((performance.now() - signing) / 1_000).toFixed(1)} s`,
  )
  const counts: Counts = { sent: 0, accepted: 0, refused: new Map() }
  const watch = new HeightWatch(node)
  const processes = processesOf(nodes)
  const cpuBefore = cpuSeconds(processes)
  const diskBefore = diskBytes(node)
  const start = performance.now()
  await sendAll(nodes, orders, counts, watch)
  const sendMs = performance.now() - start
  const cpuAfter = cpuSeconds(processes)
  await node.untilHeight((await node.height()) + 6, 120_000)
  await watch.stop()
  const diskADay = ((diskBytes(node) - diskBefore) / (performance.now() - start)) * MS_A_DAY
  const cpu = [...cpuAfter].map(
    ([name, total]) => `${name} ${(((total - (cpuBefore.get(name) ?? 0)) * 1_000) / sendMs).toFixed(2)}`,
  )
  report(counts, await readBlocks(node, orders, watch.seen), sendMs, cpu, diskADay)
} catch (error) {
  network.print()
  throw error
} finally {
  await network.remove()
}

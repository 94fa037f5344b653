/**
 * Updates of a market (L2) to many subscribers of one gateway, while orders come: the time from CometBFT's announcement of a committed
 * block to the message of each subscriber. Node and subscribers share the machine. Run: make bench BENCH=clob-streams, or
 * node test/bench/clob-streams.ts [subscribers] [seconds] [orders a second]
 */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import WebSocket from 'ws'
import { bytesToHex } from '../../core/hex.ts'
import type { TestNode } from '../e2e/harness.ts'
import { createNetwork } from '../e2e/network.ts'
import { Random } from '../sim/random.ts'
import { BookTrader, limit } from './support/book-traders.ts'
import { machine } from './support/devnet.ts'
import { fundTraders } from './support/fund-traders.ts'
import { cpuSeconds } from './support/process-times.ts'

const [subscribers = 1_000, seconds = 30, rate = 100] = process.argv.slice(2).map(Number)
const OWNERS = 200
const MIDDLE = 10_000
const SPREAD = 500
const BATCHES_A_SECOND = 10
const BLOCKS_LEFT = 20
/** A message begins with the subscription and its height. */
const HEIGHT = /"height":"?(\d+)/

/** When each message came, by height. */
const arrivals = new Map<number, number[]>()
let bytes = 0

const subscribe = async (node: TestNode): Promise<WebSocket> => {
  const socket = new WebSocket(node.urls.ws)
  await once(socket, 'open')
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'clob_subscribe', params: ['book', { market: 1 }] }))
  await once(socket, 'message')
  socket.on('message', (data: Buffer) => {
    const height = Number(HEIGHT.exec(data.subarray(0, 400).toString('latin1'))?.[1])
    const times = arrivals.get(height)
    bytes += data.length
    if (times === undefined) arrivals.set(height, [performance.now()])
    else times.push(performance.now())
  })
  return socket
}

/** When CometBFT told of each block. */
const watchCommits = async (
  node: TestNode,
): Promise<{ readonly seen: Map<number, number>; readonly socket: WebSocket }> => {
  const seen = new Map<number, number>()
  const socket = new WebSocket(`${node.urls.comet.replace('http', 'ws')}/websocket`)
  await once(socket, 'open')
  socket.send(
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscribe', params: { query: "tm.event='NewBlockHeader'" } }),
  )
  socket.on('message', (data: Buffer) => {
    const nowMs = performance.now()
    const { result } = JSON.parse(data.toString('utf8')) as {
      readonly result: { readonly data?: { readonly value: { readonly header: { readonly height: string } } } }
    }
    if (result.data !== undefined) seen.set(Number(result.data.value.header.height), nowMs)
  })
  return { seen, socket }
}

const trade = async (node: TestNode, traders: readonly BookTrader[], untilMs: number): Promise<number> => {
  const random = new Random(1)
  const size = Math.max(1, Math.round(rate / BATCHES_A_SECOND))
  let sent = 0
  while (performance.now() < untilMs) {
    const next = performance.now() + 1_000 / BATCHES_A_SECOND
    const goodTilBlock = (await node.height()) + BLOCKS_LEFT
    const calls = Array.from({ length: size }, (_, id) => {
      const side = random.below(2) === 0 ? 'buy' : 'sell'
      const isTaker = random.below(20) === 0
      const off = 1 + random.below(SPREAD - 1)
      const isUp = (side === 'buy') === isTaker
      const action = limit(side, 100, MIDDLE + (isUp ? off : -off), isTaker ? { tif: 'ioc', stp: 'decrement' } : {})
      const trader = traders[random.below(OWNERS)] as BookTrader
      const params = [bytesToHex(trader.sign([action], { nonceMs: Date.now(), goodTilBlock }))]
      return { jsonrpc: '2.0', id, method: 'clob_sendOrder', params }
    })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(node.urls.http, { method: 'POST', headers, body: JSON.stringify(calls) })
    const replies = (await answer.json()) as readonly { readonly error?: unknown }[]
    sent += replies.filter(({ error }) => error === undefined).length
    await pause(Math.max(0, next - performance.now()))
  }
  return sent
}

const percentile = (sorted: readonly number[], part: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1)

const traders = Array.from({ length: OWNERS }, (_, index) => BookTrader.at(index))
console.log(`machine: ${machine()}; ${subscribers} subscribers, ${rate} orders/s for ${seconds} s`)
const network = await createNetwork({
  members: [{ hasTestMarkets: true }],
  editGenesis: fundTraders(traders),
})
try {
  await network.start()
  const node = network.at(0)
  await node.untilHeight(3, 60_000)
  const commits = await watchCommits(node)
  const sockets: WebSocket[] = []
  for (let index = 0; index < subscribers; index++) sockets.push(await subscribe(node))
  const processes = new Map((['application', 'gateway', 'cometbft'] as const).map((part) => [part, node.pidOf(part)]))
  const before = cpuSeconds(processes)
  const from = await node.height()
  const startMs = performance.now()
  const sent = await trade(node, traders, startMs + seconds * 1_000)
  const passed = (performance.now() - startMs) / 1_000
  const after = cpuSeconds(processes)
  const to = (await node.height()) - 1
  const delays: number[] = []
  let missing = 0
  for (let height = from + 1; height <= to; height++) {
    const times = arrivals.get(height) ?? []
    const committedMs = commits.seen.get(height) ?? Infinity
    missing += subscribers - times.length
    delays.push(...times.map((time) => time - committedMs))
  }
  delays.sort((a, b) => a - b)
  console.log(
    `${sent} orders taken, ${to - from} blocks, ${delays.length} messages, missing ${missing}, ${(bytes / 1e6 / passed).toFixed(1)} MB/s`,
  )
  console.log(
    `after commit, ms: p50 ${percentile(delays, 0.5)}, p99 ${percentile(delays, 0.99)}, most ${percentile(delays, 1)}`,
  )
  const cpu = [...after].map(([name, total]) => `${name} ${((total - (before.get(name) ?? 0)) / passed).toFixed(2)}`)
  console.log(`processor time, s a second: ${cpu.join(', ')}`)
  for (const socket of [...sockets, commits.socket]) socket.terminate()
} catch (error) {
  network.print()
  throw error
} finally {
  await network.remove()
}

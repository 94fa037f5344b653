/**
 * Native clients against a whole devnet: balance queries over gRPC and REST, and MsgSend by BroadcastTx until committed.
 * Load generator and node share the machine. Run: make bench BENCH=native, or
 * node test/bench/native.ts [query|send|all] [seconds]
 */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { Agent, get } from 'node:http'
import { encodeBech32, parseAccountAddress } from '../../core/bech32.ts'
import { invariant } from '../../core/errors.ts'
import { devnetAccounts } from '../../bin/cli/keys/devnet-accounts.ts'
import { bankQuery, txService } from '../../proto/index.ts'
import { client, Devnet, machine } from './support/devnet.ts'
import { openCalls } from './support/grpc-calls.ts'
import { createAccount, type NativeAccount, signMultiSend, signSend } from './support/native-transfers.ts'
import { cpuSeconds } from './support/process-times.ts'

const GRPC = '127.0.0.1:9090'
const REST = 'http://127.0.0.1:1317'
const COMET = 'http://127.0.0.1:26657'
const CHANNELS = 8
const CALLS_A_CHANNEL = 48
const HTTP_CONNECTIONS = 64
const SENDERS = 2_000
const RECIPIENTS_A_FUNDING = 200
/** Sent and not yet committed, above which the generator waits. */
const MOST_OUTSTANDING = 8_000
/** More than any machine took so far: so many are signed before. */
const MOST_A_SECOND = 5_000
/** Code is compiled while it runs hot: that is not what a second of load costs. */
const WARM_UP_SECONDS = 5
/** CometBFT makes JSON of twenty headers for an answer. */
const READ_MS = 250
/** About what a block takes: the last one that is counted comes before the load ends. */
const BLOCK_MS = 1_000

const [mode = 'all', secondsText = '15'] = process.argv.slice(2)
const seconds = Number(secondsText)
const devnet = new Devnet()

const percentile = (sorted: readonly number[], part: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(1)

/** Runs `work` again and again in `parallel` loops until the time is over. */
const measure = async (label: string, parallel: number, work: () => Promise<void>): Promise<void> => {
  const times: number[] = []
  const before = cpuSeconds(devnet.processIds())
  const from = performance.now()
  const end = from + seconds * 1_000
  const loop = async (): Promise<void> => {
    for (let at = performance.now(); at < end; ) {
      await work()
      const now = performance.now()
      times.push(now - at)
      at = now
    }
  }
  await Promise.all(Array.from({ length: parallel }, loop))
  const rate = times.length / ((performance.now() - from) / 1_000)
  times.sort((a, b) => a - b)
  console.log(`${label}: ${rate.toFixed(0)}/s, ms p50 ${percentile(times, 0.5)} p99 ${percentile(times, 0.99)}`)
  printCpu(before, times.length)
}

type Cpu = ReturnType<typeof cpuSeconds>

const printCpu = (before: Cpu, count: number, after: Cpu = cpuSeconds(devnet.processIds())): void => {
  const parts = [...after].map(
    ([name, total]) => `${name} ${(((total - (before.get(name) ?? 0)) * 1e6) / count).toFixed(0)}`,
  )
  console.log(`  processor time a request in µs: ${parts.join(', ')}`)
}

const queries = async (): Promise<void> => {
  const address = encodeBech32(parseAccountAddress(devnetAccounts()[1]?.address ?? ''))
  const channels = openCalls(GRPC, CHANNELS)
  const { QueryBalanceRequestSchema } = bankQuery
  const request = toBinary(QueryBalanceRequestSchema, create(QueryBalanceRequestSchema, { address, denom: 'anat' }))
  await measure('balance over gRPC', CHANNELS * CALLS_A_CHANNEL, async () => {
    await channels.call('/cosmos.bank.v1beta1.Query/Balance', request)
  })
  channels.close()
  const agent = new Agent({ keepAlive: true, maxSockets: HTTP_CONNECTIONS })
  const url = `${REST}/cosmos/bank/v1beta1/balances/${address}/by_denom?denom=anat`
  const fetchOne = (): Promise<void> =>
    new Promise((resolve, reject) => {
      get(url, { agent }, (response) => {
        invariant(response.statusCode === 200, `status ${response.statusCode}`)
        response.on('end', resolve).on('error', reject).resume()
      }).on('error', reject)
    })
  await measure('balance over REST', HTTP_CONNECTIONS, fetchOne)
  agent.destroy()
}

/**
 * Undefined for an error, which a height that is yet to come is to CometBFT. A connection of its own each time: CometBFT
 * closes one that was kept when it sees fit, also under a request.
 */
const ask = async <T>(route: string): Promise<T | undefined> => {
  const response = await fetch(`${COMET}/${route}`, { headers: { connection: 'close' } })
  return ((await response.json()) as { readonly result?: T }).result
}

interface Blockchain {
  readonly last_height: string
  readonly block_metas: readonly {
    readonly header: { readonly height: string; readonly time: string }
    readonly num_txs: string
  }[]
}

/** Transactions in blocks since a height. Pages of CometBFT hold 20 headers. */
class CommittedCounter {
  #height = 0
  count = 0
  /** Time of the last block, from its header. */
  atMs = 0

  async start(): Promise<void> {
    this.#height = Number((await ask<Blockchain>('blockchain'))?.last_height)
  }

  async read(): Promise<number> {
    const page = await ask<Blockchain>(`blockchain?minHeight=${this.#height + 1}&maxHeight=${this.#height + 20}`)
    for (const { header, num_txs } of page?.block_metas ?? []) {
      this.#height = Math.max(this.#height, Number(header.height))
      this.atMs = Math.max(this.atMs, Date.parse(header.time))
      this.count += Number(num_txs)
    }
    return this.count
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const send = async (): Promise<void> => {
  const { BroadcastTxRequestSchema, BroadcastTxResponseSchema, BroadcastMode } = txService
  const channels = openCalls(GRPC, CHANNELS)
  const encode = (txBytes: Uint8Array): Uint8Array =>
    toBinary(BroadcastTxRequestSchema, create(BroadcastTxRequestSchema, { txBytes, mode: BroadcastMode.SYNC }))
  const broadcast = async (request: Uint8Array): Promise<number> => {
    const reply = await channels.call('/cosmos.tx.v1beta1.Service/BroadcastTx', request)
    const { txResponse } = fromBinary(BroadcastTxResponseSchema, reply)
    if (txResponse !== undefined && txResponse.code !== 0 && txResponse.code !== 20) {
      throw new TypeError(`refused: ${txResponse.code} ${txResponse.rawLog}`)
    }
    return txResponse?.code ?? 0
  }
  const counter = new CommittedCounter()
  const senders = Array.from({ length: SENDERS }, (_, index) => createAccount(index))
  await fund(senders, (raw) => broadcast(encode(raw)), counter)

  const total = Math.ceil((MOST_A_SECOND * (WARM_UP_SECONDS + seconds)) / SENDERS) * SENDERS
  const signing = performance.now()
  const raws = Array.from({ length: total }, (_, index) =>
    encode(signSend(senders[index % SENDERS] as NativeAccount, Math.floor(index / SENDERS))),
  )
  console.log(`signed ${total} in ${((performance.now() - signing) / 1_000).toFixed(1)} s`)

  await counter.start()
  counter.count = 0
  const begin = performance.now()
  const end = begin + (WARM_UP_SECONDS + seconds) * 1_000
  let next = 0
  let retried = 0
  let isReading = true
  const reader = (async () => {
    while (isReading) {
      await counter.read()
      await pause(READ_MS)
    }
  })()
  const loop = async (): Promise<void> => {
    while (performance.now() < end && next < total) {
      while (next - counter.count > MOST_OUTSTANDING) await pause(20)
      const raw = raws[next++]
      // The pool is full: it is offered again.
      while (raw !== undefined && (await broadcast(raw)) !== 0) {
        retried++
        await pause(20)
      }
    }
  }
  const loops = Promise.all(Array.from({ length: CHANNELS * CALLS_A_CHANNEL }, loop))
  // Whole blocks: from one that was seen to come to another.
  const nextBlock = async () => {
    for (const { count } = counter; counter.count === count; ) await pause(10)
    return { count: counter.count, atMs: counter.atMs, cpu: cpuSeconds(devnet.processIds()), accepted: next }
  }
  await pause(WARM_UP_SECONDS * 1_000)
  const from = await nextBlock()
  await pause(end - performance.now() - BLOCK_MS)
  const to = await nextBlock()
  await loops
  while (counter.count < next && performance.now() < end + 60_000) await pause(20)
  isReading = false
  await reader
  const passed = (to.atMs - from.atMs) / 1_000
  const committed = to.count - from.count
  console.log(
    `sends over gRPC, after ${WARM_UP_SECONDS} s to warm up: ${committed} committed in ${passed.toFixed(1)} s`,
  )
  console.log(
    `  ${(committed / passed).toFixed(0)} committed/s, ${((to.accepted - from.accepted) / passed).toFixed(0)} accepted/s`,
  )
  console.log(`  of ${next} accepted in all ${counter.count} committed, offered again ${retried}`)
  printCpu(from.cpu, committed, to.cpu)
  channels.close()
}

/** Funds accounts by those of the devnet, so many recipients at a time. */
const fund = async (
  senders: readonly NativeAccount[],
  broadcast: (raw: Uint8Array) => Promise<number>,
  counter: CommittedCounter,
): Promise<void> => {
  await counter.start()
  const rich = devnetAccounts().map(({ privateKey }) => createAccount(privateKey))
  let sent = 0
  for (let at = 0; at < senders.length; at += RECIPIENTS_A_FUNDING) {
    const from = rich[sent % rich.length] as NativeAccount
    const to = senders.slice(at, at + RECIPIENTS_A_FUNDING)
    invariant((await broadcast(signMultiSend(from, Math.floor(sent / rich.length), to))) === 0, 'funds were sent')
    sent++
  }
  while ((await counter.read()) < sent) await pause(50)
}

console.log(`machine: ${machine()}; load generator and node on the same machine`)
try {
  await devnet.start()
  // Native gRPC answers from the first block on.
  while ((await client.getBlockNumber({ cacheTime: 0 })) < 2n) await pause(50)
  if (mode !== 'send') await queries()
  if (mode !== 'query') await send()
} finally {
  await devnet.stop()
  devnet.remove()
}

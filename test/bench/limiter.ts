/**
 * What the limit of rates costs: requests a second of one node, and the processor time of its gateway, without a limit and with one that nobody
 * reaches, by turns. Run: make bench BENCH=limiter, or node test/bench/limiter.ts [rounds]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeHome } from '../../bin/testing/make-home.ts'
import { blockNumber, choosePorts, pidsOf, startChain } from '../../bin/testing/node-process.ts'
import { machine } from './support/devnet.ts'
import { cpuSeconds } from './support/process-times.ts'

const ROUNDS = Number(process.argv[2] ?? 3)
const CONNECTIONS = 16
const WARM_UP_MS = 2_000
const MEASURED_MS = 5_000
const HOLDER = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const METHODS = {
  eth_blockNumber: [],
  eth_getBalance: [HOLDER, 'latest'],
} as const

const MODES: Readonly<Record<string, readonly string[]>> = {
  off: [],
  on: ['--json-rpc.rate-limit', '1000000'],
}

/** One request over a connection that is kept; resolves when its answer is read. */
const ask = (url: string, agent: Agent, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 200) reject(new RangeError(`status ${response.statusCode}`))
      response.resume()
      response.once('end', resolve)
    })
    sent.once('error', reject)
    sent.end(body)
  })

/** Requests until the time is over. */
const flood = async (url: string, body: string, ms: number): Promise<number> => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const endMs = performance.now() + ms
  let count = 0
  const loop = async (): Promise<void> => {
    for (; performance.now() < endMs; count++) await ask(url, agent, body)
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, loop))
  agent.destroy()
  return count
}

interface Run {
  readonly perSecond: number
  /** Processor time of the gateway for one request, in microseconds. */
  readonly gatewayUs: number
}

const gatewaySeconds = (pid: number): number => cpuSeconds(new Map([['gateway', pid]])).get('gateway') ?? 0

const measure = async (flags: readonly string[]): Promise<ReadonlyMap<string, Run>> => {
  const home = mkdtempSync(join(tmpdir(), 'bench-limiter-'))
  const ports = await choosePorts()
  await makeHome(home, { chainId: 'localnat-1', accounts: [HOLDER], balance: '1000nat' })
  const node = startChain('start', '--home', home, ...ports.flags, ...flags)
  try {
    while ((await blockNumber(ports.jsonRpcUrl)) < 3) await sleep(50)
    const [pid = 0] = pidsOf(home, ' gateway ')
    const runs = new Map<string, Run>()
    for (const [method, params] of Object.entries(METHODS)) {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
      await flood(ports.jsonRpcUrl, body, WARM_UP_MS)
      const [beforeS, fromMs] = [gatewaySeconds(pid), performance.now()]
      const count = await flood(ports.jsonRpcUrl, body, MEASURED_MS)
      const seconds = (performance.now() - fromMs) / 1_000
      runs.set(method, { perSecond: count / seconds, gatewayUs: ((gatewaySeconds(pid) - beforeS) * 1e6) / count })
    }
    return runs
  } finally {
    node.process.kill('SIGTERM')
    await node.exited
    rmSync(home, { recursive: true, force: true })
  }
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

console.log(`# limiter: ${CONNECTIONS} connections, ${ROUNDS} rounds, ${machine()}`)
const all: { readonly mode: string; readonly runs: ReadonlyMap<string, Run> }[] = []
for (let round = 0; round < ROUNDS; round++) {
  for (const [mode, flags] of Object.entries(MODES)) all.push({ mode, runs: await measure(flags) })
}
for (const method of Object.keys(METHODS)) {
  const middleOf = (mode: string, figure: keyof Run): number =>
    median(all.filter((each) => each.mode === mode).map(({ runs }) => runs.get(method)?.[figure] ?? 0))
  const [off, on] = [middleOf('off', 'perSecond'), middleOf('on', 'perSecond')]
  console.log(
    `${method}: off ${off.toFixed(0)}/s, on ${on.toFixed(0)}/s (${(100 * (1 - on / off)).toFixed(1)}% fewer); ` +
      `gateway ${middleOf('off', 'gatewayUs').toFixed(1)} and ${middleOf('on', 'gatewayUs').toFixed(1)} us a request`,
  )
}

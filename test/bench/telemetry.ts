/**
 * What telemetry costs: the processor time of the application for the same transactions on a new chain, without telemetry, with figures that
 * are scraped every second, and with traces of every transaction beside them, by turns. Run: make bench BENCH=telemetry
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { mnemonicToAccount } from 'viem/accounts'
import { makeHome } from '../../bin/testing/make-home.ts'
import { blockNumber, choosePorts, pidsOf, startChain } from '../../bin/testing/node-process.ts'
import { startTraceReceiver } from '../../bin/testing/trace-receiver.ts'
import { machine } from './support/devnet.ts'

const MNEMONIC = 'test test test test test test test test test test test junk'
const OF_ACCOUNT = 600
const BATCH = 100
const ROUNDS = Number(process.argv[2] ?? 3)
/** The milliseconds of a clock tick of the kernel (USER_HZ). */
const TICK_MS = 10

const accounts = Array.from({ length: 10 }, (_, addressIndex) => mnemonicToAccount(MNEMONIC, { addressIndex }))
const [receiver] = accounts

const signAll = async (): Promise<readonly (readonly string[])[]> =>
  await Promise.all(
    accounts.map(async (account) => {
      const raws: string[] = []
      for (let nonce = 0; nonce < OF_ACCOUNT; nonce++) {
        const fees = { maxFeePerGas: 10_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n }
        const to = receiver?.address
        raws.push(await account.signTransaction({ type: 'eip1559', chainId: 2517, nonce, to, gas: 21_000n, ...fees }))
      }
      return raws
    }),
  )

/** User and system time of a process. */
const processorMs = (pid: number): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS
}

const post = async (
  url: string,
  calls: readonly (readonly [method: string, ...params: unknown[]])[],
): Promise<unknown> => {
  const body = JSON.stringify(calls.map(([method, ...params], id) => ({ jsonrpc: '2.0', id, method, params })))
  return await (await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })).json()
}

const nonceOf = async (url: string): Promise<number> => {
  const last = accounts.at(-1)?.address
  const [{ result }] = (await post(url, [['eth_getTransactionCount', last, 'latest']])) as [{ readonly result: string }]
  return Number(result)
}

interface Run {
  readonly processorMs: number
  readonly seconds: number
}

const measure = async (raws: readonly (readonly string[])[], flags: readonly string[]): Promise<Run> => {
  const home = mkdtempSync(join(tmpdir(), 'bench-telemetry-'))
  const ports = await choosePorts()
  await makeHome(home, { chainId: 'localnat-1', accounts: accounts.map(({ address }) => address), balance: '1000nat' })
  const node = startChain('start', '--home', home, ...ports.flags, ...flags)
  const scraping = new AbortController()
  try {
    while ((await blockNumber(ports.jsonRpcUrl)) < 3) await sleep(50)
    const [pid = 0] = pidsOf(home, ' application ')
    const scrape = async (): Promise<void> => {
      while (!scraping.signal.aborted) {
        await fetch(ports.metricsUrls[0] ?? '').then(
          (response) => response.text(),
          () => undefined,
        )
        await sleep(1_000, undefined, { signal: scraping.signal }).catch(() => undefined)
      }
    }
    void scrape()
    const [beforeMs, from] = [processorMs(pid), performance.now()]
    for (let at = 0; at < OF_ACCOUNT; at += BATCH) {
      const calls = raws.map((own) => own.slice(at, at + BATCH).map((raw) => ['eth_sendRawTransaction', raw] as const))
      await Promise.all(calls.map((batch) => post(ports.jsonRpcUrl, batch)))
    }
    while ((await nonceOf(ports.jsonRpcUrl)) < OF_ACCOUNT) await sleep(50)
    return { processorMs: processorMs(pid) - beforeMs, seconds: (performance.now() - from) / 1_000 }
  } finally {
    scraping.abort()
    node.process.kill('SIGTERM')
    await node.exited
    rmSync(home, { recursive: true, force: true })
  }
}

const collector = await startTraceReceiver()
const MODES: Readonly<Record<string, readonly string[]>> = {
  off: [],
  figures: ['--telemetry.enabled', 'true'],
  'figures and traces': ['--telemetry.enabled', 'true', '--telemetry.traces-endpoint', collector.url],
}
const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

console.log(`# telemetry: ${OF_ACCOUNT * accounts.length} transfers, ${ROUNDS} rounds, ${machine()}`)
const raws = await signAll()
const runs = new Map<string, Run[]>(Object.keys(MODES).map((mode) => [mode, []]))
for (let round = 0; round < ROUNDS; round++) {
  for (const [mode, flags] of Object.entries(MODES)) {
    const run = await measure(raws, flags)
    runs.get(mode)?.push(run)
    console.log(`  ${mode}: ${run.processorMs} ms of the processor, ${run.seconds.toFixed(1)} s`)
  }
}
const off = median(runs.get('off')?.map((run) => run.processorMs) ?? [])
for (const [mode, own] of runs) {
  const middle = median(own.map((run) => run.processorMs))
  console.log(`${mode}: median ${middle} ms of the processor, ${(100 * (middle / off - 1)).toFixed(1)}% more than off`)
}
await collector.close()

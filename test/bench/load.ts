/**
 * A whole devnet under the neutral load tool: throughput, block interval, latency, reads, memory and start.
 * Needs the tool at ../shared/tools/evm-load and the devnet's ports. Run: make bench BENCH=load
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'

const root = join(import.meta.dirname, '..', '..')
const shared = join(root, '..', 'shared', 'tools', 'evm-load')
const tool = join(root, '.cache', 'evm-load')
const RPC = 'http://127.0.0.1:8545'
const RICH_KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const LOOP_TRANSACTIONS = 200
const LOOP_BLOCKS = 20
const seconds = Number(process.argv[2] ?? 30)

if (!existsSync(shared)) {
  console.log('skipped: the load tool is not at ../shared/tools/evm-load')
  process.exit(0)
}
if (!existsSync(join(tool, 'node_modules'))) {
  cpSync(shared, tool, { recursive: true })
  execFileSync('npm', ['ci', '--silent'], { cwd: tool, stdio: 'inherit' })
}

const client = createPublicClient({ transport: http(RPC, { retryCount: 0 }) })
const home = mkdtempSync(join(tmpdir(), 'bench-load-'))

interface Devnet {
  readonly process: ChildProcess
  readonly startMs: number
}

const start = async (): Promise<Devnet> => {
  const from = performance.now()
  const child = spawn(join(root, 'chain'), ['devnet'], { env: { ...process.env, DEVNET_HOME: home }, stdio: 'ignore' })
  for (;;) {
    if (child.exitCode !== null) throw new TypeError(`the devnet ended with status ${child.exitCode}`)
    try {
      await client.getBlockNumber()
      return { process: child, startMs: performance.now() - from }
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
}

const stop = async ({ process: child }: Devnet): Promise<void> => {
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  await ended
}

/** Resident memory in MB of the application and its gateway. */
const memory = (pid: number): string => {
  const lines = execFileSync('ps', ['-eo', 'pid,ppid,rss,args'], { encoding: 'utf8' }).split('\n')
  const rows = lines.map((line) => line.trim().split(/\s+/))
  const megabytes = (match: (row: readonly string[]) => boolean): number =>
    rows.filter(match).reduce((sum, row) => sum + Number(row[2]) / 1024, 0)
  const application = megabytes((row) => row[0] === String(pid))
  const gateway = megabytes((row) => row.includes('gateway') && row.includes(home))
  return `${application.toFixed(0)} + ${gateway.toFixed(0)} = ${(application + gateway).toFixed(0)} MB`
}

const load = (label: string, ...options: readonly string[]): void => {
  const json = join(home, `${label.replaceAll(/[^a-z0-9]/g, '-')}.json`)
  console.log(`\n## ${label}`)
  execFileSync(
    process.execPath,
    ['load.mjs', '--quiet', '--rpc', RPC, '--fund-key', RICH_KEY, '--json', json, ...options],
    { cwd: tool, stdio: 'inherit' },
  )
  lastLoad = json
}
let lastLoad = ''

const intervals = async (from: bigint, count: number): Promise<readonly number[]> => {
  const times: number[] = []
  for (let seen = from; times.length <= count; ) {
    const head = await client.getBlockNumber({ cacheTime: 0 })
    if (head > seen) {
      times.push(performance.now())
      seen = head
    } else await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return times.slice(1).map((time, index) => time - (times[index] ?? time))
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Fills the pool with transactions that burn 16,000,000 gas each in an endless loop. */
const loops = async (): Promise<void> => {
  console.log(`\n## a pool full of loops of 16,000,000 gas`)
  const mnemonic = 'test test test test test test test test test test test junk'
  for (let index = 0; index < 8; index++) {
    const account = mnemonicToAccount(mnemonic, { addressIndex: index })
    const first = await client.getTransactionCount({ address: account.address, blockTag: 'pending' })
    for (let i = 0; i < LOOP_TRANSACTIONS / 8; i++) {
      const raw = await account.signTransaction({
        type: 'eip1559',
        chainId: 2517,
        nonce: first + i,
        gas: 16_000_000n,
        data: '0x5b5f56',
        maxFeePerGas: 10_000_000_000n,
        maxPriorityFeePerGas: 1_000_000_000n,
      })
      await client.sendRawTransaction({ serializedTransaction: raw })
    }
  }
  const measured = await intervals(await client.getBlockNumber({ cacheTime: 0 }), LOOP_BLOCKS)
  console.log(`  block interval ms: median ${median(measured).toFixed(0)}, most ${Math.max(...measured).toFixed(0)}`)
}

const model = cpus()[0]?.model ?? 'unknown processor'
console.log(`machine: ${cpus().length} x ${model}; load tool and node on the same machine`)
const fresh = await start()
console.log(`start of a new chain to the first answer: ${fresh.startMs.toFixed(0)} ms`)
await stop(fresh)
const devnet = await start()
console.log(`start on an existing home to the first answer: ${devnet.startMs.toFixed(0)} ms`)
try {
  const pid = devnet.process.pid ?? 0
  const idle = await intervals(await client.getBlockNumber({ cacheTime: 0 }), 10)
  console.log(`idle block interval: median ${median(idle).toFixed(0)} ms`)
  console.log(`resident memory idle: ${memory(pid)}`)
  load('transfers as fast as answered', '--kind', 'transfer', '--count', String(1_000 * seconds))
  load('transfers at 2,000/s', '--kind', 'transfer', '--rate', '2000', '--count', String(2_000 * seconds))
  load('erc-20 as fast as answered', '--kind', 'erc20', '--count', String(500 * seconds))
  load('erc-20 at 1,000/s', '--kind', 'erc20', '--rate', '1000', '--count', String(1_000 * seconds))
  console.log('\n## reads')
  execFileSync(process.execPath, ['rpc-bench.mjs', '--rpc', RPC, '--load', lastLoad], { cwd: tool, stdio: 'inherit' })
  await loops()
  console.log(`\nresident memory after the load: ${memory(pid)}`)
} finally {
  await stop(devnet)
  rmSync(home, { recursive: true, force: true })
}

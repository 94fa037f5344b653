/**
 * A whole devnet under the neutral load tool: throughput, block interval, latency, reads, memory and start.
 * Needs the tool at ../shared/tools/evm-load and the devnet's ports. Run: make bench BENCH=load
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { mnemonicToAccount } from 'viem/accounts'
import { client, Devnet, loadTool, machine, requireLoadTool, RPC, runLoad } from './support/devnet.ts'

const LOOP_TRANSACTIONS = 200
const LOOP_BLOCKS = 20
const seconds = Number(process.argv[2] ?? 30)

requireLoadTool()
const devnet = new Devnet()
let lastLoad = ''

const load = (label: string, ...options: readonly string[]): void => {
  console.log(`\n## ${label}`)
  lastLoad = join(devnet.home, `${label.replaceAll(/[^a-z0-9]/g, '-')}.json`)
  runLoad(lastLoad, ...options)
}

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

console.log(`machine: ${machine()}; load tool and node on the same machine`)
try {
  console.log(`start of a new chain to the first answer: ${(await devnet.start()).toFixed(0)} ms`)
  await devnet.stop()
  console.log(`start on an existing home to the first answer: ${(await devnet.start()).toFixed(0)} ms`)
  const idle = await intervals(await client.getBlockNumber({ cacheTime: 0 }), 10)
  console.log(`idle block interval: median ${median(idle).toFixed(0)} ms`)
  console.log(`resident memory idle: ${devnet.memory()}`)
  load('transfers as fast as answered', '--kind', 'transfer', '--count', String(1_000 * seconds))
  load('transfers at 2,000/s', '--kind', 'transfer', '--rate', '2000', '--count', String(2_000 * seconds))
  load('erc-20 as fast as answered', '--kind', 'erc20', '--count', String(500 * seconds))
  load('erc-20 at 1,000/s', '--kind', 'erc20', '--rate', '1000', '--count', String(1_000 * seconds))
  console.log('\n## reads')
  const reads = ['rpc-bench.mjs', '--rpc', RPC, '--load', lastLoad]
  execFileSync(process.execPath, reads, { cwd: loadTool, stdio: 'inherit' })
  await loops()
  console.log(`\nresident memory after the load: ${devnet.memory()}`)
} finally {
  await devnet.stop()
  devnet.remove()
}

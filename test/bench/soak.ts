/**
 * Memory over time: a devnet under a steady load of transactions and of reads for ten minutes; its memory after every
 * minute, as it is under load and as it is at rest: what grows for longer than the bounds of caches take to fill is a leak. Run: make bench BENCH=soak, or
 * node test/bench/soak.ts [minutes [transactions a second]]
 */
import { spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'node:path'
import { Devnet, machine, requireLoadTool, runLoad } from './support/devnet.ts'

const MINUTES = Number(process.argv[2] ?? 10)
const RATE = Number(process.argv[3] ?? 500)
/** What came last is done by then. */
const REST_MS = 6_000
const LONG_REST_MS = 60_000

requireLoadTool()
const devnet = new Devnet()
console.log(`machine: ${machine()}`)
try {
  await devnet.start()
  await pause(REST_MS)
  console.log(`idle: ${devnet.memory()}`)
  const reads = spawn(process.execPath, [join(import.meta.dirname, 'support', 'steady-reads.ts')], { stdio: 'inherit' })
  try {
    for (let minute = 1; minute <= MINUTES; minute++) {
      runLoad(join(devnet.home, 'soak.json'), '--kind', 'mixed', '--rate', String(RATE), '--count', String(RATE * 60))
      const underLoad = devnet.memory()
      reads.kill('SIGSTOP')
      await pause(REST_MS)
      console.log(`after minute ${minute}: ${underLoad}, at rest ${devnet.memory()}`)
      reads.kill('SIGCONT')
    }
  } finally {
    reads.kill('SIGKILL')
  }
  await pause(LONG_REST_MS)
  console.log(`a minute later: ${devnet.memory()}`)
} finally {
  await devnet.stop()
  devnet.remove()
}

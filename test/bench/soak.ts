/**
 * Memory over time: a devnet under a steady load of transfers for ten minutes; its memory after every minute, as it is
 * under load and as it is at rest: what grows for longer than the bounds of caches take to fill is a leak. Run: make bench BENCH=soak, or
 * node test/bench/soak.ts [minutes [transactions a second]]
 */
import { setTimeout as pause } from 'node:timers/promises'
import { join } from 'node:path'
import { Devnet, machine, requireLoadTool, runLoad } from './support/devnet.ts'

const MINUTES = Number(process.argv[2] ?? 10)
const RATE = Number(process.argv[3] ?? 500)
/** What came last is done by then. */
const REST_MS = 6_000

requireLoadTool()
const devnet = new Devnet()
console.log(`machine: ${machine()}`)
try {
  await devnet.start()
  await pause(REST_MS)
  console.log(`idle: ${devnet.memory()}`)
  for (let minute = 1; minute <= MINUTES; minute++) {
    runLoad(join(devnet.home, 'soak.json'), '--kind', 'mixed', '--rate', String(RATE), '--count', String(RATE * 60))
    const underLoad = devnet.memory()
    await pause(REST_MS)
    console.log(`after minute ${minute}: ${underLoad}, at rest ${devnet.memory()}`)
  }
} finally {
  await devnet.stop()
  devnet.remove()
}

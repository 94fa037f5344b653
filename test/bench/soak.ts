/**
 * Memory over time: a devnet under a steady load of transfers for ten minutes, its memory every minute.
 * Run: make bench BENCH=soak
 */
import { join } from 'node:path'
import { Devnet, machine, requireLoadTool, runLoad } from './support/devnet.ts'

const MINUTES = Number(process.argv[2] ?? 10)
const RATE = 500

requireLoadTool()
const devnet = new Devnet()
console.log(`machine: ${machine()}`)
try {
  await devnet.start()
  console.log(`idle: ${devnet.memory()}`)
  for (let minute = 1; minute <= MINUTES; minute++) {
    runLoad(join(devnet.home, 'soak.json'), '--kind', 'mixed', '--rate', String(RATE), '--count', String(RATE * 60))
    console.log(`after minute ${minute}: ${devnet.memory()}`)
  }
} finally {
  await devnet.stop()
  devnet.remove()
}

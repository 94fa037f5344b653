/** `make bench`: runs the benchmarks of test/bench, or the one named. Each prints its own figures. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const folder = join(import.meta.dirname, '..', 'test', 'bench')
const [wanted] = process.argv.slice(2)
const all = existsSync(folder) ? readdirSync(folder).filter((name) => /^[a-z-]+\.ts$/.test(name)) : []
const chosen = all.filter((name) => wanted === undefined || name === `${wanted}.ts`)
if (chosen.length === 0) {
  console.error(`no such benchmark; there are: ${all.map((name) => name.replace('.ts', '')).join(', ') || 'none'}`)
  process.exitCode = 1
}
for (const name of chosen) {
  console.log(`bench: ${name}`)
  const { status } = spawnSync(process.execPath, [join(folder, name)], { stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}

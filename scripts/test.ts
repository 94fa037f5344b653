/** `make test`: every check, then every test; one fails, all run. The last line sums them. */
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { VITEST_REPORT } from './summary.ts'

const root = join(import.meta.dirname, '..')
const run = (binary: string, args: readonly string[]): number =>
  spawnSync(binary, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] }).status ?? 1

rmSync(dirname(VITEST_REPORT), { recursive: true, force: true })
const check = run('node', ['scripts/check.ts'])
const tests = run('vitest', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${VITEST_REPORT}`])
const status = check === 0 ? tests : check
run('node', ['scripts/summary.ts', '--exit-status', String(status)])
process.exitCode = status

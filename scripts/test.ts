/**
 * `make test`: every check, then every test, then a chosen few end to end over the other transport of ABCI and the
 * older line of CometBFT. One fails, all run; a few that start nodes are tried again alone. The last line sums them. `make test-everywhere` (--everywhere) runs every end
 * to end test over these other combinations, and nothing else: three quarters of an hour.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { failedFiles, mergeReports, reportPath } from './summary.ts'

/** That of scripts/environment.sh. */
const OLDER_COMETBFT = 'v0.38.25'
/** Start, clients, both families, proofs, restart, crash: some 80 s a combination. */
const CHOSEN = ['viem', 'ethers', 'native', 'cosmjs', 'proofs', 'visibility', 'restart', 'crash'].map(
  (name) => `test/e2e/${name}.test.ts`,
)

const root = join(import.meta.dirname, '..')
const NODE_TESTS = ['e2e', 'hostile'].map((folder) => join(root, 'test', folder))
const MOST_AGAIN = 4
const run = (binary: string, args: readonly string[], environment: Readonly<Record<string, string>> = {}): number => {
  const env = { ...process.env, ...environment }
  return spawnSync(binary, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env }).status ?? 1
}

type Environment = Readonly<Record<string, string>>
const runVitest = (name: string, files: readonly string[], environment: Environment): number => {
  const report = `--outputFile.json=${reportPath(name)}`
  return run('vitest', ['run', ...files, '--reporter=default', '--reporter=json', report], environment)
}

/**
 * Files that start nodes and failed run once more, alone, when they are few: their limits of time are for a machine that
 * runs nothing else. What passes then is told as unsteady; a fault of the code fails again.
 */
const vitest = (name: string, files: readonly string[], environment: Environment = {}): number => {
  const status = runVitest(name, files, environment)
  if (status === 0 || !existsSync(reportPath(name))) return status
  const failed = failedFiles(name)
  const startNodes = failed.filter((file) => NODE_TESTS.some((folder) => file.startsWith(folder)))
  if (failed.length === 0 || failed.length > MOST_AGAIN || startNodes.length < failed.length) return status
  const again = `${name}-again`
  console.log(`test: once more, alone: ${failed.join(', ')}`)
  const second = runVitest(again, [...failed, '--no-file-parallelism'], environment)
  if (existsSync(reportPath(again))) mergeReports(name, again)
  if (second === 0) console.log(`test: unsteady, passed alone: ${failed.join(', ')}`)
  return second
}

const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
const older = join(cache, 'nat-chain', 'cometbft', OLDER_COMETBFT, 'cometbft')

const runOtherCombinations = (files: readonly string[]): readonly number[] => {
  const overGrpc = { CHAIN_TEST_ABCI: 'grpc' }
  console.log('test: over gRPC')
  const statuses = [vitest('grpc', files, overGrpc)]
  if (!existsSync(older)) {
    console.log(
      `test: skipped over CometBFT ${OLDER_COMETBFT}: ${older} is missing, "make setup" with Go 1.25 builds it`,
    )
    return statuses
  }
  for (const [name, environment] of [
    ['older-socket', { CHAIN_TEST_ABCI: 'socket' }],
    ['older-grpc', overGrpc],
  ] as const) {
    console.log(`test: over CometBFT ${OLDER_COMETBFT}, ${environment.CHAIN_TEST_ABCI}`)
    statuses.push(vitest(name, files, { ...environment, CHAIN_TEST_COMETBFT: older }))
  }
  return statuses
}

rmSync(dirname(reportPath('all')), { recursive: true, force: true })
const statuses = process.argv.includes('--everywhere')
  ? runOtherCombinations(['test/e2e'])
  : [run('node', ['scripts/check.ts']), vitest('all', []), ...runOtherCombinations(CHOSEN)]
const status = statuses.find((each) => each !== 0) ?? 0
run('node', ['scripts/summary.ts', '--exit-status', String(status)])
process.exitCode = status

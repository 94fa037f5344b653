/**
 * `make test`: every check and every test. `make test-complete` (--complete), which continuous integration runs, adds a
 * chosen few end to end over the other transport of ABCI and the older line of CometBFT. One fails, all run; a few that
 * start nodes are tried again alone. The last line sums them.
 *
 * Nodes wait much and compute little, the other tests only compute: they run side by side, with a worker a processor
 * each, and what computes gives way. Its output comes when it has ended. `make test-everywhere` (--everywhere) runs
 * every end to end test over these other combinations, and nothing else: three quarters of an hour.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { availableParallelism, homedir, setPriority } from 'node:os'
import { dirname, join } from 'node:path'
import { failedFiles, mergeReports, reportPath } from './summary.ts'

/** The version that scripts/environment.sh names. */
const OLDER_COMETBFT = 'v0.38.25'
/** Start, clients, both families, proofs, restart, crash: some 80 s a combination. */
const CHOSEN = ['viem', 'ethers', 'native', 'cosmjs', 'proofs', 'visibility', 'restart', 'crash', 'clob'].map(
  (name) => `test/e2e/${name}.test.ts`,
)
/** Whose tests have processes, connections and limits of time: what passes there alone failed for want of time. */
const TIMED = ['test', 'bin', 'abci', 'rpc']
const MOST_AGAIN = 6
/**
 * The other transport and the older CometBFT are tested within what is left of the 90 minutes that continuous integration has.
 * A machine that takes half an hour for all begins with them after twenty minutes.
 */
const LATEST_OTHERS_MINUTES = 55
/** A third of the share of a node: what gets much less beside busy nodes runs into the limits of its time. */
const BESIDE_PRIORITY = 5

const root = join(import.meta.dirname, '..')
type Environment = Readonly<Record<string, string>>

interface Run {
  readonly name: string
  /** Arguments of vitest. */
  readonly args: readonly string[]
  readonly environment?: Environment
}

const vitestArguments = ({ name, args }: Run): readonly string[] => {
  const report = `--outputFile.json=${reportPath(name)}`
  return ['run', ...args, '--reporter=default', '--reporter=json', report]
}

type Command = readonly [binary: string, args: readonly string[]]

const runHere = ([binary, args]: Command, environment: Environment = {}): Promise<number> =>
  new Promise((resolve) => {
    const env = { ...process.env, ...environment }
    const child = spawn(binary, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'], env })
    child.once('error', () => resolve(1))
    child.once('exit', (code) => resolve(code ?? 1))
  })

interface Beside {
  readonly environment?: Environment | undefined
  readonly givesWay?: boolean
}

/** Runs a command beside others: its output is shown as a whole when it has ended. */
const runBeside = ([binary, args]: Command, { environment = {}, givesWay = false }: Beside = {}): Promise<number> =>
  new Promise((resolve) => {
    const env = { ...process.env, ...environment }
    const child = spawn(binary, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], env })
    if (givesWay && child.pid !== undefined) setPriority(child.pid, BESIDE_PRIORITY)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (text: string) => {
        output += text
      })
    }
    child.once('error', () => resolve(1))
    child.once('close', (code) => {
      process.stdout.write(output)
      resolve(code ?? 1)
    })
  })

const vitest = (run: Run): Promise<number> => {
  console.log(`test: ${run.name}`)
  return runHere(['vitest', vitestArguments(run)], run.environment)
}

/** One worker each: they wait much, and one after the other each would leave a worker idle at its end. */
const vitestSideBySide = (runs: readonly Run[]): Promise<readonly number[]> => {
  console.log(`test: ${runs.map(({ name }) => name).join(', ')}`)
  return Promise.all(
    runs.map(async (run) => {
      const args = [...vitestArguments(run), '--maxWorkers=1']
      return await runBeside(['vitest', args], { environment: run.environment })
    }),
  )
}

const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache')
const older = join(cache, 'nat-chain', 'cometbft', OLDER_COMETBFT, 'cometbft')

const otherCombinations = (args: readonly string[]): readonly Run[] => {
  const overGrpc = { CHAIN_TEST_ABCI: 'grpc' }
  const newer = [{ name: 'grpc', args, environment: overGrpc }]
  if (!existsSync(older)) {
    console.log(
      `test: skipped over CometBFT ${OLDER_COMETBFT}: ${older} is missing, "make setup" with Go 1.25 builds it`,
    )
    return newer
  }
  const withOlder = { CHAIN_TEST_COMETBFT: older }
  return [
    ...newer,
    { name: 'older-socket', args, environment: { CHAIN_TEST_ABCI: 'socket', ...withOlder } },
    { name: 'older-grpc', args, environment: { ...overGrpc, ...withOlder } },
  ]
}

const NODE_TESTS: Run = { name: 'nodes', args: ['--project=nodes'] }
const OTHER_TESTS: Run = {
  name: 'units',
  args: ['--project=shared', '--project=alone', `--maxWorkers=${availableParallelism()}`],
}

/**
 * Files that failed run once more, alone, when they are few and all have limits of time: these are for a machine that
 * runs nothing else. What passes then is told as unsteady; a fault of the code fails again.
 */
const again = async (run: Run, status: number): Promise<number> => {
  if (status === 0 || !existsSync(reportPath(run.name))) return status
  const failed = failedFiles(run.name)
  const isTimed = (file: string): boolean => TIMED.some((folder) => file.startsWith(`${join(root, folder)}/`))
  if (failed.length === 0 || failed.length > MOST_AGAIN || !failed.every(isTimed)) return status
  const name = `${run.name}-again`
  console.log(`test: once more, alone: ${failed.join(', ')}`)
  const second = await vitest({ ...run, name, args: [...failed, '--no-file-parallelism'] })
  if (existsSync(reportPath(name))) mergeReports(run.name, name)
  if (second === 0) console.log(`test: unsteady, passed alone: ${failed.join(', ')}`)
  return second
}

type Outcome = readonly [run: Run, status: number]

const againAlone = async (outcomes: readonly Outcome[]): Promise<readonly number[]> => {
  const statuses: number[] = []
  for (const [run, status] of outcomes) statuses.push(await again(run, status))
  return statuses
}

const testNodes = async (isComplete: boolean): Promise<readonly Outcome[]> => {
  const first: Outcome = [NODE_TESTS, await vitest(NODE_TESTS)]
  if (!isComplete) return [first]
  const minutes = Math.round(performance.now() / 60_000)
  if (minutes > LATEST_OTHERS_MINUTES) {
    console.log(`test: skipped over gRPC and the older CometBFT: all before took ${minutes} minutes on this machine`)
    return [first]
  }
  const others = otherCombinations(CHOSEN)
  const statuses = await vitestSideBySide(others)
  return [first, ...others.map((run, index): Outcome => [run, statuses[index] ?? 1])]
}

const runEverything = async (isComplete: boolean): Promise<readonly number[]> => {
  const nodes = testNodes(isComplete)
  const checks = await runBeside(['node', ['scripts/check.ts']], { givesWay: true })
  const others = await runBeside(['vitest', vitestArguments(OTHER_TESTS)], { givesWay: true })
  return [checks, ...(await againAlone([...(await nodes), [OTHER_TESTS, others]]))]
}

const runEverywhere = async (): Promise<readonly number[]> => {
  const outcomes: Outcome[] = []
  for (const run of otherCombinations(['test/e2e'])) outcomes.push([run, await vitest(run)])
  return await againAlone(outcomes)
}

rmSync(dirname(reportPath('all')), { recursive: true, force: true })
const has = (flag: string): boolean => process.argv.includes(flag)
const statuses = has('--everywhere') ? await runEverywhere() : await runEverything(has('--complete'))
const status = statuses.find((each) => each !== 0) ?? 0
spawnSync('node', ['scripts/summary.ts', '--exit-status', String(status)], { cwd: root, stdio: 'inherit' })
process.exitCode = status

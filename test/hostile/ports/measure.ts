/** One attack at full scale beside an honest client, each a process of its own, and what of the promise it has broken. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type TestNode, until } from '../../e2e/harness.ts'
import type { Attack, Prepared, Target } from './attack.ts'
import { type HonestMethod, type HonestSample, latencies, percentile } from './honest.ts'
import type { Job } from './run-attack.ts'
import { ALL_PORTS, askPorts, blockGaps, memoryOf, partsOf, sumOf, targetOf } from './watch.ts'

/** The time before each attack, for what the honest client and the blocks take at rest. */
const REST_MS = 4_000
/** The first calls of a client open its connection. */
const WARM_SAMPLES = 15
/** What an attack may take beyond its time before it is ended. */
const GRACE_MS = 10_000
/** Blocks that an attack delayed come in this time behind it. */
const SETTLE_MS = 3_000
const MEMORY_LIMIT_MS = 60_000
const POLL_MS = 250
/** What an attack has jammed is no fault of the next. */
const REPAIR_LIMIT_MS = 120_000

/** The promise: of p95 this many times the rest, and milliseconds more. */
const MOST_TIMES_REST = 2
const MOST_MORE_MS = 50
const MOST_LATE_MS = 500
/** Heaps and caches that fill up once are no leak. */
const MOST_GROWTH_MB = 300

type Numbers = Readonly<Record<string, number>>

export interface Row {
  readonly name: string
  readonly restP95: number
  readonly p95: number
  readonly p95Of: Readonly<Record<HonestMethod, number>>
  readonly samples: number
  readonly restGapMs: number
  readonly gapMs: number
  readonly blocks: number
  readonly memory: { readonly before: Numbers; readonly peakMegabytes: number; readonly after: Numbers }
  readonly outcomes: Numbers
  /** The broken promises in words; none when the promise was kept. */
  readonly broken: readonly string[]
}

const start = (file: string, argument: string): ChildProcess =>
  fork(join(import.meta.dirname, file), [argument], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'], execArgv: [] })

interface Honest {
  /** The samples since the last call of this. */
  take(): readonly HonestSample[]
  stop(): void
}

const startHonest = (url: string): Honest => {
  let samples: HonestSample[] = []
  const child = start('run-honest.ts', url)
  child.on('message', (sample) => samples.push(sample as HonestSample))
  return {
    take() {
      const taken = samples
      samples = []
      return taken
    },
    stop: () => child.kill('SIGKILL'),
  }
}

/** Settles with what came of it. It is ended when it outlasts its time: that is no fault of the node. */
const runAttack = async (job: Job, limitMs: number): Promise<Numbers> => {
  const child = start('run-attack.ts', JSON.stringify(job))
  let outcomes: Numbers = { 'outlasted its time': 1 }
  child.on('message', (counts) => {
    outcomes = Object.fromEntries(counts as readonly (readonly [string, number])[])
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
  await once(child, 'exit')
  clearTimeout(timer)
  return outcomes
}

const p95 = (samples: readonly HonestSample[], method?: HonestMethod): number => {
  const chosen = method === undefined ? samples : samples.filter((sample) => sample.method === method)
  return Math.round(percentile(latencies(chosen), 95) * 10) / 10
}

const watchPeak = (node: TestNode): { stop(): number } => {
  let peak = 0
  const look = (): void => {
    // A part that is being started again is missed by `partsOf` below.
    if (['application', 'gateway', 'cometbft'].every((part) => node.isRunning(part as 'gateway'))) {
      peak = Math.max(peak, sumOf(memoryOf(node)))
    }
  }
  const timer = setInterval(look, POLL_MS)
  return {
    stop() {
      clearInterval(timer)
      return peak
    },
  }
}

/** Waits until memory is back, and gives it as it is then, or as it is when its time is over. */
const untilGivenBack = async (node: TestNode, before: number): Promise<Numbers> => {
  const deadlineMs = performance.now() + MEMORY_LIMIT_MS
  for (;;) {
    const memory = memoryOf(node)
    if (sumOf(memory) - before <= MOST_GROWTH_MB || performance.now() > deadlineMs) return memory
    await sleep(POLL_MS)
  }
}

const answersAll = async (target: Target): Promise<true | undefined> =>
  Object.values(await askPorts(target)).every((word) => word === 'ok') ? true : undefined

const largest = (values: readonly number[]): number => values.reduce((most, each) => Math.max(most, each), 0)

const brokenOf = (
  row: Omit<Row, 'broken'>,
  failures: readonly string[],
  ports: Readonly<Record<string, string>>,
  ended: readonly string[],
): readonly string[] => {
  const broken: string[] = []
  const limitMs = MOST_TIMES_REST * row.restP95 + MOST_MORE_MS
  if (!(row.p95 < limitMs)) broken.push(`p95 ${row.p95} ms, allowed ${Math.round(limitMs)}`)
  if (failures.length > 0) broken.push(`${failures.length} honest calls failed: ${[...new Set(failures)].join(', ')}`)
  if (row.gapMs > row.restGapMs + MOST_LATE_MS) broken.push(`a block after ${row.gapMs} ms, at rest ${row.restGapMs}`)
  const silent = Object.entries(ports).filter(([port, word]) => word !== ALL_PORTS[port as keyof typeof ALL_PORTS])
  for (const [port, word] of silent) broken.push(`${port}: ${word}`)
  const growth = sumOf(row.memory.after) - sumOf(row.memory.before)
  if (growth > MOST_GROWTH_MB) broken.push(`${growth} MB stay`)
  if (ended.length > 0) broken.push(`ended: ${ended.join(', ')}`)
  return broken
}

export interface Scene {
  readonly node: TestNode
  readonly prepared: Prepared
  /** The most seconds of each attack, where time is short. */
  readonly mostSeconds: number
}

export const measureAttack = async ({ node, prepared, mostSeconds }: Scene, attack: Attack): Promise<Row> => {
  const target = targetOf(node)
  await until('answers, as before the attack behind this one', () => answersAll(target), REPAIR_LIMIT_MS)
  const [parts, before] = [partsOf(node), memoryOf(node)]
  const honest = startHonest(target.http)
  const restHeight = await node.height()
  await sleep(REST_MS)
  const rest = honest.take().slice(WARM_SAMPLES)
  const height = await node.height()
  const peak = watchPeak(node)
  const seconds = Math.min(attack.seconds, mostSeconds)
  const job = { name: attack.name, target, prepared, scale: 1, seconds }
  const outcomes = await runAttack(job, seconds * 1_000 + GRACE_MS)
  const during = honest.take()
  const ports = await askPorts(target)
  await sleep(SETTLE_MS)
  honest.stop()
  const after = await untilGivenBack(node, sumOf(before))
  const peakMegabytes = peak.stop()
  const end = await node.height()
  const [restGaps, gaps] = [await blockGaps(node, restHeight, height), await blockGaps(node, height, end)]
  const row = {
    name: attack.name,
    restP95: p95(rest),
    p95: p95(during),
    p95Of: {
      eth_blockNumber: p95(during, 'eth_blockNumber'),
      eth_getBalance: p95(during, 'eth_getBalance'),
      eth_call: p95(during, 'eth_call'),
    },
    samples: during.length,
    restGapMs: largest(restGaps),
    gapMs: largest(gaps),
    blocks: gaps.length,
    memory: { before, peakMegabytes, after },
    outcomes,
  }
  const failures = during.flatMap(({ failure }) => failure ?? [])
  const ended = Object.entries(partsOf(node)).flatMap(([part, pid]) => (parts[part] === pid ? [] : [part]))
  return { ...row, broken: brokenOf(row, failures, ports, ended) }
}

export const COLUMNS = `| attack | honest p95 ms: rest, during (number, balance, call) | longest block gap ms: rest, during | memory MB: before, peak, after | verdict |
|---|---|---|---|---|`

export const describeRow = (row: Row): string => {
  const { eth_blockNumber: number, eth_getBalance: balance, eth_call: call } = row.p95Of
  const memory = `${sumOf(row.memory.before)}, ${row.memory.peakMegabytes}, ${sumOf(row.memory.after)}`
  const verdict = row.broken.length === 0 ? 'holds' : `BROKEN: ${row.broken.join('; ')}`
  return `| ${row.name} | ${row.restP95}, ${row.p95} (${number}, ${balance}, ${call}) | ${row.restGapMs}, ${row.gapMs} | ${memory} | ${verdict} |`
}

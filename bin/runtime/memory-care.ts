/**
 * Memory that V8 and the allocator would keep. Three kinds:
 *
 * Room for young objects. Under load the thread that executes blocks makes some 200 MB of them a second, most of which
 * are dead after a millisecond: the more room they have, the fewer are copied because they seemed to stay. V8 keeps the
 * room once it has grown, though an idle node has no use for it; so the script `chain` allows much, other threads get
 * little, and a process at rest gives its room back.
 *
 * Arrays outside V8's heap: blocks, requests, frames. They outlive a collection of young objects, and V8 collects old
 * ones when they and its heap are twice what was left; what the allocator needs for so much, with holes between, it
 * keeps. A process with time to spare collects them earlier. (By its default V8 collects whenever there are 64 MB more of
 * them: under load a tenth of the application's time. The script `chain` says otherwise; gateways have few.)
 *
 * What was freed between blocks still in use: the allocator gives it back when it is told, which is done after a
 * collection (malloc-trim.ts).
 */
import { performance } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** In MB, of one of the two halves: that of gateways and of threads for questions, signatures and pruning. */
const SMALL_SEMI_SPACE_MB = 8
export const SMALL_SEMI_SPACE = `--max-semi-space-size=${SMALL_SEMI_SPACE_MB}`

/** The main thread has its limit since it started; those that start from now on take this one. */
export const limitOtherThreads = (): void => setFlagsFromString(SMALL_SEMI_SPACE)

export interface Collector {
  /** Everything, and gives room back: 0.1 to 0.2 s. */
  all(): void
  /** Old objects: 0.05 to 0.1 s. */
  old(): void
}

/** V8's function behind --expose-gc, in a context of its own: nothing else in the process sees it. */
export const exposeCollector = (): Collector => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  return {
    all: () => collect({ type: 'major', flavor: 'last-resort' }),
    old: () => collect({ type: 'major' }),
  }
}

/** Part of an interval that the event loop of a process at rest works. A node without transactions is below 5%. */
const REST_UTILIZATION = 0.1
/** Part of an interval that leaves time to spare. */
const SPARE_UTILIZATION = 0.5
/** Of arrays outside V8's heap that came since there were least: most of them are garbage. */
const MOST_EXTERNAL_BYTES = 24 * 1024 * 1024
/** Of objects: with more V8 is better left alone, which collects old ones beside the work. */
const MOST_HEAP_BYTES = 256 * 1024 * 1024

/** By then a thread of V8 has freed the arrays that a collection found. */
const SWEEP_MS = 500

export interface MemoryCareOptions {
  readonly collector?: Collector
  /** Gives back what was freed. */
  readonly trim?: () => void
  /** Between two looks at what the process does. */
  readonly intervalMs?: number
  /** Between two collections at rest: load may come and go. */
  readonly pauseMs?: number
  /** Most of its time that a process spends on collecting old objects. */
  readonly share?: number
}

export interface MemoryCare {
  stop(): void
}

const externalBytes = (): number => getHeapStatistics().external_memory
const heapBytes = (): number => getHeapStatistics().used_heap_size

/**
 * Collects all garbage once when the process has come to rest, after its start and after each time of load, when an idle
 * node has nothing better to do. Under light load it collects old objects whenever many arrays came. After each what was
 * freed goes back to the system.
 */
export const careForMemory = ({
  collector = exposeCollector(),
  trim,
  intervalMs = 2_000,
  pauseMs = 60_000,
  share = 0.01,
}: MemoryCareOptions = {}): MemoryCare => {
  let last = performance.eventLoopUtilization()
  let leastExternal = externalBytes()
  let wasBusy = true
  let restedAtMs = Number.NEGATIVE_INFINITY
  let collectedAtMs = Number.NEGATIVE_INFINITY
  let tookMs = 0
  let sweeping: NodeJS.Timeout | undefined
  const giveBack = (): void => {
    const from = performance.now()
    trim?.()
    tookMs += performance.now() - from
    last = performance.eventLoopUtilization()
  }
  const collect = (kind: keyof Collector): void => {
    const from = performance.now()
    collector[kind]()
    collectedAtMs = performance.now()
    tookMs = collectedAtMs - from
    leastExternal = externalBytes()
    // The collection is no load.
    last = performance.eventLoopUtilization()
    clearTimeout(sweeping)
    sweeping = setTimeout(giveBack, SWEEP_MS)
    sweeping.unref()
  }
  const hasTime = (utilization: number): boolean =>
    utilization < SPARE_UTILIZATION && (performance.now() - collectedAtMs) * share >= tookMs
  const look = (): void => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    const external = externalBytes()
    leastExternal = Math.min(leastExternal, external)
    if (utilization >= REST_UTILIZATION) {
      wasBusy = true
      const hasMany = external - leastExternal > MOST_EXTERNAL_BYTES && heapBytes() < MOST_HEAP_BYTES
      if (hasMany && hasTime(utilization)) collect('old')
      return
    }
    if (!wasBusy || performance.now() - restedAtMs < pauseMs) return
    wasBusy = false
    collect('all')
    restedAtMs = collectedAtMs
  }
  const timer = setInterval(look, intervalMs)
  timer.unref()
  return {
    stop: () => {
      clearInterval(timer)
      clearTimeout(sweeping)
    },
  }
}

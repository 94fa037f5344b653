/**
 * Room for young objects. Under load the thread that executes blocks makes some 200 MB of them a second, most of which
 * are dead after a millisecond: the more room they have, the fewer are copied because they seemed to stay. V8 keeps the
 * room once it has grown, though an idle node has no use for it; so the script `chain` allows much, other threads get
 * little, and a process at rest gives its room back.
 */
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** In MB, of one of the two halves: that of gateways and of threads for questions, signatures and pruning. */
const SMALL_SEMI_SPACE_MB = 8
export const SMALL_SEMI_SPACE = `--max-semi-space-size=${SMALL_SEMI_SPACE_MB}`

/** The main thread has its limit since it started; those that start from now on take this one. */
export const limitOtherThreads = (): void => setFlagsFromString(SMALL_SEMI_SPACE)

type Collect = () => void

/** V8's function behind --expose-gc, in a context of its own: nothing else in the process sees it. */
export const exposeCollector = (): Collect => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (options: object) => void
  return () => collect({ type: 'major', flavor: 'last-resort' })
}

/** Part of an interval that the event loop of a process at rest works. A node without transactions is below 5%. */
const REST_UTILIZATION = 0.1

export interface MemoryCareOptions {
  readonly collect?: Collect
  /** Between two looks at what the process does. */
  readonly intervalMs?: number
  /** Between two collections: load may come and go. */
  readonly pauseMs?: number
}

export interface MemoryCare {
  stop(): void
}

/**
 * Collects all garbage once when the process has come to rest, after its start and after each time of load. That takes
 * 0.1 to 0.2 s, in which an idle node has nothing better to do.
 */
export const careForMemory = ({
  collect = exposeCollector(),
  intervalMs = 2_000,
  pauseMs = 60_000,
}: MemoryCareOptions = {}): MemoryCare => {
  let last = performance.eventLoopUtilization()
  let wasBusy = true
  let collectedAtMs = Number.NEGATIVE_INFINITY
  const look = (): void => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, last)
    last = now
    if (utilization >= REST_UTILIZATION) {
      wasBusy = true
      return
    }
    if (!wasBusy || performance.now() - collectedAtMs < pauseMs) return
    wasBusy = false
    collect()
    collectedAtMs = performance.now()
    // The collection is no load.
    last = performance.eventLoopUtilization()
  }
  const timer = setInterval(look, intervalMs)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

/**
 * Gives back what a period of load has left: V8 looks through its old objects when as many have come as it had, and a
 * process at rest makes none, so the texts and buffers of requests that were answered long ago would stay for good.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A look at the process. */
const LOOK_MS = 5_000
/** What is worth a collection: a process with its caches filled does not move by so much. */
const WORTH_BYTES = 64 * 1024 * 1024
/** Part of the time in which the event loop may have worked since the last look: a busy one is left alone. */
const AT_REST = 0.25
/** A process that is never at rest collects at this look at the latest. */
const MOST_LOOKS = 6
/** The most looks between two collections that have found nothing: a minute, for some 40 ms of the processor. */
const LONGEST_PAUSE = 12

export interface MemoryWatch {
  stop(): void
}

interface Collection {
  readonly type: 'major'
  readonly execution: 'sync'
  /** A plain collection keeps the pages that it has emptied for later: the last resort gives them back to the system. */
  readonly flavor: 'last-resort'
}

const exposeCollection = (): (() => void) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as (collection: Collection) => void
  setFlagsFromString('--no-expose-gc')
  return () => collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
}

export const giveBackMemory = (): MemoryWatch => {
  const collect = exposeCollection()
  let leastBytes = process.memoryUsage.rss()
  let leftBytes = leastBytes
  let before = performance.eventLoopUtilization()
  let looks = 0
  let pause = 1
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    const bytes = process.memoryUsage.rss()
    leastBytes = Math.min(leastBytes, bytes)
    if (bytes - leastBytes < WORTH_BYTES) {
      looks = 0
      pause = 1
      return
    }
    // What was in use at the last collection may be garbage by now, without any growth: it is looked for again, ever less often.
    if (bytes - leftBytes >= WORTH_BYTES) pause = 1
    if (++looks < (utilization > AT_REST ? Math.max(pause, MOST_LOOKS) : pause)) return
    looks = 0
    collect()
    leftBytes = process.memoryUsage.rss()
    pause = bytes - leftBytes >= WORTH_BYTES ? 1 : Math.min(pause * 2, LONGEST_PAUSE)
  }, LOOK_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

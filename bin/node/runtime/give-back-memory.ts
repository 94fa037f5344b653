/**
 * Gives back what a period of load has left: V8 looks through its old objects when as many have come as it had, and a
 * process at rest makes none, so the texts and buffers of requests that were answered long ago would stay for good.
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** A look at the process. */
const LOOK_MS = 5_000
/** Growth since the last collection that is worth one: a process with its caches filled does not move by so much. */
const WORTH_BYTES = 64 * 1024 * 1024
/** Part of the time in which the event loop may have worked since the last look: a busy one is left alone. */
const AT_REST = 0.25
/** A process that is never at rest collects at this look at the latest. */
const MOST_LOOKS = 6

export interface MemoryWatch {
  stop(): void
}

const exposeCollection = (): (() => void) => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  return collect
}

export const giveBackMemory = (): MemoryWatch => {
  const collect = exposeCollection()
  let leastBytes = process.memoryUsage.rss()
  let before = performance.eventLoopUtilization()
  let looks = 0
  const timer = setInterval(() => {
    const now = performance.eventLoopUtilization()
    const { utilization } = performance.eventLoopUtilization(now, before)
    before = now
    const bytes = process.memoryUsage.rss()
    leastBytes = Math.min(leastBytes, bytes)
    if (bytes - leastBytes < WORTH_BYTES) {
      looks = 0
      return
    }
    if (utilization > AT_REST && ++looks < MOST_LOOKS) return
    looks = 0
    collect()
    // What is left now is in use, or lies in holes that nobody can give back.
    leastBytes = process.memoryUsage.rss()
  }, LOOK_MS)
  timer.unref()
  return { stop: () => clearInterval(timer) }
}

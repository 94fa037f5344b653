/** The priority of one thread. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/** What is long leaves the processors to the rest: this niceness has a thread that nobody waits for in the next milliseconds. */
export const LONG_NICENESS = 10

/** Every thread has a niceness of its own on Linux. Elsewhere, or where it is not allowed, all have the same. */
export const beNice = (niceness: number): void => {
  if (niceness === 0 || process.platform !== 'linux') return
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), niceness)
  } catch {
    // What is long shares the processors with all else when this fails: it is never wrong.
  }
}

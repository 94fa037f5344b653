/**
 * Freed memory that lies between blocks still in use: glibc keeps it until malloc_trim(3) is called, and nothing that
 * JavaScript can do by itself calls it (docs/adr/030).
 */
import { createRequire } from 'node:module'
import type koffi from 'koffi'
import { errorText } from '../errors.ts'
import type { NodeLog } from './log.ts'

type Trim = (pad: number) => number

/** Loaded when it is first needed: at rest, and not by commands that end at once. Throws where there is none. */
const loadTrim = (): Trim => {
  const { load } = createRequire(import.meta.url)('koffi') as typeof koffi
  return load(null).func('int malloc_trim(size_t pad)')
}

/**
 * A function that gives freed memory back to the system: 20 to 50 ms, during which no thread allocates. Where the
 * library of the system has none (musl, macOS) it does nothing, and says so once.
 */
export const createMallocTrim = (log: Pick<NodeLog, 'info'>, load: () => Trim = loadTrim): (() => void) => {
  let trim: Trim | undefined
  let isMissing = false
  return () => {
    if (isMissing) return
    try {
      trim ??= load()
    } catch (error) {
      isMissing = true
      log.info('freed memory stays with the process: malloc_trim is not there', { reason: errorText(error) })
      return
    }
    trim(0)
  }
}

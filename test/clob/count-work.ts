/**
 * Work as exact counts, the same on every machine: how often functions, loops and branches of the order book's code, of the ledger
 * and of the overlay ran. Import it before all else: V8 counts the blocks of a function only if it compiled it after this began.
 */
import { Session } from 'node:inspector'
import { setFlagsFromString } from 'node:v8'

interface Coverage {
  readonly result: readonly {
    readonly url: string
    readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[]
  }[]
}

const COUNTED = /\/(modules\/(clob|bank)|store|core)\//
/** Code that these compile for speed counts its calls no longer. */
const COMPILERS = ['turbofan', 'maglev', 'sparkplug'] as const

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

/** Takes the counts since the last time. */
const takeCounts = (): number => {
  let work = 0
  session.post('Profiler.takePreciseCoverage', (_: Error | null, taken?: Coverage) => {
    for (const { url, functions } of taken?.result ?? []) {
      if (!COUNTED.test(url)) continue
      for (const { ranges } of functions) for (const { count } of ranges) work += count
    }
  })
  return work
}

/** What runs for the first time has counts of its own: run it once before. */
export const countWork = <Value>(run: () => Value): { readonly value: Value; readonly work: number } => {
  for (const compiler of COMPILERS) setFlagsFromString(`--no-${compiler}`)
  try {
    takeCounts()
    const value = run()
    return { value, work: takeCounts() }
  } finally {
    for (const compiler of COMPILERS) setFlagsFromString(`--${compiler}`)
  }
}

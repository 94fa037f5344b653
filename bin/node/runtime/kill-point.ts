/**
 * Ends the process at a named step, as a power cut would: `CHAIN_KILL_AT=commit-written:3` at the third time that the
 * step is reached. For tests of crashes alone; without the variable nothing happens.
 */
import { writeSync } from 'node:fs'

/** Steps of the threads beside the one that executes blocks; those of blocks and restores are in app/environment.ts. */
export const BACKGROUND_STEPS = [
  'prune-begun',
  'prune-blocks-written',
  'prune-history-written',
  'history-written',
  'snapshot-begun',
  'snapshot-chunk-written',
  'snapshot-written',
  'snapshot-renamed',
] as const

interface KillPoint {
  readonly step: string
  /** Times that it is still passed. */
  left: number
}

const parse = (text: string | undefined): KillPoint | undefined => {
  if (text === undefined || text === '') return undefined
  const [step = '', times = '1'] = text.split(':')
  return { step, left: Number(times) }
}

const killPoint = parse(process.env['CHAIN_KILL_AT'])

/** A thread counts for itself. */
export const reachedStep = (step: string): void => {
  if (killPoint?.step !== step) return
  killPoint.left--
  if (killPoint.left > 0) return
  writeSync(2, `killed at ${step}\n`)
  process.kill(process.pid, 'SIGKILL')
}

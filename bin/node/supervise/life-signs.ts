/** Whether a process lives that has not ended: it is asked, for one that hangs or was stopped looks as one that works. */
import { readFileSync } from 'node:fs'
import type * as http from 'node:http'
import type { LifeSign } from './keep-running.ts'
import { PULSE_MS } from './messages.ts'

/** Clock ticks of processor time that a process has used; undefined when it is gone. */
const processorTicks = (pid: number): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name in brackets may hold anything. Fields 14 and 15 are utime and stime (proc(5)); field 3 is the first here.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(fields[11]) + Number(fields[12])
  } catch {
    return undefined
  }
}

export interface PulseOptions {
  /** Times in a row that a pulse may be missing. They are counted, not timed: whoever was stopped itself saw none. */
  readonly mostMissing: number
  /** A process that uses processor time lives, though its event loop does not turn: it executes, or loads. */
  readonly busyIsAlive: boolean
  /** Times in a row after which even one that works is given up, once it has beaten: it turns in a circle. */
  readonly mostBusy?: number
}

/** The application executes blocks and reads a genesis for longer than any pause between two pulses. */
export const APPLICATION_PULSE: PulseOptions = { mostMissing: 30, busyIsAlive: true, mostBusy: 180 }
/** A gateway whose event loop does not turn for so long answers nobody. */
export const GATEWAY_PULSE: PulseOptions = { mostMissing: 15, busyIsAlive: false }

/** Watches a child that sends pulses (send-pulse.ts). Until the first it loads, and is judged by its processor time. */
export const watchPulse =
  ({ mostMissing, busyIsAlive, mostBusy = Number.POSITIVE_INFINITY }: PulseOptions, intervalMs = PULSE_MS) =>
  (pid: number, onSilent: (reason: string) => void): LifeSign => {
    let missing = 0
    let sinceBeat = 0
    let hasBeaten = false
    let ticks = processorTicks(pid)
    const timer = setInterval(() => {
      const now = processorTicks(pid)
      const isBusy = now !== ticks
      ticks = now
      missing = isBusy && (busyIsAlive || !hasBeaten) ? 0 : missing + 1
      if (hasBeaten) sinceBeat++
      if (missing < mostMissing && sinceBeat < mostBusy) return
      clearInterval(timer)
      onSilent(`no pulse ${Math.max(missing, sinceBeat)} times`)
    }, intervalMs)
    return {
      message: () => {
        hasBeaten = true
        missing = 0
        sinceBeat = 0
      },
      stop: () => clearInterval(timer),
    }
  }

export interface HealthOptions {
  readonly url: string
  /** Failures in a row after which it is given up; one takes up to three intervals. */
  readonly mostFailures: number
  readonly intervalMs?: number
}

/** Loaded when CometBFT runs: the start of the application does not wait for it. */
const loadHttp = (): typeof http => process.getBuiltinModule('node:http')

const answers = (url: string, agent: http.Agent, timeoutMs: number): Promise<boolean> =>
  new Promise((resolve) => {
    const request = loadHttp().get(url, { agent, timeout: timeoutMs }, (response) => {
      response.resume()
      response.once('close', () => resolve(response.complete))
    })
    request.once('error', () => resolve(false))
    request.once('timeout', () => request.destroy(new RangeError('it does not answer')))
  })

/**
 * Watches a child that serves HTTP, from its first answer on: before that it may replay blocks for hours. All questions
 * go over one connection that stays, so that nobody who takes all others can make it look dead.
 */
export const watchHealth =
  ({ url, mostFailures, intervalMs = PULSE_MS }: HealthOptions) =>
  (_pid: number, onSilent: (reason: string) => void): LifeSign => {
    const agent = new (loadHttp().Agent)({ keepAlive: true, maxSockets: 1 })
    let isStopped = false
    let hasAnswered = false
    let failures = 0
    let timer: NodeJS.Timeout | undefined
    const ask = async (): Promise<void> => {
      const lives = await answers(url, agent, 2 * intervalMs)
      if (isStopped) return
      hasAnswered ||= lives
      failures = lives || !hasAnswered ? 0 : failures + 1
      if (failures >= mostFailures) return onSilent(`${url} did not answer ${failures} times`)
      timer = setTimeout(() => void ask(), intervalMs)
    }
    timer = setTimeout(() => void ask(), intervalMs)
    return {
      stop: () => {
        isStopped = true
        clearTimeout(timer)
        agent.destroy()
      },
    }
  }

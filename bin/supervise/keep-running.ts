/** Starts a child again when it dies, with a growing pause, and gives up when it dies too often. */
import { setTimeout as sleep } from 'node:timers/promises'
import { cliError } from '../errors.ts'
import { type Child, type ChildExit, type ChildOptions, startChild } from './child.ts'
import type { NodeLog } from '../runtime/log.ts'

export interface RestartPolicy {
  readonly firstPauseMs: number
  readonly longestPauseMs: number
  /** A child that lived this long starts again with the first pause. */
  readonly healthyAfterMs: number
  /** Deaths in a row before it is given up; Infinity never. */
  readonly maxDeaths: number
}

export const COMETBFT_POLICY: RestartPolicy = {
  firstPauseMs: 500,
  longestPauseMs: 10_000,
  healthyAfterMs: 60_000,
  maxDeaths: 5,
}
/** A gateway holds no state: it is always worth another start. */
export const GATEWAY_POLICY: RestartPolicy = {
  firstPauseMs: 250,
  longestPauseMs: 5_000,
  healthyAfterMs: 30_000,
  maxDeaths: Number.POSITIVE_INFINITY,
}

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000

export interface Supervised {
  /** Process id of the child that runs now. */
  pid(): number | undefined
  /** Ends the child that runs now: it is started again as if it had died. */
  restart(): Promise<void>
  stop(): Promise<void>
}

const describeExit = ({ code, signal }: ChildExit): string =>
  signal === undefined ? `exited with status ${code ?? '?'}` : `was ended by ${signal}`

/** `onGivenUp` is called once, with what the child said last, when it died too often. */
export const keepRunning = (
  options: ChildOptions,
  policy: RestartPolicy,
  log: NodeLog,
  onGivenUp: (error: Error) => void,
): Supervised => {
  const stopping = new AbortController()
  let child: Child | undefined
  const loop = async (): Promise<void> => {
    let deaths = 0
    while (!stopping.signal.aborted) {
      const startedAtMs = performance.now()
      child = startChild(options)
      const exit = await child.exited
      child = undefined
      if (stopping.signal.aborted) return
      deaths = performance.now() - startedAtMs >= policy.healthyAfterMs ? 1 : deaths + 1
      log.error(`${options.name} ${describeExit(exit)}`, { deaths, last: exit.lastLines.at(-1) ?? '' })
      if (deaths >= policy.maxDeaths) {
        const said = exit.lastLines.slice(-8).join('\n  ')
        onGivenUp(cliError('childFailed', `${options.name} died ${deaths} times in a row; it said last:\n  ${said}`))
        return
      }
      const pauseMs = Math.min(policy.firstPauseMs * 2 ** (deaths - 1), policy.longestPauseMs)
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const ended = loop()
  return {
    pid: () => child?.pid,
    restart: async () => {
      if (!stopping.signal.aborted) await child?.stop(GRACE_MS)
    },
    stop: async () => {
      stopping.abort()
      await child?.stop(GRACE_MS)
      await ended
    },
  }
}

/** Starts a child again when it dies, with a growing pause, and gives up when it dies too often. */
import { setTimeout as sleep } from 'node:timers/promises'
import { cliError } from '../../errors.ts'
import type { NodeLog } from '../runtime/log.ts'
import { type Child, type ChildExit, type ChildOptions, startChild } from './child.ts'

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
/** The policy of CometBFT, with which the application is a pair. */
export const APPLICATION_POLICY: RestartPolicy = COMETBFT_POLICY
/** A gateway holds no state: it is always worth another start. */
export const GATEWAY_POLICY: RestartPolicy = {
  firstPauseMs: 250,
  longestPauseMs: 5_000,
  healthyAfterMs: 30_000,
  maxDeaths: Number.POSITIVE_INFINITY,
}

/** Time between SIGTERM and SIGKILL. */
const GRACE_MS = 5_000

/** Watches one child: `onSilent` is told once when it gives no sign of life. */
export interface LifeSign {
  /** Takes signs that the child sends. */
  message?(message: unknown): void
  stop(): void
}

export interface SupervisedOptions extends ChildOptions {
  /** Arguments of every start after the first; `args` when left out. */
  readonly restartArgs?: readonly string[]
  /** What is done before each start; a failure of it is not told. */
  beforeStart?(): Promise<void>
  /** Asks each child that is started whether it lives. */
  watchLife?(pid: number, onSilent: (reason: string) => void): LifeSign
  /** Told of every end that nobody asked for. When it settles with false, that end was the last. */
  onEnd?(exit: ChildExit): Promise<boolean>
}

export interface Supervised {
  /** Process id of the child that runs now. */
  pid(): number | undefined
  /** Ends the child that runs now: it is started again as if it had died, of `reason` where that is given. */
  restart(reason?: string): Promise<void>
  send(message: object): void
  /** Settles with the end of the child, which is not started again; undefined where none ran. */
  stop(graceMs?: number): Promise<ChildExit | undefined>
}

export const describeExit = ({ code, signal }: ChildExit): string =>
  signal === undefined ? `exited with status ${code ?? '?'}` : `was ended by ${signal}`

class KeptChild implements Supervised {
  readonly #options: SupervisedOptions
  readonly #policy: RestartPolicy
  readonly #log: NodeLog
  readonly #stopping = new AbortController()
  readonly #ended: Promise<void>
  #child: Child | undefined
  #life: LifeSign | undefined
  /** Why the child that runs now is ended: more than its last lines say, which are those of an orderly end. */
  #reason: string | undefined

  constructor(options: SupervisedOptions, policy: RestartPolicy, log: NodeLog, onGivenUp: (error: Error) => void) {
    this.#options = options
    this.#policy = policy
    this.#log = log
    this.#ended = this.#loop(onGivenUp)
  }

  pid(): number | undefined {
    return this.#child?.pid
  }

  async restart(reason?: string): Promise<void> {
    if (this.#stopping.signal.aborted || this.#child === undefined) return
    this.#reason ??= reason
    await this.#child.stop(GRACE_MS)
  }

  send(message: object): void {
    this.#child?.send(message)
  }

  async stop(graceMs = GRACE_MS): Promise<ChildExit | undefined> {
    this.#stopping.abort()
    const exited = this.#child?.exited
    await this.#child?.stop(graceMs)
    await this.#ended
    return await exited
  }

  async #loop(onGivenUp: (error: Error) => void): Promise<void> {
    const { name, args, restartArgs, onEnd } = this.#options
    const { firstPauseMs, longestPauseMs, healthyAfterMs, maxDeaths } = this.#policy
    const { signal } = this.#stopping
    let deaths = 0
    for (let starts = 0; !signal.aborted; starts++) {
      const startedAtMs = performance.now()
      const exit = await this.#runOnce(starts === 0 ? args : (restartArgs ?? args))
      if (exit === undefined || signal.aborted) return
      if ((await onEnd?.(exit)) === false) return
      deaths = performance.now() - startedAtMs >= healthyAfterMs ? 1 : deaths + 1
      const cause = exit.panic ?? this.#reason
      this.#reason = undefined
      this.#log.error(`${name} ${describeExit(exit)}`, { deaths, last: cause ?? exit.lastLines.at(-1) ?? '' })
      if (deaths >= maxDeaths) {
        const said = cause ?? exit.lastLines.slice(-8).join('\n  ')
        onGivenUp(cliError('childFailed', `${name} died ${deaths} times in a row; its last output was:\n  ${said}`))
        return
      }
      const pauseMs = Math.min(firstPauseMs * 2 ** (deaths - 1), longestPauseMs)
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
    }
  }

  async #runOnce(args: readonly string[]): Promise<ChildExit | undefined> {
    const { name, onMessage, watchLife, beforeStart } = this.#options
    if (beforeStart !== undefined) await beforeStart().catch(() => undefined)
    if (this.#stopping.signal.aborted) return undefined
    const child = startChild({
      ...this.#options,
      args,
      ...(onMessage === undefined
        ? {}
        : {
            onMessage: (message: unknown) => {
              this.#life?.message?.(message)
              onMessage(message)
            },
          }),
    })
    this.#child = child
    this.#life = watchLife?.(child.pid, (reason) => {
      if (this.#stopping.signal.aborted) return
      // What hangs is as dead as what has ended. It may be beyond listening to SIGTERM.
      this.#log.error(`${name} gives no sign of life: it is ended`, { reason })
      child.kill()
    })
    const exit = await child.exited
    this.#life?.stop()
    this.#child = undefined
    return exit
  }
}

/** `onGivenUp` is called once, with what the child said last, when it died too often. */
export const keepRunning = (
  options: SupervisedOptions,
  policy: RestartPolicy,
  log: NodeLog,
  onGivenUp: (error: Error) => void,
): Supervised => new KeptChild(options, policy, log, onGivenUp)

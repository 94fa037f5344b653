/** Runs the native ports of a gateway in a process of their own, and starts it again when it dies or hangs. */
import { cliError } from '../../errors.ts'
import type { Figures } from '../metrics/prometheus-meter.ts'
import type { NodeLog } from '../runtime/log.ts'
import { describeExit, GATEWAY_POLICY, keepRunning } from '../supervise/keep-running.ts'
import { GATEWAY_PULSE, watchPulse } from '../supervise/life-signs.ts'
import type { FromNative, NativePlan, ToNative } from './messages.ts'

const script = new URL('./main.ts', import.meta.url).pathname

/** Figures are asked for every few seconds, and whoever asks waits for ten. */
const FIGURES_MS = 2_000

export interface NativeGateway {
  /** Rejects when it cannot serve, the first time. Later it is started again for as long as it takes. */
  readonly serving: Promise<void>
  /** What the process counts; nothing while it is being started. */
  figures(): Promise<Figures>
  close(): Promise<void>
}

export const startNativeGateway = (plan: NativePlan, log: NodeLog): NativeGateway => {
  const serving = Promise.withResolvers<void>()
  const asked = new Map<number, (figures: Figures) => void>()
  let askedCount = 0

  const hear = (message: FromNative): void => {
    switch (message.type) {
      case 'loaded':
        say({ type: 'start', plan })
        break
      case 'serving':
        serving.resolve()
        break
      case 'failed':
        serving.reject(cliError('childFailed', `native REST and gRPC cannot be served: ${message.reason}`))
        break
      case 'figures':
        asked.get(message.id)?.(message.figures)
        break
      case 'pulse':
        break
    }
  }

  const child = keepRunning(
    {
      name: 'native gateway',
      command: process.execPath,
      // The address is for people, who look for the processes of a node.
      args: [...process.execArgv, script, plan.application],
      hasSettings: false,
      onLine: (line) => void process.stderr.write(`${line}\n`),
      onMessage: (message) => hear(message as FromNative),
      watchLife: watchPulse(GATEWAY_PULSE),
      onEnd: (exit) => {
        // Of what has served before this has no effect: it is started again.
        const said = exit.lastLines.slice(-8).join('\n  ')
        serving.reject(cliError('childFailed', `native gateway ${describeExit(exit)}; its last output was:\n  ${said}`))
        return Promise.resolve(true)
      },
    },
    GATEWAY_POLICY,
    log,
    (error) => serving.reject(error),
  )
  const say = (message: ToNative): void => child.send(message)

  // Whoever starts it may fail before it waits for this.
  serving.promise.catch(() => undefined)
  return {
    serving: serving.promise,
    figures: async () => {
      const id = askedCount++
      const { promise, resolve } = Promise.withResolvers<Figures>()
      const timer = setTimeout(resolve, FIGURES_MS, [])
      asked.set(id, resolve)
      say({ type: 'figures', id })
      const figures = await promise
      clearTimeout(timer)
      asked.delete(id)
      return figures
    },
    close: async () => void (await child.stop()),
  }
}

/** How long the calls of CometBFT take. */
import { LATENCY_SECONDS, type Meter } from '../core/meter.ts'
import type { AbciHandlers, AbciMethod } from './handlers.ts'

type Handler = (request: unknown) => unknown

/** They ask nothing of the application, and one follows every other call. */
const NOT_MEASURED: ReadonlySet<AbciMethod> = new Set<AbciMethod>(['echo', 'flush'])

/** Is told of each call when it has ended, with the times of a monotonic clock. */
export type CallListener = (method: AbciMethod, fromMs: number, toMs: number) => void

export interface MeterHandlersOptions {
  readonly meter: Meter
  /** A monotonic clock. */
  readonly nowMs: () => number
  /** Is told of calls that were answered. */
  readonly onEnd?: CallListener
}

/** Returns the handlers, each with its time taken. */
export const meterHandlers = (
  handlers: AbciHandlers,
  { meter, nowMs, onEnd = () => undefined }: MeterHandlersOptions,
): AbciHandlers => {
  const seconds = meter.histogram({
    name: 'nat_abci_call_seconds',
    help: 'Time of the calls of CometBFT by method, until they are answered',
    labels: ['method'],
    buckets: LATENCY_SECONDS,
  })
  const wrap = (method: AbciMethod): Handler => {
    const handler = handlers[method] as Handler
    if (NOT_MEASURED.has(method)) return handler
    const end = (fromMs: number): void => {
      const toMs = nowMs()
      seconds.observe((toMs - fromMs) / 1_000, method)
      onEnd(method, fromMs, toMs)
    }
    return (request) => {
      const fromMs = nowMs()
      const answer = handler(request)
      if (!(answer instanceof Promise)) {
        end(fromMs)
        return answer
      }
      return answer.then((response: unknown) => {
        end(fromMs)
        return response
      })
    }
  }
  // The pairing of method, request and response is that of the handlers.
  return Object.fromEntries(
    Object.keys(handlers).map((method) => [method, wrap(method as AbciMethod)]),
  ) as unknown as AbciHandlers
}

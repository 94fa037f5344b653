/** How long requests take, by method. What clients send is no label: a method that is not served is `other`. */
import { LATENCY_SECONDS, type Meter } from '../core/meter.ts'

export interface RequestFigures {
  /** Returns a function to be called when the request has ended. */
  begin(method: string): (isFailed: boolean) => void
}

const OTHER = 'other'

const ignore = (): void => undefined
export const NO_FIGURES: RequestFigures = { begin: () => ignore }

/** `methods` are those that are served. */
export const createRequestFigures = (
  meter: Meter,
  figure: { readonly name: string; readonly help: string },
  methods: { has(name: string): boolean },
  nowMs: () => number,
): RequestFigures => {
  const seconds = meter.histogram({ ...figure, labels: ['method', 'outcome'], buckets: LATENCY_SECONDS })
  return {
    begin(method) {
      const fromMs = nowMs()
      const shown = methods.has(method) ? method : OTHER
      return (isFailed) => seconds.observe((nowMs() - fromMs) / 1_000, shown, isFailed ? 'error' : 'ok')
    },
  }
}

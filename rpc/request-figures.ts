/** How long requests take, by method. What clients send is no label: a method that is not served is `other`. */
import { LATENCY_SECONDS, type Meter } from '../core/meter.ts'

/** A request that another thread has answered. */
export interface RequestFigure {
  readonly method: string
  readonly seconds: number
  readonly isFailed: boolean
}

export interface RequestFigures {
  note(figure: RequestFigure): void
  /** Returns a function to be called when the request has ended. */
  begin(method: string): (isFailed: boolean) => void
}

const OTHER = 'other'

const ignore = (): void => undefined
export const NO_FIGURES: RequestFigures = { begin: () => ignore, note: ignore }

/** `methods` are those that are served. */
export const createRequestFigures = (
  meter: Meter,
  figure: { readonly name: string; readonly help: string },
  methods: { has(name: string): boolean },
  nowMs: () => number,
): RequestFigures => {
  const seconds = meter.histogram({ ...figure, labels: ['method', 'outcome'], buckets: LATENCY_SECONDS })
  const note = ({ method, seconds: took, isFailed }: RequestFigure): void =>
    seconds.observe(took, methods.has(method) ? method : OTHER, isFailed ? 'error' : 'ok')
  return {
    note,
    begin(method) {
      const fromMs = nowMs()
      return (isFailed) => note({ method, seconds: (nowMs() - fromMs) / 1_000, isFailed })
    },
  }
}

/** What a process of the node tells of itself: figures where they are asked for, nothing otherwise. */
import { type Meter, SILENT_METER } from '../../../core/meter.ts'
import type { Listener } from '../supervise/ports.ts'
import type { NodeLog } from '../runtime/log.ts'
import type { Figures } from './prometheus-meter.ts'

export interface Telemetry {
  readonly meter: Meter
  /** Shows the figures of another process too, whose series have labels of their own. */
  addProcess(figures: () => Promise<Figures>): void
  /** The port of the figures. */
  close(): Promise<void>
}

const NONE: Telemetry = { meter: SILENT_METER, addProcess: () => undefined, close: () => Promise.resolve() }

/** Serves the figures on the first of the listeners; none where there is none. Rejects with cli/6 when it cannot be bound. */
export const startTelemetry = async ([listener]: readonly Listener[], log: NodeLog): Promise<Telemetry> => {
  if (listener === undefined) return NONE
  // Loaded where it is needed alone: it begins to watch the event loop and the collector.
  const [{ PrometheusMeter }, { serveMetrics }] = await Promise.all([
    import('./prometheus-meter.ts'),
    import('./serve-metrics.ts'),
  ])
  const meter = new PrometheusMeter()
  let others: (() => Promise<Figures>) | undefined
  const text = async (): Promise<string> => await meter.text(await others?.())
  const server = await serveMetrics(listener, { contentType: meter.contentType, text }, log)
  log.info('metrics are served', { url: `http://${server.address}/metrics` })
  return {
    meter,
    addProcess: (figures) => {
      others = figures
    },
    close: () => server.close(),
  }
}

export interface ReportedMeter {
  readonly meter: Meter
  figures(): Promise<Figures>
}

/** The meter of a process whose figures another one serves, its series under the name of a part. */
export const createReportedMeter = async (part: string, hasFigures: boolean): Promise<ReportedMeter> => {
  if (!hasFigures) return { meter: SILENT_METER, figures: () => Promise.resolve([]) }
  const { PrometheusMeter } = await import('./prometheus-meter.ts')
  const meter = new PrometheusMeter({ part })
  return { meter, figures: () => meter.figures() }
}

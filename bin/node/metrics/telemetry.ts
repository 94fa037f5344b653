/** What a process of the node tells of itself: figures where they are asked for, nothing otherwise. */
import { type Meter, SILENT_METER } from '../../../core/meter.ts'
import type { Listener } from '../supervise/ports.ts'
import type { NodeLog } from '../runtime/log.ts'

export interface Telemetry {
  readonly meter: Meter
  /** The port of the figures. */
  close(): Promise<void>
}

const NONE: Telemetry = { meter: SILENT_METER, close: () => Promise.resolve() }

/** Serves the figures on the first of the listeners; none where there is none. Rejects with cli/6 when it cannot be bound. */
export const startTelemetry = async ([listener]: readonly Listener[], log: NodeLog): Promise<Telemetry> => {
  if (listener === undefined) return NONE
  // Loaded where it is needed alone: it begins to watch the event loop and the collector.
  const [{ PrometheusMeter }, { serveMetrics }] = await Promise.all([
    import('./prometheus-meter.ts'),
    import('./serve-metrics.ts'),
  ])
  const meter = new PrometheusMeter()
  const server = await serveMetrics(listener, meter, log)
  log.info('metrics are served', { url: `http://${server.address}/metrics` })
  return { meter, close: () => server.close() }
}

/** Traces of transactions where a collector is named, and nothing otherwise. */
import { hostname } from 'node:os'
import { VERSION } from '../../version.ts'
import type { NodeConfiguration } from '../load-node.ts'
import type { Settings } from '../config/settings.ts'
import type { NodeLog } from '../runtime/log.ts'
import { TransactionTraces } from './transaction-traces.ts'

export interface RunningTraces {
  readonly traces: TransactionTraces
  close(): Promise<void>
}

/** User, password and query of a collector's URL are often keys, and a log is read by many. */
export const withoutSecrets = (endpoint: string): string => {
  const { origin, pathname } = new URL(endpoint)
  return `${origin}${pathname}`
}

export const startTraces = async (
  settings: Settings,
  { genesis: { chainId }, comet }: Pick<NodeConfiguration, 'genesis' | 'comet'>,
  log: NodeLog,
): Promise<RunningTraces | undefined> => {
  const endpoint = settings['telemetry.traces-endpoint']
  if (endpoint === '') return undefined
  const { createSpanExporter } = await import('./span-exporter.ts')
  const instance = `${hostname()} ${comet.p2p}`
  const exporter = createSpanExporter({ endpoint, instance, chainId, version: VERSION, log })
  const traces = new TransactionTraces({
    oneIn: settings['telemetry.traces-one-in'],
    nowMs: () => performance.now(),
    tell: (trace) => exporter.tell(trace),
  })
  log.info('transactions are traced', {
    endpoint: withoutSecrets(endpoint),
    oneIn: settings['telemetry.traces-one-in'],
  })
  return { traces, close: () => exporter.close() }
}

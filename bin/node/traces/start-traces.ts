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
  log.info('transactions are traced', { endpoint, oneIn: settings['telemetry.traces-one-in'] })
  return { traces, close: () => exporter.close() }
}

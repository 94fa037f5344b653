/** Sends traces of transactions to a collector of OpenTelemetry, by OTLP over HTTP. */
import { context, diag, DiagLogLevel, trace } from '@opentelemetry/api'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, RandomIdGenerator, TracerProvider } from '@opentelemetry/sdk-trace'
import type { NodeLog } from '../runtime/log.ts'
import type { TransactionTrace } from './transaction-traces.ts'

/** Spans that wait for the collector: those of a full block, and more are dropped. */
const MAX_WAITING_SPANS = 8_192
const SEND_LIMIT_MS = 5_000
/** What a stopping node gives the last spans. */
const CLOSE_LIMIT_MS = 2_000
/** A collector that is away is complained of no more often. */
const COMPLAINT_INTERVAL_MS = 60_000
/** What the collector answers is among it. */
const MOST_REASON_CHARACTERS = 500
const OK = 1
const ERROR = 2

export interface SpanExporterOptions {
  /** An URL of http or https; the path of OTLP is added where it has none. */
  readonly endpoint: string
  /** What tells this node apart from others in the traces. */
  readonly instance: string
  readonly chainId: string
  readonly version: string
  readonly log: NodeLog
}

export interface SpanExporter {
  tell(trace: TransactionTrace): void
  /** Sends what waits, for two seconds at most. */
  close(): Promise<void>
}

const urlOf = (endpoint: string): string => {
  const url = new URL(endpoint)
  if (url.pathname === '/') url.pathname = '/v1/traces'
  return url.toString()
}

/** Every node gives a transaction the same trace, so that the ways of one transaction through all nodes are seen together. */
class HashIds extends RandomIdGenerator {
  traceId = ''

  override readonly generateTraceId = (): string => this.traceId
}

const complainTo = (log: NodeLog): void => {
  let lastMs = Number.NEGATIVE_INFINITY
  const complain = (reason: string): void => {
    const nowMs = performance.now()
    if (nowMs - lastMs < COMPLAINT_INTERVAL_MS) return
    lastMs = nowMs
    log.warn('traces cannot be sent', { reason: reason.slice(0, MOST_REASON_CHARACTERS) })
  }
  const ignore = (): void => undefined
  const logger = { error: complain, warn: complain, info: ignore, debug: ignore, verbose: ignore }
  diag.setLogger(logger, { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
}

/** Milliseconds of performance.now as those since 1970. */
const wallMs = (ms: number): number => performance.timeOrigin + ms

export const createSpanExporter = (options: SpanExporterOptions): SpanExporter => {
  complainTo(options.log)
  const ids = new HashIds()
  const exporter = new OTLPTraceExporter({ url: urlOf(options.endpoint), timeoutMillis: SEND_LIMIT_MS })
  const provider = new TracerProvider({
    idGenerator: ids,
    resource: resourceFromAttributes({
      'service.name': 'nat-chain',
      'service.version': options.version,
      'service.instance.id': options.instance,
      'nat.chain_id': options.chainId,
    }),
    spanProcessors: [
      new BatchSpanProcessor({ exporter, maxQueueSize: MAX_WAITING_SPANS, scheduledDelayMillis: 1_000 }),
    ],
  })
  const tracer = provider.getTracer('nat-chain', options.version)
  return {
    tell({ hash, height, family, succeeded, gasUsed, origin, steps }) {
      const [first] = steps
      const last = steps.at(-1)
      if (first === undefined || last === undefined) return
      ids.traceId = hash.slice(0, 32)
      const attributes = {
        'nat.transaction.hash': `0x${hash}`,
        'nat.transaction.family': family,
        'nat.transaction.gas_used': gasUsed,
        'nat.block.height': height,
        ...(origin === undefined ? {} : { 'nat.transaction.origin': origin }),
      }
      const whole = tracer.startSpan('transaction', { startTime: wallMs(first.fromMs), attributes, root: true })
      whole.setStatus({ code: succeeded ? OK : ERROR })
      const parent = trace.setSpan(context.active(), whole)
      for (const { name, fromMs, toMs } of steps) {
        tracer.startSpan(name, { startTime: wallMs(fromMs) }, parent).end(wallMs(toMs))
      }
      whole.end(wallMs(last.toMs))
    },
    async close() {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSE_LIMIT_MS)
      })
      await Promise.race([provider.shutdown().catch(() => undefined), late])
      clearTimeout(timer)
      diag.disable()
    },
  }
}

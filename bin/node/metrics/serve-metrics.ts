/** The figures of a process at /metrics, on a port of their own. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { formatHostPort } from '../../../core/host-port.ts'
import { createHostCheck, withHostCheck } from '../../../rpc/hosts.ts'
import { createHttpServer } from '../../../rpc/http-server.ts'
import { cliError, errorText } from '../../errors.ts'
import type { NodeLog } from '../runtime/log.ts'
import type { Listener } from '../supervise/ports.ts'
import type { PrometheusMeter } from './prometheus-meter.ts'

const LIMITS = { timeoutMs: 10_000, idleTimeoutMs: 120_000, maxConnections: 32 }

export interface MetricsServer {
  /** `host:port` as it was bound. */
  readonly address: string
  close(): Promise<void>
}

const say = (response: ServerResponse, status: number, text: string, type = 'text/plain; charset=utf-8'): void => {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

/** Rejects with cli/6 when the address cannot be bound. */
export const serveMetrics = async (
  { address: where, purpose, setting }: Listener,
  meter: Pick<PrometheusMeter, 'contentType'> & { text(): Promise<string> },
  log: NodeLog,
): Promise<MetricsServer> => {
  /** Whoever asks while figures are collected gets the same ones: so nobody makes them be collected all the time. */
  let collecting: Promise<string> | undefined
  const collect = (): Promise<string> =>
    (collecting ??= meter.text().finally(() => {
      collecting = undefined
    }))
  const answer = async (response: ServerResponse): Promise<void> => {
    try {
      say(response, 200, await collect(), meter.contentType)
    } catch (error) {
      log.error('the figures cannot be collected', { reason: errorText(error) })
      say(response, 500, 'the figures cannot be collected: see the log of the node\n')
    }
  }
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    if (request.method !== 'GET') return say(response, 405, 'only GET\n')
    if (request.url !== '/metrics') return say(response, 404, 'the figures are at /metrics\n')
    void answer(response)
  }
  const address = formatHostPort(where)
  const server = createHttpServer(LIMITS, withHostCheck(createHostCheck(address, []), handle))
  try {
    return { address: await server.listen(address), close: () => server.close() }
  } catch (error) {
    throw cliError('portInUse', `cannot listen on ${address} (${purpose}; ${setting}): ${errorText(error)}`)
  }
}

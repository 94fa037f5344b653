/** What a gateway is when somebody asks: its head, connections and memory; and how many answers of which status it gave. */
import type { Server, ServerResponse } from 'node:http'
import { type Meter, SILENT_METER } from '../core/meter.ts'
import type { HeadTracker } from './head.ts'
import type { MemoryBudget } from './memory-budget.ts'

export interface GatewayFiguresOptions {
  readonly head: HeadTracker
  readonly budget: MemoryBudget
  connected(): boolean
}

export interface ServerFigures {
  /** Counts the answers of a server of HTTP, and its connections. */
  add(name: string, server: Server): void
}

export const registerGatewayFigures = (meter: Meter, options: GatewayFiguresOptions): ServerFigures => {
  const { head, budget, connected } = options
  const servers = new Map<string, Server>()
  meter.gauge({ name: 'nat_gateway_application_connected', help: '1 while the application can be asked' }, () => [
    [connected() ? 1 : 0],
  ])
  meter.gauge({ name: 'nat_gateway_block_height', help: 'Height of the head that this gateway shows' }, () =>
    head.isAvailable() ? [[head.current().head.height]] : [],
  )
  meter.gauge(
    {
      name: 'nat_gateway_held_bytes',
      help: 'What clients make this gateway hold: unfinished requests, unread answers',
    },
    () => [[budget.held]],
  )
  meter.gauge(
    { name: 'nat_gateway_connections', help: 'Open connections by server', labels: ['server'] },
    async () =>
      await Promise.all([...servers].map(async ([name, server]) => [await connectionsOf(server), name] as const)),
  )
  const responses = meter.counter({
    name: 'nat_http_responses_total',
    help: 'Answers over HTTP by server and status',
    labels: ['server', 'status'],
  })
  // No listener is added to each answer where nobody reads of it.
  if (meter === SILENT_METER) return { add: () => undefined }
  return {
    add(name, server) {
      servers.set(name, server)
      server.on('request', (_request, response: ServerResponse) => {
        response.on('finish', () => responses.add(1, name, String(response.statusCode)))
      })
    },
  }
}

const connectionsOf = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    server.getConnections((_error, count) => resolve(count ?? 0))
  })

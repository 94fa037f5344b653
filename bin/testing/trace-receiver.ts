/** A collector of OpenTelemetry for tests: takes OTLP over HTTP in JSON, and keeps the spans. */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly status: { readonly code?: number }
  /** What the resource says, such as service.name. */
  readonly resource: Readonly<Record<string, unknown>>
}

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, unknown>>
}

interface Request {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes' | 'resource'> & {
        readonly attributes: readonly Attribute[]
      })[]
    }[]
  }[]
}

const valuesOf = (attributes: readonly Attribute[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

export interface TraceReceiver {
  readonly url: string
  readonly paths: readonly string[]
  readonly spans: readonly ReceivedSpan[]
  close(): Promise<void>
}

export const startTraceReceiver = async (): Promise<TraceReceiver> => {
  const spans: ReceivedSpan[] = []
  const paths: string[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      paths.push(request.url ?? '')
      for (const { resource, scopeSpans } of (JSON.parse(text) as Request).resourceSpans) {
        for (const { attributes, ...span } of scopeSpans.flatMap((scope) => scope.spans)) {
          spans.push({ ...span, attributes: valuesOf(attributes), resource: valuesOf(resource.attributes) })
        }
      }
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    spans,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

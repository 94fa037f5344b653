/**
 * The port of native REST: requests become queries by the options of the services, answers are printed as the SDK does.
 * gRPC-Web, the description of the routes and the page of the chain are served here too. On node:http, for it is a busy path.
 */
import { fromBinary, toBinary, type DescMessage, type DescService } from '@bufbuild/protobuf'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { CodedError } from '../../core/errors.ts'
import { mostRequestBytes } from '../../core/request-limits.ts'
import type { Text } from '../../core/text.ts'
import type { Asker } from '../../app/ports.ts'
import { askerOn } from '../asker.ts'
import type { HeadTracker, ReachableApplication } from '../head.ts'
import { clientOf, type FindAddress, type RateLimiter } from '../limits.ts'
import type { ChainPage } from '../page/serve-page.ts'
import type { ConnectionMemory } from '../connection-memory.ts'
import type { GatewayLog } from '../log.ts'
import { answerCost, bodyCost, DESCRIPTION_COST, PLAIN_COST } from '../costs.ts'
import { TOO_GREEDY } from '../memory-budget.ts'
import type { BodyPieces } from '../small-pieces.ts'
import type { Turns } from '../turns.ts'
import { createUdf, UDF_PATH } from '../clob/udf.ts'
import { LargeBodies } from '../large-bodies.ts'
import { answersBrowser } from './cors.ts'
import { createGrpcWeb, isGrpcWeb } from './grpc-web.ts'
import { createNativeQueries, HEIGHT_HEADER, queryCost } from './native-queries.ts'
import { createOpenApiPages, isDescription } from './openapi-pages.ts'
import { LONG_ANSWER_BYTES, LongAnswerPrinter } from './print-in-turns.ts'
import { createMessagePrinter } from './print-message.ts'
import { readRequest } from './read-request.ts'
import { receiveBody } from './receive-body.ts'
import { createRoutes, type MatchedRoute } from './routes.ts'
import { createTypeRegistry, methodPath, NATIVE_SERVICES } from './services.ts'
import { GRPC, type GrpcStatus } from '../grpc/status.ts'
import { toGrpcStatus, toHttpStatus } from './status.ts'

export interface RestOptions {
  readonly application: ReachableApplication
  readonly head: HeadTracker
  readonly log: GatewayLog
  readonly bodyLimit: number
  /** Pages that may call from another origin, as origins.ts reads them. */
  readonly origins: readonly string[]
  /** Serves gRPC-Web. */
  readonly grpcWeb: boolean
  /** Serves the description of the routes at /swagger. */
  readonly openApi: boolean
  /** Serves the page of the chain at /. */
  readonly page?: ChainPage | undefined
  /** First line of web3_clientVersion. */
  readonly version: string
  readonly limiter: RateLimiter | undefined
  readonly findAddress: FindAddress
  readonly turns: Turns
  readonly memory: ConnectionMemory
  readonly pieces: BodyPieces
  /** Serves traces. */
  readonly traces: boolean
  readonly services?: readonly DescService[]
}

const send = (response: ServerResponse, status: number, text: Text): void => {
  if (response.destroyed) return
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
  response.end(text)
}

const sendError = (response: ServerResponse, { code, message }: GrpcStatus): void =>
  send(response, toHttpStatus(code), JSON.stringify({ code, message, details: [] }))

/** Answers of so many bytes are counted in the memory of the gateway until clients have them. */
const COUNTED_BYTES = 64 * 1024
/** JSON of binary fields is larger than they are, by base64 and by names. */
const PRINTED_PER_BYTE = 2
/** A request as JSON: base64 takes a third more than its bytes, and names of members some more. */
const JSON_PER_BYTE = 2
/** A client that does not take a large answer in time is cut off, as over JSON-RPC. */
const SEND_TIMEOUT_MS = 30_000

/** A chart's question is up to three native ones, or ten for thousands of bars. */
const CHART_COST = 20

const NOT_FOUND: GrpcStatus = { code: GRPC.unimplemented, message: 'Not Implemented' }

/** A value of the query may hold question marks. */
const splitUrl = (url: string): readonly [path: string, query: string] => {
  const at = url.indexOf('?')
  return at === -1 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)]
}

/** A height may also come as gRPC metadata in the clothes of grpc-gateway. */
const heightOf = ({ headers }: IncomingMessage): string | undefined => {
  const written = headers[HEIGHT_HEADER] ?? headers[`grpc-metadata-${HEIGHT_HEADER}`]
  return Array.isArray(written) ? written[0] : written
}

export const createRest = (options: RestOptions): RequestListener => {
  const { application, head, log, bodyLimit, turns, memory, pieces } = options
  const large = new LargeBodies()
  const services = options.services ?? NATIVE_SERVICES
  const routes = createRoutes(services)
  const registry = createTypeRegistry(services)
  const printer = createMessagePrinter(registry)
  const longPrinter = new LongAnswerPrinter(printer)
  const queries = createNativeQueries({ application, head, services, traces: options.traces })
  const pages = options.openApi ? createOpenApiPages({ services, routes, version: options.version }) : undefined
  const charge = (request: IncomingMessage, cost: number): void =>
    options.limiter?.charge(options.findAddress(request), cost)
  const receive = async (request: IncomingMessage, most: number): Promise<Buffer> => {
    const client = clientOf(options.findAddress(request))
    const limit = Math.min(bodyLimit, most)
    const body = await receiveBody(request, { limit, share: memory.shareOf(request), large, client, pieces })
    charge(request, bodyCost(body.length))
    return body
  }
  const toStatus = (error: unknown, path: string): GrpcStatus => toGrpcStatus(error, path, log)

  const findAsker = (request: IncomingMessage): Asker => askerOn(request.socket, clientOf(options.findAddress(request)))

  /** Undefined when the address has rate left. */
  const limited = (request: IncomingMessage, response: ServerResponse, cost: number): GrpcStatus | undefined => {
    const waitSeconds = options.limiter?.take(options.findAddress(request), cost) ?? 0
    if (waitSeconds === 0) return undefined
    response.setHeader('Retry-After', waitSeconds)
    return { code: GRPC.resourceExhausted, message: `rate limit exceeded, retry in ${waitSeconds} s` }
  }

  /** Throws grpc/8 where there is no room for it. */
  const holdAnswer = (request: IncomingMessage, response: ServerResponse, bytes: number): void => {
    if (bytes < COUNTED_BYTES || response.destroyed) return
    if (memory.holdUntilSent(request, response, bytes * PRINTED_PER_BYTE, SEND_TIMEOUT_MS)) return
    throw new CodedError('grpc', GRPC.resourceExhausted, TOO_GREEDY)
  }

  /** What is long is printed in turns of some milliseconds. Empty where the client has gone meanwhile. */
  const print = async (
    request: IncomingMessage,
    response: ServerResponse,
    output: DescMessage,
    bytes: Uint8Array,
  ): Promise<Text> => {
    const take = <Result>(work: () => Result): Promise<Result> => turns.take(request.socket, bytes.length, work)
    if (bytes.length < LONG_ANSWER_BYTES) {
      return await take(() => (response.destroyed ? '' : printer.print(output, fromBinary(output, bytes))))
    }
    return (await longPrinter.print(output, bytes, { take, isOver: () => response.destroyed })) ?? ''
  }

  const ask = async (
    request: IncomingMessage,
    response: ServerResponse,
    { method, takesBody, fields }: MatchedRoute,
    query: string,
  ): Promise<void> => {
    const { input, output } = method
    const received = takesBody
      ? await receive(request, JSON_PER_BYTE * mostRequestBytes(methodPath(method)))
      : undefined
    const bytes = await turns.take(request.socket, received?.length ?? 0, () => {
      const body = received?.toString()
      return toBinary(input, readRequest(input, { fields, query, body }, registry))
    })
    const reply = await queries.ask(methodPath(method), bytes, heightOf(request), findAsker(request))
    holdAnswer(request, response, reply.bytes.length)
    const text = await print(request, response, output, reply.bytes)
    if (response.destroyed) return
    charge(request, answerCost(text.length))
    response.setHeader(HEIGHT_HEADER, String(reply.height))
    send(response, 200, text)
  }

  const answerRoute = async (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: string,
  ): Promise<void> => {
    const verb = request.method === 'HEAD' ? 'GET' : (request.method ?? '')
    const route = routes.find(verb, path)
    const cost = route === undefined ? PLAIN_COST : queryCost(methodPath(route.method))
    const refusal = limited(request, response, cost)
    if (refusal !== undefined) return sendError(response, refusal)
    if (route === undefined) return sendError(response, NOT_FOUND)
    try {
      await ask(request, response, route, query)
    } catch (error) {
      // A body that was not read to its end must not be taken for the next request.
      if (!request.complete) response.setHeader('Connection', 'close')
      sendError(response, toStatus(error, methodPath(route.method)))
    }
  }

  const answerChart = async (
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    query: string,
  ): Promise<void> => {
    const refusal = limited(request, response, CHART_COST)
    if (refusal !== undefined) return sendError(response, refusal)
    try {
      const { timestamp } = JSON.parse(head.current().head.header) as { readonly timestamp: string }
      const answer = await answerUdf({
        ...{ name: path.slice(UDF_PATH.length), query, timeS: Number(timestamp), asker: findAsker(request) },
        height: head.current().head.height,
        takeTurn: (bytes, work) => turns.take(request.socket, bytes, work),
      })
      if (answer === undefined) return sendError(response, NOT_FOUND)
      holdAnswer(request, response, answer.text.length)
      charge(request, answerCost(answer.text.length))
      return send(response, answer.status, answer.text)
    } catch (error) {
      return sendError(response, toStatus(error, path))
    }
  }

  const answerUdf = createUdf(queries)
  const grpcWeb = createGrpcWeb({ queries, receive, charge, limited, toStatus, findAsker, turns, holdAnswer })

  return (request, response) => {
    const [path, query] = splitUrl(request.url ?? '/')
    if (answersBrowser(request, response, options.origins)) return charge(request, PLAIN_COST)
    if (options.grpcWeb && isGrpcWeb(request)) return void grpcWeb(request, response, path)
    if (options.page?.isAsked(request, path) === true) {
      const refusal = limited(request, response, PLAIN_COST)
      return refusal === undefined ? options.page.answer(response, path) : sendError(response, refusal)
    }
    if (pages !== undefined && isDescription(request, path)) {
      const refusal = limited(request, response, DESCRIPTION_COST)
      return refusal === undefined ? pages.answer(response, path) : sendError(response, refusal)
    }
    if (request.method === 'GET' && path.startsWith(UDF_PATH)) {
      return void answerChart(request, response, path, query)
    }
    return void answerRoute(request, response, path, query)
  }
}

/** A gateway: JSON-RPC over HTTP and WebSocket, native REST and gRPC, in front of an application near or far. */
import { createResponder } from './envelope.ts'
import { createContext } from './call-context.ts'
import { createConnectionMemory } from './connection-memory.ts'
import { createOwnerFinder } from './connection-shares.ts'
import { createHeadTracker, type HeadTracker, type ReachableApplication } from './head.ts'
import { createHostCheck, withHostCheck } from './hosts.ts'
import { createHttpServer } from './http-server.ts'
import { createHttpHandler, refuse } from './http.ts'
import {
  createAddressFinder,
  createAdmission,
  createRateLimiter,
  type RateLimiter,
  type RateLimiterOptions,
} from './limits.ts'
import { type Meter, SILENT_METER } from '../core/meter.ts'
import { Floods } from './floods.ts'
import { registerGatewayFigures } from './gateway-figures.ts'
import { keepAnswers } from './kept-answers.ts'
import { boundLines } from './bounded-lines.ts'
import type { GatewayLog } from './log.ts'
import { createLongRequests } from './long-requests/long-requests.ts'
import { MemoryBudget } from './memory-budget.ts'
import { selectMethods } from './methods.ts'
import { isNamespace } from './namespaces.ts'
import { createRequestFigures } from './request-figures.ts'
import { createChainPage, type PageServers } from './page/serve-page.ts'
import { createPages, type Health } from './pages.ts'
import type { GatewaySettings } from './settings.ts'
import { createSharedLimiter, type SharedCounters } from './shared-limiter.ts'
import { BodyPieces } from './small-pieces.ts'
import { createStreamHub } from './clob/streams/hub.ts'
import { createSubscriptionHub } from './subscriptions/hub.ts'
import type { TlsSource } from './tls.ts'
import { Turns } from './turns.ts'
import { WritingTurns } from './websocket/writing-turns.ts'
import { attachWebSocket } from './websocket/endpoint.ts'

export interface Gateway {
  /** `host:port` of each server that was started. */
  readonly address: string | undefined
  readonly wsAddress: string | undefined
  readonly restAddress: string | undefined
  readonly grpcAddress: string | undefined
  close(): Promise<void>
}

const rateOf = ({ rateLimit, rateLimitBurst: burst }: GatewaySettings): RateLimiterOptions | undefined =>
  rateLimit > 0 ? { unitsPerSecond: rateLimit, burst, nowMs: () => performance.now() } : undefined

/** A client may send two seconds' worth of messages at once. */
const messageLimiterOf = ({ wsMessagesByClient: unitsPerSecond }: GatewaySettings): RateLimiter | undefined =>
  unitsPerSecond > 0
    ? createRateLimiter({ unitsPerSecond, burst: 2 * unitsPerSecond, nowMs: () => performance.now() })
    : undefined

const readHealth = (head: HeadTracker): Health => {
  if (!head.isAvailable()) return { healthy: false, details: { reason: 'application unavailable' } }
  const { height, catchingUp } = head.current().head
  return { healthy: head.isHealthy(), details: { height, evmHeight: height, catchingUp } }
}

export interface GatewayParts {
  /** Left out where nobody asks for figures. */
  readonly meter?: Meter
  /** Left out where all is plain. */
  readonly tls?: TlsSource | undefined
  /** Counters of gateways that share a limit of rates. */
  readonly counters?: SharedCounters | undefined
  /** Where another process serves JSON-RPC, for the page of the chain. */
  readonly others?: Omit<PageServers, 'grpc'>
}

/** Rejects when a setting cannot be used or an address not be bound; nothing stays open then. */
export const startGateway = async (
  settings: GatewaySettings,
  source: ReachableApplication,
  lines: GatewayLog,
  { meter = SILENT_METER, tls, counters, others }: GatewayParts = {},
): Promise<Gateway> => {
  const log = boundLines(lines)
  for (const name of settings.api) if (!isNamespace(name)) log.warn('unknown namespace in json-rpc.api', { name })
  const methods = selectMethods(settings.api)
  const findAddress = createAddressFinder(settings.trustedProxies)
  const kept = keepAnswers(source)
  const { application } = kept
  const head = createHeadTracker(application)
  const context = createContext(settings, application, head, methods, log)
  const { batchRequestLimit, batchResponseMaxSize, httpTimeoutMs: timeoutMs } = settings
  const figures = createRequestFigures(
    meter,
    {
      name: 'nat_rpc_request_seconds',
      help: 'Time of JSON-RPC requests by method and outcome, until they are answered',
    },
    methods,
    () => performance.now(),
  )
  const limitsOfBatch = { batchRequestLimit, batchResponseMaxSize, timeoutMs }
  const responder = createResponder({ methods, context, log, figures, ...limitsOfBatch })
  const hub = createSubscriptionHub({ head, ask: context.ask, askText: context.askText, log })
  const streams = createStreamHub({ head, ask: context.ask, log })
  const rate = rateOf(settings)
  const shared = rate && counters && createSharedLimiter(rate, counters, log)
  const limiter = shared ?? (rate && createRateLimiter(rate))
  const ownerOf = createOwnerFinder(settings.trustedProxies)
  // Whoever floods one port has its next connections wait on all.
  const floods = new Floods(ownerOf)
  const pieces = new BodyPieces(floods)
  const admission = {
    ownerOf,
    floods,
    ...(rate && { admits: createAdmission(rate, settings.trustedProxies) }),
  }
  const { endpoint } = application
  const longRequests = endpoint && createLongRequests({ settings, endpoint, head, figures, log })
  // A proxy is one client here: of each of its connections nobody knows whose requests come next.
  const turns = new Turns((key) => ownerOf((key as { readonly remoteAddress?: string }).remoteAddress) ?? '')
  const budget = new MemoryBudget(settings.memoryBytes)
  const memory = createConnectionMemory(budget, findAddress)
  const servers = registerGatewayFigures(meter, { head, budget, connected: () => application.connected !== false })
  const closers: (() => Promise<void>)[] = []
  const traces = settings.api.includes('debug')
  const limits = {
    timeoutMs,
    idleTimeoutMs: settings.httpIdleTimeoutMs,
    maxConnections: settings.maxOpenConnections,
    pieces,
    memory,
    tls,
    turns,
    ...admission,
  }

  const startHttp = async (): Promise<string | undefined> => {
    if (settings.address === undefined) return undefined
    const { corsOrigins, httpBodyLimit: bodyLimit } = settings
    const pages = createPages({
      corsOrigins,
      health: () => readHealth(head),
      isLive: () => head.isAvailable(),
      daemons: () => head.current().head.daemons,
    })
    const serves = { responder, timeoutMs, bodyLimit, corsOrigins, pages }
    const handler = createHttpHandler({ ...serves, limiter, findAddress, turns, memory, pieces, longRequests })
    const isHostAllowed = createHostCheck(settings.address, settings.vhosts)
    const server = createHttpServer(limits, withHostCheck(isHostAllowed, handler))
    servers.add('json-rpc', server.server)
    const address = await server.listen(settings.address)
    closers.push(() => server.close())
    return address
  }

  const startWebSocket = async (): Promise<string | undefined> => {
    if (settings.wsAddress === undefined) return undefined
    const isHostAllowed = createHostCheck(settings.wsAddress, settings.vhosts)
    const answerPlain = withHostCheck(isHostAllowed, (_request, response) =>
      refuse(response, 426, 'this port speaks WebSocket'),
    )
    const server = createHttpServer(limits, answerPlain)
    server.server.on('upgrade', ({ socket }) => server.upgraded(socket))
    servers.add('websocket', server.server)
    const endpoint = attachWebSocket(server.server, {
      writingTurns: new WritingTurns(),
      responder,
      hub,
      streams,
      log,
      limiter,
      findAddress,
      turns,
      budget,
      longRequests,
      floods,
      origins: settings.wsOrigins,
      isHostAllowed,
      messageLimit: settings.wsMessageLimit,
      bufferLimit: settings.wsBufferLimit,
      subscriptionLimit: settings.wsSubscriptionLimit,
      connectionsByClient: settings.wsConnectionsByClient,
      messages: messageLimiterOf(settings),
      pingIntervalMs: settings.wsPingIntervalMs,
    })
    const address = await server.listen(settings.wsAddress)
    closers.push(() => {
      endpoint.close()
      return server.close()
    })
    return address
  }

  // REST and gRPC bring the descriptions of all native messages: a gateway of JSON-RPC alone does without.
  const startRest = async (pageServers: PageServers): Promise<string | undefined> => {
    if (settings.restAddress === undefined) return undefined
    const { restBodyLimit: bodyLimit, restOrigins: origins, grpcWeb, openApi, version } = settings
    const { createRest } = await import('./native/rest.ts')
    const page = settings.page ? createChainPage(pageServers) : undefined
    const serves = { bodyLimit, origins, grpcWeb, openApi, page, version, traces }
    const rest = createRest({ ...serves, application, head, log, limiter, findAddress, turns, memory, pieces })
    const guarded = withHostCheck(createHostCheck(settings.restAddress, settings.restVhosts), rest)
    const maxConnections = settings.restMaxOpenConnections
    const server = createHttpServer({ ...limits, maxConnections }, guarded)
    servers.add('rest', server.server)
    const address = await server.listen(settings.restAddress)
    closers.push(() => server.close())
    return address
  }

  const startGrpc = async (): Promise<string | undefined> => {
    if (settings.grpcAddress === undefined) return undefined
    const { grpcMaxReceiveBytes: maxReceiveBytes, grpcMaxSendBytes: maxSendBytes } = settings
    const { serveGrpc } = await import('./native/grpc-server.ts')
    const server = await serveGrpc({
      address: settings.grpcAddress,
      application,
      head,
      log,
      maxReceiveBytes,
      maxSendBytes,
      budget,
      turns,
      limiter,
      findAddress,
      traces,
      streams,
      tls,
      figures: createRequestFigures(
        meter,
        { name: 'nat_grpc_request_seconds', help: 'Time of unary gRPC calls by method and outcome' },
        // Calls of others do not come this far.
        { has: () => true },
        () => performance.now(),
      ),
      ...admission,
    })
    closers.push(() => server.close())
    return server.address
  }

  const close = async (): Promise<void> => {
    hub.close()
    streams.close()
    context.inclusion.close()
    await Promise.all(closers.map((closer) => closer()))
    await longRequests?.close()
    shared?.close()
    turns.close()
    head.close()
    kept.close()
  }

  try {
    const address = await startHttp()
    const wsAddress = await startWebSocket()
    const grpcAddress = await startGrpc()
    const restAddress = await startRest({
      ...(others ?? { jsonRpc: address, webSocket: wsAddress }),
      grpc: grpcAddress,
    })
    return { address, wsAddress, restAddress, grpcAddress, close }
  } catch (error) {
    await close()
    throw error
  }
}

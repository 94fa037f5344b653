/** Native gRPC: queries pass through to the application as bytes. */
import type { DescService } from '@bufbuild/protobuf'
import type { Asker } from '../../app/ports.ts'
import { formatHostPort } from '../../core/host-port.ts'
import { askerOn } from '../asker.ts'
import { rpcError } from '../errors.ts'
import { mostRequestBytes } from '../../core/request-limits.ts'
import type { HeadTracker, ReachableApplication } from '../head.ts'
import { answerCost, bodyCost, DESCRIPTION_COST, PLAIN_COST } from '../costs.ts'
import type { Floods } from '../floods.ts'
import type { FindOwner } from '../connection-shares.ts'
import { type Admission, clientOf, type FindAddress, type RateLimiter } from '../limits.ts'
import type { GatewayLog } from '../log.ts'
import type { MemoryBudget } from '../memory-budget.ts'
import { NO_FIGURES, type RequestFigures } from '../request-figures.ts'
import type { TlsSource } from '../tls.ts'
import type { Turns } from '../turns.ts'
import { streamMethods } from '../clob/streams/grpc.ts'
import type { StreamHub } from '../clob/streams/hub.ts'
import { requireHostPort } from '../stream/address.ts'
import { serveGrpcHttp2 } from '../grpc/server.ts'
import type { FollowMethod, GrpcCaller, GrpcMethod, StreamMethod, UnaryMethod, WatchMethod } from '../grpc/methods.ts'
import { createHealth, HEALTH_CHECK_PATH, HEALTH_WATCH_PATH } from './health.ts'
import { createNativeQueries, HEIGHT_HEADER, type NativeQueries, queryCost } from './native-queries.ts'
import { reflectionMethods } from './reflection.ts'
import { MESSAGE_SERVICES, methodPath, NATIVE_SERVICES, STREAM_SERVICES } from './services.ts'
import { toGrpcStatus } from './status.ts'

export interface GrpcOptions {
  /** `host:port` */
  readonly address: string
  readonly application: ReachableApplication
  readonly head: HeadTracker
  readonly log: GatewayLog
  readonly maxReceiveBytes: number
  readonly maxSendBytes: number
  readonly budget: MemoryBudget
  readonly turns: Turns
  readonly limiter: RateLimiter | undefined
  readonly findAddress: FindAddress
  readonly admits?: Admission
  /** Whose share of the connections one is. */
  readonly ownerOf?: FindOwner
  /** Clients whose connections wait; left out, those of this server alone. */
  readonly floods?: Floods
  readonly tls?: TlsSource | undefined
  /** Serves traces. */
  readonly traces: boolean
  readonly services?: readonly DescService[]
  /** Told how long calls take, by the path of a method. */
  readonly figures?: RequestFigures
  /** Streams of the order book. */
  readonly streams?: StreamHub
}

export interface GrpcServer {
  /** `host:port` with the port that was bound. */
  readonly address: string
  close(): Promise<void>
}

const addressOf = ({ findAddress }: GrpcOptions, { remoteAddress, headers }: GrpcCaller): string =>
  findAddress({ socket: { remoteAddress }, headers })

const askerOf = (options: GrpcOptions, caller: GrpcCaller): Asker =>
  askerOn(caller.stream.session ?? caller.stream, clientOf(addressOf(options, caller)), caller.stream)

/** Throws rpc/rateLimited when the address has no rate left. */
const requireRate = (options: GrpcOptions, caller: GrpcCaller, cost: number): void => {
  if (options.limiter === undefined) return
  const waitSeconds = options.limiter.take(addressOf(options, caller), cost)
  if (waitSeconds > 0) throw rpcError('rateLimited', `rate limit exceeded, retry in ${waitSeconds} s`)
}

/** Tells how long each answer took. */
const withFigures = ({ kind, answer }: UnaryMethod, { figures = NO_FIGURES }: GrpcOptions): UnaryMethod => ({
  kind,
  async answer(request, caller) {
    const end = figures.begin(caller.path)
    try {
      const answered = await answer(request, caller)
      end(false)
      return answered
    } catch (error) {
      end(true)
      throw error
    }
  },
})

const createMethod = (options: GrpcOptions, queries: NativeQueries): UnaryMethod => ({
  kind: 'unary',
  async answer(request, caller) {
    requireRate(options, caller, queryCost(caller.path) + bodyCost(request.length))
    const written = caller.headers[HEIGHT_HEADER]?.toString()
    const { bytes, height } = await queries.ask(caller.path, request, written, askerOf(options, caller))
    options.limiter?.charge(addressOf(options, caller), answerCost(bytes.length))
    return { bytes, metadata: { [HEIGHT_HEADER]: String(height) } }
  },
})

/** What a method costs is asked for before each of its answers. */
const withRate = (options: GrpcOptions, cost: number, method: GrpcMethod): GrpcMethod => {
  if (method.kind === 'watch') {
    const open: WatchMethod['open'] = (request, caller, feed) => {
      requireRate(options, caller, cost)
      return method.open(request, caller, feed)
    }
    return { kind: method.kind, open }
  }
  if (method.kind === 'follow') {
    const open: FollowMethod['open'] = async (request, caller, feed) => {
      requireRate(options, caller, cost)
      return await method.open(request, caller, feed)
    }
    return { kind: method.kind, open }
  }
  if (method.kind === 'stream') {
    const answer: StreamMethod['answer'] = (request, caller) => {
      requireRate(options, caller, cost)
      const bytes = method.answer(request, caller)
      options.limiter?.charge(addressOf(options, caller), answerCost(bytes.length))
      return bytes
    }
    return { kind: method.kind, answer }
  }
  return {
    kind: method.kind,
    async answer(request, caller) {
      requireRate(options, caller, cost)
      return await method.answer(request, caller)
    },
  }
}

/** Rejects when the address cannot be bound. */
export const serveGrpc = async (options: GrpcOptions): Promise<GrpcServer> => {
  const { application, head, log, maxReceiveBytes, maxSendBytes, budget, traces, services = NATIVE_SERVICES } = options
  const all = [...services, ...(options.streams === undefined ? [] : STREAM_SERVICES), ...MESSAGE_SERVICES]
  const method = withFigures(
    createMethod(options, createNativeQueries({ application, head, services, traces })),
    options,
  )
  const methods = new Map<string, GrpcMethod>()
  for (const [path, each] of reflectionMethods(all)) methods.set(path, withRate(options, DESCRIPTION_COST, each))
  const health = createHealth({ services, head, findAddress: options.findAddress })
  methods.set(HEALTH_CHECK_PATH, withRate(options, PLAIN_COST, health.check))
  methods.set(HEALTH_WATCH_PATH, withRate(options, PLAIN_COST, health.watch))
  for (const each of all.flatMap((service) => service.methods)) {
    if (each.methodKind === 'unary') methods.set(methodPath(each), method)
  }
  if (options.streams !== undefined) {
    const calls = streamMethods({
      streams: options.streams,
      askerOf: (caller) => askerOf(options, caller),
      charge: (caller, length) => options.limiter?.charge(addressOf(options, caller), answerCost(length)),
    })
    for (const [path, each] of calls) methods.set(path, withRate(options, PLAIN_COST, each))
  }
  const { host, port } = requireHostPort(options.address)
  const server = await serveGrpcHttp2({
    host,
    port,
    methods,
    maxReceiveBytes,
    mostRequestBytes,
    maxSendBytes,
    ...(options.admits === undefined ? {} : { admits: options.admits }),
    ...(options.ownerOf === undefined ? {} : { ownerOf: options.ownerOf }),
    ...(options.floods === undefined ? {} : { floods: options.floods }),
    budget,
    turns: options.turns,
    tls: options.tls,
    toStatus: (error, path) => toGrpcStatus(error, path, log),
  })
  return {
    address: formatHostPort({ host, port: server.port }),
    close: () => server.close(),
  }
}

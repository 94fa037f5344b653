/** Native gRPC: queries pass through to the application as bytes. */
import type { DescService } from '@bufbuild/protobuf'
import { formatHostPort } from '../../core/host-port.ts'
import { rpcError } from '../errors.ts'
import type { HeadTracker, ReachableApplication } from '../head.ts'
import { clientOf, type FindAddress, type RateLimiter } from '../limits.ts'
import type { GatewayLog } from '../log.ts'
import type { MemoryBudget } from '../memory-budget.ts'
import type { Turns } from '../turns.ts'
import { requireHostPort } from '../stream/address.ts'
import { serveGrpcHttp2 } from '../grpc/server.ts'
import type { GrpcCaller, GrpcMethod, UnaryMethod } from '../grpc/methods.ts'
import { createHealth, HEALTH_CHECK_PATH, HEALTH_WATCH_PATH } from './health.ts'
import { createNativeQueries, HEIGHT_HEADER, type NativeQueries, queryCost } from './native-queries.ts'
import { reflectionMethods } from './reflection.ts'
import { MESSAGE_SERVICES, methodPath, NATIVE_SERVICES } from './services.ts'
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
  /** Serves traces. */
  readonly traces: boolean
  readonly services?: readonly DescService[]
}

export interface GrpcServer {
  /** `host:port` with the port that was bound. */
  readonly address: string
  close(): Promise<void>
}

const addressOf = ({ findAddress }: GrpcOptions, { remoteAddress, headers }: GrpcCaller): string =>
  findAddress({ socket: { remoteAddress }, headers })

/** Throws rpc/rateLimited when the address has no rate left. */
const requireRate = (options: GrpcOptions, caller: GrpcCaller): void => {
  if (options.limiter === undefined) return
  const waitSeconds = options.limiter.take(addressOf(options, caller), queryCost(caller.path))
  if (waitSeconds > 0) throw rpcError('rateLimited', `rate limit exceeded, retry in ${waitSeconds} s`)
}

const createMethod = (options: GrpcOptions, queries: NativeQueries): UnaryMethod => ({
  kind: 'unary',
  async answer(request, caller) {
    requireRate(options, caller)
    const written = caller.headers[HEIGHT_HEADER]?.toString()
    const { bytes, height } = await queries.ask(caller.path, request, written, clientOf(addressOf(options, caller)))
    return { bytes, metadata: { [HEIGHT_HEADER]: String(height) } }
  },
})

/** Rejects when the address cannot be bound. */
export const serveGrpc = async (options: GrpcOptions): Promise<GrpcServer> => {
  const { application, head, log, maxReceiveBytes, maxSendBytes, budget, traces, services = NATIVE_SERVICES } = options
  const all = [...services, ...MESSAGE_SERVICES]
  const method = createMethod(options, createNativeQueries({ application, head, services, traces }))
  const methods = new Map<string, GrpcMethod>(reflectionMethods(all))
  const health = createHealth({ services, head, findAddress: options.findAddress })
  methods.set(HEALTH_CHECK_PATH, health.check)
  methods.set(HEALTH_WATCH_PATH, health.watch)
  for (const each of all.flatMap((service) => service.methods)) {
    if (each.methodKind === 'unary') methods.set(methodPath(each), method)
  }
  const { host, port } = requireHostPort(options.address)
  const server = await serveGrpcHttp2({
    host,
    port,
    methods,
    maxReceiveBytes,
    maxSendBytes,
    budget,
    turns: options.turns,
    toStatus: (error, path) => toGrpcStatus(error, path, log),
  })
  return {
    address: formatHostPort({ host, port: server.port }),
    close: () => server.close(),
  }
}

/** Native gRPC: queries pass through to the application as bytes. */
import type { DescService } from '@bufbuild/protobuf'
import {
  Metadata,
  Server,
  ServerCredentials,
  type sendUnaryData,
  type ServerUnaryCall,
  type ServiceDefinition,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js'
import { formatHostPort } from '../../core/host-port.ts'
import { rpcError } from '../errors.ts'
import type { HeadTracker, ReachableApplication } from '../head.ts'
import type { FindAddress, Origin, RateLimiter } from '../limits.ts'
import type { GatewayLog } from '../log.ts'
import { requireHostPort } from '../stream/address.ts'
import { createNativeQueries, HEIGHT_HEADER, type NativeQueries, QUERY_COST } from './native-queries.ts'
import { reflectionServices } from './reflection.ts'
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
  readonly limiter: RateLimiter | undefined
  readonly findAddress: FindAddress
  readonly services?: readonly DescService[]
}

export interface GrpcServer {
  /** `host:port` with the port that was bound. */
  readonly address: string
  close(): Promise<void>
}

const passThrough = (bytes: Buffer): Buffer => bytes

const defineService = (service: DescService): ServiceDefinition =>
  Object.fromEntries(
    service.methods
      .filter((method) => method.methodKind === 'unary')
      .map((method) => [
        method.name,
        {
          path: methodPath(method),
          requestStream: false,
          responseStream: false,
          requestSerialize: passThrough,
          requestDeserialize: passThrough,
          responseSerialize: passThrough,
          responseDeserialize: passThrough,
        },
      ]),
  )

type Handler = (call: ServerUnaryCall<Buffer, Buffer>, callback: sendUnaryData<Buffer>) => Promise<void>

/** `host:port`, also of an IPv6 host without brackets. */
const originOf = (call: ServerUnaryCall<Buffer, Buffer>): Origin => {
  const peer = call.getPeer()
  const forwarded = call.metadata.get('x-forwarded-for').map(String)
  return {
    socket: { remoteAddress: peer.slice(0, peer.lastIndexOf(':')) },
    headers: { 'x-forwarded-for': forwarded },
  }
}

/** Throws rpc/rateLimited when the address has no rate left. */
const requireRate = ({ limiter, findAddress }: GrpcOptions, call: ServerUnaryCall<Buffer, Buffer>): void => {
  const waitSeconds = limiter?.take(findAddress(originOf(call)), QUERY_COST) ?? 0
  if (waitSeconds > 0) throw rpcError('rateLimited', `rate limit exceeded, retry in ${waitSeconds} s`)
}

const createHandler =
  (path: string, options: GrpcOptions, queries: NativeQueries): Handler =>
  async (call, callback) => {
    try {
      requireRate(options, call)
      const [written] = call.metadata.get(HEIGHT_HEADER)
      const { bytes, height } = await queries.ask(path, call.request, written?.toString())
      const metadata = new Metadata()
      metadata.set(HEIGHT_HEADER, String(height))
      call.sendMetadata(metadata)
      callback(null, bytes)
    } catch (error) {
      const { code, message } = toGrpcStatus(error, path, options.log)
      callback({ code, details: message, name: 'GrpcStatus', message })
    }
  }

const bind = (server: Server, address: string): Promise<number> =>
  new Promise((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
      if (error === null) resolve(port)
      else reject(error)
    })
  })

/** Rejects when the address cannot be bound. */
export const serveGrpc = async (options: GrpcOptions): Promise<GrpcServer> => {
  const services = options.services ?? NATIVE_SERVICES
  const server = new Server({
    'grpc.max_receive_message_length': options.maxReceiveBytes,
    'grpc.max_send_message_length': options.maxSendBytes,
    // Clients that ask nothing for minutes, or everything at once.
    'grpc.max_connection_idle_ms': 5 * 60_000,
    'grpc.max_concurrent_streams': 100,
  })
  const queries = createNativeQueries({ application: options.application, head: options.head, services })
  const all = [...services, ...MESSAGE_SERVICES]
  for (const service of all) {
    const handlers: UntypedServiceImplementation = Object.fromEntries(
      service.methods
        .filter((method) => method.methodKind === 'unary')
        .map((method) => [method.name, createHandler(methodPath(method), options, queries)]),
    )
    server.addService(defineService(service), handlers)
  }
  for (const [definition, handlers] of reflectionServices(all)) server.addService(definition, handlers)
  const { host } = requireHostPort(options.address)
  const port = await bind(server, options.address)
  return {
    address: formatHostPort({ host, port }),
    close: () =>
      new Promise((resolve) => {
        server.tryShutdown(() => resolve())
        // Streams that clients keep open would hold it up for ever.
        setTimeout(() => server.forceShutdown(), 500).unref()
      }),
  }
}

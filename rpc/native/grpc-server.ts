/** Native gRPC, in the process of the application: queries pass through as bytes. */
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
import type { QueryApplication } from '../../app/ports.ts'
import { InvariantError } from '../../core/errors.ts'
import { createHeadTracker } from '../head.ts'
import { SILENT_LOG, type GatewayLog } from '../log.ts'
import { parseHostPort } from '../stream/address.ts'
import { createNativeQueries, HEIGHT_HEADER, type NativeQueries } from './native-queries.ts'
import { reflectionServices } from './reflection.ts'
import { MESSAGE_SERVICES, methodPath, NATIVE_SERVICES } from './services.ts'
import { toGrpcStatus } from './status.ts'

export interface GrpcOptions {
  /** `host:port` */
  readonly address: string
  readonly application: QueryApplication
  readonly log?: GatewayLog
  /** A broken invariant in a query: the node must stop. */
  readonly onFatal?: (error: InvariantError) => void
  readonly maxReceiveBytes?: number
  readonly maxSendBytes?: number
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

const createHandler = (path: string, options: GrpcOptions, queries: NativeQueries): Handler => {
  const { log = SILENT_LOG } = options
  return async (call, callback) => {
    try {
      const [written] = call.metadata.get(HEIGHT_HEADER)
      const { bytes, height } = await queries.ask(path, call.request, written?.toString())
      const metadata = new Metadata()
      metadata.set(HEIGHT_HEADER, String(height))
      call.sendMetadata(metadata)
      callback(null, bytes)
    } catch (error) {
      const { code, message } = toGrpcStatus(error, path, log)
      if (error instanceof InvariantError) options.onFatal?.(error)
      callback({ code, details: message, name: 'GrpcStatus', message })
    }
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
  const head = createHeadTracker(options.application)
  const server = new Server({
    'grpc.max_receive_message_length': options.maxReceiveBytes ?? 10 * 1024 * 1024,
    'grpc.max_send_message_length': options.maxSendBytes ?? 64 * 1024 * 1024,
    // Clients that ask nothing for minutes, or everything at once.
    'grpc.max_connection_idle_ms': 5 * 60_000,
    'grpc.max_concurrent_streams': 100,
  })
  const queries = createNativeQueries({ application: options.application, head, services })
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
  const { host } = parseHostPort(options.address)
  const port = await bind(server, options.address)
  return {
    address: `${host.includes(':') ? `[${host}]` : host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        head.close()
        server.tryShutdown(() => resolve())
        // Streams that clients keep open would hold it up for ever.
        setTimeout(() => server.forceShutdown(), 500).unref()
      }),
  }
}

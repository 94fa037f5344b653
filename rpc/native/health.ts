/**
 * grpc.health.v1.Health, for orchestrators, load balancers and clients that choose among nodes: `Check` answers once,
 * `Watch` at once and with each change. The messages have a field each, and are read and written by number; see
 * grpc/health/v1/health.proto.
 */
import type { DescService } from '@bufbuild/protobuf'
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { CodedError } from '../../core/errors.ts'
import type { Feed, GrpcCaller, UnaryMethod, WatchMethod } from '../grpc/methods.ts'
import { GRPC } from '../grpc/status.ts'
import { isRpcError, rpcError } from '../errors.ts'
import type { HeadTracker } from '../head.ts'
import { clientOf, type FindAddress } from '../limits.ts'
import { Owners } from '../subscriptions/owners.ts'
import { invalidArgument } from './parse-parameter.ts'

export const HEALTH_CHECK_PATH = '/grpc.health.v1.Health/Check'
export const HEALTH_WATCH_PATH = '/grpc.health.v1.Health/Watch'

/** HealthCheckRequest.service, HealthCheckResponse.status. */
const FIELD = 1
const SERVING = 1
const NOT_SERVING = 2
/** Watch alone answers it: Check has a status of gRPC for it. */
const SERVICE_UNKNOWN = 3

/** A client has a watch for each channel that it opens to this node. */
const BOUNDS: WatchBounds = { all: 1_024, ofClient: 32 }

/** The service that is asked for; the whole server when it is empty. */
const readService = (bytes: Uint8Array): string => {
  const reader = new BinaryReader(bytes)
  let service = ''
  try {
    while (reader.pos < reader.len) {
      const [number, wireType] = reader.tag()
      if (number === FIELD && wireType === WireType.LengthDelimited) service = reader.string()
      else reader.skip(wireType)
    }
  } catch (error) {
    throw invalidArgument(`the request cannot be read: ${(error as Error).message}`)
  }
  return service
}

const writeStatus = (status: number): Uint8Array =>
  new BinaryWriter().tag(FIELD, WireType.Varint).uint32(status).finish()

/** Watchers that are held, of all clients and of one. */
export interface WatchBounds {
  readonly all: number
  readonly ofClient: number
}

export interface HealthOptions {
  readonly services: readonly DescService[]
  readonly head: HeadTracker
  readonly findAddress: FindAddress
  readonly bounds?: WatchBounds
}

export interface Health {
  readonly check: UnaryMethod
  readonly watch: WatchMethod
}

class Watchers {
  readonly #head: HeadTracker
  readonly #names: ReadonlySet<string>
  readonly #findAddress: FindAddress
  readonly #owners: Owners<Feed>
  readonly #watchers = new Map<Feed, { readonly stop: () => void }>()

  constructor({ head, findAddress, bounds = BOUNDS }: HealthOptions, names: ReadonlySet<string>) {
    this.#head = head
    this.#names = names
    this.#findAddress = findAddress
    this.#owners = new Owners({ bytes: bounds.all, bytesOfClient: bounds.ofClient })
  }

  /** Throws rpc/rateLimited when the client has as many as it may. Returns how to stop. */
  add(service: string, { remoteAddress, headers }: GrpcCaller, feed: Feed): () => void {
    const client = clientOf(this.#findAddress({ socket: { remoteAddress }, headers }))
    for (const ended of this.#take(client, feed)) {
      this.#watchers.get(ended)?.stop()
      ended.end({ code: GRPC.resourceExhausted, message: 'too many watchers, and most of them are of this client' })
    }
    const release = this.#names.has(service) ? this.#follow(feed) : this.#tellUnknown(feed)
    const stop = (): void => {
      release()
      this.#watchers.delete(feed)
      this.#owners.remove(client, feed)
    }
    this.#watchers.set(feed, { stop })
    return stop
  }

  #take(client: string, feed: Feed): readonly Feed[] {
    try {
      return this.#owners.add(client, feed, 1)
    } catch (error) {
      throw isRpcError(error, 'rateLimited') ? rpcError('rateLimited', 'too many watchers of one client') : error
    }
  }

  #follow(feed: Feed): () => void {
    const tell = (isHealthy: boolean): void => feed.send(writeStatus(isHealthy ? SERVING : NOT_SERVING))
    tell(this.#head.isHealthy())
    return this.#head.onHealth(tell)
  }

  /** The services are those that the gateway began with: there is nothing to tell later. */
  #tellUnknown(feed: Feed): () => void {
    feed.send(writeStatus(SERVICE_UNKNOWN))
    return () => undefined
  }
}

/** SERVING while the node follows its chain, as `/readyz`. */
export const createHealth = (options: HealthOptions): Health => {
  const { services, head } = options
  const names = new Set(['', ...services.map(({ typeName }) => typeName)])
  const watchers = new Watchers(options, names)
  return {
    check: {
      kind: 'unary',
      answer: (request) => {
        const service = readService(request)
        if (!names.has(service))
          return Promise.reject(new CodedError('grpc', GRPC.notFound, `unknown service ${service}`))
        return Promise.resolve({ bytes: writeStatus(head.isHealthy() ? SERVING : NOT_SERVING), metadata: {} })
      },
    },
    watch: { kind: 'watch', open: (request, caller, feed) => watchers.add(readService(request), caller, feed) },
  }
}

/** A server of gRPC over HTTP/2, plain or with TLS, on node:http2. */
import { createServer, type Server, type Socket } from 'node:net'
import { ByteBudget } from './byte-budget.ts'
import { ConnectionShares, type FindOwner } from '../connection-shares.ts'
import { MemoryBudget } from '../memory-budget.ts'
import { Turns } from '../turns.ts'
import { Floods } from '../floods.ts'
import { beginLater } from '../late-beginnings.ts'
import type { CallSettings } from './grpc-call.ts'
import { Connection, type ConnectionOptions } from './connection.ts'
import { Decompressor } from './decompress.ts'
import type { GrpcMethod } from './methods.ts'
import type { GrpcStatus } from './status.ts'
import { createSecurity, type Security, type TlsSource } from '../tls.ts'

/** Half a request holds what has come of it for so long. */
const RECEIVE_TIMEOUT_MS = 30_000
/** A client that does not take an answer in time is cut off, as over HTTP. */
const SEND_TIMEOUT_MS = 30_000
/** Unfinished requests of all connections, without the first 16 KiB of each. */
const MAX_UNFINISHED_BYTES = 64 * 1024 * 1024
/** Large answers of all connections that have not been taken; as over HTTP. */
const MAX_UNSENT_BYTES = 192 * 1024 * 1024
/** What connections send that is no message is looked at so often. */
const CHECK_MS = 50
/** Clients that ask nothing for minutes. */
const CONNECTION_IDLE_MS = 5 * 60_000
/** A client that watches says nothing: its host is asked whether it is still there. */
const KEEP_ALIVE_MS = 60_000
/** HTTP has as many by default. A client that has most of them loses to others (connection-shares.ts). */
const MAX_CONNECTIONS = 10_000
/** What calls have for their answers when the server closes. */
const CLOSE_GRACE_MS = 500

export interface GrpcHttp2Options {
  readonly host: string
  /** 0 for any. */
  readonly port: number
  /** The methods by path. */
  readonly methods: ReadonlyMap<string, GrpcMethod>
  /** Bytes of a message, also of one that was decompressed. */
  readonly maxReceiveBytes: number
  /** Less for some methods, by their paths. */
  readonly mostRequestBytes?: (path: string) => number
  readonly maxSendBytes: number
  /** Maps a failure to what the client reads. */
  readonly toStatus: (error: unknown, path: string) => GrpcStatus
  /** Whether a connection of that peer is taken. */
  readonly admits?: (peer: string | undefined) => boolean
  readonly maxConnections?: number
  /** Whose share of them a connection is; left out, its address tells. */
  readonly ownerOf?: FindOwner
  /** Clients whose connections wait; left out, those of this server alone. */
  readonly floods?: Floods
  /** The certificate; left out where what is sent is plain. */
  readonly tls?: TlsSource | undefined
  readonly receiveTimeoutMs?: number
  readonly sendTimeoutMs?: number
  readonly connectionIdleMs?: number
  /** What its clients may make the process hold, with those of other servers; left out, one of its own. */
  readonly budget?: MemoryBudget
  /** Shared with other servers of the process; left out, its own. */
  readonly turns?: Turns
  readonly maxUnfinishedBytes?: number
  readonly maxUnsentBytes?: number
}

export interface GrpcHttp2Server {
  readonly port: number
  /** Bytes that are held of unfinished requests, and of large answers that have not been taken. */
  readonly unfinishedBytes: number
  readonly unsentBytes: number
  close(): Promise<void>
}

const ignore = (): void => undefined

const SOCKET_OPTIONS = { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS }

/** Ends connections before anything is read of them where there is no room. Returns those that are here, also before their handshakes. */
const admitConnections = (
  server: Server,
  { admits = () => true, maxConnections = MAX_CONNECTIONS, ownerOf }: GrpcHttp2Options,
): ReadonlySet<Socket> => {
  const carriers = new Set<Socket>()
  const shares = new ConnectionShares(maxConnections, ownerOf)
  server.prependListener('connection', (socket: Socket) => {
    if (!admits(socket.remoteAddress) || !shares.take(socket)) return void socket.destroy()
    carriers.add(socket)
    socket.once('close', () => carriers.delete(socket))
  })
  return carriers
}

const createCallSettings = (options: GrpcHttp2Options): CallSettings => {
  const { maxReceiveBytes, mostRequestBytes = () => maxReceiveBytes, maxSendBytes, toStatus } = options
  const { maxUnfinishedBytes = MAX_UNFINISHED_BYTES, maxUnsentBytes = MAX_UNSENT_BYTES } = options
  const { receiveTimeoutMs = RECEIVE_TIMEOUT_MS, sendTimeoutMs = SEND_TIMEOUT_MS } = options
  return {
    maxReceiveBytes,
    mostRequestBytes,
    maxSendBytes,
    receiveTimeoutMs,
    sendTimeoutMs,
    // One message has room, however long it may be.
    unfinished: new ByteBudget(Math.max(maxUnfinishedBytes, maxReceiveBytes)),
    unsent: new ByteBudget(Math.max(maxUnsentBytes, maxSendBytes)),
    decompressor: new Decompressor(),
    toStatus,
  }
}

const listen = (server: Server, { host, port }: GrpcHttp2Options): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      // An accept that fails for want of descriptors is of no call.
      server.on('error', ignore)
      const bound = server.address()
      resolve(typeof bound === 'object' ? (bound?.port ?? port) : port)
    })
  })

/** Rejects when the address cannot be bound. */
export const serveGrpcHttp2 = async (options: GrpcHttp2Options): Promise<GrpcHttp2Server> => {
  const calls = createCallSettings(options)
  const { methods, connectionIdleMs: idleMs = CONNECTION_IDLE_MS } = options
  const connections = new Set<Connection>()
  const onClose = (connection: Connection): void => void connections.delete(connection)
  const budget = options.budget ?? new MemoryBudget(MAX_UNFINISHED_BYTES + MAX_UNSENT_BYTES)
  const turns = options.turns ?? new Turns()
  const floods = options.floods ?? new Floods(options.ownerOf)
  const onFlood = ({ remoteAddress }: Connection): void => floods.note(remoteAddress)
  const onAsked = ({ remoteAddress }: Connection): void => security?.asked(remoteAddress)
  const settings: ConnectionOptions = { methods, calls, budget, turns, idleMs, onClose, onAsked, onFlood }
  const checks = setInterval(() => {
    for (const connection of connections) connection.check()
  }, CHECK_MS).unref()
  const server = createServer(SOCKET_OPTIONS, (socket) => void connections.add(new Connection(socket, settings)))
  const { tls: source, ownerOf } = options
  const security: Security | undefined =
    source && createSecurity(server, { source, turns, protocols: ['h2'], floods, ownerOf })
  const beginnings = beginLater(server, {
    waitMs: ({ remoteAddress }) => floods.waitMs(remoteAddress),
    begin: security?.begin,
  })
  const carriers = admitConnections(server, options)
  const port = await listen(server, options)
  return {
    port,
    get unfinishedBytes() {
      return calls.unfinished.held
    },
    get unsentBytes() {
      return calls.unsent.held
    },
    close: () =>
      new Promise((resolve) => {
        clearInterval(checks)
        server.close(() => resolve())
        beginnings.destroy()
        for (const connection of connections) connection.close()
        // Streams that clients keep open would hold it up for ever.
        setTimeout(() => {
          for (const connection of connections) connection.destroy()
          for (const socket of carriers) socket.destroy()
        }, CLOSE_GRACE_MS).unref()
      }),
  }
}

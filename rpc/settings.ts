/** Settings of a gateway: `[json-rpc]`, `[api]` and `[grpc]` of app.toml. */

export interface GatewaySettings {
  /** `host:port` of JSON-RPC over HTTP, over WebSocket, of native REST and gRPC; undefined leaves that server out. */
  readonly address: string | undefined
  readonly wsAddress: string | undefined
  readonly restAddress: string | undefined
  readonly grpcAddress: string | undefined
  /** Namespaces that are served; `rpc` always is. */
  readonly api: readonly string[]
  /** First line of web3_clientVersion: `name/vX.Y.Z`. */
  readonly version: string
  /** Most requests in a batch; 0 is no limit. */
  readonly batchRequestLimit: number
  /** Bytes of all results of a batch; 0 is no limit. */
  readonly batchResponseMaxSize: number
  /** Bytes of a body over HTTP. */
  readonly httpBodyLimit: number
  /** Time to receive a request. */
  readonly httpTimeoutMs: number
  /** Time that a kept-alive connection may idle. */
  readonly httpIdleTimeoutMs: number
  /** Connections of each server; 0 is no limit. */
  readonly maxOpenConnections: number
  /** Pages that may call from another origin over HTTP, as origins.ts reads them; `*` is all, an empty list none. */
  readonly corsOrigins: readonly string[]
  /** Origins that may open a WebSocket; `*` is all, an empty list http://localhost. */
  readonly wsOrigins: readonly string[]
  /** Bytes of a message over WebSocket. */
  readonly wsMessageLimit: number
  /** Bytes that a WebSocket may leave unread before it is closed. */
  readonly wsBufferLimit: number
  readonly wsSubscriptionLimit: number
  /** WebSockets of one client at once; 0 is no limit. */
  readonly wsConnectionsByClient: number
  /** Messages a second and client, over all its WebSockets; 0 is no limit. */
  readonly wsMessagesByClient: number
  /** A silent WebSocket gets a ping after this long, and is closed when it does not answer for as long again. */
  readonly wsPingIntervalMs: number
  /** Cost units a second and address: a cheap method costs 1; 0 is no limit. */
  readonly rateLimit: number
  /** Cost units that an address may save up. */
  readonly rateLimitBurst: number
  /** Addresses or CIDR ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[]
  /** Body of a native REST request. */
  readonly restBodyLimit: number
  /** The same as `corsOrigins`, for native REST and gRPC-Web. */
  readonly restOrigins: readonly string[]
  /** Names that JSON-RPC, and REST, answer to beside those of loopback, as hosts.ts reads them. */
  readonly vhosts: readonly string[]
  readonly restVhosts: readonly string[]
  /** Connections of the REST server; 0 is no limit. */
  readonly restMaxOpenConnections: number
  /** Bytes of a gRPC request, and of an answer. */
  readonly grpcMaxReceiveBytes: number
  readonly grpcMaxSendBytes: number
  /** gRPC-Web on the REST port. */
  readonly grpcWeb: boolean
  /** The description of the REST routes at /swagger. */
  readonly openApi: boolean
  /** The page of the chain at / of REST, for browsers. */
  readonly page: boolean
  /** What clients may make this process hold: unfinished requests, and answers that were not taken. */
  readonly memoryBytes: number
}

export const GATEWAY_DEFAULTS: GatewaySettings = {
  address: '127.0.0.1:8545',
  wsAddress: '127.0.0.1:8546',
  restAddress: '127.0.0.1:1317',
  grpcAddress: '127.0.0.1:9090',
  api: ['eth', 'net', 'web3', 'debug'],
  version: 'nat-chain/v0.4.0',
  batchRequestLimit: 1_000,
  batchResponseMaxSize: 25_000_000,
  httpBodyLimit: 5 * 1024 * 1024,
  httpTimeoutMs: 30_000,
  httpIdleTimeoutMs: 120_000,
  maxOpenConnections: 0,
  corsOrigins: [],
  wsOrigins: [],
  wsMessageLimit: 32 * 1024 * 1024,
  wsBufferLimit: 32 * 1024 * 1024,
  wsSubscriptionLimit: 1_000,
  wsConnectionsByClient: 0,
  wsMessagesByClient: 0,
  wsPingIntervalMs: 30_000,
  rateLimit: 0,
  rateLimitBurst: 0,
  trustedProxies: [],
  restBodyLimit: 1_000_000,
  restOrigins: [],
  vhosts: [],
  restVhosts: [],
  restMaxOpenConnections: 1_000,
  grpcMaxReceiveBytes: 10 * 1024 * 1024,
  grpcMaxSendBytes: 64 * 1024 * 1024,
  grpcWeb: true,
  openApi: true,
  page: false,
  memoryBytes: 128 * 1024 * 1024,
}

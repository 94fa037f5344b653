/** Every setting of app.toml: its kind, default and what it does. The file, the flags and the environment follow from this table. */
import { APPLICATION_DEFAULTS } from '../../../app/settings.ts'
import { NAMESPACES } from '../../../rpc/namespaces.ts'
import { logLevels } from '../runtime/log-level.ts'
import {
  address,
  choice,
  duration,
  empty,
  flag,
  gasPrice,
  heights,
  integer,
  type Kind,
  list,
  natAmount,
  redisUrl,
  text,
  timeout,
  url,
} from './kinds.ts'

export interface Setting<T> {
  readonly kind: Kind<T>
  readonly fallback: T
  readonly comment: string
}

const setting = <T>(kind: Kind<T>, fallback: T, comment: string): Setting<T> => ({
  kind,
  fallback,
  comment,
})
const local = (port: number): { readonly host: string; readonly port: number } => ({ host: '127.0.0.1', port })

const pool = APPLICATION_DEFAULTS.pool

/** The settings in the order of the file. Keys are section.name; those without a section stand first. */
export const SETTINGS = {
  'minimum-gas-prices': setting(
    gasPrice,
    APPLICATION_DEFAULTS.minimumGasPriceAnat,
    'Lowest effective price a gas that this node takes into its pool; below it: tx underpriced',
  ),
  pruning: {
    kind: choice('default', 'nothing', 'everything', 'custom'),
    fallback: 'default',
    comment:
      'Heights whose state can be read: the recent 362880 and every 500th, all (archive), the last 2, or as the next two settings say',
  },
  'pruning-keep-recent': setting(integer(2), 1_000, 'Recent heights kept with pruning = "custom"'),
  'pruning-interval': setting(
    integer(0),
    0,
    'Every how many older heights one is kept with pruning = "custom"; 0 keeps none',
  ),
  'halt-height': setting(integer(0), 0, 'Stop after committing this height; 0 never'),
  'halt-time': setting(
    integer(0),
    0,
    'Stop after committing the first block of this time (seconds since 1970) or later; 0 never',
  ),
  'min-retain-blocks': setting(
    integer(0),
    APPLICATION_DEFAULTS.minRetainBlocks,
    'Blocks older than this many heights are dropped, here and by CometBFT, once evidence, snapshots and the unbonding time allow; 0 keeps all',
  ),
  'unsafe-skip-upgrades': setting(
    heights,
    [],
    'Heights at which a planned upgrade is passed over; most validators must do the same, or this node leaves the chain',
  ),

  public: setting(
    flag,
    false,
    'For a node that everybody may call: limits of rates, WebSockets and messages by client, namespaces eth, net and web3, pages of any origin, in the place of each default that nobody has changed',
  ),
  'log-level': setting(
    logLevels,
    { all: 'info', parts: {} },
    'Which lines of the log are written, of all parts of the node and of some',
  ),
  'log-format': setting(
    choice('auto', 'plain', 'json'),
    'auto',
    'How lines of the log look: auto is plain in a terminal and JSON elsewhere',
  ),
  'log-cometbft': setting(
    choice('file', 'output'),
    'file',
    'Where the lines of CometBFT go: logs/cometbft.log in the home (two files of 32 MiB at most), or the output of the node',
  ),

  'api.enable': setting(flag, true, 'Native REST'),
  'api.address': setting(address, local(1317), 'Where native REST listens'),
  'api.swagger': setting(flag, true, 'Serve the description of the routes at /swagger'),
  'api.page': setting(
    flag,
    false,
    'Serve a page for browsers at /: the chain, its servers, blocks, transactions and order book',
  ),
  'api.max-open-connections': setting(integer(1, 100_000), 1_000, 'Connections at once'),
  'api.rpc-max-body-bytes': setting(integer(1_000), 1_000_000, 'Largest request in bytes'),
  'api.enabled-unsafe-cors': setting(flag, false, 'Answer pages of every origin, REST and gRPC-Web'),
  'api.cors-allowed-origins': setting(
    list(),
    [],
    'Pages that may call from another origin, REST and gRPC-Web: scheme://host:port, a part left out being any; * is all',
  ),
  'api.vhosts': setting(
    list(),
    [],
    'Host names that REST and gRPC-Web answer to beside loopback. With none, a server of loopback answers to loopback alone, any other to all; * is all',
  ),

  'grpc.enable': setting(flag, true, 'Native gRPC'),
  'grpc.address': setting(address, local(9090), 'Where native gRPC listens'),
  'grpc.max-recv-msg-size': setting(integer(1_000), 1_048_576, 'Largest request in bytes; a transaction has 128 KiB'),
  'grpc.max-send-msg-size': setting(integer(1_000), 67_108_864, 'Largest answer in bytes'),

  'grpc-web.enable': setting(flag, true, 'gRPC-Web for browsers, on the port of native REST'),

  'state-sync.snapshot-interval': setting(
    integer(0),
    0,
    'Heights between two snapshots, which other nodes can start from; 0 makes none',
  ),
  'state-sync.snapshot-keep-recent': setting(integer(0), 2, 'Snapshots kept; 0 keeps all'),

  'database.cache-mb': setting(
    // The binding takes less than 4 GiB.
    integer(8, 4_000),
    16,
    'Memory for what the database has read, in MiB; it fills up while the node runs and is not released',
  ),

  'telemetry.enabled': setting(
    flag,
    false,
    'Serve figures for Prometheus at /metrics: the application and the gateway each on a port of its own',
  ),
  'telemetry.address': setting(address, local(26661), 'Where the figures of the application are served'),
  'telemetry.gateway-address': setting(address, local(26662), 'Where the figures of the gateway are served'),

  'telemetry.traces-endpoint': setting(
    url,
    '',
    'Where traces of transactions are sent, by OTLP over HTTP, such as http://127.0.0.1:4318; empty makes none',
  ),
  'telemetry.traces-one-in': setting(
    integer(1, 1_000_000),
    1,
    'One of so many transactions is traced, chosen by its hash: all nodes trace the same ones',
  ),

  'evm.evm-chain-id': setting(integer(1), 2517, 'Must be the EVM chain id of the genesis file'),
  'evm.tracer': setting(
    empty('executions are traced when somebody asks, by debug_traceTransaction and the like'),
    '',
    'Of other nodes, which can trace every execution; this one traces when it is asked',
  ),
  'evm.max-tx-gas-wanted': setting(
    integer(0),
    Number(APPLICATION_DEFAULTS.maxTransactionGas),
    'Highest gas limit of a transaction that this node takes into its pool; 0 is that of a block',
  ),
  'evm.max-block-ms': setting(
    integer(10, 60_000),
    APPLICATION_DEFAULTS.maxBlockMs,
    'A proposer stops filling its block after this many milliseconds of execution',
  ),

  'evm.mempool.price-bump': setting(
    integer(0, 1_000),
    pool.priceBumpPercent,
    'By how many percent a replacement must pay more',
  ),
  'evm.mempool.account-slots': setting(integer(1), pool.accountSlots, 'Executable transactions of one account'),
  'evm.mempool.global-slots': setting(integer(1), pool.globalSlots, 'Executable transactions in all'),
  'evm.mempool.account-queue': setting(integer(0), pool.accountQueue, 'Transactions of one account behind a gap'),
  'evm.mempool.global-queue': setting(integer(0), pool.globalQueue, 'Transactions behind gaps in all'),
  'evm.mempool.lifetime': setting(
    duration(1_000),
    pool.lifetimeMs,
    'A transaction behind a gap is dropped after this long',
  ),

  'json-rpc.enable': setting(flag, true, 'Ethereum JSON-RPC'),
  'json-rpc.address': setting(address, local(8545), 'Where HTTP listens'),
  'json-rpc.ws-address': setting(address, local(8546), 'Where the WebSocket listens'),
  'json-rpc.ws-origins': setting(
    list(),
    [],
    'Pages that may open a WebSocket: scheme://host:port, a part left out being any; * is all, none is http://localhost',
  ),
  'json-rpc.vhosts': setting(
    list(),
    [],
    'Host names that JSON-RPC answers to beside loopback, HTTP and WebSocket. With none, a server of loopback answers to loopback alone, any other to all; * is all',
  ),
  'json-rpc.api': setting(
    list(NAMESPACES),
    ['eth', 'net', 'web3', 'debug'],
    'Namespaces served. rpc and clob are served in any case; clob is shown by rpc_modules where it is named',
  ),
  'json-rpc.gas-cap': setting(
    integer(0),
    Number(APPLICATION_DEFAULTS.gasCap),
    'Highest gas of eth_call, estimates, access lists, eth_simulateV1 and debug_traceCall',
  ),
  'json-rpc.evm-timeout': setting(
    timeout(1),
    APPLICATION_DEFAULTS.evmTimeoutMs,
    'Longest time for eth_call, estimate, access list, eth_simulateV1 or trace',
  ),
  'json-rpc.txfee-cap': setting(
    natAmount,
    APPLICATION_DEFAULTS.txFeeCapAnat,
    'Highest fee in NAT of a transaction sent here; 0 is no limit',
  ),
  'json-rpc.filter-timeout': setting(
    duration(1_000),
    APPLICATION_DEFAULTS.filterTimeoutMs,
    'A filter that nobody polls is dropped after this long',
  ),
  'json-rpc.feehistory-cap': setting(
    integer(1, 10_000),
    APPLICATION_DEFAULTS.feeHistoryCap,
    'Blocks in one eth_feeHistory',
  ),
  'json-rpc.logs-cap': setting(integer(1), APPLICATION_DEFAULTS.logsCap, 'Logs in one answer'),
  'json-rpc.block-range-cap': setting(integer(1), APPLICATION_DEFAULTS.blockRangeCap, 'Blocks in one eth_getLogs'),
  'json-rpc.http-timeout': setting(timeout(1), 30_000, 'Longest time to read a request, and to write its answer'),
  'json-rpc.http-idle-timeout': setting(timeout(1), 120_000, 'An idle connection is closed after this long'),
  'json-rpc.http-body-limit': setting(integer(1_000), 5 * 1024 * 1024, 'Largest request in bytes'),
  'json-rpc.batch-request-limit': setting(integer(1), 1_000, 'Requests in one batch'),
  'json-rpc.batch-response-max-size': setting(integer(1_000), 25_000_000, 'Largest answer to a batch in bytes'),
  'json-rpc.max-open-connections': setting(integer(1, 100_000), 10_000, 'Connections at once, HTTP and WebSocket each'),
  'json-rpc.http-origins': setting(
    list(),
    [],
    'Pages that may call from another origin over HTTP: scheme://host:port, a part left out being any; * is all',
  ),
  'json-rpc.ws-subscription-limit': setting(integer(1, 100_000), 1_000, 'Subscriptions of one WebSocket'),
  'json-rpc.rate-limit': setting(
    integer(0),
    0,
    'Cost units a second and client (an IPv4 address, a /64 of IPv6), a cheap method costing 1; above it HTTP 429. 0 is no limit',
  ),
  'json-rpc.rate-limit-burst': setting(
    integer(0),
    0,
    'Cost units that an address may save up; 0 is two seconds of them',
  ),
  'json-rpc.rate-limit-redis': setting(
    redisUrl,
    '',
    'Redis in which several gateways count together what clients have spent of the rate limit; without it each counts by itself',
  ),
  'json-rpc.ws-connections-by-client': setting(
    integer(0, 100_000),
    0,
    'WebSockets of one client at once (an IPv4 address, a /64 of IPv6); 0 is no limit',
  ),
  'json-rpc.ws-messages-by-client': setting(
    integer(0, 1_000_000),
    0,
    'Messages a second and client over its WebSockets, two seconds of them at once; above it -32005. 0 is no limit',
  ),
  'json-rpc.trusted-proxies': setting(
    list(),
    [],
    'Addresses or CIDR ranges of proxies whose X-Forwarded-For is believed',
  ),
  'json-rpc.allow-unprotected-txs': setting(
    flag,
    APPLICATION_DEFAULTS.allowUnprotectedTransactions,
    'Take transactions without a chain id (before EIP-155)',
  ),

  'clob.history-enable': setting(
    flag,
    true,
    'Keep what became of orders of the order book: trades, candles, orders that ended. Validators that nobody asks may turn it off',
  ),

  'tls.certificate-path': setting(
    text,
    '',
    'Certificate in PEM, and those up to its root; with the key, JSON-RPC, WebSocket, REST and gRPC are served over TLS alone',
  ),
  'tls.key-path': setting(text, '', 'Private key of the certificate in PEM'),
} as const

export type SettingKey = keyof typeof SETTINGS
export type Settings = { readonly [K in SettingKey]: (typeof SETTINGS)[K] extends Setting<infer T> ? T : never }

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[]

export const settingOf = (key: SettingKey): Setting<unknown> => SETTINGS[key]

/** CHAIN_JSON_RPC_ADDRESS for json-rpc.address. */
export const environmentName = (key: SettingKey): string => `CHAIN_${key.toUpperCase().replaceAll(/[.-]/g, '_')}`

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(SETTINGS, key)

export const defaultSettings = (): Settings =>
  Object.fromEntries(SETTING_KEYS.map((key) => [key, settingOf(key).fallback])) as Settings

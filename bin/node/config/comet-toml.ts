/** config.toml: CometBFT's own template with this chain's values in it. */
import { readFileSync } from 'node:fs'
import { parse, TomlError } from 'smol-toml'
import { COMET_MEMPOOL_BYTES, COMET_MEMPOOL_CACHE, COMET_MEMPOOL_TRANSACTIONS } from '../../../app/pool/limits.ts'
import { cliError } from '../../errors.ts'
import type { Network } from './networks.ts'
import type { CometPeers } from './peers.ts'
import { setTomlValue } from './toml-lines.ts'

/**
 * About one block a second: the timeout leaves room for executing and writing a block of 2,000 transactions. Batches
 * are large enough for the gossip of the application's pool.
 */
const CHAIN_VALUES: Readonly<Record<string, string>> = {
  'consensus.timeout_commit': '"850ms"',
  'consensus.peer_gossip_sleep_duration': '"10ms"',
  'p2p.flush_throttle_timeout': '"10ms"',
  // Without it the pause between two calls of a peer doubles: after an hour without network it is up to an hour.
  'p2p.persistent_peers_max_dial_period': '"10s"',
  'rpc.max_request_batch_size': '1000',
  // A batch of 100 transactions of the largest size, in base64, with room.
  'rpc.max_body_bytes': '33554432',
  // CosmJS polls tx_search after a broadcast. Validators that serve nobody set "null".
  'tx_index.indexer': '"kv"',
  'mempool.type': '"flood"',
  'mempool.size': String(COMET_MEMPOOL_TRANSACTIONS),
  'mempool.cache_size': String(COMET_MEMPOOL_CACHE),
  'mempool.max_txs_bytes': String(COMET_MEMPOOL_BYTES),
  // The pool promotes what was refused while it had to wait.
  'mempool.keep-invalid-txs-in-cache': 'false',
}

const LOCAL_VALUES: Readonly<Record<string, string>> = {
  'rpc.laddr': '"tcp://127.0.0.1:26657"',
  'p2p.laddr': '"tcp://127.0.0.1:26656"',
  // Without it a seed tells nothing, and nobody would say why: a node finds no peers and stays at height 0.
  'p2p.pex': 'true',
  'p2p.addr_book_strict': 'false',
  'p2p.allow_duplicate_ip': 'true',
}

const PUBLIC_VALUES: Readonly<Record<string, string>> = {
  'rpc.laddr': '"tcp://127.0.0.1:26657"',
  'p2p.laddr': '"tcp://0.0.0.0:26656"',
  'p2p.pex': 'true',
  'p2p.addr_book_strict': 'false',
}

/** Sets several keys to TOML values. */
export const setTomlValues = (toml: string, values: Readonly<Record<string, string>>): string =>
  Object.entries(values).reduce((text, [key, value]) => setTomlValue(text, key, value), toml)

/** Those that are named. */
const peerValues = ({ seeds, persistentPeers }: Partial<CometPeers>): Readonly<Record<string, string>> => ({
  ...(seeds === undefined ? {} : { 'p2p.seeds': JSON.stringify(seeds) }),
  ...(persistentPeers === undefined ? {} : { 'p2p.persistent_peers': JSON.stringify(persistentPeers) }),
})

/** `template` is what `cometbft init` wrote. */
export const adaptCometToml = (
  template: string,
  network: Network,
  moniker: string,
  peers: Partial<CometPeers> = {},
): string =>
  setTomlValues(template, {
    moniker: JSON.stringify(moniker),
    ...CHAIN_VALUES,
    ...(network.isPublic ? PUBLIC_VALUES : LOCAL_VALUES),
    ...peerValues(peers),
  })

/** The addresses that CometBFT will listen on, and those that it will dial. */
export interface CometAddresses extends CometPeers {
  readonly rpc: string
  readonly p2p: string
}

/** What config.toml says of addresses and keys. */
export interface CometFile extends CometAddresses {
  /** Path of the socket on which CometBFT waits for the program that signs; undefined where it has none. */
  readonly signerSocket: string | undefined
  /** Whether the pauses between two calls of a persistent peer grow without bound, as peer exchange has them by default. */
  readonly callsPeersLate: boolean
  /** Whether CometBFT signs with the files of the home: else another program signs, or they lie elsewhere. */
  readonly signsHere: boolean
}

const member = (table: unknown, section: string, name: string): string | undefined => {
  const part = (table as Record<string, unknown>)[section]
  const value = typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined
  return typeof value === 'string' ? value : undefined
}

/** Throws cli/4 with the place of what is no TOML. */
const readTable = (path: string): unknown => {
  try {
    return parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw cliError('settings', `${path}:${error.line}:${error.column}: ${error.message.split('\n')[0] ?? ''}`)
  }
}

const UNIX = 'unix://'
const DEFAULT_KEY = 'config/priv_validator_key.json'
const DEFAULT_STATE = 'data/priv_validator_state.json'

const signsHere = (table: unknown): boolean => {
  const { priv_validator_laddr, priv_validator_key_file, priv_validator_state_file } = table as Record<string, unknown>
  const isLocal = (priv_validator_laddr ?? '') === ''
  const isUsual =
    (priv_validator_key_file ?? DEFAULT_KEY) === DEFAULT_KEY &&
    (priv_validator_state_file ?? DEFAULT_STATE) === DEFAULT_STATE
  return isLocal && isUsual
}

const signerSocket = (table: unknown): string | undefined => {
  const { priv_validator_laddr: address } = table as Record<string, unknown>
  return typeof address === 'string' && address.startsWith(UNIX) ? address.slice(UNIX.length) : undefined
}

const callsPeersLate = (table: unknown): boolean => {
  const { pex } = ((table as Record<string, unknown>)['p2p'] ?? {}) as Record<string, unknown>
  return pex !== false && /^0[a-z]*$/.test(member(table, 'p2p', 'persistent_peers_max_dial_period') ?? '0s')
}

/** Reads a config.toml. Throws cli/4. */
export const readCometToml = (path: string): CometFile => {
  const table = readTable(path)
  return {
    signsHere: signsHere(table),
    signerSocket: signerSocket(table),
    callsPeersLate: callsPeersLate(table),
    rpc: member(table, 'rpc', 'laddr') ?? 'tcp://127.0.0.1:26657',
    p2p: member(table, 'p2p', 'laddr') ?? 'tcp://0.0.0.0:26656',
    seeds: member(table, 'p2p', 'seeds') ?? '',
    persistentPeers: member(table, 'p2p', 'persistent_peers') ?? '',
  }
}

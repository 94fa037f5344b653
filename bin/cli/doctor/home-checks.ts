/** What a node's home must be before it starts: complete, readable, of one chain, with keys that nobody else reads. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { parseHostPort } from '../../../core/host-port.ts'
import type { CometAddresses } from '../../node/config/comet-toml.ts'
import { type CometFile, readCometToml } from '../../node/config/comet-toml.ts'
import { type Home, requireHome } from '../../node/config/home.ts'
import { loadSettings } from '../../node/config/app-toml.ts'
import { malformedPeers, splitPeers } from '../../node/config/peers.ts'
import type { Settings } from '../../node/config/settings.ts'
import { readGenesisJson } from '../../node/genesis/document.ts'
import { validateGenesis } from '../../node/genesis/validate.ts'
import { readSecretJson } from '../../node/secret-json.ts'
import { listSnapshots } from '../../node/runtime/snapshot-files.ts'
import { isLoopback } from '../../../rpc/hosts.ts'
import { signingFaults } from '../../node/config/signing-files.ts'
import { peerAdvice } from '../../node/supervise/peer-watch.ts'
import { type Finding, fault, ok, orFault, warning } from './finding.ts'

const DIAL_MS = 3_000
/** The bits of a file's mode that let its group or everybody use it. */
const OTHERS = 0o077

const checkKeys = (...paths: readonly string[]): readonly Finding[] =>
  paths.filter(existsSync).flatMap((path) => {
    if ((statSync(path).mode & OTHERS) === 0) return []
    return [warning('keys', `${path} can be read by others`, `run "chmod 600 ${path}"`)]
  })

export const checkHome = async (home: Home): Promise<readonly Finding[]> =>
  await orFault('home', 'run "chain init" or "chain join", or name the home with --home', () => {
    requireHome(home)
    return [ok('home', `${home.root} is complete`), ...checkKeys(home.validatorKey, home.nodeKey, home.bridgeKey)]
  })

export const checkSettings = async (
  home: Home,
  flags: Readonly<Record<string, string>>,
  use: (settings: Settings) => void,
): Promise<readonly Finding[]> =>
  await orFault('app.toml', 'correct the line that the message names', () => {
    const { settings, warnings } = loadSettings({
      path: home.appToml,
      toml: readFileSync(home.appToml, 'utf8'),
      flags,
      environment: process.env,
    })
    use(settings)
    const keys = checkKeys(settings['tls.key-path'])
    if (warnings.length === 0) return [ok('app.toml', 'every value is allowed'), ...keys]
    const action = 'correct the name, or take the line out'
    return [...warnings.map((text) => warning('app.toml', text, action)), ...keys]
  })

/** CometBFT searches for whoever asks, with all that the machine has, and nothing that this node does can bound it. */
const checkCometRpc = ({ rpc }: CometAddresses): readonly Finding[] => {
  const host = parseHostPort(rpc.replace(/^tcp:\/\//, ''))?.host
  if (host === undefined || isLoopback(host)) return []
  const action = 'let it listen on 127.0.0.1, or let nobody but a proxy with a limit of rates reach it'
  return [warning('config.toml', `whoever reaches rpc.laddr (${rpc}) can have a validator miss its votes`, action)]
}

const checkCalls = ({ callsPeersLate }: CometFile, { persistentPeers }: CometAddresses): readonly Finding[] => {
  if (!callsPeersLate || persistentPeers === '') return []
  const detail = 'after a long time without network, persistent peers are called again as long after it'
  return [warning('config.toml', detail, 'set persistent_peers_max_dial_period = "10s" in [p2p]')]
}

/** `use` gets what the file says, and returns what the node will be started with. */
export const checkCometToml = async (
  home: Home,
  use: (file: CometFile) => CometAddresses,
): Promise<readonly Finding[]> =>
  await orFault('config.toml', 'correct it, or take the one that "chain init" writes', () => {
    const file = readCometToml(home.configToml)
    const addresses = use(file)
    const wrong = malformedPeers(`${addresses.seeds},${addresses.persistentPeers}`)
    if (wrong.length === 0) {
      return [ok('config.toml', 'can be read'), ...checkCometRpc(addresses), ...checkCalls(file, addresses)]
    }
    return [fault('config.toml', `no addresses of peers: ${wrong.join(', ')}`, 'write <node id>@<host>:<port>')]
  })

export interface FoundGenesis {
  readonly chainId: string
  readonly validatorCount: number
  /** Whether this node makes blocks without anybody else. */
  readonly isAlone: boolean
}

const addressOf = ({ validatorKey }: Home): string | undefined => {
  try {
    return (readSecretJson(validatorKey) as { readonly address?: string }).address
  } catch {
    // It has a finding of its own.
    return undefined
  }
}

const isOnlyValidator = (home: Home, document: unknown, validatorCount: number): boolean => {
  if (validatorCount !== 1) return false
  const { validators } = document as { readonly validators?: readonly { readonly address?: string }[] }
  return validators?.[0]?.address === addressOf(home)
}

export const checkSigningFiles = async (home: Home): Promise<readonly Finding[]> =>
  await orFault('key files', 'correct config.toml', () => {
    const faults = signingFaults(home, readCometToml(home.configToml))
    if (faults.length === 0) return [ok('key files', 'can be read')]
    return faults.map(({ detail, action }) => fault('key files', detail, action))
  })

export const checkGenesis = async (
  home: Home,
  evmChainId: bigint | undefined,
  use: (genesis: FoundGenesis) => void,
): Promise<readonly Finding[]> =>
  await orFault('genesis', 'take that of the network: "chain genesis fetch <url>"', () => {
    const document = readGenesisJson(home.genesis)
    const valid = validateGenesis(document, home.genesis, { evmChainId })
    const { chainId, validatorCount, accountCount } = valid
    use({ chainId, validatorCount, isAlone: isOnlyValidator(home, document, validatorCount) })
    if (validatorCount > 0) {
      return [ok('genesis', `${chainId}, ${validatorCount} validators, ${accountCount} accounts`)]
    }
    const action = 'run "chain genesis fetch <url>" for that of a network, or "chain genesis add-validator"'
    return [fault('genesis', `${chainId} has no validators`, action)]
  })

const answers = async (peer: string): Promise<boolean> => {
  const address = parseHostPort(peer.slice(peer.indexOf('@') + 1))
  if (address === undefined) return false
  return await new Promise((resolve) => {
    const socket = connect({ ...address, timeout: DIAL_MS })
    const settle = (isOpen: boolean) => (): void => {
      socket.destroy()
      resolve(isOpen)
    }
    socket.once('connect', settle(true)).once('error', settle(false)).once('timeout', settle(false))
  })
}

/** Checks, for a node that does not run, whether those whom it will dial take a connection. */
export const checkDialled = async (comet: CometAddresses, isAlone: boolean): Promise<readonly Finding[]> => {
  const peers = [...splitPeers(comet.seeds), ...splitPeers(comet.persistentPeers)]
  if (peers.length === 0) {
    if (isAlone) return [ok('peers', 'none is named, and this node is the only validator')]
    return [fault('peers', 'none is named', peerAdvice(comet))]
  }
  const open = await Promise.all(peers.map(answers))
  const silent = peers.filter((_, index) => open[index] !== true)
  if (silent.length === 0) return [ok('peers', `${peers.length} take a connection`)]
  const action = 'check the address and the firewalls between, or name others in p2p.seeds'
  const detail = `no connection to ${silent.join(', ')}`
  return [silent.length === peers.length ? fault('peers', detail, action) : warning('peers', detail, action)]
}

export const checkSnapshots = async (home: Home, interval: number): Promise<readonly Finding[]> =>
  await orFault('snapshots', `remove what is damaged in ${home.snapshots}`, () => {
    const damaged: string[] = []
    const held = existsSync(home.snapshots) ? listSnapshots(home.snapshots, (reason) => void damaged.push(reason)) : []
    if (damaged.length > 0) {
      return damaged.map((reason) => warning('snapshots', reason, 'remove its folder: it is not offered'))
    }
    const heights = held.map(({ height }) => height).join(', ')
    if (held.length > 0) return [ok('snapshots', `of the heights ${heights}`)]
    return [ok('snapshots', interval === 0 ? 'this node makes none' : `none yet; one every ${interval} heights`)]
  })

/** Reads and checks a home before anything starts: settings, genesis, and what they say of each other. */
import { readFileSync } from 'node:fs'
import { parseHostPort } from '../../core/host-port.ts'
import { loadSettings } from './config/app-toml.ts'
import { type CometAddresses, readCometAddresses } from './config/comet-toml.ts'
import { type Home, requireHome, requireNoUnfinishedRestore } from './config/home.ts'
import { isPublicNetwork } from './config/networks.ts'
import type { Settings } from './config/settings.ts'
import { cliError } from '../errors.ts'
import { readGenesisJson } from './genesis/document.ts'
import { validateGenesis, type ValidGenesis } from './genesis/validate.ts'
import { isExposed, type Listener } from './supervise/ports.ts'

export interface NodeConfiguration {
  readonly home: Home
  readonly settings: Settings
  readonly genesis: ValidGenesis
  readonly comet: CometAddresses
  /** Warnings for the operator, at start. */
  readonly warnings: readonly string[]
}

export interface NodeFlags {
  /** Settings by key, as given on the command line. */
  readonly settings: Readonly<Record<string, string>>
  /** Addresses of CometBFT, which go before those of config.toml. */
  readonly cometRpc?: string
  readonly cometP2p?: string
  readonly cometSeeds?: string
  readonly cometPersistentPeers?: string
}

const cometListener = (purpose: string, laddr: string, key: string): Listener => {
  const address = parseHostPort(laddr)
  if (address === undefined)
    throw cliError('settings', `${key} of config.toml is "${laddr}", but must be tcp://host:port`)
  return { purpose, address, setting: `${key} in config.toml, or --${key}` }
}

/** Ports of CometBFT. */
export const cometListeners = ({ comet }: Pick<NodeConfiguration, 'comet'>): readonly Listener[] => [
  cometListener('consensus RPC', comet.rpc, 'rpc.laddr'),
  cometListener('peer-to-peer', comet.p2p, 'p2p.laddr'),
]

const settingListener = (
  { settings }: Pick<NodeConfiguration, 'settings'>,
  purpose: string,
  key: 'api.address' | 'grpc.address' | 'json-rpc.address' | 'json-rpc.ws-address',
): Listener => ({ purpose, address: settings[key], setting: `${key} in app.toml, or --${key}` })

/** Ports of the gateway, as far as they are enabled. */
export const gatewayListeners = (configuration: Pick<NodeConfiguration, 'settings'>): readonly Listener[] => {
  const { settings } = configuration
  return [
    ...(settings['api.enable'] ? [settingListener(configuration, 'native REST', 'api.address')] : []),
    ...(settings['grpc.enable'] ? [settingListener(configuration, 'native gRPC', 'grpc.address')] : []),
    ...(settings['json-rpc.enable']
      ? [
          settingListener(configuration, 'JSON-RPC', 'json-rpc.address'),
          settingListener(configuration, 'JSON-RPC WebSocket', 'json-rpc.ws-address'),
        ]
      : []),
  ]
}

const METRICS = ['telemetry.address', 'telemetry.gateway-address'] as const

/** Returns where the figures of a process are served; nowhere where telemetry is off. */
export const metricsListeners = (
  { settings }: Pick<NodeConfiguration, 'settings'>,
  key: (typeof METRICS)[number],
): readonly Listener[] =>
  settings['telemetry.enabled']
    ? [{ purpose: 'metrics', address: settings[key], setting: `${key} in app.toml, or --${key}` }]
    : []

const firewallWarning = (configuration: NodeConfiguration): readonly string[] => {
  const { genesis, settings } = configuration
  // With --public there are limits.
  if (!isPublicNetwork(genesis.chainId) || settings.public) return []
  const exposed = [...gatewayListeners({ settings }), ...METRICS.flatMap((key) => metricsListeners({ settings }, key))]
    .filter(({ address }) => isExposed(address))
    .map(({ purpose, address }) => `${purpose} ${address.port}`)
  if (exposed.length === 0) return []
  const ports = exposed.join(', ')
  return [
    `open on every interface: ${ports}. Put them behind a firewall or a rate-limiting reverse proxy, or start with --public`,
  ]
}

/** The settings given on the command line, for a child process. */
export const settingArguments = ({ settings }: NodeFlags): readonly string[] =>
  Object.entries(settings).flatMap(([key, value]) => [`--${key}`, value])

/** Throws cli/2, cli/4, cli/5 or cli/7. */
export const loadNode = (home: Home, flags: NodeFlags): NodeConfiguration => {
  requireHome(home)
  requireNoUnfinishedRestore(home)
  const { settings, warnings } = loadSettings({
    path: home.appToml,
    toml: readFileSync(home.appToml, 'utf8'),
    flags: flags.settings,
    environment: process.env,
  })
  const genesis = validateGenesis(readGenesisJson(home.genesis), home.genesis, {
    evmChainId: BigInt(settings['evm.evm-chain-id']),
  })
  const file = readCometAddresses(readFileSync(home.configToml, 'utf8'))
  const comet: CometAddresses = {
    rpc: flags.cometRpc ?? file.rpc,
    p2p: flags.cometP2p ?? file.p2p,
    seeds: flags.cometSeeds ?? file.seeds,
    persistentPeers: flags.cometPersistentPeers ?? file.persistentPeers,
  }
  const configuration: NodeConfiguration = { home, settings, genesis, comet, warnings }
  return { ...configuration, warnings: [...warnings, ...firewallWarning(configuration)] }
}

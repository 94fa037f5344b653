/** Reads and checks a home before anything starts: settings, genesis, and what they say of each other. */
import { readFileSync } from 'node:fs'
import { loadSettings } from './config/app-toml.ts'
import { type CometAddresses, type CometFile, readCometToml } from './config/comet-toml.ts'
import { type Home, requireHome, requireNoUnfinishedRestore } from './config/home.ts'
import { isPublicNetwork } from './config/networks.ts'
import type { Settings } from './config/settings.ts'
import { readGenesisJson } from './genesis/document.ts'
import { validateGenesis, type ValidGenesis } from './genesis/validate.ts'
import { gatewayListeners, METRICS, metricsListeners } from './listeners.ts'
import type { NodeFlags } from './node-flags.ts'
import { isExposed } from './supervise/ports.ts'

export interface NodeConfiguration {
  readonly home: Home
  readonly settings: Settings
  readonly genesis: ValidGenesis
  readonly comet: CometAddresses
  readonly signerSocket: CometFile['signerSocket']
  /** Warnings for the operator, at start. */
  readonly warnings: readonly string[]
}

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
  const file = readCometToml(home.configToml)
  const comet: CometAddresses = {
    rpc: flags.cometRpc ?? file.rpc,
    p2p: flags.cometP2p ?? file.p2p,
    seeds: flags.cometSeeds ?? file.seeds,
    persistentPeers: flags.cometPersistentPeers ?? file.persistentPeers,
  }
  const { signerSocket } = file
  const configuration: NodeConfiguration = { home, settings, genesis, comet, signerSocket, warnings }
  return { ...configuration, warnings: [...warnings, ...firewallWarning(configuration)] }
}

/** `chain init`: makes a home. CometBFT writes its own files; then come this chain's values, genesis and app.toml. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import type { HostPort } from '../../../core/host-port.ts'
import { renderAppToml } from '../../node/config/app-toml.ts'
import { adaptCometToml } from '../../node/config/comet-toml.ts'
import { type Home, requireWritableFolder } from '../../node/config/home.ts'
import { findNetwork, type Network } from '../../node/config/networks.ts'
import type { CometPeers } from '../../node/config/peers.ts'
import { defaultSettings, type Settings } from '../../node/config/settings.ts'
import { ensureBridgeKey } from '../../node/bridge/bridge-keys.ts'
import { cliError, errorText } from '../../errors.ts'
import { createGenesis, writeGenesis } from '../../node/genesis/document.ts'
import { findCometbft } from '../../node/supervise/cometbft-binary.ts'

export interface InitOptions {
  readonly home: Home
  readonly moniker?: string
  readonly chainId: string
  readonly evmChainId?: bigint
  /** Replaces configuration and genesis; keys and data stay. */
  readonly overwrite?: boolean
  /** Changes over the defaults of the network. */
  readonly settings?: Partial<Settings>
  readonly peers?: Partial<CometPeers>
}

const everywhere = (port: number): HostPort => ({ host: '0.0.0.0', port })

const networkSettings = (network: Network): Settings => {
  const settings = { ...defaultSettings(), 'evm.evm-chain-id': Number(network.evmChainId) }
  if (!network.isPublic) return settings
  return {
    ...settings,
    'json-rpc.address': everywhere(8545),
    'json-rpc.ws-address': everywhere(8546),
  }
}

const renderClientToml = (
  chainId: string,
): string => `# For tools that read the home of an SDK node. The commands of this software read none of it.
chain-id = ${JSON.stringify(chainId)}
node = "tcp://localhost:26657"
keyring-backend = "file"
output = "text"
broadcast-mode = "sync"
`

/** CometBFT's own files. It prints the reason of a failure, such as a full disk, on standard output. */
const initComet = async (binary: string, home: Home): Promise<void> => {
  try {
    await promisify(execFile)(binary, ['init', '--home', home.root])
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { readonly stdout?: string; readonly stderr?: string }
    const reason = `${stdout}\n${stderr}`.trim().split('\n').at(-1) ?? ''
    throw cliError('cometbft', `${binary} init failed: ${reason === '' ? errorText(error) : reason}`)
  }
}

/** Returns what the operator should know. Throws cli/1, cli/3, cli/8 or cli/16. */
export const initHome = async (options: InitOptions): Promise<readonly string[]> => {
  const { home, chainId } = options
  const network = findNetwork(chainId, options.evmChainId)
  if (existsSync(home.genesis) && options.overwrite !== true) {
    throw cliError(
      'homeExists',
      `${home.genesis} exists: choose another --home, or --overwrite configuration and genesis`,
    )
  }
  const binary = await findCometbft()
  requireWritableFolder(dirname(home.genesis))
  mkdirSync(dirname(home.genesis), { recursive: true, mode: 0o700 })
  // CometBFT keeps a configuration that is there: peers of another network, and what it trusts of that for state sync.
  if (options.overwrite === true) rmSync(home.configToml, { force: true })
  await initComet(binary, home)
  ensureBridgeKey(home)
  const moniker = options.moniker ?? hostname()
  writeFileSync(home.configToml, adaptCometToml(readFileSync(home.configToml, 'utf8'), network, moniker, options.peers))
  writeFileSync(home.appToml, renderAppToml({ ...networkSettings(network), ...options.settings }))
  writeFileSync(home.clientToml, renderClientToml(chainId))
  writeGenesis(home.genesis, createGenesis(chainId, network.evmChainId, new Date().toISOString()))
  return [
    ...(network.notice === undefined ? [] : [network.notice]),
    `home ${home.root} is ready for ${chainId} (EVM chain id ${network.evmChainId})`,
    network.isPublic
      ? 'next: chain genesis fetch <url of the consensus RPC of a node>, chain start --p2p.seeds <id@host:port>; "chain join" does all of it'
      : 'next: chain genesis add-account <address> <amount>, chain genesis add-validator, chain start',
  ]
}

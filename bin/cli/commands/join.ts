/** `chain join`: makes a home that follows a network, from the consensus RPC of a node of it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { setTomlValues } from '../../node/config/comet-toml.ts'
import type { Home } from '../../node/config/home.ts'
import type { CometPeers } from '../../node/config/peers.ts'
import { writeGenesis } from '../../node/genesis/document.ts'
import { rehearseGenesis } from '../../node/genesis/rehearse.ts'
import { validateGenesis, type ValidGenesis } from '../../node/genesis/validate.ts'
import { formatSpan } from '../../node/progress.ts'
import { cliError } from '../../errors.ts'
import { fetchNetwork, type JoinedNetwork, requireUrl } from '../join/network.ts'
import { fetchTrust } from '../join/trust.ts'
import { initHome } from './init.ts'

export interface JoinOptions {
  readonly home: Home
  /** Consensus RPCs: the first is asked for everything, the second for the trusted hash. */
  readonly urls: readonly string[]
  readonly moniker?: string
  readonly stateSync: boolean
  /** Replaces configuration and genesis of a home. */
  readonly overwrite: boolean
  /** In the place of what the node tells of itself. */
  readonly peers: Partial<CometPeers>
  say(line: string): void
}

/** With --state-sync a node looks for snapshots for so long before it takes the best. */
const DISCOVERY = '"5s"'

/** A node that begins with a snapshot never writes the genesis block, which software of later versions might not take. */
const checkGenesis = async (network: JoinedNetwork, url: string, stateSync: boolean): Promise<ValidGenesis> => {
  const check = stateSync ? validateGenesis : rehearseGenesis
  const valid = await check(network.genesis, `${url}/genesis`, { chainId: network.chainId })
  if (valid.validatorCount > 0) return valid
  throw cliError('genesis', `${url}/genesis: validators: a running network has at least one`)
}

/** Undefined where the node executes all blocks. */
const readTrust = async (
  { urls, stateSync, say }: JoinOptions,
  chainId: string,
): Promise<Readonly<Record<string, string>> | undefined> => {
  if (!stateSync) return undefined
  const [first = '', second] = urls
  if (second === undefined) {
    throw cliError(
      'usage',
      '--state-sync compares the trusted hash of two nodes: name a second URL (the same one twice trusts that node alone)',
    )
  }
  if (first === second) say('warning: both URLs are one node, so its word alone is trusted for the state')
  const { height, hash } = await fetchTrust([first, second], chainId, Date.now())
  say(`trusting block ${height} with the hash ${hash}, as both nodes have it`)
  return {
    'statesync.enable': 'true',
    'statesync.rpc_servers': JSON.stringify(`${first},${second}`),
    'statesync.trust_height': String(height),
    'statesync.trust_hash': JSON.stringify(hash),
    'statesync.discovery_time': DISCOVERY,
  }
}

/** A flag says all of its list. */
const choosePeers = ({ peer, others }: JoinedNetwork, given: Partial<CometPeers>): CometPeers => ({
  seeds: given.seeds ?? (given.persistentPeers === undefined ? others.join(',') : ''),
  persistentPeers: given.persistentPeers ?? (given.seeds === undefined ? peer : ''),
})

/** The home is ready to start afterwards. Throws cli/1, cli/3, cli/5, cli/7, cli/8, cli/10 and cli/16. */
export const joinCommand = async (options: JoinOptions): Promise<void> => {
  const { home, say, overwrite, moniker } = options
  const urls = options.urls.map(requireUrl)
  const [url = ''] = urls
  say(`asking ${url} for its network`)
  const network = await fetchNetwork(url)
  const { chainId, evmChainId, initialHeight } = await checkGenesis(network, url, options.stateSync)
  const age = formatSpan((Date.now() - network.timeMs) / 1_000)
  say(`${chainId} (EVM chain id ${evmChainId}) is at height ${network.height}, whose block is ${age} old`)
  // What cannot be trusted is refused before anything is written.
  const trust = await readTrust({ ...options, urls }, chainId)
  const peers = choosePeers(network, options.peers)
  await initHome({ home, chainId, evmChainId, overwrite, peers, ...(moniker === undefined ? {} : { moniker }) })
  // The genesis of the network comes last: a home that has it is whole, and never executes all blocks for want of the rest.
  if (trust !== undefined) {
    writeFileSync(home.configToml, setTomlValues(readFileSync(home.configToml, 'utf8'), trust), { flush: true })
  }
  writeGenesis(home.genesis, network.genesis)
  const dialled = [peers.persistentPeers, peers.seeds].filter((list) => list !== '').join(',')
  say(`home ${home.root} dials ${dialled}`)
  say(
    trust === undefined
      ? `it will execute ${Math.max(0, network.height - initialHeight + 1)} blocks; with --state-sync and two URLs it would begin with a snapshot`
      : 'it will begin with a snapshot, and have no blocks before it',
  )
}

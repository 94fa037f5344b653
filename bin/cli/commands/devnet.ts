/** `chain devnet`: a chain of one validator on this machine, with ten funded accounts whose keys everyone knows. */
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatHostPort } from '../../../core/host-port.ts'
import type { Home } from '../../node/config/home.ts'
import { readNodeId } from '../../node/config/peers.ts'
import type { Settings } from '../../node/config/settings.ts'
import { loadNode } from '../../node/load-node.ts'
import { type NodeFlags, settingArguments } from '../../node/node-flags.ts'
import { rpcUrl } from '../../node/runtime/rpc-url.ts'
import { tellSupervisor } from '../../node/supervise/connect-supervisor.ts'
import { type DevnetHomeOptions, GOVERNANCE, prepareDevnetHome } from '../devnet/devnet-home.ts'
import { forgetRunning, recordRunning } from '../devnet/running.ts'
import { tellTransactions } from '../devnet/tell-transactions.ts'
import { readPredeploys } from '../genesis/predeploys.ts'
import { DEVNET_MNEMONIC, devnetAccounts, SHARED_EVM_CHAIN_ID } from '../keys/devnet-accounts.ts'
import { applicationCommand } from './application.ts'
import { statusCommand } from './status.ts'

const READY_POLL_MS = 100

const logOf = (home: Home): string => join(home.logs, 'devnet.log')

export interface DevnetOptions extends DevnetHomeOptions {
  readonly flags: NodeFlags
  /** Its application has run before, and died. */
  readonly isRestarted: boolean
  /** True leaves out the line for each transaction. */
  readonly isQuiet: boolean
}

const sharedIdWarning = (evmChainId: bigint): string =>
  evmChainId === SHARED_EVM_CHAIN_ID
    ? `  The testnet nat-2517-1 has the same EVM chain id: what these keys sign here runs there too, and the reverse.
  "make devnet-reset EVM_CHAIN_ID=31337" makes a devnet with another one.
`
    : ''

/** The address at which another node reaches this one. */
const peerAddress = (home: Home, p2p: string): string => `${readNodeId(home.nodeKey)}@${new URL(rpcUrl(p2p)).host}`

const describeOrigins = (settings: Settings): string =>
  settings['json-rpc.http-origins'].join(', ') || 'no other origin (json-rpc.http-origins in config/app.toml)'

/** Lines of the banner: names, apart by commas. */
const PREDEPLOYED = readPredeploys()
  .map(({ name }) => name)
  .filter((name) => !name.startsWith('SenderCreator'))
  .join(', ')

/** Nothing where it is not served: a devnet of before has it once its app.toml says so. */
const pageLine = (settings: Settings): string =>
  settings['api.enable'] && settings['api.page']
    ? `  page            http://${formatHostPort(settings['api.address'])}/   (blocks, transactions and the order book, in a browser)\n`
    : ''

const banner = (options: DevnetOptions, height: number): string => {
  const { settings, comet, genesis } = loadNode(options.home, options.flags)
  const accounts = devnetAccounts().map(({ address, privateKey }) => `  ${address}  ${privateKey}`)
  return `
nat-chain devnet ${height === 0 ? 'is new' : `resumes at height ${height}`}

  chain id ${genesis.chainId}, EVM chain id ${genesis.evmChainId} (0x${genesis.evmChainId.toString(16)}), currency NAT, 18 decimals
${pageLine(settings)}  EVM JSON-RPC    http://${formatHostPort(settings['json-rpc.address'])}
  EVM WebSocket   ws://${formatHostPort(settings['json-rpc.ws-address'])}
  native REST     http://${formatHostPort(settings['api.address'])}
  native gRPC     ${formatHostPort(settings['grpc.address'])}
  consensus RPC   ${rpcUrl(comet.rpc)}
  peers dial      ${peerAddress(options.home, comet.p2p)}   ("chain join ${rpcUrl(comet.rpc)}" makes a node that does)
  pages may call  from ${describeOrigins(settings)}

  ten accounts with 1,000,000 NAT each (${DEVNET_MNEMONIC}):
${accounts.join('\n')}
  Each holds 1,000,000 TUSD and 100 TBTC of the order book's test markets too: 1 is NAT/TUSD, 2 is TBTC/TUSD.
  The first operates the validator. Votes of governance take ${GOVERNANCE.params.voting_period} here.
  They are the keys dev0 to dev9 of "chain keys" and "chain tx", which find this devnet by themselves.
  WARNING: these keys are public. Never send anything of value to these addresses on any network.
${sharedIdWarning(genesis.evmChainId)}
  in its genesis  ${PREDEPLOYED}
  home ${options.home.root}, log ${logOf(options.home)}
  Ctrl-C stops it; "make devnet" resumes at the same height, "make devnet-reset" deletes it and starts a new one.
`
}

/** Settles with true once wallets can connect, which the banner says; with false when the chain is stopped before. */
const untilServing = async ({ home, flags }: DevnetOptions, stopped: AbortSignal): Promise<boolean> => {
  while (!stopped.aborted) {
    if ((await statusCommand(home, flags)).healthy) return true
    await sleep(READY_POLL_MS, undefined, { signal: stopped }).catch(() => undefined)
  }
  return false
}

/** Says how to reach it once it can be reached, and then what becomes of each transaction. */
const serve = async (options: DevnetOptions, height: number, stopped: AbortSignal): Promise<void> => {
  const { home, isRestarted, isQuiet } = options
  if (!isRestarted && (await untilServing(options, stopped))) process.stdout.write(banner(options, height))
  if (!isQuiet) await tellTransactions(home, height + 1, stopped)
}

/** The application of a devnet: makes the chain where there is none, and says how to reach it once it can be reached. */
export const devnetApplicationCommand = async (options: DevnetOptions): Promise<void> => {
  const { home, flags, isRestarted } = options
  if (!isRestarted) await prepareDevnetHome(options)
  recordRunning(loadNode(home, flags))
  tellSupervisor({ type: 'logging', file: logOf(home) })
  const stopped = new AbortController()
  try {
    await applicationCommand({
      home,
      flags,
      isRestarted,
      externalCometbft: false,
      externalGateway: false,
      abciTransport: 'socket',
      gatewayArguments: settingArguments(flags),
      onStarted: (height) => void serve(options, height, stopped.signal),
    })
  } finally {
    stopped.abort()
    forgetRunning(home)
  }
}

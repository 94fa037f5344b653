/**
 * What stands behind the pages in the test: one devnet for all, a folder for each lane of pages, and free ports in the
 * place of the usual ones. A page is not changed for the test; `fill` puts here what its reader puts there.
 */
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createWalletClient, http, publicActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { DEVNET_MNEMONIC } from '../../../bin/cli/keys/devnet-accounts.ts'
import { findPrometheus } from '../../../bin/testing/prometheus.ts'
import { tokenAbi, tokenBytecode } from '../contracts/token.ts'
import { askJsonRpc, chainCommand, chooseNodePorts, choosePorts, repository, until } from '../harness.ts'
import { PRECOMPILE_ADDRESSES } from '../../../packages/precompiles/index.ts'

const ANVIL = join(repository, 'node_modules/@foundry-rs/anvil-linux-amd64/bin/anvil')

export type Ports = Awaited<ReturnType<typeof chooseNodePorts>>

const USUAL: Readonly<Record<keyof Ports, number>> = {
  http: 8545,
  ws: 8546,
  rest: 1317,
  grpc: 9090,
  comet: 26_657,
  p2p: 26_656,
}
/** Those that the pages give to a second node on the same machine. */
const SECOND: Readonly<Record<keyof Ports, number>> = {
  http: 9545,
  ws: 9546,
  rest: 2317,
  grpc: 9190,
  comet: 27_657,
  p2p: 27_656,
}
const NAMES = Object.keys(USUAL) as readonly (keyof Ports)[]

const settingsOf = (ports: Ports): Readonly<Record<string, string>> => ({
  CHAIN_JSON_RPC_ADDRESS: `127.0.0.1:${ports.http}`,
  CHAIN_JSON_RPC_WS_ADDRESS: `127.0.0.1:${ports.ws}`,
  CHAIN_API_ADDRESS: `127.0.0.1:${ports.rest}`,
  CHAIN_GRPC_ADDRESS: `127.0.0.1:${ports.grpc}`,
  CHAIN_RPC_LADDR: `tcp://127.0.0.1:${ports.comet}`,
  CHAIN_P2P_LADDR: `tcp://127.0.0.1:${ports.p2p}`,
})

/** Nothing of whoever runs the tests: no home, no node, no settings. */
const inherited = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(CHAIN_|DEVNET_HOME|HOME|MAKE|MFLAGS)/.test(name)),
  )

export class Devnet {
  readonly folder = mkdtempSync(join(tmpdir(), 'e2e-docs-'))
  readonly home = join(this.folder, 'devnet')
  readonly ports: Ports
  readonly programs = join(this.folder, 'bin')
  #token: Promise<string> | undefined

  constructor(ports: Ports) {
    this.ports = ports
    mkdirSync(this.programs)
    symlinkSync(chainCommand, join(this.programs, 'chain'))
    if (existsSync(ANVIL)) symlinkSync(ANVIL, join(this.programs, 'anvil'))
    const { prometheus } = findPrometheus() ?? {}
    if (prometheus !== undefined) symlinkSync(prometheus, join(this.programs, 'prometheus'))
  }

  get url(): string {
    return `http://127.0.0.1:${this.ports.http}`
  }

  get comet(): string {
    return `http://127.0.0.1:${this.ports.comet}`
  }

  /** What the shell of every page has. */
  get environment(): NodeJS.ProcessEnv {
    return {
      ...inherited(),
      PATH: `${this.programs}:${process.env['PATH'] ?? ''}`,
      // CometBFT, and sources as they were compiled before.
      XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'),
      // Blocks come soon, and so does the end of a search for snapshots.
      CMT_CONSENSUS_TIMEOUT_COMMIT: '600ms',
      CMT_STATESYNC_DISCOVERY_TIME: '5s',
      HOME: this.folder,
      DEVNET_HOME: this.home,
      CHAIN_KEYRING_PASSWORD: 'a password of tests',
    }
  }

  /** What the devnet itself is started with: a snapshot every few blocks, from which another node joins. */
  get settings(): NodeJS.ProcessEnv {
    return {
      ...settingsOf(this.ports),
      CHAIN_STATE_SYNC_SNAPSHOT_INTERVAL: '5',
      CHAIN_STATE_SYNC_SNAPSHOT_KEEP_RECENT: '10',
    }
  }

  /** The result of a route of the consensus RPC. */
  async ask<T>(route: string): Promise<T> {
    const { result } = (await (await fetch(`${this.comet}/${route}`)).json()) as { readonly result: T }
    return result
  }

  /** The result of a route of REST. */
  async rest<T>(route: string): Promise<T> {
    return (await (await fetch(`http://127.0.0.1:${this.ports.rest}/${route}`)).json()) as T
  }

  async untilHeight(height: number): Promise<void> {
    const reached = async (): Promise<true | undefined> =>
      Number(await askJsonRpc<string>(this.url, 'eth_blockNumber')) >= height ? true : undefined
    await until(`height ${height}`, reached)
  }

  async header(height: number): Promise<{ readonly hash: string; readonly appHash: string }> {
    await this.untilHeight(height)
    const found = await this.ask<{ block_id: { hash: string }; block: { header: { app_hash: string } } }>(
      `block?height=${height}`,
    )
    return { hash: found.block_id.hash, appHash: found.block.header.app_hash }
  }

  /** The operator of a validator by the name that it gave itself. */
  async operator(moniker: string): Promise<string> {
    interface Validators {
      readonly validators: readonly {
        readonly operator_address: string
        readonly description: { readonly moniker: string }
      }[]
    }
    const { validators } = await this.rest<Validators>('cosmos/staking/v1beta1/validators')
    return (
      validators.find(({ description }) => description.moniker === moniker)?.operator_address ??
      `no validator ${moniker}`
    )
  }

  /** A contract of the first account of the devnet, which the module of tokens may take from. */
  async token(): Promise<string> {
    this.#token ??= this.#deployToken()
    return await this.#token
  }

  async #deployToken(): Promise<string> {
    const account = mnemonicToAccount(DEVNET_MNEMONIC)
    const client = createWalletClient({ account, transport: http(this.url), pollingInterval: 100 }).extend(
      publicActions,
    )
    const supply = 10n ** 24n
    const deployed = await client.deployContract({
      abi: tokenAbi,
      bytecode: tokenBytecode,
      args: [supply],
      chain: null,
    })
    const { contractAddress } = await client.waitForTransactionReceipt({ hash: deployed })
    const token = { address: contractAddress ?? '0x', abi: tokenAbi } as const
    const approval = [PRECOMPILE_ADDRESSES.erc20, supply] as const
    const approved = await client.writeContract({ ...token, functionName: 'approve', args: approval, chain: null })
    await client.waitForTransactionReceipt({ hash: approved })
    return token.address
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 })
  }
}

/** Where the commands of some pages run, one after the other. At most one node runs here at a time, beside the devnet. */
export class Lane {
  readonly devnet: Devnet
  readonly folder: string
  readonly work: string
  readonly ports: Ports
  readonly #others: ReadonlyMap<number, number>

  static async open(devnet: Devnet, name: string): Promise<Lane> {
    const usual = [8555, 9091, 26_661, 26_662]
    const chosen = await choosePorts(usual.length)
    const others = usual.map((port, index) => [port, chosen[index] ?? port] as const)
    return new Lane(devnet, name, await chooseNodePorts(), new Map(others))
  }

  private constructor(devnet: Devnet, name: string, ports: Ports, others: ReadonlyMap<number, number>) {
    this.devnet = devnet
    this.ports = ports
    this.folder = join(devnet.folder, name)
    this.work = join(this.folder, 'work')
    this.#others = others
    for (const path of ['work', 'backup', 'var/lib/index', 'etc/systemd/system']) {
      mkdirSync(join(this.folder, path), { recursive: true })
    }
    symlinkSync(chainCommand, join(this.work, 'chain'))
    symlinkSync(join(repository, 'docker'), join(this.work, 'docker'))
  }

  portOf(usual: number): number {
    const name = NAMES.find((each) => USUAL[each] === usual)
    if (name !== undefined) return this.devnet.ports[name]
    const own = NAMES.find((each) => SECOND[each] === usual)
    return own === undefined ? (this.#others.get(usual) ?? usual) : this.ports[own]
  }

  get url(): string {
    return `http://127.0.0.1:${this.ports.http}`
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.work, name), text)
  }

  /** `home` is a folder of this lane, with the node of its reader in `.nat-chain`; undefined where there is none. */
  environment(home: string | undefined): NodeJS.ProcessEnv {
    const { environment } = this.devnet
    if (home === undefined) return { ...environment, HOME: this.folder, LANE: this.folder }
    mkdirSync(join(this.folder, home), { recursive: true })
    return {
      ...environment,
      ...settingsOf(this.ports),
      HOME: join(this.folder, home),
      LANE: this.folder,
      // The commands that ask a node take the usual port.
      CHAIN_NODE: this.devnet.comet,
      CHAIN_TELEMETRY_ADDRESS: `127.0.0.1:${this.portOf(26_661)}`,
      CHAIN_TELEMETRY_GATEWAY_ADDRESS: `127.0.0.1:${this.portOf(26_662)}`,
    }
  }
}

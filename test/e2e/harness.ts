/**
 * A real node for end-to-end tests: `chain` as a child process in a temporary home, with an unmodified CometBFT.
 *
 * `useNode()` at the top of a test file starts one node for the file and ends it afterwards, also when a test fails:
 * then the node's last output is printed. Ports lie below the range that the kernel gives to outgoing connections, so
 * that a port stays ours while a node restarts. Nothing here waits for a time to pass: it asks until it is so.
 *
 * CHAIN_TEST_ABCI (socket or grpc) chooses how CometBFT is spoken to, CHAIN_TEST_COMETBFT which binary.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll } from 'vitest'
import type { RecordedCall } from '../../abci/call-log.ts'
import { parseCall } from '../../abci/call-log.ts'
import { devnetAccounts } from '../../bin/cli/keys/devnet-accounts.ts'
import { findCometbft } from '../../bin/node/supervise/cometbft-binary.ts'
import { makeHome as makeValidatorHome } from '../../bin/testing/make-home.ts'
import { invariant } from '../../core/errors.ts'

export const CHAIN_ID = 'localnat-1'
export const EVM_CHAIN_ID = 2517
export const repository = join(import.meta.dirname, '..', '..')

export const chainCommand = join(repository, 'chain')
/**
 * The first port lies below the default ports of CometBFT, 26656 and 26657; slices go by process id: what runs side by
 * side must not meet.
 */
const FIRST_PORT = 20_000
const SLICES = 64
const PORTS_A_SLICE = 100
const BALANCE = '1000000nat'
const POLL_MS = 20
/**
 * Ends the waiting for what does not come. No claim about speed: a busy machine takes ten times as long as a quiet one,
 * and four nodes on two cores take a while.
 */
export const PATIENCE_MS = 180_000

export interface Finished {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/**
 * Ends a process of ours when this one ends, however it does: a shell waits for the end of a pipe from us. One that was
 * started `detached` leads a group, which ends with it.
 */
export const endWithUs = (child: ChildProcess, leadsGroup = false): void => {
  const script = `read -r _; kill -KILL -- ${leadsGroup ? '-' : ''}${child.pid}`
  const watchdog = spawn('/bin/sh', ['-c', script], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  watchdog.stdin.on('error', () => undefined)
  child.once('exit', () => watchdog.kill('SIGKILL'))
}

type Environment = Readonly<Record<string, string>>

export type AbciTransport = 'socket' | 'grpc'
const ABCI: AbciTransport = process.env['CHAIN_TEST_ABCI'] === 'grpc' ? 'grpc' : 'socket'
// The commands and findCometbft of this process both read it.
const testedCometbft = process.env['CHAIN_TEST_COMETBFT']
if (testedCometbft !== undefined && testedCometbft !== '') process.env['COMETBFT_BINARY'] = testedCometbft

/** A command that ends by itself. Never rejects for its status. */
export const runChain = (args: readonly string[], environment: Environment = {}): Promise<Finished> =>
  new Promise((resolve) => {
    const options = { env: { ...process.env, ...environment }, timeout: PATIENCE_MS }
    execFile(chainCommand, args, options, (error, stdout, stderr) => {
      const status = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1
      resolve({ status, stdout, stderr })
    })
  })

export const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)))
  })

/** Given to some node of this worker, which may not have bound it yet. */
const given = new Set<number>()

/** Chosen at random within the slice of this process. */
export const choosePorts = async (count: number): Promise<readonly number[]> => {
  const slice = process.pid % SLICES
  const ports: number[] = []
  while (ports.length < count) {
    const port = FIRST_PORT + slice * PORTS_A_SLICE + Math.floor(Math.random() * PORTS_A_SLICE)
    if (given.has(port) || !(await isFree(port))) continue
    given.add(port)
    ports.push(port)
  }
  return ports
}

/** Asks every few milliseconds until `ask` gives something else than undefined; errors count as undefined. */
export const until = async <T>(
  what: string,
  ask: () => Promise<T | undefined> | T | undefined,
  limitMs = PATIENCE_MS,
) => {
  const deadline = performance.now() + limitMs
  let last: unknown
  while (performance.now() < deadline) {
    try {
      const answer = await ask()
      if (answer !== undefined) return answer
    } catch (error) {
      last = error
    }
    await sleep(POLL_MS)
  }
  throw new TypeError(`not within ${limitMs} ms: ${what}${last === undefined ? '' : ` (${String(last)})`}`)
}

interface JsonRpcReply {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export const postJsonRpc = async (url: string, body: string): Promise<JsonRpcReply> => {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return (await response.json()) as JsonRpcReply
}

export const callJsonRpc = (url: string, method: string, ...params: readonly unknown[]): Promise<JsonRpcReply> =>
  postJsonRpc(url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))

/** The result; fails with the error of the reply. */
export const askJsonRpc = async <T = unknown>(url: string, method: string, ...params: readonly unknown[]) => {
  const { result, error } = await callJsonRpc(url, method, ...params)
  if (error !== undefined) throw new TypeError(`${method}: ${error.code} ${error.message}`)
  return result as T
}

const stateOf = (pid: number): { readonly parent: number; readonly command: string } | undefined => {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = status.slice(status.lastIndexOf(')') + 2).split(' ')
    // A zombie has ended.
    if (state === 'Z') return undefined
    return { parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ') }
  } catch {
    return undefined
  }
}

export const isAlive = (pid: number): boolean => stateOf(pid) !== undefined

/** All processes below `root`, with their command lines. */
export const descendants = (root: number): ReadonlyMap<number, string> => {
  const all = new Map<number, { readonly parent: number; readonly command: string }>()
  for (const name of readdirSync('/proc')) {
    if (!/^[0-9]+$/.test(name)) continue
    const state = stateOf(Number(name))
    if (state !== undefined) all.set(Number(name), state)
  }
  const found = new Map<number, string>()
  const add = (parent: number): void => {
    for (const [pid, state] of all) {
      if (state.parent !== parent || found.has(pid)) continue
      found.set(pid, state.command)
      add(pid)
    }
  }
  add(root)
  return found
}

export type Part = 'supervisor' | 'application' | 'gateway' | 'cometbft'

const PART_COMMANDS = {
  application: /^\S*node.*\.ts application /,
  gateway: /^\S*node.* gateway --home/,
  cometbft: /^\S*cometbft start /,
} as const

/** Tests read the log, also what CometBFT says in it. */
const READABLE = { CHAIN_LOG_FORMAT: 'plain', CHAIN_LOG_COMETBFT: 'output' }

export interface NodeOptions {
  /** The timeout of CometBFT's commit step in ms; the chain's own value when left out. */
  readonly timeoutCommitMs?: number
  /** The markets of a devnet, and their denominations in its accounts. */
  readonly hasTestMarkets?: boolean
  /** Settings of app.toml, by key. */
  readonly settings?: Readonly<Record<string, string>>
  /** Records the calls of ABCI. */
  readonly isRecorded?: boolean
  /** CHAIN_TEST_ABCI when left out. */
  readonly abci?: AbciTransport
  /** Binary; CHAIN_TEST_COMETBFT, else that of the machine, when left out. */
  readonly cometbft?: string
  /** Where all its ports are bound; 127.0.0.1 when left out. */
  readonly host?: string
  /** Run in the place of `chain`, with its arguments behind. */
  readonly command?: readonly string[]
  readonly environment?: Environment
}

interface Ports {
  readonly http: number
  readonly ws: number
  readonly rest: number
  readonly grpc: number
  readonly comet: number
  readonly p2p: number
}

const LOCALHOST = '127.0.0.1'

export const portFlags = (ports: Ports, host = LOCALHOST): readonly string[] => [
  '--json-rpc.address',
  `${host}:${ports.http}`,
  '--json-rpc.ws-address',
  `${host}:${ports.ws}`,
  '--api.address',
  `${host}:${ports.rest}`,
  '--grpc.address',
  `${host}:${ports.grpc}`,
  '--rpc.laddr',
  `tcp://${host}:${ports.comet}`,
  '--p2p.laddr',
  `tcp://${host}:${ports.p2p}`,
]

export const chooseNodePorts = async (): Promise<Ports> => {
  const [http = 0, ws = 0, rest = 0, grpc = 0, comet = 0, p2p = 0] = await choosePorts(6)
  return { http, ws, rest, grpc, comet, p2p }
}

/** The home of a validator with the ten accounts of the devnet. */
export const makeHome = (home: string, { timeoutCommitMs, hasTestMarkets }: NodeOptions = {}): Promise<void> => {
  const accounts = devnetAccounts().map(({ address }) => address)
  const setup = { chainId: CHAIN_ID, moniker: 'e2e', accounts, balance: BALANCE, timeoutCommitMs, hasTestMarkets }
  return makeValidatorHome(home, setup)
}

export class TestNode {
  readonly folder = mkdtempSync(join(tmpdir(), 'e2e-'))
  readonly home = join(this.folder, 'home')
  readonly callLog = join(this.folder, 'abci.jsonl')
  readonly ports: Ports
  readonly urls: { readonly http: string; readonly ws: string; readonly rest: string; readonly comet: string }
  readonly grpc: string
  readonly p2p: string
  readonly #options: NodeOptions
  #child: ChildProcess | undefined
  #exited: Promise<number | string> = Promise.resolve(0)
  #output = ''

  constructor(ports: Ports, options: NodeOptions) {
    this.ports = ports
    this.#options = options
    const { host = LOCALHOST } = options
    this.grpc = `${host}:${ports.grpc}`
    this.p2p = `${host}:${ports.p2p}`
    this.urls = {
      http: `http://${host}:${ports.http}`,
      ws: `ws://${host}:${ports.ws}`,
      rest: `http://${host}:${ports.rest}`,
      comet: `http://${host}:${ports.comet}`,
    }
  }

  /** Everything that this run of the node has written. */
  get output(): string {
    return this.#output
  }

  /** Its exit status, or the signal that ended it, once it has ended. */
  get exited(): Promise<number | string> {
    return this.#exited
  }

  /** The end of it for a failure's message, without the chatter of a healthy CometBFT. */
  lastWords(): string {
    const lines = this.#output.split('\n').filter((line) => !line.startsWith('I['))
    return lines.join('\n').slice(-4_000)
  }

  get pid(): number {
    const pid = this.#child?.pid
    invariant(pid !== undefined, 'the node runs')
    return pid
  }

  get flags(): readonly string[] {
    return ['--home', this.home, ...portFlags(this.ports, this.#options.host)]
  }

  ask<T = unknown>(method: string, ...params: readonly unknown[]): Promise<T> {
    return askJsonRpc<T>(this.urls.http, method, ...params)
  }

  async height(): Promise<number> {
    return Number(await this.ask<string>('eth_blockNumber'))
  }

  /** The result of a route of CometBFT's RPC. */
  async comet<T>(route: string): Promise<T> {
    const reply = (await (await fetch(`${this.urls.comet}/${route}`)).json()) as JsonRpcReply
    if (reply.error !== undefined) throw new TypeError(`${route}: ${JSON.stringify(reply.error)}`)
    return reply.result as T
  }

  async untilHeight(height: number, limitMs?: number): Promise<number> {
    const reached = async (): Promise<number | undefined> => {
      const now = await this.height()
      return now >= height ? now : undefined
    }
    return await until(`height ${height}`, reached, limitMs)
  }

  /** Starts the process without waiting for it. */
  spawn(): void {
    const recorded = this.#options.isRecorded === true ? ['--abci-call-log', this.callLog] : []
    const settings = Object.entries(this.#options.settings ?? {}).flatMap(([key, value]) => [`--${key}`, value])
    const { abci = ABCI, cometbft, command = [chainCommand], environment } = this.#options
    const [program = '', ...before] = command
    const engine = ['--abci', abci, ...(cometbft === undefined ? [] : ['--cometbft', cometbft])]
    const child = spawn(program, [...before, 'start', ...this.flags, ...engine, ...recorded, ...settings], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...READABLE, ...process.env, ...environment },
    })
    this.#output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (text: string) => {
        this.#output += text
      })
    }
    endWithUs(child)
    this.#child = child
    this.#exited = new Promise((resolve) => child.once('exit', (code, signal) => resolve(code ?? signal ?? '')))
  }

  /** Starts the node, and settles when it answers and makes blocks. */
  async start(): Promise<void> {
    this.spawn()
    const died = this.#exited.then((status) => {
      throw new TypeError(`the node ended with ${status}; it wrote last:\n${this.lastWords()}`)
    })
    died.catch(() => undefined)
    const answered = this.untilHeight(1).catch((error: unknown) => {
      throw new TypeError(`${String(error)}; the node wrote last:\n${this.lastWords()}`)
    })
    await Promise.race([answered, died])
  }

  /** The exit status, or the signal that ended it. */
  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<number | string> {
    this.#child?.kill(signal)
    const status = await this.#exited
    this.#child = undefined
    return status
  }

  /** The process of a part, which must run. */
  pidOf(part: Part): number {
    if (part === 'supervisor') return this.pid
    const found = [...descendants(this.pid)].find(([, command]) => PART_COMMANDS[part].test(command))
    invariant(found !== undefined, `${part} runs`)
    return found[0]
  }

  /** Stops or continues the node as it is: SIGSTOP, SIGCONT. Alone a part of it would be taken for dead. */
  freeze(signal: 'SIGSTOP' | 'SIGCONT'): void {
    const pids = [this.pid, this.pidOf('cometbft'), this.pidOf('application')]
    for (const pid of pids) process.kill(pid, signal)
  }

  isRunning(part: Exclude<Part, 'supervisor'>): boolean {
    return [...descendants(this.pid).values()].some((command) => PART_COMMANDS[part].test(command))
  }

  /** SIGKILL; returns the process id. */
  kill(part: Part): number {
    const pid = this.pidOf(part)
    process.kill(pid, 'SIGKILL')
    return pid
  }

  /** What CometBFT called, over all runs with this home. */
  calls(): readonly RecordedCall[] {
    if (!existsSync(this.callLog)) return []
    const lines = readFileSync(this.callLog, 'utf8').split('\n')
    return lines.filter((line) => line !== '').map(parseCall)
  }

  async remove(): Promise<void> {
    await this.stop('SIGKILL')
    // The children of a killed node end within two seconds; until then they may write.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 })
  }
}

/** Fails with how to get a CometBFT when there is none. */
export const createNode = async (options: NodeOptions = {}): Promise<TestNode> => {
  await findCometbft()
  const node = new TestNode(await chooseNodePorts(), options)
  await makeHome(node.home, options)
  return node
}

/** One node for all tests of a file. */
export const useNode = (options: NodeOptions = {}): (() => TestNode) => {
  let node: TestNode | undefined
  beforeAll(async () => {
    node = await createNode(options)
    await node.start()
  })
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') console.log(`the node wrote last:\n${node?.lastWords() ?? ''}`)
  })
  afterAll(async () => await node?.remove())
  return () => {
    invariant(node !== undefined, 'the node was started')
    return node
  }
}

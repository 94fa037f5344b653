/** Runs `chain` as a process of its own, as an operator does. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'

const chainScript = join(import.meta.dirname, '..', 'chain.ts')
const nodeArguments = ['--disable-warning=ExperimentalWarning', chainScript]

export interface Finished {
  readonly status: number
  readonly stdout: string
  readonly stderr: string
}

/** A command that ends by itself. Never rejects for its status. */
export const runChain = async (...args: readonly string[]): Promise<Finished> => {
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...nodeArguments, ...args])
    return { status: 0, stdout, stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { status: code, stdout, stderr }
  }
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => server.close(() => resolve(true)))
  })

/** Below those that the kernel gives to outgoing connections: a port stays ours while a node restarts. */
export const freePorts = async (count: number): Promise<readonly number[]> => {
  const ports = new Set<number>()
  while (ports.size < count) {
    const port = randomInt(12_000, 20_000)
    if (await isFree(port)) ports.add(port)
  }
  return [...ports]
}

export interface NodePorts {
  readonly p2pAddress: string
  readonly flags: readonly string[]
  readonly rpcUrl: string
  readonly jsonRpcUrl: string
  readonly restUrl: string
  /** Where application and gateway serve their figures. */
  readonly metricsUrls: readonly string[]
}

export const choosePorts = async (): Promise<NodePorts> => {
  const [rpc, p2p, jsonRpc, ws, rest, grpc, metrics, gatewayMetrics] = await freePorts(8)
  const flags = Object.entries({
    'rpc.laddr': `tcp://127.0.0.1:${rpc}`,
    'p2p.laddr': `tcp://127.0.0.1:${p2p}`,
    'json-rpc.address': `127.0.0.1:${jsonRpc}`,
    'json-rpc.ws-address': `127.0.0.1:${ws}`,
    'api.address': `127.0.0.1:${rest}`,
    'grpc.address': `127.0.0.1:${grpc}`,
    // These two are used by a node with telemetry alone.
    'telemetry.address': `127.0.0.1:${metrics}`,
    'telemetry.gateway-address': `127.0.0.1:${gatewayMetrics}`,
  }).flatMap(([name, value]) => [`--${name}`, value])
  return {
    p2pAddress: `127.0.0.1:${p2p}`,
    flags,
    rpcUrl: `http://127.0.0.1:${rpc}`,
    jsonRpcUrl: `http://127.0.0.1:${jsonRpc}`,
    restUrl: `http://127.0.0.1:${rest}`,
    metricsUrls: [metrics, gatewayMetrics].map((port) => `http://127.0.0.1:${port}/metrics`),
  }
}

/** Tests read the log, also what CometBFT says in it. */
const READABLE = { CHAIN_LOG_FORMAT: 'plain', CHAIN_LOG_COMETBFT: 'output' }

export interface RunningChain {
  readonly process: ChildProcess
  /** Everything that it has written. */
  output(): string
  readonly exited: Promise<number | string>
}

/** A command that runs until it is stopped. */
export const startChain = (...args: readonly string[]): RunningChain => {
  const child = spawn(process.execPath, [...nodeArguments, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...READABLE, ...process.env },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (chunk: string) => {
      output += chunk
    })
  }
  const exited = new Promise<number | string>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal ?? ''))
  })
  return { process: child, output: () => output, exited }
}

/** The command line of a process; empty once it has ended. */
const commandLineOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** Process ids of programs whose command line names this home and `part`, such as ' gateway '. */
export const pidsOf = (home: string, part = ''): readonly number[] =>
  readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .filter((pid) => {
      const line = commandLineOf(pid)
      return line.includes(home) && line.includes(part)
    })
    .map(Number)

const rpcAnswer = z.object({ result: z.unknown().optional(), error: z.unknown().optional() })

/** The result or the error object; undefined while nobody answers. */
export const askJsonRpc = async (url: string, method: string, params: readonly unknown[] = []): Promise<unknown> => {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = rpcAnswer.parse(await response.json())
    return error ?? result
  } catch {
    return undefined
  }
}

/** -1 while nobody answers. */
export const blockNumber = async (url: string): Promise<number> => {
  const result = await askJsonRpc(url, 'eth_blockNumber')
  return typeof result === 'string' ? Number(result) : -1
}

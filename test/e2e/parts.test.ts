/** Each part as a service of its own, as in docker/compose.yaml: application, CometBFT, and two gateways over TCP. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { findCometbft } from '../../bin/supervise/cometbft-binary.ts'
import { accountAt } from './clients.ts'
import {
  askJsonRpc,
  callJsonRpc,
  chainCommand,
  choosePorts,
  endWithUs,
  EVM_CHAIN_ID,
  makeHome,
  until,
} from './harness.ts'

const folder = mkdtempSync(join(tmpdir(), 'e2e-parts-'))
const home = join(folder, 'home')
const running = new Map<string, ChildProcess>()
let output = ''
let gateways: readonly { readonly name: string; readonly url: string; readonly port: number }[] = []
let startApplication: () => void
let startCometbft: () => void
let startGateway: (name: string, port: number) => void

const start = (name: string, command: string, args: readonly string[]): void => {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => {
      output += text.replaceAll(/^I\[.*\n/gm, '')
    })
  }
  endWithUs(child)
  running.set(name, child)
}

const stop = async (name: string, signal: NodeJS.Signals): Promise<number | string | null> => {
  const child = running.get(name)
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
  const ended = new Promise<number | string | null>((resolve) =>
    child.once('exit', (code, killer) => resolve(code ?? killer)),
  )
  child.kill(signal)
  return await ended
}

const urlOf = (index: number): string => gateways[index]?.url ?? ''
const height = async (index: number): Promise<number> =>
  Number(await askJsonRpc<string>(urlOf(index), 'eth_blockNumber'))
const readiness = async (index: number): Promise<number> => (await fetch(`${urlOf(index)}/readyz`)).status

const untilHeight = async (index: number, wanted: number): Promise<number> =>
  await until(`height ${wanted}`, async () => {
    const now = await height(index)
    return now >= wanted ? now : undefined
  })

const transfer = (nonce: number) =>
  accountAt(0).signTransaction({
    chainId: EVM_CHAIN_ID,
    nonce,
    to: accountAt(1).address,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 10n ** 9n,
  })

beforeAll(async () => {
  const [abci, queries, comet, p2p, grpc, ...free] = await choosePorts(9)
  const [first = 0, firstWs = 0, second = 0, secondWs = 0] = free
  await makeHome(home, { timeoutCommitMs: 300 })
  const binary = await findCometbft()
  const [abciAddress, queriesAddress] = [`tcp://127.0.0.1:${abci}`, `tcp://127.0.0.1:${queries}`]
  startApplication = () =>
    start('application', chainCommand, [
      ...['start', '--home', home, '--external-cometbft', '--external-gateway', '--abci', abciAddress],
      ...[
        '--queries',
        queriesAddress,
        '--grpc.address',
        `127.0.0.1:${grpc}`,
        '--rpc.laddr',
        `tcp://127.0.0.1:${comet}`,
      ],
    ])
  startCometbft = () =>
    start('cometbft', binary, [
      ...['start', '--home', home, '--proxy_app', abciAddress],
      ...['--rpc.laddr', `tcp://127.0.0.1:${comet}`, '--p2p.laddr', `tcp://127.0.0.1:${p2p}`],
    ])
  const sockets = new Map([
    [first, firstWs],
    [second, secondWs],
  ])
  // A gateway needs no home: here it is given one that does not exist.
  startGateway = (name, port) =>
    start(name, chainCommand, [
      ...['gateway', '--application', queriesAddress, '--home', join(folder, 'none'), '--api.enable', 'false'],
      ...['--json-rpc.address', `127.0.0.1:${port}`, '--json-rpc.ws-address', `127.0.0.1:${sockets.get(port)}`],
    ])
  gateways = [first, second].map((port, index) => ({ name: `gateway ${index}`, port, url: `http://127.0.0.1:${port}` }))
  // In an order in which each waits for another.
  for (const { name, port } of gateways) startGateway(name, port)
  startCometbft()
  startApplication()
  for (const index of [0, 1]) await untilHeight(index, 1)
})
afterEach(({ task }) => {
  if (task.result?.state === 'fail') console.log(`the parts wrote last:\n${output.slice(-4_000)}`)
})
afterAll(async () => {
  for (const name of running.keys()) await stop(name, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 })
})

describe('parts that run as services of their own', () => {
  it('show one chain: what one gateway takes, the other shows, and filters belong to neither', async () => {
    const filter = await askJsonRpc<string>(urlOf(0), 'eth_newBlockFilter')
    const hash = await askJsonRpc<string>(urlOf(0), 'eth_sendRawTransaction', await transfer(0))
    expect(await askJsonRpc(urlOf(1), 'eth_getTransactionByHash', hash)).toMatchObject({ hash })
    const receipt = await until('a receipt', async () => {
      const found = await askJsonRpc<{ blockHash: string } | null>(urlOf(1), 'eth_getTransactionReceipt', hash)
      return found ?? undefined
    })
    const seen = new Set<string>()
    await until('the block in the filter', async () => {
      for (const block of await askJsonRpc<string[]>(urlOf(1), 'eth_getFilterChanges', filter)) seen.add(block)
      return seen.has(receipt.blockHash) ? true : undefined
    })
    expect(await askJsonRpc(urlOf(0), 'eth_uninstallFilter', filter)).toBe(true)
    expect((await callJsonRpc(urlOf(1), 'eth_getFilterChanges', filter)).error?.message).toBe('filter not found')
  })

  it('go on when a gateway ends in order, and it comes back', async () => {
    expect(await stop('gateway 0', 'SIGTERM')).toBe(0)
    await untilHeight(1, (await height(1)) + 2)
    startGateway('gateway 0', gateways[0]?.port ?? 0)
    await untilHeight(0, await height(1))
  })

  it('outlive their application: gateways say that it is away, and find it again by themselves', async () => {
    const before = await height(0)
    expect(await stop('application', 'SIGKILL')).toBe('SIGKILL')
    for (const index of [0, 1]) {
      await until('unready', async () => ((await readiness(index)) === 503 ? true : undefined))
      const { error } = await callJsonRpc(urlOf(index), 'eth_getBalance', accountAt(0).address, 'latest')
      expect(error?.code).toBeLessThan(0)
    }
    startApplication()
    // CometBFT ends without its application: whoever runs it starts it again.
    await until('the end of CometBFT', () => running.get('cometbft')?.exitCode ?? undefined)
    startCometbft()
    for (const index of [0, 1]) {
      await untilHeight(index, before + 2)
      expect(await readiness(index)).toBe(200)
    }
  })

  it('end with status 0 when they are told to', async () => {
    for (const name of ['gateway 0', 'gateway 1', 'cometbft', 'application']) {
      expect(await stop(name, 'SIGTERM'), name).toBe(0)
    }
  })
})

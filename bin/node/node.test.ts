import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { setTomlValue } from './config/toml-lines.ts'
import { findCometbft } from './supervise/cometbft-binary.ts'
import { makeCertificate } from '../testing/certificates.ts'
import { editCometToml } from '../testing/make-home.ts'
import {
  askJsonRpc,
  blockNumber,
  choosePorts,
  type NodePorts,
  pidsOf,
  type RunningChain,
  runChain,
  startChain,
} from '../testing/node-process.ts'

const ALICE = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const SLOW = { interval: 100 }

const cometbft = await findCometbft().catch((error: unknown) => {
  console.log(`skipped: the node needs CometBFT: ${String(error)}`)
  return undefined
})

const folder = mkdtempSync(join(tmpdir(), 'node-'))
const home = join(folder, 'home')
let ports: NodePorts
let running: RunningChain | undefined

const start = (...flags: readonly string[]): RunningChain => {
  running = startChain('start', '--home', home, ...ports.flags, ...flags)
  return running
}

interface CometStatus {
  readonly sync_info: { readonly latest_block_height: string }
}

const height = (): Promise<number> => blockNumber(ports.jsonRpcUrl)

beforeAll(async () => {
  ports = await choosePorts()
})
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log(`the node said last:\n${running?.output().slice(-4_000)}`)
  running?.process.kill('SIGKILL')
  await running?.exited
  running = undefined
  // Children of a killed node answer for a moment longer: the next test must not take them for its own.
  await expect.poll(() => pidsOf(home), SLOW).toEqual([])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(cometbft === undefined)('a node', () => {
  it('is made by init and genesis commands', async () => {
    expect((await runChain('init', 'one', '--chain-id', 'localnat-1', '--home', home)).status).toBe(0)
    editCometToml(home, { 'consensus.timeout_commit': '"200ms"' })
    expect((await runChain('genesis', 'add-account', ALICE, '5nat', '--home', home)).status).toBe(0)
    expect((await runChain('genesis', 'add-validator', '--home', home)).stdout).toContain('1 accounts, 1 validators')
    const again = await runChain('init', 'one', '--chain-id', 'localnat-1', '--home', home)
    expect(again).toMatchObject({ status: 1, stderr: expect.stringContaining('genesis.json exists') as string })
  })

  it('makes blocks, answers on both sides and is healthy', async () => {
    const log = ['--log-format', 'json', '--log-level', 'warn,consensus:debug', '--log-cometbft', 'file']
    const node = start('--telemetry.enabled', 'true', ...log)
    await expect.poll(height, SLOW).toBeGreaterThanOrEqual(2)
    // Only what is asked for, each line an object for machines; CometBFT writes elsewhere.
    const lines = node.output().trimEnd().split('\n')
    const parsed = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const blocks = parsed.filter(({ msg }) => msg === 'block committed')
    expect(blocks[0]).toMatchObject({ level: 'debug', module: 'consensus', height: 1, transactions: 0 })
    expect(parsed.filter(({ level }) => level === 'info')).toEqual([])
    expect(readFileSync(join(home, 'logs', 'cometbft.log'), 'utf8')).toContain('service start')
    const [ofApplication = '', ofGateway = ''] = await Promise.all(
      ports.metricsUrls.map(async (url) => await (await fetch(url)).text()),
    )
    expect(ofApplication).toMatch(/^nat_block_height [2-9]/m)
    expect(ofApplication).toContain('nat_abci_call_seconds_count{method="finalizeBlock"}')
    expect(ofGateway).toMatch(/^nat_rpc_request_seconds_count\{method="eth_blockNumber",outcome="ok"\} [1-9]/m)
    expect(ofGateway).toMatch(/^nat_gateway_block_height \d+$/m)
    const figures = async (): Promise<string> => await (await fetch(ports.metricsUrls[1] ?? '')).text()
    await expect.poll(figures, SLOW).toMatch(/^nat_gateway_block_height\{part="native"\} \d+$/m)
    expect(await askJsonRpc(ports.jsonRpcUrl, 'eth_getBalance', [ALICE, 'latest'])).toBe('0x4563918244f40000')
    const { status, stdout } = await runChain('status', '--home', home, ...ports.flags)
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ healthy: true, chainId: 'localnat-1', catchingUp: false })
  })

  it('stops in order on SIGTERM and goes on from the same height', async () => {
    const first = start()
    await expect.poll(height, SLOW).toBeGreaterThanOrEqual(3)
    first.process.kill('SIGTERM')
    expect(await first.exited).toBe(0)
    const stoppedAt = Number(/stopped height=(\d+)/.exec(first.output())?.[1])
    expect(pidsOf(home)).toEqual([])
    const second = start()
    await expect.poll(() => /started .*height=(\d+)/.exec(second.output())?.[1], SLOW).toBe(String(stoppedAt))
    await expect.poll(height, SLOW).toBeGreaterThan(stoppedAt)
  })

  it('answers over JSON-RPC while REST and gRPC have died, and these come back', async () => {
    start()
    const isServed = async (): Promise<boolean> =>
      await fetch(`${ports.restUrl}/cosmos/bank/v1beta1/params`).then(
        ({ ok }) => ok,
        () => false,
      )
    await expect.poll(isServed, SLOW).toBe(true)
    const [gateway] = pidsOf(home, ' gateway ')
    for (const signal of ['SIGKILL', 'SIGSTOP'] as const) {
      const [native] = pidsOf(home, 'native-gateway')
      expect(native).toBeGreaterThan(0)
      process.kill(native ?? 0, signal)
      expect(await height()).toBeGreaterThan(0)
      // One that hangs is ended, as one that has died is started.
      await expect.poll(() => pidsOf(home, 'native-gateway'), SLOW).not.toContain(native)
      await expect.poll(isServed, SLOW).toBe(true)
    }
    expect(pidsOf(home, ' gateway ')).toEqual([gateway])
  })

  it('goes on when its gateway or its CometBFT is killed', async () => {
    start()
    await expect.poll(height, SLOW).toBeGreaterThanOrEqual(1)
    for (const part of [' gateway ', 'cometbft start']) {
      const [pid] = pidsOf(home, part)
      expect(pid).toBeGreaterThan(0)
      const before = await height()
      process.kill(pid ?? 0, 'SIGKILL')
      await expect.poll(height, SLOW).toBeGreaterThan(before + 1)
    }
  })

  it('runs without a gateway where nothing of it is enabled', async () => {
    const node = start('--json-rpc.enable', 'false', '--api.enable', 'false', '--grpc.enable', 'false')
    await expect.poll(() => node.output(), SLOW).toMatch(/started .*height=/)
    const from = Number(/started .*height=(\d+)/.exec(node.output())?.[1])
    const cometHeight = async (): Promise<number> => {
      const status = (await askJsonRpc(ports.rpcUrl, 'status')) as CometStatus | undefined
      return Number(status?.sync_info.latest_block_height ?? -1)
    }
    await expect.poll(cometHeight, SLOW).toBeGreaterThanOrEqual(from + 3)
    expect(pidsOf(home, ' gateway ')).toEqual([])
    expect(node.output()).not.toContain('gateway')
    node.process.kill('SIGTERM')
    expect(await node.exited).toBe(0)
  })

  it('makes blocks while its gateway refuses a certificate that has expired, and says why', async () => {
    const { certificatePath, keyPath } = makeCertificate(folder, 'expired', -1)
    const node = start('--tls.certificate-path', certificatePath, '--tls.key-path', keyPath)
    await expect
      .poll(() => node.output(), SLOW)
      .toMatch(/tls\.certificate-path: \S+expired\.pem expired at .*: renew it/)
    const cometHeight = async (): Promise<number> => {
      const status = (await askJsonRpc(ports.rpcUrl, 'status')) as CometStatus | undefined
      return Number(status?.sync_info.latest_block_height ?? -1)
    }
    const from = await cometHeight()
    await expect.poll(cometHeight, SLOW).toBeGreaterThan(Math.max(from, 0) + 2)
  })

  it('leaves no process behind when it is killed', async () => {
    const node = start()
    await expect.poll(height, SLOW).toBeGreaterThanOrEqual(1)
    expect(pidsOf(home).length).toBeGreaterThanOrEqual(3)
    node.process.kill('SIGKILL')
    await node.exited
    await expect.poll(() => pidsOf(home), { interval: 50 }).toEqual([])
  })

  it('is refused a second time, with the ports that are in use', async () => {
    start()
    await expect.poll(height, SLOW).toBeGreaterThanOrEqual(1)
    const { status, stderr } = await runChain('start', '--home', home, ...ports.flags)
    expect(status).toBe(1)
    expect(stderr).toMatch(/port \d+ \(consensus RPC\) is in use; rpc\.laddr in config\.toml/)
    expect(stderr).toMatch(/port \d+ \(JSON-RPC\) is in use; json-rpc\.address in app\.toml/)
    const other = await choosePorts()
    const elsewhere = await runChain(
      'start',
      '--home',
      home,
      ...other.flags,
      '--abci-address',
      `unix://${folder}/a.sock`,
    )
    expect(elsewhere).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('is open in another process') as string,
    })
  })

  it('stops at its halt-height with status 0', async () => {
    const reached = await (async () => {
      const node = start()
      await expect.poll(height, SLOW).toBeGreaterThanOrEqual(1)
      node.process.kill('SIGTERM')
      await node.exited
      return Number(/stopped height=(\d+)/.exec(node.output())?.[1])
    })()
    const node = start('--halt-height', String(reached + 2))
    expect(await node.exited).toBe(0)
    expect(node.output()).toContain(`stopping reason="halt-height ${reached + 2}"`)
    expect(node.output()).toContain(`stopped height=${reached + 2}`)
  })

  it('is refused when the database holds another chain than the genesis file', async () => {
    const path = join(home, 'config', 'genesis.json')
    const genesis = readFileSync(path, 'utf8')
    writeFileSync(path, genesis.replace('"chain_id": "localnat-1"', '"chain_id": "other-1"'))
    const { status, stderr } = await runChain('start', '--home', home, ...ports.flags)
    writeFileSync(path, genesis)
    expect(status).toBe(1)
    expect(stderr).toContain('holds localnat-1 (EVM chain id 2517)')
    expect(stderr).toContain('is of other-1 (EVM chain id 2517)')
  })

  it('is refused with the line of a wrong setting, and warns of an unknown one', async () => {
    const path = join(home, 'config', 'app.toml')
    const toml = readFileSync(path, 'utf8')
    writeFileSync(path, setTomlValue(toml, 'pruning', '"much"'))
    const wrong = await runChain('start', '--home', home, ...ports.flags)
    writeFileSync(path, setTomlValue(toml, 'json-rpc.adress', '"127.0.0.1:1"'))
    const node = start()
    await expect.poll(() => node.output(), SLOW).toContain('json-rpc.adress is no setting and has no effect')
    writeFileSync(path, toml)
    expect(wrong).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/app\.toml:\d+: pruning is "much", but must be one of/) as string,
    })
  })

  it('ends a call that takes too long, and answers the next ones', async () => {
    const node = start('--json-rpc.evm-timeout', '300ms', '--json-rpc.gas-cap', '5000000000')
    await expect.poll(height, SLOW).toBeGreaterThanOrEqual(1)
    const endless = [{ to: ALICE, gas: '0x12a05f200' }, 'latest', { [ALICE]: { code: '0x5b600056' } }]
    const identity = [{ to: '0x0000000000000000000000000000000000000004', data: '0x1234' }, 'latest']
    for (let round = 0; round < 2; round++) {
      const before = await height()
      expect(await askJsonRpc(ports.jsonRpcUrl, 'eth_call', endless)).toMatchObject({
        code: -32002,
        message: 'execution aborted (timeout = 0.3s)',
      })
      expect(await askJsonRpc(ports.jsonRpcUrl, 'eth_call', identity)).toBe('0x1234')
      await expect.poll(height, SLOW).toBeGreaterThan(before)
    }
    node.process.kill('SIGTERM')
    expect(await node.exited).toBe(0)
  })

  it('gives the genesis file of its RPC to another home', async () => {
    start()
    await expect.poll(height, SLOW).toBeGreaterThanOrEqual(1)
    const other = join(folder, 'other')
    await runChain('init', 'two', '--chain-id', 'localnat-1', '--home', other)
    const fetched = await runChain('genesis', 'fetch', ports.rpcUrl, '--chain-id', 'localnat-1', '--home', other)
    expect(fetched).toMatchObject({ status: 0, stdout: expect.stringContaining('1 accounts, 1 validators') as string })
    const refused = await runChain('genesis', 'fetch', ports.rpcUrl, '--chain-id', 'nat-2517-1', '--home', other)
    expect(refused).toMatchObject({ status: 1, stderr: expect.stringContaining('nat-2517-1 is expected') as string })
  })
})

describe('a home that is missing', () => {
  it('says what to run', async () => {
    const { status, stderr } = await runChain('start', '--home', join(folder, 'none'))
    expect(status).toBe(1)
    expect(stderr).toContain('run "chain init <moniker> --chain-id <id>')
  })
})

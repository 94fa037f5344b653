/** `make devnet`, as a developer types it: on a terminal, with Ctrl-C, and on the default ports when they are free. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mnemonicToAccount } from 'viem/accounts'
import { bytesToHex, parseEther } from 'viem'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { deployForAllChains, tradeByCommands, useCommands, useContracts } from './devnet-tools.ts'
import { usePage } from './devnet-page.ts'
import { askJsonRpc, chooseNodePorts, descendants, endWithUs, isAlive, isFree, repository, until } from './harness.ts'

const DEFAULT_PORTS = { http: 8545, ws: 8546, rest: 1317, grpc: 9090, comet: 26_657, p2p: 26_656 }
const MNEMONIC = 'test test test test test test test test test test test junk'
const CTRL_C = '\u0003'

const folder = mkdtempSync(join(tmpdir(), 'e2e-devnet-'))
const home = join(folder, 'home')

let ports = DEFAULT_PORTS
let environment: Record<string, string> = {}
let running: Terminal | undefined

/** A command on a terminal of its own, as util-linux's script gives it. */
class Terminal {
  readonly child: ChildProcess
  readonly ended: Promise<number | string>
  output = ''

  constructor(command: string) {
    const { MAKEFLAGS: _flags, MAKELEVEL: _level, ...inherited } = process.env
    this.child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
      cwd: repository,
      env: { ...inherited, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    endWithUs(this.child)
    for (const stream of [this.child.stdout, this.child.stderr]) {
      stream?.setEncoding('utf8')
      stream?.on('data', (text: string) => {
        this.output += text.replaceAll('\r\n', '\n')
      })
    }
    this.ended = new Promise((resolve) => this.child.once('exit', (code, signal) => resolve(code ?? signal ?? '')))
  }

  family(): readonly number[] {
    return [...descendants(this.child.pid ?? 0).keys()]
  }

  press(keys: string): void {
    this.child.stdin?.write(keys)
  }
}

const run = async (target: string): Promise<Terminal> => {
  running = new Terminal(`make ${target}`)
  const terminal = running
  const shown = (): true | undefined => (terminal.output.includes('Ctrl-C stops it') ? true : undefined)
  const status = await Promise.race([until('the banner', shown), terminal.ended])
  expect(status, `make ${target} ended`).toBe(true)
  return terminal
}

/** Cleans up after a test that failed: hanging up would do, the kill is for what does not listen. */
const remove = async (): Promise<void> => {
  for (const pid of running?.family() ?? []) if (isAlive(pid)) process.kill(pid, 'SIGKILL')
  running?.child.kill('SIGKILL')
  await running?.ended
  running = undefined
}

const url = (): string => `http://127.0.0.1:${ports.http}`
const height = async (): Promise<number> => Number(await askJsonRpc<string>(url(), 'eth_blockNumber'))

const stop = async (terminal: Terminal): Promise<void> => {
  const family = terminal.family()
  expect(family.length).toBeGreaterThanOrEqual(3)
  terminal.press(CTRL_C)
  expect(await terminal.ended, terminal.output.slice(-500)).toBe(0)
  expect(terminal.output.trimEnd().endsWith('stopped')).toBe(true)
  expect(family.filter(isAlive)).toEqual([])
}

beforeAll(async () => {
  const free = await Promise.all(Object.values(DEFAULT_PORTS).map(isFree))
  const taken = Object.values(DEFAULT_PORTS).filter((_, index) => free[index] !== true)
  environment = { DEVNET_HOME: home }
  if (taken.length === 0) return
  console.log(`other ports than the defaults, because in use are: ${taken.join(', ')}`)
  ports = await chooseNodePorts()
  environment = {
    ...environment,
    CHAIN_JSON_RPC_ADDRESS: `127.0.0.1:${ports.http}`,
    CHAIN_JSON_RPC_WS_ADDRESS: `127.0.0.1:${ports.ws}`,
    CHAIN_API_ADDRESS: `127.0.0.1:${ports.rest}`,
    CHAIN_GRPC_ADDRESS: `127.0.0.1:${ports.grpc}`,
    CHAIN_RPC_LADDR: `tcp://127.0.0.1:${ports.comet}`,
    CHAIN_P2P_LADDR: `tcp://127.0.0.1:${ports.p2p}`,
  }
})
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log(`the terminal showed last:\n${running?.output.slice(-3_000) ?? ''}`)
  await remove()
})
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 30, retryDelay: 100 }))

const hasTerminal = ((): boolean => {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8' }).includes('util-linux')
  } catch {
    return false
  }
})()
if (!hasTerminal) console.log("skipped: util-linux's script, which gives a terminal, is missing")

describe.skipIf(!hasTerminal)('make devnet', () => {
  it('makes a chain and says how to reach it, who is rich, where it lies and how to stop it', async () => {
    const terminal = await run('devnet')
    const { output } = terminal
    expect(output).toContain('nat-chain devnet is new')
    expect(output).toContain('chain id localnat-1, EVM chain id 2517 (0x9d5), currency NAT, 18 decimals')
    for (const address of [
      `http://127.0.0.1:${ports.http}`,
      `ws://127.0.0.1:${ports.ws}`,
      `http://127.0.0.1:${ports.rest}`,
      `127.0.0.1:${ports.grpc}`,
      `http://127.0.0.1:${ports.comet}`,
    ]) {
      expect(output).toContain(`${address}\n`)
    }
    expect(output).toContain(`  page            http://127.0.0.1:${ports.rest}/  `)
    expect(output).toMatch(/WARNING: these keys are public/)
    expect(output).toContain(
      'The testnet nat-2517-1 has the same EVM chain id: what these keys sign here runs there too',
    )
    expect(output).toContain(`home ${home}, log ${home}/logs/devnet.log`)
    expect(output).toContain(
      '"make devnet" resumes at the same height, "make devnet-reset" deletes it and starts a new one',
    )
    for (let index = 0; index < 10; index++) {
      const account = mnemonicToAccount(MNEMONIC, { addressIndex: index })
      const key = bytesToHex(account.getHdKey().privateKey ?? new Uint8Array(0))
      expect(output).toContain(`  ${account.address}  ${key}\n`)
      const balance = await askJsonRpc<string>(url(), 'eth_getBalance', account.address, 'latest')
      expect(BigInt(balance)).toBe(parseEther('1000000'))
    }
    const modules = await askJsonRpc<Record<string, string>>(url(), 'rpc_modules')
    expect(Object.keys(modules)).toEqual(expect.arrayContaining(['eth', 'net', 'txpool', 'web3']))
    await until('some blocks', async () => ((await height()) >= 2 ? true : undefined))
    await stop(terminal)
    expect(readFileSync(join(home, 'logs', 'cometbft.log'), 'utf8')).toContain('service start')
  })

  it('goes on from the same height when it is run again', async () => {
    const stoppedAt = Number(/stopped height=(\d+)/.exec(readFileSync(join(home, 'logs', 'devnet.log'), 'utf8'))?.[1])
    const terminal = await run('devnet')
    expect(terminal.output).toContain(`nat-chain devnet resumes at height ${stoppedAt}\n`)
    expect(await height()).toBeGreaterThanOrEqual(stoppedAt)
    await stop(terminal)
  })

  it('forgets the chain with devnet-reset, and touches no home but its own, nor one that runs', async () => {
    const terminal = await run('devnet-reset')
    expect(terminal.output).toContain('nat-chain devnet is new')
    expect(readdirSync(folder)).toEqual(['home'])
    const log = readFileSync(join(home, 'logs', 'devnet.log'), 'utf8')
    for (const target of ['devnet', 'devnet-reset']) {
      const beside = new Terminal(`make ${target}`)
      expect(await beside.ended).toBe(2)
      expect(beside.output).toContain(`the chain in ${home} runs already: stop it first`)
    }
    expect(readFileSync(join(home, 'logs', 'devnet.log'), 'utf8').startsWith(log)).toBe(true)
    const reached = await height()
    await until('the next block', async () => ((await height()) > reached ? true : undefined))
    await stop(terminal)
  })

  it('has the contracts that tools expect, tells of each transaction, is found by commands, and has a page', async () => {
    const terminal = await run('devnet')
    expect(terminal.output).toContain('in its genesis  Create2 factory, Safe singleton factory, Multicall3, Permit2,')
    const shown = (): string => terminal.output
    await useContracts(url(), shown)
    await deployForAllChains(url(), shown)
    await useCommands(home, folder, shown)
    tradeByCommands(home, folder)
    await usePage(ports)
    const before = terminal.output
    await stop(terminal)
    expect(before).not.toContain('no more lines of transactions')
  })

  it('has another EVM chain id when it is made with one, and is refused with another than it has', async () => {
    const other = new Terminal('make devnet EVM_CHAIN_ID=31337')
    expect(await other.ended).toBe(2)
    expect(other.output).toContain(`the devnet in ${home} has the EVM chain id 2517, not 31337: delete it with`)
    const made = await run('devnet-reset EVM_CHAIN_ID=31337')
    expect(made.output).toContain('chain id localnat-31337-1, EVM chain id 31337 (0x7a69)')
    expect(made.output).not.toContain('the same EVM chain id')
    expect(await askJsonRpc(url(), 'eth_chainId')).toBe('0x7a69')
    await stop(made)
    // Without the flag it is what it was made as.
    const again = await run('devnet ARGS=--quiet')
    expect(await askJsonRpc(url(), 'eth_chainId')).toBe('0x7a69')
    await stop(again)
  })
})

import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { devnetAccounts } from '../../bin/cli/keys/devnet-accounts.ts'
import { PATIENCE_MS, repository, useNode } from './harness.ts'
import { findWeb3Python } from './python.ts'

const python = findWeb3Python()
if (python === undefined) console.log('skipped: web3.py is not installed: "make setup" does it, with python3 and pip')

const node = useNode({ hasTestMarkets: true })

const run = async (command: string, script: string, account: number, more = {}) => {
  const { ports } = node()
  // The host is a name, as the scripts have it by default: it may mean ::1 first, where nobody listens.
  const at = (port: number): string => `http://localhost:${port}`
  const urls = {
    RPC_URL: at(ports.http),
    WS_URL: `ws://localhost:${ports.ws}`,
    REST_URL: at(ports.rest),
    COMET_URL: at(ports.comet),
  }
  const signer = { PRIVATE_KEY: devnetAccounts()[account]?.privateKey ?? '', ACCOUNT: String(account) }
  const env = { ...process.env, ...urls, ...signer, ...more }
  const { stdout } = await promisify(execFile)(command, [join(repository, script)], { env, timeout: PATIENCE_MS })
  return stdout
}

const expectExample = (output: string): void => {
  const hash = '0x[0-9a-f]{64}'
  expect(output).toMatch(new RegExp(`^sent 1 NAT in block \\d+: ${hash}$`, 'm'))
  expect(output).toMatch(/^balance of the receiver: [\d.]+ NAT$/m)
  expect(output).toMatch(/^deployed the token at 0x[0-9a-fA-F]{40}$/m)
  expect(output).toContain('tokens of the receiver: 5\n')
  expect(output).toMatch(/^logs of the token up to block \d+: 2$/m)
  const heads = [...output.matchAll(new RegExp(`^new head (\\d+) ${hash}$`, 'gm'))].map(([, height]) => Number(height))
  const [first = 0] = heads
  expect(heads).toEqual([first, first + 1, first + 2])
}

/** What both native examples print: `hash` is theirs of a transaction. */
const expectNative = (output: string, hash: string): void => {
  const sent = ['delegated 100 NAT', 'sent 1 anat', 'withdrew the rewards', 'submitted a proposal']
  for (const what of sent) expect(output).toMatch(new RegExp(`^${what} in block \\d+: ${hash}$`, 'm'))
  expect(output).toMatch(/^rewards: [1-9]\d* anat$/m)
  expect(output).toMatch(new RegExp(`^voted yes on proposal [1-9]\\d* in block \\d+: ${hash}$`, 'm'))
  expect(output).toMatch(/^yes: 100000000000000000000 anat$/m)
}

// Side by side: each script has an account of its own, and waits for blocks most of the time.
describe.concurrent('the examples', () => {
  it('run with viem', async () => {
    expectExample(await run(process.execPath, 'examples/viem.ts', 2))
  })
  it('run with ethers', async () => {
    expectExample(await run(process.execPath, 'examples/ethers.ts', 3))
  })
  it.skipIf(python === undefined)('run with web3.py', async () => {
    expectExample(await run(python ?? '', 'examples/web3_client.py', 4))
  })
  it('run with CosmJS', async () => {
    const output = await run(process.execPath, 'examples/cosmjs.ts', 6)
    expect(output).toMatch(/^sent 1 NAT in block \d+: [0-9A-F]{64}$/m)
    expect(output).toMatch(/^delegated to natvaloper1[a-z0-9]+: 100000000000000000000 anat$/m)
    expectNative(output, '[0-9A-F]{64}')
  })
  it('run with typed data', async () => {
    const output = await run(process.execPath, 'examples/typed-data.ts', 8)
    expect(output).toMatch(/^sent and delegated 1 NAT in block \d+: [0-9A-F]{64}$/m)
  })
  it('trade on the order book', async () => {
    const output = await run(process.execPath, 'examples/clob.ts', 9)
    expect(output).toContain('market 1: anat for utusd, lots of 1000000000000000\n')
    expect(output).toMatch(/^order [1-9]\d* rests since block \d+$/m)
    expect(output).toContain('best ask: 1000 ticks\n')
    expect(output).toMatch(/^bought 5 NAT in block \d+: 0x[0-9a-f]{64}$/m)
    expect(output).toMatch(/^fill: .*"lots":"5000"/m)
  })
  it('quote both sides of a market, and take from them', async () => {
    // Another market than the one above, and accounts that send nothing else to the book.
    const [maker, taker] = await Promise.all([
      run(process.execPath, 'examples/market-maker.ts', 1, { FILLS: '2' }),
      run(process.execPath, 'examples/taker.ts', 2),
    ])
    const price = String.raw`2[45]\d{3} ticks`
    expect(taker).toMatch(new RegExp(`^bought 10 lots at ${price} in block \\d+, fee [1-9]\\d*$`, 'm'))
    expect(taker).toMatch(new RegExp(`^sold 10 lots at ${price} in block \\d+, fee [1-9]\\d*$`, 'm'))
    expect(taker).toMatch(/^book at block \d+: \d bid, \d ask, sequence [1-9]\d*$/m)
    expect(maker).toMatch(new RegExp(`^sold 10 lots at ${price}, position -10$`, 'm'))
    expect(maker).toMatch(new RegExp(`^bought 10 lots at ${price}, position 0$`, 'm'))
    expect(maker).toContain('ended after 2 fills, position 0, 0 orders open\nlevels that others have: 0 bid, 0 ask\n')
    expect(taker).toContain('market 2: tsat for utusd, lots of 1000\n')
    expect(maker).not.toContain('rejected')
  })
  it('run through the precompiles', async () => {
    const output = await run(process.execPath, 'examples/precompiles.ts', 7)
    const { address = '' } = devnetAccounts()[7] ?? {}
    expect(output).toMatch(new RegExp(`^${address} is nat1[a-z0-9]{38}$`, 'm'))
    expect(output).toMatch(new RegExp(`^nat1[a-z0-9]{38} is ${address}$`, 'm'))
    expect(output).toMatch(/^balance: [\d.]+ of 0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE$/m)
    expect(output).toMatch(/^logs: Delegate$/m)
    expect(output).toMatch(/^delegated to natvaloper1[a-z0-9]+: 100 NAT$/m)
    expectNative(output, '0x[0-9a-f]{64}')
  })
})

describe.concurrent('web3.py', () => {
  it.skipIf(python === undefined)('sends, deploys, reads, filters, subscribes, and names errors', async () => {
    const output = await run(python ?? '', 'test/e2e/clients/web3_checks.py', 5)
    expect(output.trim().split('\n')).toEqual([
      'ok a transfer with what the middleware fills in',
      'ok types 0, 1 and 2',
      'ok a deployment',
      'ok logs and filters',
      'ok blocks and fees',
      'ok errors',
      'ok subscriptions',
    ])
  })
})

// The adapter trades behind the others, for what it buys must be its own offer.
describe('the adapter with the methods of ccxt', () => {
  it.skipIf(python === undefined)('trades, reads and cancels', async () => {
    const keys = devnetAccounts()
    const more = { TAKER_KEY: keys[0]?.privateKey ?? '', PRICE: '1.03' }
    const output = await run(python ?? '', 'examples/ccxt_adapter.py', 5, more)
    expect(output.trim().split('\n')).toEqual([
      'NAT/TUSD: amounts in 0.001, prices in 0.001',
      'rests: sell 20.0 at 1.03',
      'best ask: [1.03, 20.0]',
      'locked: 20.0 NAT',
      'bought: 15.0 at 1.03, closed',
      'paid: 15.45 TUSD, fee 0.004635 as taker',
      'last trade: 15.0',
      'minute: 1.03',
      'ended: canceled, 15.0 filled',
    ])
  })
})

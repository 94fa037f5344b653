/** A node whose gateways ask too much: blocks go on, and it stops in order. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { findCometbft } from '../../bin/node/supervise/cometbft-binary.ts'
import { makeHome } from '../../bin/testing/make-home.ts'
import {
  askJsonRpc,
  blockNumber,
  choosePorts,
  type NodePorts,
  type RunningChain,
  startChain,
} from '../../bin/testing/node-process.ts'

const SLOW = { interval: 100 }
const QUESTIONS = 600
const account = privateKeyToAccount(`0x${'42'.repeat(32)}`)
const cometbft = await findCometbft().catch((error: unknown) => {
  console.log(`skipped: the node needs CometBFT: ${String(error)}`)
  return undefined
})

const folder = mkdtempSync(join(tmpdir(), 'load-'))
const home = join(folder, 'home')
let ports: NodePorts
let running: RunningChain | undefined

beforeAll(async () => {
  ports = await choosePorts()
  await makeHome(home, { chainId: 'localnat-1', accounts: [account.address], balance: '5nat' })
})
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log(`the node said last:\n${running?.output().slice(-4_000)}`)
  running?.process.kill('SIGKILL')
  await running?.exited
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(cometbft === undefined)('a node under heavy questions', () => {
  it('makes blocks meanwhile, answers light ones, and stops with status 0 while workers and views are open', async () => {
    running = startChain('start', '--home', home, ...ports.flags)
    const height = (): Promise<number> => blockNumber(ports.jsonRpcUrl)
    await expect.poll(height, SLOW).toBeGreaterThanOrEqual(3)
    const loop = [{ to: account.address, gas: '0x2faf080' }, 'latest', { [account.address]: { code: '0x5b600056' } }]
    const answers = Array.from({ length: QUESTIONS }, () => askJsonRpc(ports.jsonRpcUrl, 'eth_call', loop))
    answers.push(
      ...Array.from({ length: 50 }, () => askJsonRpc(ports.jsonRpcUrl, 'eth_getLogs', [{ fromBlock: '0x0' }])),
    )
    const before = await height()
    await expect.poll(height, SLOW).toBeGreaterThan(before + 5)
    for (const number of ['0x0', '0x1', '0x2']) {
      const balance = await askJsonRpc(ports.jsonRpcUrl, 'eth_getBalance', [account.address, number])
      expect(balance).toBe('0x4563918244f40000')
    }
    running.process.kill('SIGTERM')
    expect(await running.exited).toBe(0)
    await Promise.all(answers)
  })
})

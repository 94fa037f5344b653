/** The whole node, killed at every step: it must come back, agree with what it said before, and lose nothing. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { findCometbft } from '../../bin/node/supervise/cometbft-binary.ts'
import { makeHome } from '../../bin/testing/make-home.ts'
import {
  askJsonRpc,
  blockNumber,
  choosePorts,
  type NodePorts,
  pidsOf,
  type RunningChain,
  startChain,
} from '../../bin/testing/node-process.ts'

/** CometBFT's points of persistence in one height. */
const FAIL_POINTS = 10
const ROUNDS = 8
const TIMEOUT_COMMIT_MS = 200
/** The time of a block, with the votes on it and its execution. */
const BLOCK_MS = 350
const SLOW = { interval: 50 }
const account = privateKeyToAccount(`0x${'42'.repeat(32)}`)

const cometbft = await findCometbft().catch((error: unknown) => {
  console.log(`skipped: the node needs CometBFT: ${String(error)}`)
  return undefined
})

const folder = mkdtempSync(join(tmpdir(), 'crash-'))
const home = join(folder, 'home')
let ports: NodePorts
let running: RunningChain | undefined
let nonce = 0

const start = (...flags: readonly string[]): RunningChain => {
  running = startChain('start', '--home', home, ...ports.flags, ...flags)
  return running
}
const kill = async (chain: RunningChain): Promise<void> => {
  chain.process.kill('SIGKILL')
  await chain.exited
  await expect.poll(() => pidsOf(home), { interval: 20 }).toEqual([])
}
const height = (): Promise<number> => blockNumber(ports.jsonRpcUrl)
const ask = (method: string, params: readonly unknown[]): Promise<unknown> =>
  askJsonRpc(ports.jsonRpcUrl, method, params)

const send = async (): Promise<unknown> => {
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: 2517,
    nonce: nonce++,
    gas: 21_000n,
    to: account.address,
    maxFeePerGas: 10_000_000_000n,
    maxPriorityFeePerGas: 1_000_000_000n,
  })
  return ask('eth_sendRawTransaction', [raw])
}
const hashesUpTo = async (top: number): Promise<readonly unknown[]> => {
  const hashes: unknown[] = []
  for (let at = 0; at <= top; at++) {
    const block = (await ask('eth_getBlockByNumber', [`0x${at.toString(16)}`, false])) as { hash?: string } | null
    hashes.push(block?.hash)
  }
  return hashes
}

beforeAll(async () => {
  ports = await choosePorts()
  await makeHome(home, {
    chainId: 'localnat-1',
    accounts: [account.address],
    balance: '5nat',
    timeoutCommitMs: TIMEOUT_COMMIT_MS,
  })
})
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') console.log(`the node said last:\n${running?.output().slice(-6_000)}`)
  delete process.env['FAIL_TEST_INDEX']
  running?.process.kill('SIGKILL')
  await running?.exited
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe.skipIf(cometbft === undefined)('a node that crashes', () => {
  it('comes back from each of the points at which CometBFT persists something', async () => {
    for (let index = 0; index < FAIL_POINTS; index++) {
      process.env['FAIL_TEST_INDEX'] = String(index)
      const chain = start()
      await expect.poll(() => chain.output(), SLOW).toMatch(/cometbft (exited|was ended)/)
      await kill(chain)
    }
    delete process.env['FAIL_TEST_INDEX']
    start()
    await expect.poll(height, SLOW).toBeGreaterThanOrEqual(0)
    const before = await height()
    await expect.poll(height, SLOW).toBeGreaterThan(before + 2)
  })

  it('killed at any moment it keeps every hash that it told, and every transaction that it answered', async () => {
    const sent: unknown[] = []
    let told: readonly unknown[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const chain = start()
      await expect.poll(height, SLOW).toBeGreaterThanOrEqual(0)
      expect((await hashesUpTo(told.length - 1)).slice(0, told.length)).toEqual(told)
      for (let i = 0; i < 20; i++) {
        const hash = await send()
        expect(hash, `round ${round}, transaction ${nonce - 1}`).toMatch(/^0x/)
        sent.push(hash)
      }
      // Spread over the time that a block takes.
      await sleep((round * BLOCK_MS) / ROUNDS)
      told = await hashesUpTo(await height())
      await kill(chain)
    }
    start()
    await expect
      .poll(async () => {
        const receipt = await ask('eth_getTransactionReceipt', [sent.at(-1)])
        return (receipt as { status?: string } | null | undefined)?.status
      }, SLOW)
      .toBe('0x1')
    for (const hash of sent) expect(await ask('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
  })

  it('comes back over socket files of a killed run and a journal of garbage', async () => {
    const chain = start()
    await expect.poll(height, SLOW).toBeGreaterThanOrEqual(1)
    await kill(chain)
    writeFileSync(join(home, 'data', 'pool.journal'), new Uint8Array(100_000).fill(0x41))
    const again = start()
    await expect.poll(height, SLOW).toBeGreaterThanOrEqual(0)
    const before = await height()
    await expect.poll(height, SLOW).toBeGreaterThan(before + 1)
    again.process.kill('SIGTERM')
    expect(await again.exited).toBe(0)
  })

  it('gives up a CometBFT that is killed again and again, within its limit', async () => {
    const chain = start()
    let kills = 0
    let alive = true
    void chain.exited.then(() => (alive = false))
    const killAgain = (): boolean => {
      const [pid] = pidsOf(home, 'cometbft start')
      if (pid !== undefined) {
        process.kill(pid, 'SIGKILL')
        kills++
      }
      return alive && kills < 20
    }
    await expect.poll(killAgain, SLOW).toBe(false)
    expect(await chain.exited).toBe(1)
    expect(chain.output()).toContain('cometbft died 5 times in a row')
    await expect.poll(() => pidsOf(home), { interval: 20 }).toEqual([])
  })
})

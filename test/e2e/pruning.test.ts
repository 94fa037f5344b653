import { execFile } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openHome } from '../../bin/node/config/home.ts'
import type { Inspection } from '../../bin/cli/commands/inspect.ts'
import { closeStore, openStore } from '../../bin/node/open-database.ts'
import { accountAt, createWallet } from './clients.ts'
import { callJsonRpc, chainCommand, createNode, type Finished, runChain, type TestNode } from './harness.ts'
import { inspectHome } from './inspect-home.ts'

/** More blocks than come while a node of a busy machine stops. */
const KEEP_RECENT = 60
const INTERVAL = 10
const NOBODY = 65_534

interface ShownBlock {
  readonly hash: string
  readonly stateRoot: string
}

let node: TestNode

const hex = (height: number): string => `0x${height.toString(16)}`
const blockAt = (height: number): Promise<ShownBlock> =>
  node.ask<ShownBlock>('eth_getBlockByNumber', hex(height), false)
const inspect = (): Promise<Inspection> => inspectHome(node.home)
const run = (command: string, ...args: readonly string[]): Promise<Finished> =>
  runChain([command, '--home', node.home, ...args])
const runAsNobody = (command: string): Promise<Finished> =>
  new Promise((resolve) => {
    execFile(chainCommand, [command, '--home', node.home], { uid: NOBODY }, (error, stdout, stderr) =>
      resolve({ status: Number(error?.code ?? 0), stdout, stderr }),
    )
  })

beforeAll(async () => {
  node = await createNode({
    timeoutCommitMs: 20,
    settings: {
      pruning: 'custom',
      'pruning-keep-recent': String(KEEP_RECENT),
      'pruning-interval': String(INTERVAL),
    },
  })
  await node.start()
})
afterAll(async () => await node?.remove())

describe('a node with --pruning custom', () => {
  const somebody = '0x00000000000000000000000000000000000e2e07'
  const questions: readonly (readonly [string, (block: string) => readonly unknown[]])[] = [
    ['eth_getBalance', (block) => [somebody, block]],
    ['eth_getTransactionCount', (block) => [somebody, block]],
    ['eth_getCode', (block) => [somebody, block]],
    ['eth_getStorageAt', (block) => [somebody, '0x0', block]],
    ['eth_call', (block) => [{ to: somebody, data: '0x' }, block]],
    ['eth_estimateGas', (block) => [{ to: somebody }, block]],
    ['eth_getProof', (block) => [somebody, ['0x0'], block]],
  ]

  it('answers at recent and at sparse heights, and refuses the others with the words and the code of geth', async () => {
    const wallet = createWallet(node, accountAt(0))
    for (let value = 1n; value <= 3n; value++) {
      const at = await node.height()
      await wallet.sendTransaction({ to: somebody, value })
      await node.untilHeight(at + 12)
    }
    await node.untilHeight(KEEP_RECENT + 4 * INTERVAL)
    const { stateRoot } = await blockAt(INTERVAL + 1)
    const message = `historical state ${stateRoot.slice(2)} is not available`
    for (const [method, parameters] of questions) {
      const at = (height: number) => callJsonRpc(node.urls.http, method, ...parameters(hex(height)))
      expect(await at(INTERVAL + 1), method).toMatchObject({ error: { code: -32000, message } })
      for (const kept of [INTERVAL, 2 * INTERVAL, (await node.height()) - 5]) {
        expect(await at(kept), `${method} at ${kept}`).toHaveProperty('result')
      }
      expect(await at(1_000_000), method).toMatchObject({ error: { code: -32000, message: 'header not found' } })
    }
    const head = await node.height()
    const balances = []
    for (let height = INTERVAL; height < head; height += INTERVAL) {
      balances.push(Number(await node.ask<string>('eth_getBalance', somebody, hex(height))))
    }
    expect(balances).toEqual([...balances].sort((a, b) => a - b))
    expect(balances.at(-1)).toBe(6)
    expect(new Set(balances).size).toBeGreaterThan(1)
  })

  it('refuses a pruned height of the native interface in the words of the SDK', async () => {
    const response = await fetch(`${node.urls.rest}/cosmos/bank/v1beta1/supply`, {
      headers: { 'x-cosmos-block-height': String(INTERVAL + 1) },
    })
    const body = (await response.json()) as { readonly message: string }
    expect(response.status).toBe(404)
    expect(body.message).toMatch(
      /^failed to load state at height 11; .*has either been pruned.* \(latest height: \d+\)/,
    )
  })

  it('does not let a second process have its database', async () => {
    for (const command of ['inspect', 'verify', 'rollback']) {
      const { status, stderr } = await run(command)
      expect([command, status]).toEqual([command, 1])
      expect(stderr).toContain('is open in another process: is "chain start" running with this home?')
    }
  })
})

describe('a stopped node', () => {
  beforeAll(async () => {
    expect(await node.stop()).toBe(0)
  })

  it('is inspected: head, roots, kept heights, sizes', async () => {
    const seen = await inspect()
    const height = seen.head?.height ?? 0
    expect(seen).toMatchObject({
      chainId: 'localnat-1',
      evmChainId: 2517,
      kept: { from: height - KEEP_RECENT + 1, interval: INTERVAL, sparseFrom: 0 },
      base: 0,
    })
    expect(seen.columns['state']?.approximateKeys).toBeGreaterThan(10)
    expect(seen.columns['blocks']?.bytes).toBeGreaterThan(1_000)
    expect(seen.totalBytes).toBe(Object.values(seen.columns).reduce((sum, { bytes }) => sum + bytes, 0))
    const { stdout } = await run('inspect')
    expect(stdout).toContain(`state root     ${seen.head?.stateRoot}`)
    expect(stdout).toContain(`kept state     from ${seen.kept.from}, and every 10th from 0`)
  })

  it('is verified: state and blocks are right', async () => {
    const { status, stdout, stderr } = await run('verify')
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toMatch(/state of height \d+: \d+ accounts/)
    expect(stdout).toMatch(/blocks 0 to \d+: roots, blooms, receipts, indexes and hashes are right/)
    const beyond = await run('verify', '--from', '1', '--to', '1000000')
    expect([beyond.status, beyond.stderr]).toEqual([2, expect.stringContaining('cannot be checked')])
  })

  it('is not opened by somebody who may not', async () => {
    if (process.getuid?.() !== 0) return console.log('skipped: only root can become another user')
    chmodSync(node.folder, 0o755)
    chmodSync(node.home, 0o700)
    try {
      for (const command of ['inspect', 'verify', 'rollback', 'start']) {
        const { status, stderr } = await runAsNobody(command)
        expect([command, status, stderr]).toEqual([command, 1, expect.stringMatching(/no permission to read/)])
      }
    } finally {
      chmodSync(node.home, 0o755)
    }
  })

  it('is not rolled back below what is kept, nor by more than a height without --hard', async () => {
    const before = await inspect()
    const height = before.head?.height ?? 0
    const low = await run('rollback', '--hard', '--height', String(height - KEEP_RECENT))
    expect([low.status, low.stderr]).toEqual([
      1,
      expect.stringContaining(`the lowest height to roll back to is ${height - KEEP_RECENT + 1}`),
    ])
    const soft = await run('rollback', '--height', String(height - 2))
    expect([soft.status, soft.stderr]).toEqual([1, expect.stringContaining('needs --hard')])
    const high = await run('rollback', '--height', String(height))
    expect([high.status, high.stderr]).toEqual([1, expect.stringContaining('is not below the head')])
    expect((await inspect()).head).toEqual(before.head)
  })
})

describe('chain rollback', () => {
  it('goes back one height, from where the same block is executed to the same hash again', async () => {
    const before = (await inspect()).head
    const { status, stdout, stderr } = await run('rollback')
    expect([status, stderr]).toEqual([0, ''])
    const height = before?.height ?? 0
    expect(stdout).toContain(`application: height ${height - 1}`)
    expect((await inspect()).head?.height).toBe(height - 1)
    node.spawn()
    await node.untilHeight(height + 2)
    expect((await blockAt(height)).hash).toBe(before?.hash)
    expect(await node.stop()).toBe(0)
    expect((await run('verify')).status).toBe(0)
  })

  it('goes back several with --hard, from where a lone validator whose memory was reset goes on', async () => {
    // The chain makes blocks before it answers, and while it stops: the target is one of the last, not of the first.
    node.spawn()
    const target = await node.untilHeight(1)
    const { hash } = await blockAt(target)
    await node.untilHeight(target + 3)
    expect(await node.stop()).toBe(0)
    const { height = 0 } = (await inspect()).head ?? {}
    const { status, stdout, stderr } = await run('rollback', '--hard', '--height', String(target))
    expect([status, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`CometBFT: rolled back to height ${target}, its newest block is ${target}`)
    expect(stdout).toContain('a validator signs again above height')
    const rolledBack = await inspect()
    expect(rolledBack.head).toMatchObject({ height: target, hash })
    expect((await run('verify')).status).toBe(0)
    writeFileSync(join(node.home, 'data', 'priv_validator_state.json'), '{"height":"0","round":0,"step":0}')
    node.spawn()
    await node.untilHeight(height + 3)
    expect((await blockAt(target)).hash).toBe(hash)
    expect(await node.stop()).toBe(0)
    expect((await run('verify')).status).toBe(0)
  })

  it('must be finished where it was cut short', async () => {
    const height = (await inspect()).head?.height ?? 0
    const store = await openStore(openHome(node.home).database)
    const { markRollback } = await import('../../store/rollback.ts')
    markRollback(store, height - 1)
    await closeStore(store)
    node.spawn()
    expect(await node.exited).toBe(1)
    expect(node.output).toContain(`a rollback was cut short: run "chain rollback --height ${height - 1}" again`)
    expect((await inspect()).rollbackTarget).toBe(height - 1)
    expect((await run('verify')).stderr).toContain('a rollback was cut short')
    expect((await run('rollback')).status).toBe(0)
    expect((await inspect()).head?.height).toBe(height - 1)
    node.spawn()
    await node.untilHeight(height + 1)
    expect(await node.stop()).toBe(0)
  })
})

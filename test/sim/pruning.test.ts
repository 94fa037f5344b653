import { describe, expect, it } from 'vitest'
import type { BlockReference, QuestionName, Questions } from '../../app/ports.ts'
import { BlockPruner } from '../../app/index/prune-blocks.ts'
import { ChainReader } from '../../app/index/chain-reader.ts'
import { verifyBlocks } from '../../app/index/verify-blocks.ts'
import { beginRollback, finishRollback, planRollback } from '../../app/rollback.ts'
import { bytesToUnprefixedHex, hexToBytes } from '../../core/hex.ts'
import { readUint64 } from '../../core/bytes.ts'
import { readBaseHeight } from '../../store/base-height.ts'
import { isKept, readKeptRange } from '../../store/kept-range.ts'
import { sweepStep } from '../../store/sweep.ts'
import { isModuleAddress } from '../../app/genesis/module-accounts.ts'
import { verifyState } from '../../store/verify-state.ts'
import { LatestState } from '../../store/latest.ts'
import { seeded } from './random.ts'
import type { SimNode } from './sim-node.ts'
import { fillPools } from './turmoil.ts'
import { checkInvariants, makeWorld, shownBlock, type World } from './world.ts'

const HOUR_MS = 3_600_000
const DAY_HOURS = 24
const UNBONDING_DAYS = 21
const HISTORY_WINDOW = 256
const PRUNED_NATIVE =
  /^failed to load state at height 7; .* Version has either been pruned, or is for a future block height \(latest height: [0-9]+\): not found$/

/** What a question comes to: its answer, or the error's codespace, code and text. */
const outcome = async <Name extends QuestionName>(
  node: SimNode,
  name: Name,
  parameters: Questions[Name],
): Promise<unknown> => {
  try {
    return { answer: await node.ask(name, parameters) }
  } catch (error) {
    const { codespace, code, message } = error as { codespace: string; code: number; message: string }
    return { codespace, code, message }
  }
}

const maintain = (node: SimNode, pruner: BlockPruner): void => {
  pruner.step(3)
  for (let i = 0; i < 3; i++) sweepStep(node.store, 400)
}

/** The pruned node answers at a kept height as the archive does, and refuses at any other one as geth does. */
const compareState = async (pruned: SimNode, archive: SimNode, world: World, height: number): Promise<boolean> => {
  const block: BlockReference = { number: height }
  const kept = isKept(readKeptRange(pruned.store), height)
  const { stateRoot } = await shownBlock(archive, block)
  const refusal = {
    codespace: 'query',
    code: 9,
    message: `historical state ${bytesToUnprefixedHex(hexToBytes(stateRoot ?? '0x'))} is not available`,
  }
  for (const { address } of world.accounts.slice(0, 4)) {
    for (const name of ['balance', 'transactionCount', 'code'] as const) {
      const parameters = { address, block }
      const wanted = kept ? await outcome(archive, name, parameters) : refusal
      expect(await outcome(pruned, name, parameters), `${name} at ${height}`).toEqual(wanted)
    }
  }
  return kept
}

describe('a node that prunes', () => {
  it(
    'answers at kept heights as an archive does, refuses the others, and drops old blocks with all their indexes',
    seeded(41, async (random) => {
      const world = await makeWorld({
        random,
        nodes: [
          { name: 'pruned', settings: { pruning: { keepRecent: 6, interval: 20 }, minRetainBlocks: 10 } },
          { name: 'archive' },
        ],
        evidenceBlocks: 30,
      })
      const { driver } = world
      const [pruned, archive] = world.nodes as [SimNode, SimNode]
      const pruner = new BlockPruner(pruned.store)
      try {
        for (let height = 1; height <= 330; height++) {
          if (height < 60 || height % 5 === 0) await fillPools(world, random.below(10))
          await driver.step(archive, 7 * HOUR_MS)
          maintain(pruned, pruner)
        }
        const head = driver.height
        // Blocks are 7 hours apart: 73 of them make 21 days. The window of BLOCKHASH reaches further back.
        const base = readBaseHeight(pruned.store)
        expect(base).toBe(head - HISTORY_WINDOW)
        expect(readBaseHeight(archive.store)).toBe(0)
        let kept = 0
        for (let height = base; height <= head; height++) {
          if (await compareState(pruned, archive, world, height)) kept++
          const question = { block: { number: height }, full: true } as const
          expect(await pruned.ask('block', question)).toEqual(await archive.ask('block', question))
        }
        expect(kept).toBe(6 + Math.floor((head - 6) / 20) - Math.ceil(base / 20) + 1)
        await expectPrunedBlocks(pruned, archive, base)
        expect(
          verifyBlocks(new ChainReader(pruned.store), base, head, { genesisHeight: 0, lowest: base }),
        ).toBeUndefined()
        for (const node of world.nodes) checkInvariants(node)
        const left = pruned.store.scan('blocks', { limit: 100_000 }).map(([key]) => readUint64(key, 1))
        expect(Math.min(...left)).toBe(base)
        const hashes = (node: SimNode, tag: string): number =>
          node.store
            .scan('index', { gte: Uint8Array.of(tag.charCodeAt(0)), limit: 100_000 })
            .filter(([key]) => key[0] === tag.charCodeAt(0)).length
        expect(hashes(pruned, 'H')).toBe(head - base + 1)
        expect(hashes(pruned, 'T')).toBeLessThan(hashes(archive, 'T'))
        expect(hashes(pruned, 'L')).toBeLessThan(hashes(archive, 'L'))
        const heights = pruned.store
          .scan('index', { gte: Uint8Array.of(0x4c), lt: Uint8Array.of(0x4d), limit: 100_000 })
          .map(([key]) => readUint64(key, key.length - 8))
        expect(Math.min(...heights)).toBeGreaterThanOrEqual(base)
      } finally {
        await world.close()
      }
    }),
  )

  it(
    'tells CometBFT to keep what evidence, snapshots and the unbonding time need',
    seeded(42, async (random) => {
      const settings = { minRetainBlocks: 5 }
      const world = await makeWorld({ random, nodes: [{ name: 'a', settings }], evidenceBlocks: 12 })
      const { driver } = world
      const [node] = world.nodes as [SimNode]
      try {
        const retained: number[] = []
        for (let height = 1; height <= 60; height++) {
          const block = await driver.propose(node, 0, DAY_HOURS * HOUR_MS)
          expect(await driver.process(block)).toBe(true)
          await node.application.finalizeBlock(block)
          const commit = node.application.commit.bind(node.application)
          node.application.commit = async () => {
            retained[height] = await commit()
            return retained[height] ?? 0
          }
          await driver.decide(block)
          node.application.commit = commit
        }
        expect(retained.slice(1, 13)).toEqual(new Array(12).fill(0))
        // A block a day: the one of 21 days before the head still counts.
        expect(retained[60]).toBe(60 - UNBONDING_DAYS)
      } finally {
        await world.close()
      }
    }),
  )
})

const expectPrunedBlocks = async (pruned: SimNode, archive: SimNode, base: number): Promise<void> => {
  const gone = { codespace: 'query', code: 8, message: 'pruned history unavailable' }
  for (const height of [0, 1, base - 1]) {
    const block: BlockReference = { number: height }
    const { hash } = await shownBlock(archive, block)
    expect(await outcome(pruned, 'block', { block, full: false })).toEqual({ answer: null })
    expect(await outcome(pruned, 'blockReceipts', { block })).toEqual({ answer: null })
    expect(await outcome(pruned, 'balance', { block, address: '0x0000000000000000000000000000000000000001' })).toEqual(
      gone,
    )
    expect(await outcome(pruned, 'block', { block: { hash: hash ?? '0x' }, full: false })).toEqual({ answer: null })
    const filter = { criteria: { fromBlock: block, addresses: [], topics: [] }, client: '' }
    expect(await outcome(pruned, 'newFilter', filter)).toEqual(gone)
  }
  expect((await shownBlock(pruned, { tag: 'earliest' }))['number']).toBe(`0x${base.toString(16)}`)
  for (let height = 1; height < base; height++) {
    const { transactions } = (await archive.ask('block', { block: { number: height }, full: false })) as {
      transactions: `0x${string}`[]
    }
    for (const hash of transactions) expect(await pruned.ask('receipt', { hash })).toBeNull()
  }
  const native = { path: '/cosmos.bank.v1beta1.Query/TotalSupply', data: '', height: 7 }
  expect(await outcome(pruned, 'native', native)).toMatchObject({
    codespace: 'sdk',
    code: 38,
    message: expect.stringMatching(PRUNED_NATIVE) as unknown,
  })
  expect(await outcome(archive, 'native', native)).toHaveProperty('answer')
}

describe('a rollback of the application', () => {
  it(
    'comes back to a height with its hash, from where the same blocks give the same hashes again',
    seeded(43, async (random) => {
      const world = await makeWorld({
        random,
        nodes: [{ name: 'a', settings: { pruning: { keepRecent: 30, interval: 0 } } }, { name: 'b' }],
      })
      const { driver } = world
      const [node] = world.nodes as [SimNode]
      try {
        for (let height = 1; height <= 50; height++) {
          await fillPools(world, random.below(8))
          await driver.step()
          sweepStep(node.store, 200)
        }
        expect(() => planRollback(node.store, 50)).toThrow('height 50 is not below the head, 50')
        expect(() => planRollback(node.store, 20)).toThrow('the lowest height to roll back to is 21')
        expect(() => planRollback(node.store, 0)).toThrow('the lowest block to roll back to is 1, not 0')
        const plan = planRollback(node.store, 35)
        beginRollback(node.store, plan)
        expect(() => planRollback(node.store, 40)).toThrow('a rollback to height 35 was cut short')
        finishRollback(node.store, planRollback(node.store, undefined))
        await node.restart()
        expect(node.application.height).toBe(35)
        const again = new ChainReader(node.store)
        expect(verifyBlocks(again, 0, 35, { genesisHeight: 0, lowest: 0 })).toBeUndefined()
        expect(again.header(36)).toBeUndefined()
        for (const { block, response } of driver.decided.slice(35)) {
          expect(await node.application.finalizeBlock(block)).toEqual(response)
          await node.application.commit()
        }
        expect(await shownBlock(node)).toEqual(await shownBlock(world.nodes[1] as SimNode))
        const record = new ChainReader(node.store).header(50)
        expect(
          verifyState(node.store, record?.header.stateRoot ?? new Uint8Array(), isModuleAddress),
        ).not.toHaveProperty('difference')
        expect(new LatestState(node.store, 10).account(hexToBytes(world.accounts[0]?.address ?? '0x'))).toBeDefined()
      } finally {
        await world.close()
      }
    }),
  )
})

/** The feed of committed blocks, compared with what FinalizeBlock answered to CometBFT and with what JSON-RPC shows. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { ChainReader } from '../../app/index/chain-reader.ts'
import { BlockPruner } from '../../app/index/prune-blocks.ts'
import { verifyBlocks } from '../../app/index/verify-blocks.ts'
import type {
  FeedBlock,
  FeedPage,
  FeedPlace,
  FeedTransaction,
  ShownResult,
  TransactionResult,
} from '../../app/ports.ts'
import { committedBlocks } from '../../query/committed-blocks.ts'
import { encodeItems, itemAt } from '../../app/records/records.ts'
import { replayBlocks } from '../../app/replay.ts'
import { EMPTY_BYTES } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { bytesToHex, type Hex } from '../../core/hex.ts'
import type { Event } from '../../modules/module.ts'
import { encodeExecTxResult } from '../../proto/encode-exec-tx-result.ts'
import { abci } from '../../proto/index.ts'
import { writeBaseHeight } from '../../store/base-height.ts'
import { compress, decompress } from '../../store/compression.ts'
import { blockOutcomeKey } from '../../store/keys.ts'
import type { DecidedBlock } from './driver.ts'
import { Operations } from './native-operations.ts'
import { signNative } from './native-transactions.ts'
import { type Random, seeded } from './random.ts'
import { createSimulatedEngine, type SimNode } from './sim-node.ts'
import { openFromSnapshot } from './snapshot.ts'
import { signTransaction } from './traffic.ts'
import { fillPools, pickRoute, proposeInRounds, spoil } from './turmoil.ts'
import { gossip, makeWorld, pendingNonce, type World } from './world.ts'

const BLOCKS = 60
const OPERATIONS_A_BLOCK = 4
const PRICES = { maxFeePerGas: 40_000_000_000n, tip: 1_000_000_000n }

const askPage = async (node: SimNode, from: FeedPlace | undefined, maxBytes: number): Promise<FeedPage> => {
  const { parameters, height: head } = node.application
  invariant(parameters !== undefined, 'the chain has begun')
  const view = { reader: new ChainReader(node.store), parameters, head }
  return JSON.parse(await committedBlocks(view, { maxBytes, ...(from === undefined ? {} : { from }) })) as FeedPage
}

/** All blocks from the oldest one on, put together of pages of a size. */
const readFeed = async (node: SimNode, maxBytes: number): Promise<readonly FeedBlock[]> => {
  const blocks: FeedBlock[] = []
  let from: FeedPlace | undefined
  for (;;) {
    const page = await askPage(node, from, maxBytes)
    const last = blocks.at(-1)
    if (page.rest !== null) {
      invariant(last?.hash === page.rest.hash, 'the rest is of the block before')
      blocks[blocks.length - 1] = { ...last, transactions: [...last.transactions, ...page.rest.transactions] }
    }
    if (page.rest === null && page.blocks.length === 0) return blocks
    blocks.push(...page.blocks)
    from = page.next
  }
}

const plainEvents = (events: readonly Event[]): readonly Event[] =>
  events.map(({ type, attributes }) => ({
    type,
    attributes: attributes.map(({ key, value, index }) => ({ key, value, index })),
  }))

/** A result as CometBFT decodes it. */
const decoded = (result: TransactionResult): ShownResult =>
  fromBinary(abci.ExecTxResultSchema, encodeExecTxResult(result))

const expectTransaction = (shown: FeedTransaction, raw: Uint8Array, result: TransactionResult): void => {
  const { code, codespace, log, data, gasWanted, gasUsed, events } = decoded(result)
  expect(shown).toMatchObject({ raw: bytesToHex(raw), code, codespace, log, data: bytesToHex(data) })
  expect([shown.gasWanted, shown.gasUsed]).toEqual([gasWanted.toString(), gasUsed.toString()])
  expect(shown.events).toEqual(plainEvents(events))
}

interface ShownReceipt {
  readonly transactionHash: Hex
  readonly from: Hex
  readonly contractAddress: Hex | null
  readonly status: Hex
  readonly type: Hex
  readonly cumulativeGasUsed: Hex
  readonly effectiveGasPrice: Hex
  readonly logs: readonly { address: Hex; topics: readonly Hex[]; data: Hex; logIndex: Hex }[]
}

const expectReceipts = async (node: SimNode, { height, transactions }: FeedBlock): Promise<void> => {
  const receipts = (await node.ask('blockReceipts', { block: { number: height } })) as readonly ShownReceipt[]
  const shown = transactions.flatMap(({ hash, receipt }) => (receipt === undefined ? [] : [{ hash, receipt }]))
  expect(
    shown.map(({ hash, receipt }) => ({
      ...receipt,
      hash,
      logs: receipt.logs.map(({ index, ...log }) => ({ ...log, logIndex: `0x${index.toString(16)}` })),
    })),
  ).toEqual(
    receipts.map((receipt, index) => ({
      index,
      hash: receipt.transactionHash,
      from: receipt.from,
      type: Number(receipt.type),
      succeeded: receipt.status === '0x1',
      cumulativeGasUsed: BigInt(receipt.cumulativeGasUsed).toString(),
      effectiveGasPrice: BigInt(receipt.effectiveGasPrice).toString(),
      contractAddress: receipt.contractAddress,
      logs: receipt.logs.map(({ address, topics, data, logIndex }) => ({ address, topics, data, logIndex })),
    })),
  )
}

const expectBlock = async (node: SimNode, shown: FeedBlock, { block, response }: DecidedBlock): Promise<void> => {
  const { hash, parentHash, timestamp } = (await node.ask('block', {
    block: { number: block.height },
    full: false,
  })) as Record<string, Hex>
  expect(shown).toMatchObject({
    height: block.height,
    hash,
    header: { parentHash, timestamp },
    timeNs: block.timeNs.toString(),
    proposer: bytesToHex(block.proposerAddress),
    transactionCount: block.transactions.length,
  })
  expect(shown.hash).toBe(bytesToHex(response.appHash))
  expect(shown.events).toEqual(plainEvents(response.events))
  expect(shown.validatorUpdates).toEqual(
    response.validatorUpdates.map(({ publicKey, power }) => ({
      publicKey: bytesToHex(publicKey),
      power: power.toString(),
    })),
  )
  expect(shown.transactions.map(({ index }) => index)).toEqual(block.transactions.map((_, index) => index))
  for (const [index, transaction] of shown.transactions.entries()) {
    const [raw, result] = [block.transactions[index], response.transactionResults[index]]
    invariant(raw !== undefined && result !== undefined, 'as many as the block has')
    expectTransaction(transaction, raw, result)
  }
  await expectReceipts(node, shown)
}

const operate = async (world: World, operations: Operations): Promise<void> => {
  const [node] = world.nodes
  invariant(node !== undefined, 'a world has nodes')
  for (let i = 0; i < OPERATIONS_A_BLOCK; i++) {
    const { account, messages, call } = operations.next()
    const sequence = await pendingNonce(node, account)
    const { chainId } = world.driver.setup
    const raw =
      call === undefined
        ? await signNative({ chainId, messages, signers: [{ account, sequence }], gas: 600_000n })
        : await signTransaction(account, 2, { ...call, nonce: sequence, gas: 600_000n, ...PRICES })
    gossip(world.nodes, raw)
  }
}

/** Blocks with all that a block can have: both families, failures, what is invalid at its place, updates of validators. */
const makeBusyWorld = async (random: Random): Promise<World> => {
  const powers = [60n, 50n, 40n, 30n]
  const world = await makeWorld({
    random,
    nodes: [{ name: 'a' }, { name: 'b' }],
    powers,
    maxGas: 30_000_000,
    extensionsFrom: 5,
    moduleGenesis: { staking: { params: { unbonding_time: '20s', max_validators: 5 } } },
  })
  const { driver, accounts } = world
  const operations = new Operations({
    random,
    accounts,
    validatorCount: powers.length,
    addKey: (validator) => driver.addKey(validator),
  })
  for (let height = 1; height <= BLOCKS; height++) {
    await fillPools(world, random.below(8))
    await operate(world, operations)
    const { block, round } = await proposeInRounds(world)
    const decided = random.chance(25) ? await spoil(world, block) : block
    const { response } = await driver.decide(decided, round, () => pickRoute(random))
    operations.note(height, response.events)
  }
  return world
}

const first = ({ nodes: [node] }: World): SimNode => {
  invariant(node !== undefined, 'a world has nodes')
  return node
}

describe('the feed of committed blocks', () => {
  it(
    'tells of every block what FinalizeBlock answered and JSON-RPC shows, in pages of any size',
    seeded(3_801, async (random) => {
      const world = await makeBusyWorld(random)
      for (const node of world.nodes) {
        const feed = await readFeed(node, 4_000_000)
        expect(feed.length).toBe(world.driver.decided.length)
        for (const [at, decided] of world.driver.decided.entries()) {
          const shown = feed[at]
          invariant(shown !== undefined, 'as many as were decided')
          await expectBlock(node, shown, decided)
        }
        for (const maxBytes of [0, 1, 7_000, 60_000]) expect(await readFeed(node, maxBytes)).toEqual(feed)
      }
      const feed = await readFeed(first(world), 4_000_000)
      const transactions = feed.flatMap((block) => block.transactions)
      // Nothing of it may be missing from the run, or it proves nothing.
      for (const family of ['ethereum', 'native', 'injected'])
        expect(
          transactions.some((transaction) => transaction.family === family),
          family,
        ).toBe(true)
      const isInvalid = ({ family, code, receipt }: FeedTransaction): boolean =>
        family === 'ethereum' && code !== 0 && receipt === undefined
      expect(transactions.some(isInvalid)).toBe(true)
      expect(transactions.some(({ receipt, log }) => receipt?.succeeded === false && log !== '')).toBe(true)
      expect(transactions.some(({ family, code }) => family === 'native' && code !== 0)).toBe(true)
      expect(transactions.some(({ receipt, events }) => receipt !== undefined && events.length > 1)).toBe(true)
      expect(feed.some(({ validatorUpdates }) => validatorUpdates.length > 0)).toBe(true)
      expect(feed.some(({ events }) => events.length > 0)).toBe(true)
      await world.close()
    }),
  )

  it(
    'is checked by verify and replay, and goes with its blocks',
    seeded(3_802, async (random) => {
      const world = await makeWorld({ random, nodes: [{ name: 'a' }], extensionsFrom: 0 })
      const node = first(world)
      for (let height = 1; height <= 12; height++) {
        await fillPools(world, 8)
        await world.driver.step()
      }
      const { store } = node
      const verify = () => verifyBlocks(new ChainReader(store), 1, 12, { genesisHeight: 0, lowest: 0 })
      const replay = async () => {
        const { parameters } = node.application
        invariant(parameters !== undefined, 'the chain has begun')
        const environment = { clock: { nowMs: () => 0, wallMs: () => 0 }, yieldToEventLoop: () => Promise.resolve() }
        const engine = await createSimulatedEngine()
        return await replayBlocks({ store, parameters, head: 12, engine, environment, from: 1, to: 12 })
      }
      const write = (height: number, value: Uint8Array | undefined): void => {
        const batch = store.batch()
        if (value === undefined) batch.delete('blocks', blockOutcomeKey(height))
        else batch.put('blocks', blockOutcomeKey(height), value)
        store.write(batch, { sync: false })
      }
      expect([verify(), await replay()]).toEqual([undefined, undefined])
      const failing = (await readFeed(node, 1_000_000)).find(({ transactions }) =>
        transactions.some(({ receipt }) => receipt?.succeeded === false),
      )
      invariant(failing !== undefined, 'one of the transactions fails')
      const { height } = failing
      const held = store.get('blocks', blockOutcomeKey(height)) ?? EMPTY_BYTES
      const part = (at: number): Uint8Array => itemAt(decompress(held), at)
      write(height, undefined)
      expect(verify()).toBe(`block ${height} has lost its events`)
      expect(await replay()).toMatchObject({ height, what: 'record of events' })
      write(height, compress(encodeItems([part(0), part(1), encodeItems([])])))
      expect(verify()).toMatch(/^block \d+ has lost why transaction \d+ failed$/)
      expect(await replay()).toMatchObject({ height, what: 'results that no receipt tells' })
      write(height, compress(encodeItems([EMPTY_BYTES, part(1), part(2)])))
      expect(await replay()).toMatchObject({ height, what: 'events of the block' })
      write(height, held)
      expect([verify(), await replay()]).toEqual([undefined, undefined])

      const batch = store.batch()
      writeBaseHeight(batch, 8)
      store.write(batch, { sync: false })
      const refusal = {
        codespace: 'query',
        code: 8,
        message: 'block 7 is pruned: the feed of this node begins with block 8',
        data: { oldest: 8 },
      }
      await expect(askPage(node, { height: 7, transaction: 0 }, 1_000)).rejects.toMatchObject(refusal)
      new BlockPruner(store).step(100)
      expect(store.get('blocks', blockOutcomeKey(7))).toBeUndefined()
      await expect(askPage(node, { height: 7, transaction: 0 }, 1_000)).rejects.toMatchObject(refusal)
      expect((await readFeed(node, 1_000)).map((block) => block.height)).toEqual([8, 9, 10, 11, 12])
      expect(await askPage(node, { height: 13, transaction: 0 }, 1_000)).toMatchObject({ head: 12, blocks: [] })
      await world.close()
    }),
  )

  it(
    'begins with the first block of its own where a node was restored from a snapshot, and with the first of a new chain',
    seeded(3_803, async (random) => {
      const world = await makeWorld({ random, nodes: [{ name: 'a' }] })
      const node = first(world)
      const nothing = await askPage(node, undefined, 1_000)
      expect(nothing).toEqual({ head: 0, rest: null, blocks: [], next: { height: 1, transaction: 0 } })
      for (let height = 1; height <= 5; height++) {
        await fillPools(world, 3)
        await world.driver.step()
      }
      const restored = await openFromSnapshot(node, { name: 'restored', clock: world.clock })
      expect(await askPage(restored, undefined, 1_000)).toMatchObject({ blocks: [], next: { height: 6 } })
      await expect(askPage(restored, { height: 5, transaction: 0 }, 1_000)).rejects.toMatchObject({
        code: 8,
        message: 'block 5 is pruned: the feed of this node begins with block 6',
      })
      world.join(restored)
      await world.driver.step()
      await world.driver.step()
      const feed = await readFeed(restored, 1_000_000)
      expect(feed.map(({ height }) => height)).toEqual([6, 7])
      expect(feed).toEqual((await readFeed(node, 1_000_000)).slice(5))
      await world.close()
    }),
  )

  it(
    'is answered by a worker as by this thread, and refused in the same words',
    seeded(3_805, async (random) => {
      const path = mkdtempSync(join(tmpdir(), 'feed-'))
      const world = await makeWorld({ random, nodes: [{ name: 'a', path, workers: 1 }] })
      try {
        const node = first(world)
        for (let height = 1; height <= 6; height++) {
          await fillPools(world, 4)
          await world.driver.step()
        }
        for (const from of [undefined, { height: 3, transaction: 1 }, { height: 7, transaction: 0 }]) {
          const parameters = { maxBytes: 3_000, ...(from === undefined ? {} : { from }) }
          expect(await node.ask('committedBlocks', parameters)).toEqual(await askPage(node, from, 3_000))
        }
        const pruned = node.ask('committedBlocks', { from: { height: 0, transaction: 0 }, maxBytes: 3_000 })
        await expect(pruned).rejects.toMatchObject({ codespace: 'query', code: 8, data: { oldest: 1 } })
      } finally {
        await world.close()
        rmSync(path, { recursive: true, force: true })
      }
    }),
  )

  it(
    'refuses what is no place',
    seeded(3_804, async (random) => {
      const world = await makeWorld({ random, nodes: [{ name: 'a' }] })
      await world.driver.step()
      const bad = [-1, 1.5, Number.NaN, '1', undefined] as unknown as readonly number[]
      for (const wrong of bad) {
        for (const from of [
          { height: wrong, transaction: 0 },
          { height: 1, transaction: wrong },
        ])
          await expect(askPage(first(world), from, 1_000)).rejects.toMatchObject({ codespace: 'query', code: 2 })
        await expect(askPage(first(world), { height: 1, transaction: 0 }, wrong)).rejects.toMatchObject({ code: 2 })
      }
      await expect(askPage(first(world), { height: 1, transaction: 9 }, 1_000)).rejects.toMatchObject({ code: 2 })
      await world.close()
    }),
  )
})

/** Chains whose blocks hold orders, with all that a chain can go through: replay, rollback, snapshots, exports, traces, other heights. */
import { describe, expect, it } from 'vitest'
import { getContractAddress } from 'viem'
import { readBlockContent } from '../../app/index/finalize-request.ts'
import { replayBlocks } from '../../app/replay.ts'
import { beginRollback, finishRollback, planRollback } from '../../app/rollback.ts'
import { isModuleAddress } from '../../app/genesis/module-accounts.ts'
import { bytesToHex } from '../../core/hex.ts'
import { invariant } from '../../core/errors.ts'
import { Books, CLOB_ACCOUNT, readParameters } from '../../modules/clob/index.ts'
import { readQueue } from '../../modules/clob/keeper/index.ts'
import { traceBlock } from '../../query/trace/trace-questions.ts'
import { HistoricalState } from '../../store/history.ts'
import type { StateReader } from '../../store/state.ts'
import { verifyState } from '../../store/verify-state.ts'
import { dumpBooks } from '../clob/dump-books.ts'
import { forkWorld } from './fork.ts'
import { scanAll } from './oracle.ts'
import { openView } from './open-view.ts'
import { Governors, QUICK_GOVERNANCE } from './orders/governors.ts'
import { OrderChain, type OrderChainOptions } from './orders/order-chain.ts'
import { assemble, deploy } from './programs.ts'
import { type Random, seeded } from './random.ts'
import { createSimulatedEngine, type SimNode } from './sim-node.ts'
import { openFromSnapshot } from './snapshot.ts'
import { GWEI, signTransaction } from './traffic.ts'
import { makeTorsionedValidator, makeValidator } from './validators.ts'
import { committedState, gossip, pendingNonce, shownBlock } from './world.ts'

const BLOCKS = 30
const NODES = [{ name: 'a' }, { name: 'b' }] as const

const grow = async (random: Random, blocks: number, options: Partial<OrderChainOptions> = {}): Promise<OrderChain> => {
  const chain = await OrderChain.open({ random, nodes: NODES, extensionsFrom: 1, ...options })
  for (let i = 0; i < blocks; i++) await chain.turmoil()
  return chain
}

const firstOf = ({ world }: OrderChain): SimNode => world.nodes[0] as SimNode

/** The last height up to another one that left something queued by contracts. */
const lastQueued = ({ queued }: OrderChain, most: number): number => {
  const found = queued.findLast((height) => height <= most)
  invariant(found !== undefined, `nothing was queued up to height ${most}`)
  return found
}

/** Grows the chain until the head has left something queued. */
const growQueue = async (chain: OrderChain): Promise<void> => {
  while (chain.queued.at(-1) !== chain.world.driver.height) await chain.turmoil()
}

const dumpOf = (state: StateReader): readonly string[] => dumpBooks(Books.load(state), [])

const replay = async ({ store, application }: SimNode) => {
  const { parameters, height } = application
  invariant(parameters !== undefined, 'the chain has begun')
  return await replayBlocks({
    store,
    parameters,
    head: height,
    engine: await createSimulatedEngine(),
    environment: { clock: { nowMs: () => 0, wallMs: () => 0 }, yieldToEventLoop: () => Promise.resolve() },
    from: parameters.initialHeight,
    to: height,
  })
}

describe('a chain with orders', () => {
  it(
    'is replayed with the same roots, and its state verifies',
    seeded(901, async (random) => {
      const chain = await grow(random, BLOCKS)
      expect(chain.rules.report.succeeded).toBeGreaterThan(10)
      expect(chain.queued.length).toBeGreaterThan(BLOCKS / 3)
      for (const node of chain.world.nodes) {
        expect(await replay(node)).toBeUndefined()
        const root = node.application.source.head()?.header.stateRoot
        invariant(root !== undefined, 'there is a head')
        expect(verifyState(node.store, root, isModuleAddress)).not.toHaveProperty('difference')
      }
      await chain.world.close()
    }),
  )

  it(
    'is rolled back and goes the same way again',
    seeded(902, async (random) => {
      const chain = await grow(random, BLOCKS)
      const { driver, nodes } = chain.world
      for (const [index, node] of nodes.entries()) {
        const before = ['state', 'trie'] as const
        const contents = before.map((column) => scanAll(node.store, column))
        // What contracts had queued there runs anew.
        const target = lastQueued(chain, BLOCKS - 1 - 9 * index - random.below(5))
        const plan = planRollback(node.store, target)
        beginRollback(node.store, plan)
        finishRollback(node.store, plan)
        await node.restart()
        expect(node.application.height).toBe(target)
        const { source } = node.application
        expect(dumpBooks(source.books(), [])).toEqual(dumpOf(committedState(node)))
        for (const { block, response } of driver.decided.slice(target)) {
          expect(await node.application.finalizeBlock(block)).toEqual(response)
          await node.application.commit()
        }
        expect(before.map((column) => scanAll(node.store, column))).toEqual(contents)
      }
      for (let i = 0; i < 5; i++) await chain.turmoil()
      await chain.world.close()
    }),
  )

  it(
    'is joined by a snapshot, and goes on with the same book',
    seeded(903, async (random) => {
      const chain = await grow(random, 15)
      await growQueue(chain)
      const { world } = chain
      const joined = await openFromSnapshot(firstOf(chain), { name: 'joined', clock: world.clock })
      expect(dumpBooks(joined.application.source.books(), [])).toEqual(
        dumpBooks(firstOf(chain).application.source.books(), []),
      )
      world.join(joined)
      // The book is compared with state after each of these blocks, on this node too.
      for (let i = 0; i < 15; i++) await chain.turmoil()
      await world.close()
    }),
  )

  it(
    'goes on from an export of any height, with the same book and root',
    seeded(904, async (random) => {
      const chain = await grow(random, BLOCKS, { initialHeight: 7, extensionsFrom: 9 })
      const { world } = chain
      for (const height of [10, lastQueued(chain, 6 + BLOCKS - random.below(BLOCKS / 2)), 6 + BLOCKS]) {
        const fork = await forkWorld(world, height, [{ name: 'c' }, { name: 'd' }])
        const head = firstOf(chain).application.height
        const then = new HistoricalState(firstOf(chain).store, height, () => head)
        const forked = OrderChain.over(fork, chain.traders, random)
        expect(dumpBooks(firstOf(forked).application.source.books(), [])).toEqual(dumpOf(then))
        expect(readQueue(committedState(firstOf(forked)))).toEqual(readQueue(then))
        then.close()
        for (let i = 0; i < 8; i++) await forked.turmoil()
        for (const node of fork.nodes) expect(await replay(node)).toBeUndefined()
        await fork.close()
      }
      await world.close()
    }),
  )

  it(
    'shows in traces what its Ethereum transactions saw: balances after the batch',
    seeded(905, async (random) => {
      const chain = await OrderChain.open({ random, nodes: [{ name: 'a' }], extensionsFrom: 1 })
      const { world, traders } = chain
      const [account] = world.accounts
      invariant(account !== undefined, 'a world has accounts')
      // It logs what the book holds in escrow, and what the first trader has left.
      const balances = [CLOB_ACCOUNT, ...traders.addresses.slice(0, 2)]
      const watcher = assemble(
        ...balances.flatMap((address, at) => [address, 'BALANCE', 32 * at, 'MSTORE'] as const),
        ...([32 * balances.length, 0, 'LOG0', 'STOP'] as const),
      )
      const to = getContractAddress({ from: account.address, nonce: 0n })
      const fees = { maxFeePerGas: 40n * GWEI, tip: GWEI }
      let nonce = 0
      gossip(
        world.nodes,
        await signTransaction(account, 2, { nonce: nonce++, data: deploy(watcher), gas: 300_000n, ...fees }),
      )
      for (let i = 0; i < BLOCKS; i++) {
        gossip(world.nodes, await signTransaction(account, 2, { nonce: nonce++, to, gas: 100_000n, ...fees }))
        chain.send(6)
        await chain.call(1)
        const { block } = { block: await world.driver.propose(firstOf(chain)) }
        expect(await world.driver.process(block)).toBe(true)
        await chain.decide(block)
      }
      expect(await pendingNonce(firstOf(chain), account)).toBe(nonce)
      const view = await openView(firstOf(chain))
      const seen = new Set<string>()
      let withOrders = 0
      for (let height = 1; height <= BLOCKS; height++) {
        const options = { tracer: { name: 'callTracer', onlyTopCall: false, withLog: true }, timeoutMs: 1_000 } as const
        const traces = JSON.parse(await traceBlock(view, { block: { number: height }, options })) as {
          readonly result: { readonly gasUsed: string; readonly logs?: readonly { readonly data: string }[] }
        }[]
        const receipts = view.reader.receipts(height)
        const logged = traces.map(({ result: { logs = [] } }) => logs.map(({ data }) => data))
        expect(logged, `block ${height}`).toEqual(receipts.map(({ logs }) => logs.map(({ data }) => bytesToHex(data))))
        expect(traces.map(({ result }) => BigInt(result.gasUsed))).toEqual(receipts.map(({ gasUsed }) => gasUsed))
        for (const data of logged.flat()) seen.add(data)
        if (readBlockContent(view.reader.store, height)?.transactions.some(([byte]) => byte === 0x70) === true)
          withOrders++
      }
      expect(withOrders).toBeGreaterThan(BLOCKS / 2)
      expect(seen.size).toBeGreaterThan(10)
      // Calls of the precompile were traced with the gas that they took.
      expect(chain.queued.length).toBeGreaterThan(BLOCKS / 3)
      view.close()
      await world.close()
    }),
  )

  it(
    'begins at any height, and with votes at any height after it',
    seeded(906, async (random) => {
      for (const [initialHeight, extensionsFrom] of [
        [1, 4],
        [100, 1],
        [100, 100],
        [100, 103],
        [1, 0],
      ] as const) {
        const chain = await grow(random, 10, { initialHeight, extensionsFrom })
        const { executed, succeeded } = chain.rules.report
        // A spoilt block holds bytes of an order, which nobody executes. What contracts queue needs no votes.
        if (extensionsFrom === 0) expect([succeeded, chain.queued.length > 0]).toEqual([0, true])
        else expect(executed).toBeGreaterThan(0)
        const before = Math.max(initialHeight, extensionsFrom)
        for (const { block } of chain.world.driver.decided) {
          const hasVotes = block.transactions[0]?.[0] === 0x71
          expect(hasVotes, `${block.height}`).toBe(extensionsFrom > 0 && block.height > before)
        }
        await chain.world.close()
      }
    }),
  )

  it(
    'takes signatures that only ZIP-215 takes',
    seeded(907, async (random) => {
      const validators = [
        makeTorsionedValidator('t0', 10n),
        makeValidator('v1', 4n),
        makeTorsionedValidator('t2', 3n),
        makeValidator('v3', 7n),
      ]
      const chain = await grow(random, 12, { validators })
      expect(chain.rules.report.succeeded).toBeGreaterThan(5)
      await chain.world.close()
    }),
  )

  it(
    'trades again within three blocks after all nodes have lost their pools',
    seeded(908, async (random) => {
      const chain = await OrderChain.open({ random, nodes: NODES, extensionsFrom: 1, powers: [10n, 10n, 10n, 10n] })
      const { world, rules } = chain
      const step = async (): Promise<void> => {
        const block = await world.driver.propose(firstOf(chain), 0, 1_000)
        expect(await world.driver.process(block)).toBe(true)
        await chain.decide(block)
      }
      for (let i = 0; i < 5; i++) {
        chain.send(10)
        await step()
      }
      for (const node of world.nodes) {
        node.loseOrders()
        await node.restart()
      }
      const { executed } = rules.report
      const begun = world.driver.height
      for (; rules.report.executed === executed; ) {
        chain.send(10)
        await step()
        expect(world.driver.height - begun).toBeLessThan(10)
      }
      // The block that lacks the bodies stops, and so do those of the three blocks for which their ids are carried.
      expect(world.driver.height - begun).toBeLessThanOrEqual(5)
      expect((await shownBlock(firstOf(chain)))['number']).toBeDefined()
      await world.close()
    }),
  )

  it(
    'goes on while governance changes budget, weight, times, markets and the number of validators',
    seeded(909, async (random) => {
      const chain = await OrderChain.open({
        ...{ random, nodes: NODES, extensionsFrom: 1, hasOperators: true, maxGas: 30_000_000 },
        ...{ powers: [30n, 28n, 26n, 24n, 22n, 20n], moduleState: QUICK_GOVERNANCE },
      })
      const { world, rules } = chain
      const governors = new Governors(world, random, 6)
      const met = { budgets: new Set<number>(), weights: new Set<number>(), sizes: new Set<number>(), left: 0 }
      for (let i = 0; i < 50; i++) {
        await governors.act()
        await chain.turmoil()
        const { extensionBudgetBytes, blockWeight } = readParameters(committedState(firstOf(chain)))
        met.budgets.add(extensionBudgetBytes)
        met.weights.add(blockWeight)
        const { height } = world.driver
        met.sizes.add(world.driver.validatorsAt(height).length)
        // Who is of this set, and no longer of the next: its vote is the last one, and stands in the next block.
        const next = new Set(world.driver.validatorsAt(height + 1).map(({ address }) => bytesToHex(address)))
        met.left += world.driver.validatorsAt(height).filter(({ address }) => !next.has(bytesToHex(address))).length
      }
      expect(rules.report.succeeded).toBeGreaterThan(30)
      expect(Math.min(met.budgets.size, met.weights.size, met.sizes.size)).toBeGreaterThan(1)
      expect(met.left).toBeGreaterThan(0)
      expect(await replay(firstOf(chain))).toBeUndefined()
      await world.close()
    }),
  )
})

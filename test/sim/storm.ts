/**
 * Everything at once, block after block: nodes in memory and on disk, with and without worker threads, one that prunes,
 * both engines, failed rounds, spoilt blocks, kills at every step, questions meanwhile; a node that joins by a snapshot,
 * a chain that goes on from an export, and a replay. All must agree on every app hash.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import { BLOCK_STEPS, type BlockStep } from '../../app/environment.ts'
import { familyOf } from '../../app/families/index.ts'
import type { FinalizeBlockResponse, ProposedBlock } from '../../app/ports.ts'
import { replayBlocks } from '../../app/replay.ts'
import { createEthereumjsEngine } from '../../evm/reference/create-engine.ts'
import { invariant } from '../../core/errors.ts'
import { sweepStep } from '../../store/sweep.ts'
import { forkWorld } from './fork.ts'
import { stateRootOf } from './oracle.ts'
import { askMany } from './questions.ts'
import type { Random } from './random.ts'
import { createSimulatedEngine, type SimNode } from './sim-node.ts'
import { openFromSnapshot } from './snapshot.ts'
import { fillPools, pickRoute, proposeInRounds, spoil } from './turmoil.ts'
import { checkBlock, checkInvariants, makeWorld, shownBlock, type World } from './world.ts'

/** What the node that prunes keeps: old heights are gone soon. */
const KEPT_HEIGHTS = 5
const SWEPT_A_BLOCK = 300
const FULL_CHECK_INTERVAL = 20
/** One block in so many has invalid transactions in it, and is decided all the same. */
const SPOILT_INTERVAL = 12

export interface StormOptions {
  readonly random: Random
  /** Blocks of the chain, not counting the chain that an export begins. */
  readonly blocks: number
  /** Blocks of the chain after an export. */
  readonly forkBlocks: number
}

/** What a storm must have met to be one. */
export interface StormReport {
  readonly types: Set<string>
  /** Transactions with a code other than 0 in decided blocks, and those that ran and failed. */
  invalid: number
  failed: number
  /** Native transactions that were included, and those of them whose messages failed. */
  native: number
  nativeFailed: number
  readonly kills: Map<BlockStep, number>
  /** Blocks that a node took over from its proposal, and that it executed in FinalizeBlock. */
  takenOver: number
  executedAnew: number
  heavyAnswers: number
}

const newReport = (): StormReport => ({
  types: new Set(),
  invalid: 0,
  failed: 0,
  native: 0,
  nativeFailed: 0,
  kills: new Map(),
  takenOver: 0,
  executedAnew: 0,
  heavyAnswers: 0,
})

class Storm {
  readonly #world: World
  readonly #report: StormReport
  /** Nodes that keep every height. */
  readonly #archives: SimNode[]
  readonly #threaded: readonly SimNode[]
  readonly #pruning: SimNode | undefined

  constructor(world: World, report: StormReport) {
    this.#world = world
    this.#report = report
    this.#pruning = world.nodes.find(({ name }) => name === 'pruning')
    this.#archives = world.nodes.filter((node) => node !== this.#pruning)
    this.#threaded = this.#archives.filter(({ name }) => name.endsWith('threads'))
  }

  /** One height. */
  async block(): Promise<void> {
    const world = this.#world
    const { driver, nodes } = world
    const { random } = driver
    await fillPools(world, random.below(12))
    const asked = askMany(world, this.#archives, this.#threaded, random.below(4))
    const { block: proposed, round } = await proposeInRounds(world)
    const isSpoilt = (driver.height + 1) % SPOILT_INTERVAL === 0
    const block = isSpoilt ? await spoil(world, proposed) : proposed
    if (!isSpoilt && random.chance(80)) expect(await driver.process(block)).toBe(true)
    if (random.chance(10)) await random.pick(nodes).restart()
    this.#armKills()
    const executions = nodes.map((node) => node.executions)
    const { response } = await driver.decide(block, round, () => pickRoute(random))
    for (const [index, node] of nodes.entries()) {
      if (node.executions === executions[index]) this.#report.takenOver++
      else this.#report.executedAnew++
    }
    expect(nodes.map(({ killAt }) => killAt).filter((step) => step !== undefined)).toEqual([])
    this.#report.heavyAnswers += await asked.compare()
    await checkBlock(random.pick(nodes), block, response.appHash)
    this.#noteResults(block, response)
    await this.#noteTransactions()
    if (this.#pruning !== undefined) sweepStep(this.#pruning.store, SWEPT_A_BLOCK)
    if (driver.height % FULL_CHECK_INTERVAL === 0) await this.checkAll()
  }

  /** The whole state of every node, from nothing. */
  async checkAll(): Promise<void> {
    const { driver, nodes } = this.#world
    const { stateRoot } = await shownBlock(nodes[0] as SimNode, { number: driver.height })
    for (const node of nodes) {
      expect(await stateRootOf(node.store), `flat state of ${node.name} at height ${driver.height}`).toBe(stateRoot)
      checkInvariants(node)
    }
  }

  /** A node with the state of now and no past. Its old heights are nobody's to ask. */
  async join(path: string): Promise<void> {
    const { clock, driver } = this.#world
    const source = driver.random.pick(this.#archives)
    this.#world.join(await openFromSnapshot(source, { name: 'restored', clock, path }))
  }

  /** Some nodes die on the way to this block, each where chance has it. */
  #armKills(): void {
    const { driver, nodes } = this.#world
    const { kills } = this.#report
    for (const node of nodes) {
      if (!driver.random.chance(6)) continue
      const [step] = BLOCK_STEPS.toSorted((a, b) => (kills.get(a) ?? 0) - (kills.get(b) ?? 0))
      if (step === undefined) return
      node.killAt = step
      kills.set(step, (kills.get(step) ?? 0) + 1)
    }
  }

  /** A native transaction that failed used gas; one that is invalid at its place did not. */
  #noteResults({ transactions }: ProposedBlock, { transactionResults }: FinalizeBlockResponse): void {
    for (const [index, { code, gasUsed }] of transactionResults.entries()) {
      const isIncluded = familyOf(transactions[index] ?? new Uint8Array(0)).name === 'native' && gasUsed > 0n
      if (isIncluded) this.#report.native++
      if (isIncluded && code !== 0) this.#report.nativeFailed++
      if (!isIncluded && code !== 0) this.#report.invalid++
    }
  }

  async #noteTransactions(): Promise<void> {
    const node = this.#world.driver.random.pick(this.#world.nodes)
    const block = { tag: 'latest' } as const
    const receipts = (await node.ask('blockReceipts', { block })) as readonly { type: string; status: string }[]
    for (const { type, status } of receipts) {
      this.#report.types.add(type)
      if (status === '0x0') this.#report.failed++
    }
  }
}

/** Every block once more, by the reference engine. */
const replayAll = async (node: SimNode): Promise<void> => {
  const { parameters, height } = node.application
  invariant(parameters !== undefined, 'the chain has begun')
  const difference = await replayBlocks({
    store: node.store,
    parameters,
    head: height,
    from: parameters.initialHeight,
    to: height,
    engine: await createSimulatedEngine(await createEthereumjsEngine()),
    environment: { clock: { nowMs: () => 0, wallMs: () => 0 }, yieldToEventLoop: () => Promise.resolve() },
  })
  expect(difference).toBeUndefined()
}

/** Throws where nodes differ. */
export const runStorm = async ({ random, blocks, forkBlocks }: StormOptions): Promise<StormReport> => {
  const folder = mkdtempSync(join(tmpdir(), 'storm-'))
  const report = newReport()
  const world = await makeWorld({
    random,
    nodes: [
      { name: 'memory' },
      { name: 'one of threads', path: join(folder, 'one'), workers: 1 },
      { name: 'two of threads', path: join(folder, 'two'), workers: 2 },
      { name: 'pruning', settings: { pruning: { keepRecent: KEPT_HEIGHTS, interval: 0 } } },
    ],
    extensionsFrom: random.below(6),
  })
  const open: World[] = [world]
  try {
    const storm = new Storm(world, report)
    const [joinAt, forkAt] = [Math.floor(blocks / 3), Math.floor((2 * blocks) / 3)]
    for (let height = 1; height <= blocks; height++) {
      await storm.block()
      if (height === joinAt) await storm.join(join(folder, 'restored'))
      if (height !== forkAt) continue
      const from = random.below(height + 1)
      const fork = await forkWorld(world, from, [
        { name: 'fork' },
        { name: 'fork on disk', path: join(folder, 'fork') },
      ])
      open.push(fork)
      const forked = new Storm(fork, report)
      for (let i = 0; i < forkBlocks; i++) await forked.block()
      await forked.checkAll()
    }
    await storm.checkAll()
    await replayAll(world.nodes[1] as SimNode)
    return report
  } finally {
    for (const each of open) await each.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

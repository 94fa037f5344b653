/**
 * Four validators with equal power, of which the chain needs any three, and a full node. Two of them speak gRPC with
 * their CometBFT: all are one chain.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { checkCallSequence } from '../../abci/testing/grammar.ts'
import { accounts } from './clients.ts'
import { expectConsistentHeights } from './consistency.ts'
import { type TestNode, until } from './harness.ts'
import { type Load, startLoad, withoutReceipt } from './load.ts'
import { createNetwork, type Network } from './network.ts'

const COUNT = 4
const EVERY_MS = 200
const OPTIONS = { timeoutCommitMs: 300, isRecorded: true } as const

/** The end of a bit array of votes, which is the part of the power that has voted. */
const HALF = '= 0.50'

interface Votes {
  readonly prevotes_bit_array: string
  readonly precommits_bit_array: string
}

interface RoundState {
  readonly 'height/round/step': string
  readonly height_vote_set: readonly Votes[]
}

const peersOf = async (node: TestNode): Promise<number> =>
  Number((await node.comet<{ readonly n_peers: string }>('net_info')).n_peers)

const roundStateOf = async (node: TestNode): Promise<RoundState> =>
  (await node.comet<{ readonly round_state: RoundState }>('consensus_state')).round_state

let network: Network
let validators: readonly TestNode[] = []
let full: TestNode
let load: Load | undefined

const nodeAt = (index: number): TestNode => network.at(index)

const untilCaughtUp = (node: TestNode): Promise<true> =>
  until('the end of its catching up', async () => ((await node.ask('eth_syncing')) === false ? true : undefined))

beforeAll(async () => {
  const created = await createNetwork({
    members: [
      { ...OPTIONS, abci: 'socket' },
      { ...OPTIONS, abci: 'grpc' },
      { ...OPTIONS, abci: 'socket' },
      { ...OPTIONS, abci: 'grpc' },
      { ...OPTIONS, isFull: true },
    ],
  })
  network = created
  validators = network.nodes.slice(0, COUNT)
  full = nodeAt(COUNT)
  await created.start()
})
afterEach(({ task }) => {
  if (task.result?.state === 'fail') network.print()
})
afterAll(async () => {
  await load?.stop()
  await network?.remove()
})

describe('four validators', () => {
  it('propose in turn, each from its own pool, and include what any of them was given', async () => {
    const loads = await Promise.all(
      validators.map((node, index) => startLoad(node, accounts.slice(index, index + 1), EVERY_MS)),
    )
    const from = await nodeAt(0).height()
    const last = await nodeAt(0).untilHeight(from + 2 * COUNT)
    for (const each of loads) await each.stop()
    for (const [index, { answered, refusals }] of loads.entries()) {
      expect(refusals).toEqual([])
      expect(answered.size, `answers of node ${index}`).toBeGreaterThan(5)
      // Asked of another node than the one that answered.
      expect(await withoutReceipt(nodeAt((index + 1) % COUNT), answered)).toEqual([])
    }
    for (let height = from; height <= last; height++) await network.expectSameBlocks(height)
    const proposers = new Set<string>()
    // A node that was too late with its proposal has its turn again.
    for (let height = from; proposers.size < COUNT && height < from + 10 * COUNT; height++) {
      await nodeAt(0).untilHeight(height)
      const route = `block?height=${height}`
      const { block } = await nodeAt(0).comet<{ block: { header: { proposer_address: string } } }>(route)
      proposers.add(block.header.proposer_address)
    }
    expect(proposers.size).toBe(COUNT)
  })

  it('include what a full node without power was given', async () => {
    const { validator_info: info } = await full.comet<{ validator_info: { voting_power: string } }>('status')
    expect(info.voting_power).toBe('0')
    await untilCaughtUp(full)
    load = await startLoad(full, accounts.slice(8, 9), EVERY_MS)
    const { answered, refusals } = load
    await until('some answers', () => (answered.size >= 5 ? true : undefined))
    await load.stop()
    expect(refusals).toEqual([])
    for (const node of [nodeAt(0), nodeAt(3), full]) expect(await withoutReceipt(node, answered)).toEqual([])
    await network.expectSameBlocks(await full.height())
  })

  it('go on without one that is killed under load, and it catches up by block sync', async () => {
    load = await startLoad(nodeAt(0), accounts.slice(4, 6), EVERY_MS)
    nodeAt(3).kill('supervisor')
    expect(await nodeAt(3).stop()).toBe('SIGKILL')
    const without = await nodeAt(0).height()
    await nodeAt(0).untilHeight(without + 4)
    await nodeAt(3).start()
    const now = await nodeAt(0).height()
    await nodeAt(3).untilHeight(now)
    await untilCaughtUp(nodeAt(3))
    await load.stop()
    expect(await withoutReceipt(nodeAt(3), load.answered)).toEqual([])
    await network.expectSameBlocks(now)
    // Block sync brings decided blocks: nobody proposes them again.
    const calls = nodeAt(3).calls()
    const proposed = new Set(calls.filter(({ method }) => method === 'processProposal').map(({ height }) => height))
    const synced = calls.filter(({ method, height }) => method === 'finalizeBlock' && !proposed.has(height))
    expect(synced.filter(({ height = 0 }) => height > without && height <= now).length).toBeGreaterThan(0)
  })

  it('go on without one that is frozen under load, and it goes on where it was', async () => {
    load = await startLoad(nodeAt(0), accounts.slice(6, 8), EVERY_MS)
    nodeAt(1).freeze('SIGSTOP')
    const without = await nodeAt(0).height()
    await nodeAt(0).untilHeight(without + 4)
    const { pid } = nodeAt(1)
    nodeAt(1).freeze('SIGCONT')
    const now = await nodeAt(0).height()
    await nodeAt(1).untilHeight(now + 2)
    await load.stop()
    expect(nodeAt(1).pid).toBe(pid)
    expect(await withoutReceipt(nodeAt(1), load.answered)).toEqual([])
    await network.expectSameBlocks(now + 2)
  })

  it('stand still without two, and go on once one of them is back', async () => {
    for (const index of [2, 3]) expect(await nodeAt(index).stop('SIGTERM')).toBe(0)
    // What the two that left had sent has arrived once they are no peers any more. The three that are left may have to
    // find each other first: one of them was frozen.
    const left = [nodeAt(0), nodeAt(1), full]
    for (const node of left) await until('two peers', async () => (await peersOf(node)) === 2 || undefined)
    // Half of the power brings no majority of prevotes, or none of precommits where one that left had prevoted.
    const halfVoted = async (): Promise<number | undefined> => {
      const states = await Promise.all(left.map(roundStateOf))
      const [height, ...others] = states.map((state) => Number.parseInt(state['height/round/step'], 10))
      if (height === undefined || others.some((other) => other !== height)) return undefined
      const votes = states.map(({ height_vote_set }) => height_vote_set)
      const isHalf = votes.every((rounds) =>
        rounds.some((round) =>
          [round.prevotes_bit_array, round.precommits_bit_array].some((seen) => seen.endsWith(HALF)),
        ),
      )
      return isHalf ? height : undefined
    }
    const stuck = await until('votes of half the power', halfVoted)
    expect(await nodeAt(0).untilHeight(stuck - 1)).toBe(stuck - 1)
    // What stands still still answers.
    expect(await nodeAt(0).ask('eth_getBlockByNumber', 'latest', false)).toMatchObject({
      number: `0x${(stuck - 1).toString(16)}`,
    })
    await nodeAt(2).start()
    await nodeAt(0).untilHeight(stuck + 1)
    await nodeAt(3).start()
    await network.expectSameBlocks(stuck + 2)
  })

  it('agree with CometBFT on every height, and were called in the order of the grammar', async () => {
    for (const node of network.nodes) {
      await expectConsistentHeights(node, 1, await node.height())
      expect(checkCallSequence(node.calls())).toBeUndefined()
    }
  })
})

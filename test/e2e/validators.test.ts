/** Four validators with equal power: the chain needs any three of them. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { setTomlValue } from '../../bin/config/toml-lines.ts'
import { findCometbft } from '../../bin/supervise/cometbft-binary.ts'
import { checkCallSequence } from '../../abci/grammar.ts'
import { invariant } from '../../core/errors.ts'
import { accounts } from './clients.ts'
import { expectConsistentHeights } from './consistency.ts'
import { createNode, runChain, type TestNode, until } from './harness.ts'
import { type Load, startLoad, withoutReceipt } from './load.ts'

const COUNT = 4
const EVERY_MS = 200
const OPTIONS = { timeoutCommitMs: 300, isRecorded: true } as const

interface RoundState {
  readonly 'height/round/step': string
  readonly height_vote_set: readonly { readonly prevotes_bit_array: string }[]
}

const nodes: TestNode[] = []
let load: Load | undefined

const nodeAt = (index: number): TestNode => {
  const node = nodes[index]
  invariant(node !== undefined, `there are ${COUNT} nodes`)
  return node
}

/** The first home's genesis goes round, and each validator adds itself. */
const shareGenesis = async (): Promise<void> => {
  const file = (node: TestNode): string => join(node.home, 'config', 'genesis.json')
  let last = nodeAt(0)
  for (const node of nodes.slice(1)) {
    copyFileSync(file(last), file(node))
    const { status, stderr } = await runChain(['genesis', 'add-validator', '--home', node.home])
    invariant(status === 0, stderr)
    last = node
  }
  for (const node of nodes) if (node !== last) copyFileSync(file(last), file(node))
}

/** CometBFT's id of a node: the address of its key. */
const peerOf = async (node: TestNode): Promise<string> => {
  const id = execFileSync(await findCometbft(), ['show-node-id', '--home', node.home], { encoding: 'utf8' })
  return `${id.trim()}@127.0.0.1:${node.ports.p2p}`
}

const connectAll = async (): Promise<void> => {
  const peers = await Promise.all(nodes.map(peerOf))
  for (const [index, node] of nodes.entries()) {
    const path = join(node.home, 'config', 'config.toml')
    const others = peers.filter((_, other) => other !== index).join(',')
    writeFileSync(path, setTomlValue(readFileSync(path, 'utf8'), 'p2p.persistent_peers', `"${others}"`))
  }
}

const expectSameBlocks = async (height: number): Promise<void> => {
  const tag = `0x${height.toString(16)}`
  const hashes: string[] = []
  for (const node of nodes) {
    await node.untilHeight(height, 60_000)
    hashes.push((await node.ask<{ hash: string }>('eth_getBlockByNumber', tag, false)).hash)
  }
  expect(hashes, `hashes of ${height}`).toEqual(hashes.map(() => hashes[0]))
}

beforeAll(async () => {
  for (let index = 0; index < COUNT; index++) nodes.push(await createNode(OPTIONS))
  await shareGenesis()
  await connectAll()
  await Promise.all(nodes.map((node) => node.start()))
}, 120_000)
afterEach(({ task }) => {
  if (task.result?.state !== 'fail') return
  for (const [index, node] of nodes.entries())
    console.log(`node ${index} wrote last:\n${node.lastWords().slice(-1_500)}`)
})
afterAll(async () => {
  await load?.stop()
  for (const node of nodes) await node.remove()
})

describe('four validators', () => {
  it('propose in turn, each from its own pool, and include what any of them was given', async () => {
    const loads = await Promise.all(
      nodes.map((node, index) => startLoad(node, accounts.slice(index, index + 1), EVERY_MS)),
    )
    const from = await nodeAt(0).height()
    const last = await nodeAt(0).untilHeight(from + 2 * COUNT, 60_000)
    for (const each of loads) await each.stop()
    for (const [index, { answered, refusals }] of loads.entries()) {
      expect(refusals).toEqual([])
      expect(answered.size, `answers of node ${index}`).toBeGreaterThan(5)
      // Asked of another node than the one that answered.
      expect(await withoutReceipt(nodeAt((index + 1) % COUNT), answered)).toEqual([])
    }
    await expectSameBlocks(last)
    const proposers = new Set<string>()
    for (let height = from; height < last; height++) {
      const route = `block?height=${height}`
      const { block } = await nodeAt(0).comet<{ block: { header: { proposer_address: string } } }>(route)
      proposers.add(block.header.proposer_address)
    }
    expect(proposers.size).toBe(COUNT)
  }, 90_000)

  it('go on without one that is killed under load, and it catches up', async () => {
    load = await startLoad(nodeAt(0), accounts.slice(4, 6), EVERY_MS)
    nodeAt(3).kill('application')
    expect(await nodeAt(3).stop()).toBe('SIGKILL')
    const without = await nodeAt(0).height()
    await nodeAt(0).untilHeight(without + 4, 60_000)
    await nodeAt(3).start()
    const now = await nodeAt(0).height()
    await nodeAt(3).untilHeight(now, 60_000)
    await until('the end of its catching up', async () =>
      (await nodeAt(3).ask('eth_syncing')) === false ? true : undefined,
    )
    await load.stop()
    expect(await withoutReceipt(nodeAt(3), load.answered)).toEqual([])
    await expectSameBlocks(now)
  }, 120_000)

  it('stand still without two, and go on once one of them is back', async () => {
    for (const index of [2, 3]) expect(await nodeAt(index).stop('SIGTERM')).toBe(0)
    // With half of the power there is no majority to wait longer for: the height stays at its prevotes.
    const stuck = await until('prevotes of half the power', async () => {
      const { round_state: state } = await nodeAt(0).comet<{ round_state: RoundState }>('consensus_state')
      const isHalf = state.height_vote_set.some((votes) => votes.prevotes_bit_array.endsWith('= 0.50'))
      return isHalf ? Number.parseInt(state['height/round/step'], 10) : undefined
    })
    expect(await nodeAt(0).height()).toBe(stuck - 1)
    // What stands still still answers.
    expect(await nodeAt(0).ask('eth_getBlockByNumber', 'latest', false)).toMatchObject({
      number: `0x${(stuck - 1).toString(16)}`,
    })
    for (const index of [2, 3]) await nodeAt(index).start()
    await nodeAt(0).untilHeight(stuck + 2, 60_000)
    await expectSameBlocks(stuck + 2)
  }, 120_000)

  it('agree with CometBFT on every height, and were called in the order of the grammar', async () => {
    for (const node of nodes) {
      await expectConsistentHeights(node, 1, await node.height())
      expect(checkCallSequence(node.calls())).toBeUndefined()
    }
  })
})

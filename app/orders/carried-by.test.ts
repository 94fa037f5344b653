/** What a vote knows of the plan of its block, whether the node has processed the block or not. */
import { describe, expect, it } from 'vitest'
import { invariant } from '../../core/errors.ts'
import { verifyExtensionSignature } from '../../core/vote-extension.ts'
import type { ListedId } from '../../modules/clob/index.ts'
import { OrderChain } from '../../test/sim/orders/order-chain.ts'
import { type Random, seeded } from '../../test/sim/random.ts'
import type { SimNode } from '../../test/sim/sim-node.ts'
import { gossip } from '../../test/sim/world.ts'
import { decodeExtension } from '../attestations/envelope.ts'
import type { ProposedBlock } from '../ports.ts'
import { type PlannedBlocks, carriedByPlan } from './carried-by.ts'

type Voters = readonly [SimNode, SimNode, SimNode]

/** Three nodes that know every order, and a proposer that lacks some: its blocks stop, and carry what is behind. */
const openChain = async (random: Random) => {
  const names = ['processes', 'does not process', 'crashes', 'proposes']
  const chain = await OrderChain.open({
    ...{ random, nodes: names.map((name) => ({ name })), extensionsFrom: 1 },
    parameters: { minAgeMs: 0 },
  })
  const [first, second, third, proposer] = chain.world.nodes
  invariant(first !== undefined && second !== undefined && third !== undefined && proposer !== undefined, 'four nodes')
  return { chain, voters: [first, second, third] as Voters, proposer }
}

type Opened = Awaited<ReturnType<typeof openChain>>

const send = ({ chain, voters, proposer }: Opened): void => {
  const { driver, clock } = chain.world
  for (let count = chain.random.below(7); count > 0; count--) {
    const { raw } = chain.traders.next({ height: driver.height + 1, wallMs: clock.wallMs ?? 0 })
    gossip(chain.random.chance(60) ? [...voters, proposer] : voters, raw)
  }
  clock.nowMs += 1
}

/** The chain as the application has it, for the next block. */
const chainOf = ({ application: { source } }: SimNode) => {
  const record = source.head()
  invariant(record !== undefined, 'the chain has begun')
  const head = { height: record.header.number, record }
  return { parameters: source.parameters(), state: source.latest(), head, verifyExtension: verifyExtensionSignature }
}

describe('the vote on a block', () => {
  it(
    'is the same where the block was processed, where it never was, and after a crash in between, in each round',
    seeded(931, async (random: Random) => {
      const opened = await openChain(random)
      const { chain, voters, proposer } = opened
      const { driver } = chain.world
      const [processes, , crashes] = voters
      let bodies = 0
      for (let count = 0; count < 15; count++) {
        send(opened)
        const rounds: ProposedBlock[] = []
        for (let round = 0; round <= random.below(3); round++) rounds.push(await driver.propose(proposer, round))
        for (const block of rounds) expect(await driver.process(block, [processes, crashes])).toBe(true)
        await crashes.restart()
        for (const block of rounds) {
          const [said, ...others] = voters.map(({ application }) => application.extendVote(block))
          invariant(said !== undefined, 'three nodes vote')
          expect(others).toEqual([said, said])
          bodies += decodeExtension(said)?.bodies.length ?? 0
        }
        const round = random.below(rounds.length)
        await chain.decide(rounds[round] as ProposedBlock, round)
      }
      // The bodies are of what blocks carry: without a plan nobody knows it.
      expect(bodies).toBeGreaterThan(5)
      await chain.world.close()
    }),
  )

  it(
    'takes the plan of the block that was processed, and of no other',
    seeded(932, async (random: Random) => {
      const opened = await openChain(random)
      const { chain, voters, proposer } = opened
      const [node] = voters
      let [planned, carries] = [0, 0]
      for (let count = 0; count < 12; count++) {
        send(opened)
        const block = await chain.world.driver.propose(proposer)
        let reads = 0
        const readBody: PlannedBlocks['readBody'] = (raw) => {
          reads++
          return node.application.source.orders.readBody(raw)
        }
        const carried: readonly ListedId[] | undefined = carriedByPlan({ readBody, accepted: () => undefined })(
          block,
          chainOf(node),
        )
        const orders = block.transactions.filter(([first]) => first === 0x70).length
        expect(reads).toBeGreaterThanOrEqual(orders)
        planned += orders
        carries += carried?.length ?? 0
        reads = 0
        const known = carriedByPlan({ readBody, accepted: (hash) => (hash === block.hash ? { carried } : undefined) })
        expect(known(block, chainOf(node))).toBe(carried)
        expect(reads).toBe(0)
        const other = { ...block, hash: block.hash.map((byte) => byte ^ 1) }
        expect(known(other, chainOf(node))).toEqual(carried)
        expect(reads).toBeGreaterThanOrEqual(orders)
        // A batch that is not the plan's: nothing is said of it.
        const refused = carriedByPlan({ readBody, accepted: () => ({ carried: undefined }) })
        expect(refused(block, chainOf(node))).toBeUndefined()
        await chain.decide(block)
      }
      expect(planned).toBeGreaterThan(5)
      expect(carries).toBeGreaterThan(0)
      await chain.world.close()
    }),
  )
})

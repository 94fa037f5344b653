/** What a network does to its nodes: pools that differ, failed rounds, spoilt blocks, nodes that miss or crash. */
import { expect } from 'vitest'
import type { ProposedBlock } from '../../app/ports.ts'
import { type Route, withTransactions } from './driver.ts'
import type { Random } from './random.ts'
import type { SimNode } from './sim-node.ts'
import { INVALID_KINDS, makeInvalid } from './traffic.ts'
import { committedState, gossip, type World } from './world.ts'

export const fillPools = async ({ traffic, driver, nodes }: World, count: number): Promise<void> => {
  for (let i = 0; i < count; i++) {
    const raw = await traffic.next()
    // Some transactions reach one pool only.
    gossip(driver.random.chance(80) ? nodes : [driver.random.pick(nodes)], raw)
  }
}

/** A block that no honest node accepts and that is decided all the same: with invalid transactions in it. */
export const spoil = async ({ driver, accounts, nodes }: World, block: ProposedBlock): Promise<ProposedBlock> => {
  const { random } = driver
  const transactions = [...block.transactions]
  const first = transactions[0]?.[0] === 0x71 ? 1 : 0
  for (let i = 0; i <= random.below(3); i++) {
    const account = random.pick(accounts)
    const nonce = Number(
      committedState(nodes[0] as SimNode).account(Buffer.from(account.address.slice(2), 'hex'))?.nonce ?? 0n,
    )
    const { chainId } = driver.setup
    const context = { random, account, nonce, chainId, injected: transactions[0], blockGas: 3_000_000n }
    const invalid = await makeInvalid(random.pick(INVALID_KINDS), context)
    transactions.splice(first + random.below(transactions.length - first + 1), 0, invalid)
  }
  return withTransactions(block, transactions)
}

/** Some rounds fail before one decides: their proposals were executed and are thrown away. Returns block and round. */
export const proposeInRounds = async (
  world: World,
): Promise<{ readonly block: ProposedBlock; readonly round: number }> => {
  const { driver, nodes, clock } = world
  const { random } = driver
  let round = 0
  for (; random.chance(20); round++) {
    const failed = await driver.propose(random.pick(nodes), round)
    if (random.chance(50)) expect(await driver.process(failed)).toBe(true)
    clock.nowMs += 1_000
    await fillPools(world, random.below(3))
  }
  return { block: await driver.propose(random.pick(nodes), round), round }
}

const ROUTES: readonly Route[] = ['saw the proposal', 'block sync', 'finalize twice', 'crash before commit']
export const pickRoute = (random: Random): Route => (random.chance(85) ? 'saw the proposal' : random.pick(ROUTES))

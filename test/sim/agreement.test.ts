import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getContractAddress } from 'viem'
import { describe, expect, it } from 'vitest'
import { bytesToHex, type Hex } from '../../core/hex.ts'
import { DENOMINATION } from '../../core/amounts.ts'
import { readSupply } from '../../modules/bank/index.ts'
import { stateRootOf } from './oracle.ts'
import { seeded } from './random.ts'
import { SimNode } from './sim-node.ts'
import { fillPools, pickRoute, proposeInRounds, spoil } from './turmoil.ts'
import { checkBlock, checkInvariants, committedState, makeWorld } from './world.ts'

const BLOCKS = 200
const FULL_CHECK_INTERVAL = 50

interface ShownTransaction extends Record<string, string | null> {
  readonly type: string
  readonly from: Hex
  readonly nonce: Hex
  readonly gasPrice: Hex
}

/** Transactions and receipts of the newest block belong together. Returns the types that are in it. */
const checkTransactions = async (node: SimNode): Promise<readonly string[]> => {
  const block = { tag: 'latest' } as const
  const shown = (await node.ask('block', { block, full: true })) as {
    readonly transactions: readonly ShownTransaction[]
  }
  const receipts = (await node.ask('blockReceipts', { block })) as readonly Record<string, string | null>[]
  expect(receipts.length).toBe(shown.transactions.length)
  for (const [index, transaction] of shown.transactions.entries()) {
    const { from, nonce, to, hash, type, gasPrice, transactionIndex } = transaction
    // A creation that failed has an address too, as geth has it.
    const created = to === null ? getContractAddress({ from, nonce: BigInt(nonce) }).toLowerCase() : null
    expect(receipts[index]).toMatchObject({
      transactionHash: hash,
      transactionIndex,
      from,
      to,
      type,
      contractAddress: created,
      effectiveGasPrice: gasPrice,
    })
  }
  return shown.transactions.map(({ type }) => type)
}

describe('applications in one network', () => {
  it(
    'agree on every block of a random run, on disk and in memory, over crashes and by replay',
    seeded(1, async (random) => {
      const home = mkdtempSync(join(tmpdir(), 'simulation-'))
      const world = await makeWorld({
        random,
        nodes: [{ name: 'a' }, { name: 'b' }, { name: 'disk', path: home }],
        extensionsFrom: 5,
      })
      const { driver, nodes } = world
      const first = nodes[0] as SimNode
      const supplies = new Set<bigint>()
      const types = new Set<string>()
      let failures = 0
      try {
        for (let height = 1; height <= BLOCKS; height++) {
          await fillPools(world, random.below(14))
          const { block: proposed, round } = await proposeInRounds(world)
          let block = proposed
          if (random.chance(8)) block = await spoil(world, proposed)
          else expect(await driver.process(block), first.warnings.at(-1)).toBe(true)
          const { response } = await driver.decide(block, round, () => pickRoute(random))
          await checkBlock(random.pick(nodes), block, response.appHash)
          checkInvariants(random.pick(nodes))
          supplies.add(readSupply(committedState(first), DENOMINATION))
          failures += response.transactionResults.filter(({ code }) => code !== 0).length
          for (const type of await checkTransactions(random.pick(nodes))) types.add(type)
          if (random.chance(10)) await random.pick(nodes).restart()
          if (height % FULL_CHECK_INTERVAL === 0) {
            const { stateRoot } = (await first.ask('block', { block: { number: height }, full: false })) as {
              stateRoot: string
            }
            for (const node of nodes)
              expect(await stateRootOf(node.store), `flat state of ${node.name}`).toBe(stateRoot)
          }
        }
        const late = await SimNode.open({ name: 'late', clock: world.clock })
        await driver.replay(late)
        expect(bytesToHex(late.application.info().lastBlockAppHash)).toBe(
          bytesToHex(first.application.info().lastBlockAppHash),
        )
        // The run must have met what it is made for.
        expect([...types].sort()).toEqual(['0x0', '0x1', '0x2', '0x4'])
        expect(supplies.size, 'balances destroyed by contracts lower the supply').toBeGreaterThan(5)
        expect(failures, 'invalid transactions in decided blocks').toBeGreaterThan(5)
      } finally {
        await world.close()
        rmSync(home, { recursive: true, force: true })
      }
    }),
  )
})

/**
 * Power is lost on all four validators at once, and their journals of orders with it: what they had attested nobody has any
 * more. The chain goes on, forgets these orders after three blocks, and takes new ones.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { openHome } from '../../bin/node/config/home.ts'
import { askRest, ordersOf } from './clob-book.ts'
import { place, sendOrder } from './clob-orders.ts'
import { describeTrade, startTrading } from './clob-trading.ts'
import { accountAt, accounts } from './clients.ts'
import { until } from './harness.ts'
import { createNetwork, type Network } from './network.ts'

const OPTIONS = { timeoutCommitMs: 500, hasTestMarkets: true } as const
const BOUND_BLOCKS = 3
/** How long an id is carried. */
const CARRIED_BLOCKS = 3

let network: Network

const homes = () => network.nodes.map(({ home }) => openHome(home))

/** How many nodes keep a vote of the newest height that says something: a record begins with the length of the extension. */
const attesting = (): number =>
  homes().filter(({ voteAnswers }) => existsSync(voteAnswers) && readFileSync(voteAnswers).readUInt32BE(0) > 0).length

const carriedAt = async (height: number): Promise<number> => {
  const { carried } = await askRest<{ readonly carried: readonly { readonly ids: readonly unknown[] }[] }>(
    network.at(0),
    '/nat/clob/v1/carried',
    height,
  )
  return carried.reduce((count, { ids }) => count + ids.length, 0)
}

beforeAll(async () => {
  const created = await createNetwork({ members: [OPTIONS, OPTIONS, OPTIONS, OPTIONS] })
  network = created
  await created.start()
  for (const node of network.nodes) await node.untilHeight(3)
})
afterEach(({ task }) => {
  if (task.result?.state === 'fail') network.print()
})
afterAll(async () => await network?.remove())

it('four validators that lose every pool and every journal at once go on, and trading is resumed', async () => {
  const before = startTrading(network.nodes, accounts.slice(1, 4))
  await network.at(0).untilHeight((await network.at(0).height()) + 5)
  console.log(describeTrade('before', await before.stop(network.at(0))))
  const rested = await ordersOf(network.at(0))

  await until('votes that say nothing', () => (attesting() === 0 ? true : undefined))
  await sendOrder(network.at(1), accountAt(4), [
    place({ market: 1, side: 'sell', priceTicks: 1_060, qtyLots: 2_000, clientId: '0x61' }),
  ])
  // Enough of them have attested it that the next block must hold it.
  await until('votes that attest the order', () => (attesting() >= 3 ? true : undefined))
  for (const node of network.nodes) node.kill('supervisor')
  for (const node of network.nodes) expect(await node.stop()).toBe('SIGKILL')
  for (const { orderJournal } of homes()) rmSync(orderJournal)
  await Promise.all(network.nodes.map((node) => node.start()))
  const height = await network.at(0).height()
  await network.at(0).untilHeight(height + 2 + CARRIED_BLOCKS)
  const head = await network.at(0).height()
  const carried: number[] = []
  const first = Math.max(1, height - CARRIED_BLOCKS - 1)
  for (let at = first; at <= head; at++) carried.push(await carriedAt(at))
  console.log(`started at ${height}; ids carried from ${first} on: ${carried.join(', ')}`)
  expect(carried.filter((count) => count > 0).length).toBeLessThanOrEqual(CARRIED_BLOCKS)
  expect(carried.at(-1)).toBe(0)
  const kept = (await ordersOf(network.at(0))).map(({ order_seq: seq }) => seq)
  expect(kept).toEqual(expect.arrayContaining(rested.map(({ order_seq: seq }) => seq)))

  const after = startTrading(network.nodes, accounts.slice(5, 8))
  await network.at(0).untilHeight((await network.at(0).height()) + 6)
  const report = await after.stop(network.at(0))
  console.log(describeTrade('after', report))
  expect(report.lost).toEqual([])
  expect(report.fills).toBeGreaterThan(0)
  expect(report.orders.filter(({ blocks }) => blocks > BOUND_BLOCKS)).toEqual([])
  await network.expectSameBlocks(await network.at(0).height())
})

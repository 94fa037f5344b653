/**
 * Market makers, takers and cancels on four validators whose processes are killed (-9) at random moments, for SOAK_MINUTES. As it goes on, and at its
 * end, a stranger's audit checks every block, all coins have a holder, and all nodes have one chain. SOAK_SEED repeats the choices, not the moments.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { auditClob } from '../../bin/cli/clob/audit.ts'
import { describeAudit } from '../../bin/cli/clob/audit-report.ts'
import { auditRun, python } from '../e2e/clob-audit.ts'
import { factsOf } from '../e2e/clob-audit-liar.ts'
import { expectCoinsConserved, type Market, marketOf, ordersOf, supplyOf } from '../e2e/clob-book.ts'
import { sendOrder } from '../e2e/clob-orders.ts'
import { actionsOf, ordersIn } from '../e2e/clob-trading.ts'
import { accounts } from '../e2e/clients.ts'
import { isAlive, type Part, type TestNode, until } from '../e2e/harness.ts'
import { createNetwork, type Network } from '../e2e/network.ts'
import { Random } from '../sim/random.ts'

const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 10)
const SEED = Number(process.env['SOAK_SEED'] ?? 20_261_125)
const MS_A_MINUTE = 60_000
const LIMIT_MS = 120_000
const VALIDATORS = 4
const TRADERS = 6
const MARKETS = 2
const MOST_WAIT_MS = 4_000
/** Checked this often, so that a fault is found near its cause, and before pruning takes its blocks. */
const CHECK_EVERY_MS = 60_000
/** How many of the newest blocks are checked: the second implementation is slower. */
const CHECKED_IN_PYTHON = 100
const PARTS: readonly Part[] = ['application', 'gateway', 'cometbft', 'supervisor']

let network: Network
const traders: Promise<void>[] = []
let isOver = false
interface Answered {
  readonly height: number
  /** Index of the node that answered. */
  readonly node: number
}

/** Orders that a node took, by hash. */
const answered = new Map<Hex, Answered>()
/** Codes of the orders that blocks hold, by hash: a block may be looked at before a slow client has noted the answer. */
const included = new Map<Hex, number>()
/** What was killed, as it is told of an order that no block holds. */
const killed: string[] = []
const counts = { refused: 0, fills: 0, blocks: 0, orders: 0 }
const kills = new Map<Part, number>()

/** Through any node; one that is down or that begins anew refuses, and the next order goes to another. */
const trade = async (trader: number): Promise<void> => {
  const random = new Random(SEED + trader)
  const account = accounts[1 + trader]
  for (let round = 0; !isOver && account !== undefined; round++) {
    const node = random.pick(network.nodes)
    try {
      const { hash } = await sendOrder(node, account, actionsOf(trader, round))
      const height = await node.height()
      answered.set(hash, { height, node: network.nodes.indexOf(node) })
      await node.untilHeight(height + 1, LIMIT_MS)
    } catch {
      counts.refused++
      await sleep(200)
    }
  }
}

/** Where a supervisor gave up, because a part died too often in a row, its node is started anew. */
const untilUp = async (node: TestNode, part: Part): Promise<void> => {
  const decided = (): boolean | undefined => {
    if (!isAlive(node.pid)) return true
    return part === 'supervisor' || node.isRunning(part) ? false : undefined
  }
  if (await until(`${part} again, or the end of the node`, decided, LIMIT_MS)) {
    await node.stop()
    await node.start()
  }
}

const killOne = async (random: Random): Promise<void> => {
  const node = random.pick(network.nodes)
  const part = random.pick(PARTS)
  // The moment is random on purpose: there is no event to wait for.
  await sleep(random.below(MOST_WAIT_MS))
  const before = await until('the height', () => node.height(), LIMIT_MS)
  const pid = await until(`the process of ${part}`, () => node.kill(part), LIMIT_MS)
  kills.set(part, (kills.get(part) ?? 0) + 1)
  killed.push(`${part} of node ${network.nodes.indexOf(node)} at ${before}`)
  if (part === 'supervisor') {
    await until('its end', () => (isAlive(pid) ? undefined : true), LIMIT_MS)
    await node.stop()
    await node.start()
  } else await untilUp(node, part)
  await node.untilHeight(before + 1, LIMIT_MS)
}

/** Blocks `from + 1` to `to`: audited, and what they made of orders counted. */
const check = async (node: TestNode, markets: readonly Market[], from: number, to: number): Promise<void> => {
  await network.expectSameBlocks(to + 1)
  const { comet, http } = node.urls
  const started = performance.now()
  const found = await auditClob({
    node: comet,
    jsonRpc: http,
    from,
    to,
    trustedHash: undefined,
    initialHeight: undefined,
  })
  const rate = ((to - from) * 1_000) / (performance.now() - started)
  console.log(
    `${describeAudit(found).join('\n')}\n${rate.toFixed(1)} blocks/s of audit; killed so far ${JSON.stringify(Object.fromEntries(kills))}`,
  )
  counts.blocks += to - from
  counts.orders += found.orders
  counts.fills += found.fills
  for (const [hash, { code }] of await ordersIn(node, from + 1, to)) included.set(hash, code)
  await expectCoinsConserved(node, markets, to)
}

beforeAll(async () => {
  const created = await createNetwork({
    members: Array.from({ length: VALIDATORS }, () => ({ timeoutCommitMs: 500, hasTestMarkets: true })),
    // A peer that was away is called again soon, however often it was.
    cometToml: { 'p2p.persistent_peers_max_dial_period': '"500ms"' },
  })
  network = created
  await created.start()
  for (const node of network.nodes) await node.untilHeight(3, LIMIT_MS)
}, LIMIT_MS)
afterAll(async () => {
  isOver = true
  await Promise.all(traders)
  await network?.remove()
})

describe(`${MINUTES} minutes of trading and kills (SOAK_SEED=${SEED})`, () => {
  it('end with an audit that passes and balances that add up', async () => {
    const random = new Random(SEED)
    const markets = await Promise.all(Array.from({ length: MARKETS }, (_, index) => marketOf(network.at(0), index + 1)))
    const supplies = () => Promise.all(markets.map(({ quote_denom }) => supplyOf(network.at(0), quote_denom, 0)))
    const before = await supplies()
    for (let trader = 0; trader < TRADERS; trader++) traders.push(trade(trader))
    const endMs = performance.now() + MINUTES * MS_A_MINUTE
    let [checked, checkMs] = [1, performance.now() + CHECK_EVERY_MS]
    try {
      while (performance.now() < endMs) {
        await killOne(random)
        if (performance.now() < checkMs) continue
        const height = await network.at(0).height()
        await check(random.pick(network.nodes), markets, checked, height)
        ;[checked, checkMs] = [height, performance.now() + CHECK_EVERY_MS]
      }
      isOver = true
      await Promise.all(traders)
      // Until no block may hold an order any more.
      const last = await network.at(0).untilHeight((await network.at(0).height()) + 21, LIMIT_MS)
      await check(network.at(1), markets, checked, last)
      const books = await Promise.all(network.nodes.map((node) => ordersOf(node, last)))
      for (const book of books) expect(book).toEqual(books[0])
      expect(await supplies()).toEqual(before)
      if (python !== undefined) {
        const first = Math.max(1, last - CHECKED_IN_PYTHON)
        const { comet, http } = network.at(2).urls
        const own = await auditClob({
          node: comet,
          jsonRpc: http,
          from: first,
          to: last,
          trustedHash: undefined,
          initialHeight: undefined,
        })
        const report = (await auditRun(network.at(2), first, last)).trim()
        console.log(report)
        expect(factsOf(describeAudit(own))).toEqual(factsOf(report.split('\n')))
      }
    } catch (error) {
      network.print()
      throw error
    }
    const { blocks, orders, fills, refused } = counts
    const missing = [...answered].filter(([hash]) => !included.has(hash))
    const failed = [...included.values()].filter((code) => code !== 0).length
    console.log(
      `${blocks} blocks audited, ${orders} orders, ${fills} fills; killed ${JSON.stringify(Object.fromEntries(kills))}; ` +
        `answered and in a block ${answered.size - missing.length}, in none ${missing.length}, with a code ${failed}, not answered ${refused}`,
    )
    // An order lives for twenty blocks. A node that was killed with it may come back later.
    for (const [hash, { height, node }] of missing)
      console.log(`in no block: ${hash}, taken by node ${node} at ${height}`)
    if (missing.length > 0) console.log(`killed: ${killed.join(', ')}`)
    expect(fills).toBeGreaterThan(0)
  })
})

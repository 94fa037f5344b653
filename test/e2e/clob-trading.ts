/** Clients that trade with each other, each through a node of its own, and a record of what became of their orders. */
import { createHash } from 'node:crypto'
import type { Hex, PrivateKeyAccount } from 'viem'
import {
  cancel,
  type CometResult,
  type OrderOutcome,
  outcomeOf,
  place,
  sendOrder,
  type SignedAction,
} from './clob-orders.ts'
import { type TestNode, until } from './harness.ts'

/** The number of clob-orders.ts: no block takes an order later. */
const GOOD_FOR_BLOCKS = 20
const [LOW, HIGH] = [990, 1_010]
const CLIENT_IDS = 8

interface SentOrder {
  readonly hash: Hex
  readonly owner: string
  /** Height that the client saw before it signed, and after it was answered. */
  readonly sentAt: number
  readonly knownAt: number
  readonly sentMs: number
}

export interface TradedOrder extends SentOrder, OrderOutcome {
  readonly height: number
  /** Blocks after the height that was known when the node had answered. */
  readonly blocks: number
  /** The time from the first byte of the client until a node told that the block is committed. */
  readonly tookMs: number
}

export interface TradeReport {
  readonly orders: readonly TradedOrder[]
  /** That were answered, and that no block up to their good_til_block has. */
  readonly lost: readonly Hex[]
  readonly fills: number
}

export interface Trading {
  readonly sentCount: number
  /** Ends when the last order has its result, as `reader` has it. */
  stop(reader: TestNode): Promise<TradeReport>
}

/** A round of quotes on both sides, takers of either, and cancels by client id: others' orders are met, own ones cancelled. */
export const actionsOf = (trader: number, round: number): readonly SignedAction[] => {
  const id = (offset: number): Hex =>
    `0x${(1 + ((2 * round + offset) % (2 * CLIENT_IDS))).toString(16).padStart(2, '0')}`
  const step = (3 * trader + round) % 5
  const lots = 2_000 + 100 * step + trader
  switch ((round + trader) % 4) {
    case 0:
      return [
        place({ market: 1, side: 'sell', priceTicks: 1_001 + step, qtyLots: lots, clientId: id(0) }),
        place({ market: 1, side: 'buy', priceTicks: 999 - step, qtyLots: lots, clientId: id(1) }),
      ]
    case 1:
      return [place({ market: 1, side: 'buy', priceTicks: HIGH, qtyLots: lots + 500, tif: 'ioc' })]
    case 2:
      return [place({ market: 1, side: 'sell', priceTicks: LOW, qtyLots: lots + 500, tif: 'ioc' })]
    default:
      return [-6, -5].map((offset) => cancel(1, id(offset + 2 * CLIENT_IDS)))
  }
}

interface CometBlock {
  readonly block: { readonly data: { readonly txs: readonly string[] } }
}

type Included = ReadonlyMap<Hex, OrderOutcome & { readonly height: number }>

/** The orders that blocks from `first` to `last` have, by hash. */
export const ordersIn = async (reader: TestNode, first: number, last: number): Promise<Included> => {
  const found = new Map<Hex, OrderOutcome & { readonly height: number }>()
  for (let height = first; height <= last; height++) {
    const { block } = await reader.comet<CometBlock>(`block?height=${height}`)
    const raws = block.data.txs.map((text) => Buffer.from(text, 'base64'))
    if (!raws.some((raw) => raw[0] === 0x70)) continue
    const route = `block_results?height=${height}`
    const results = await until(route, () => reader.comet<{ readonly txs_results: readonly CometResult[] }>(route))
    for (const [index, raw] of raws.entries()) {
      const result = results.txs_results[index]
      if (raw[0] !== 0x70 || result === undefined) continue
      found.set(`0x${createHash('sha256').update(raw).digest('hex')}`, { height, ...outcomeOf(result) })
    }
  }
  return found
}

const countFills = (orders: readonly TradedOrder[]): number =>
  orders.reduce((sum, { events }) => sum + events.filter(({ type }) => type === 'fill').length, 0)

/** Each account sends one order a block, account by account through one of the nodes. */
export const startTrading = (nodes: readonly TestNode[], accounts: readonly PrivateKeyAccount[]): Trading => {
  const sent: SentOrder[] = []
  const committedMs = new Map<number, number>()
  let isStopping = false
  let isSettled = false

  const trade = async (account: PrivateKeyAccount, trader: number): Promise<void> => {
    const node = nodes[trader % nodes.length] as TestNode
    for (let round = 0; !isStopping; round++) {
      const sentMs = performance.now()
      const { hash, sentAt } = await sendOrder(node, account, actionsOf(trader, round))
      const knownAt = await node.height()
      sent.push({ hash, sentAt, knownAt, sentMs, owner: account.address })
      await node.untilHeight(knownAt + 1)
    }
  }
  const watch = async (node: TestNode): Promise<void> => {
    for (let height = await node.height(); !isSettled; height++) {
      height = await node.untilHeight(height)
      committedMs.set(height, performance.now())
    }
  }
  const trading = Promise.all(accounts.map(trade))
  const watching = watch(nodes[0] as TestNode)
  for (const each of [trading, watching]) each.catch(() => undefined)
  /** The time at which a block was seen; of one that was passed over that of the next. */
  const seenMs = (height: number): number => {
    const later = [...committedMs].filter(([seen]) => seen >= height).map(([, ms]) => ms)
    return Math.min(...later)
  }
  return {
    get sentCount() {
      return sent.length
    },
    stop: async (reader) => {
      isStopping = true
      await trading
      const from = Math.min(...sent.map(({ sentAt }) => sentAt))
      const most = Math.max(...sent.map(({ knownAt }) => knownAt)) + GOOD_FOR_BLOCKS
      let included: Included = new Map()
      let last = await reader.height()
      for (;;) {
        included = await ordersIn(reader, from + 1, last)
        if (last >= most || sent.every(({ hash }) => included.has(hash))) break
        last = await reader.untilHeight(last + 1)
      }
      isSettled = true
      await watching
      const orders: TradedOrder[] = []
      for (const order of sent) {
        const outcome = included.get(order.hash)
        if (outcome === undefined) continue
        const tookMs = seenMs(outcome.height) - order.sentMs
        orders.push({ ...order, ...outcome, blocks: outcome.height - order.knownAt, tookMs })
      }
      const lost = sent.filter(({ hash }) => !included.has(hash)).map(({ hash }) => hash)
      return { orders, lost, fills: countFills(orders) }
    },
  }
}

const histogram = (values: readonly number[]): string => {
  const counts = new Map<number, number>()
  for (const value of values.toSorted((a, b) => a - b)) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].map(([value, count]) => `+${value}: ${count}`).join(', ')
}

/** One line for a person who reads the output of a test. */
export const describeTrade = (name: string, { orders, lost, fills }: TradeReport): string => {
  const times = orders.map(({ tookMs }) => tookMs).toSorted((a, b) => a - b)
  const at = (share: number): number => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0)
  const blocks = `blocks after the height known when answered ${histogram(orders.map((order) => order.blocks))}`
  const before = `after that before signing ${histogram(orders.map(({ height, sentAt }) => height - sentAt))}`
  return `${name}: ${orders.length} orders, ${fills} fills, ${lost.length} lost; ${blocks}; ${before}; ms median ${at(0.5)}, 90% ${at(0.9)}, most ${at(1)}`
}

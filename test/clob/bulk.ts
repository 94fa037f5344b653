/** State of books of a hundred thousand orders. */
import { uint64ToBytes } from '../../core/bytes.ts'
import type { OpenOrder } from '../../modules/clob/domain/order.ts'
import * as keeper from '../../modules/clob/keeper/index.ts'
import { mint } from '../../modules/bank/index.ts'
import type { Overlay } from '../../store/overlay.ts'
import { bookRoot } from './model/root.ts'
import { lockOf } from './model/money.ts'
import { emptyWorld, marketOf, type ModelMarket, type ModelOrder, type World } from './model/world.ts'
import { openState } from './state-of-world.ts'

export const BULK_TIME_MS = 1_900_000_000_000

const MARKET: ModelMarket = {
  id: 1,
  baseDenom: 'ubtc',
  quoteDenom: 'uusd',
  lotSize: 1n,
  factor: 10n,
  fees: [{ volume: 0n, makerPpm: 100n, takerPpm: 500n }],
  minNotional: 0n,
  bandPpm: 0n,
  maxOpenOrders: 5_000,
  triggerNotional: 0n,
  status: 'active',
  mode: 'continuous',
  blockPrice: 0n,
  sequence: 0n,
  priceMs: 0n,
  sinceMs: BigInt(BULK_TIME_MS),
}

export const bulkWorld = (patch: Partial<ModelMarket> = {}): World => {
  const world = emptyWorld({
    maxActions: 400,
    maxOpenOrders: 5_000,
    maxTriggers: 500,
    triggerWeight: 5_000,
    maxRemovals: 2_000,
  })
  world.markets = [{ ...MARKET, ...patch }]
  world.timeMs = BigInt(BULK_TIME_MS)
  return world
}

/** Owner number `n`, as forty digits. */
export const bulkOwner = (n: number): string => Buffer.from(uint64ToBytes(n)).toString('hex').padStart(40, 'b')

export const bulkOrder = (seq: number, owner: string, patch: Partial<ModelOrder>): ModelOrder => ({
  market: 1,
  seq: BigInt(seq),
  owner,
  subaccount: 0,
  side: 'sell',
  tif: 'gtc',
  price: 1_000n,
  lots: 1n,
  left: 1n,
  lockedPpm: 500n,
  clientId: '',
  expireS: 0n,
  triggerTicks: 0n,
  triggerKind: 'none',
  stp: 'cancel_maker',
  maxFills: 20,
  postOnlyMode: 'reject',
  ...patch,
})

const openOrderOf = (order: ModelOrder): OpenOrder => ({
  ...order,
  seq: Number(order.seq),
  owner: Buffer.from(order.owner, 'hex'),
  priceTicks: Number(order.price),
  lots: Number(order.lots),
  left: Number(order.left),
  lockedPpm: Number(order.lockedPpm),
  clientId: Buffer.from(order.clientId, 'hex'),
  expireS: Number(order.expireS),
  triggerTicks: Number(order.triggerTicks),
})

const bestOf = (orders: readonly ModelOrder[], side: 'buy' | 'sell'): number => {
  let best = 0
  for (const order of orders) {
    if (order.side !== side || order.triggerKind !== 'none') continue
    const price = Number(order.price)
    if (best === 0 || (side === 'buy' ? price > best : price < best)) best = price
  }
  return best
}

/** State of a world with its orders, accounts and escrow. */
export const openBulkState = (world: World): Overlay => {
  const state = openState(world)
  const counts = new Map<string, number>()
  for (const order of world.orders) {
    const open = openOrderOf(order)
    keeper.writeOrder(state, open.market, open.seq, keeper.encodeOrder(open))
    const [denom, amount] = lockOf(marketOf(world, order.market), order)
    mint(state, keeper.CLOB_ACCOUNT, { denom, amount })
    counts.set(order.owner, (counts.get(order.owner) ?? 0) + 1)
  }
  for (const owner of new Set([...counts.keys(), ...world.accounts.keys()])) {
    const account = world.accounts.get(owner)
    keeper.writeAccount(state, Buffer.from(owner, 'hex'), {
      openOrders: counts.get(owner) ?? 0,
      switchMs: Number(account?.switchMs ?? 0n),
      floors: account?.floors.map((floor) => ({ ...floor, nextSeq: Number(floor.nextSeq) })) ?? [],
    })
  }
  for (const market of world.markets) {
    const orders = world.orders.filter((order) => order.market === market.id)
    keeper.writeRecord(state, market.id, {
      sequence: Number(market.sequence),
      blockPriceTicks: Number(market.blockPrice),
      priceMs: market.priceMs,
      sinceMs: Number(market.sinceMs),
      bestBidTicks: bestOf(orders, 'buy'),
      bestAskTicks: bestOf(orders, 'sell'),
      openOrders: orders.length,
      bookRoot: Buffer.from(bookRoot(orders), 'hex'),
    })
  }
  return state
}

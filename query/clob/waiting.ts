/** Orders before a block holds them, as gateways are told of them. */
import { bytesToBase64 } from '../../core/bytes.ts'
import { encodeBech32, parseAccountAddress } from '../../core/bech32.ts'
import type { Hash } from '../../core/hash.ts'
import { bytesToHex } from '../../core/hex.ts'
import { limitExceeded } from '../../app/errors.ts'
import type { OrderPool } from '../../app/orders/pool.ts'
import type { OrderWatch } from '../../app/orders/order-watch.ts'
import type { OrderEnd, OrderStage, PooledOrder } from '../../app/orders/pooled-order.ts'
import { marketOfAction } from '../../modules/clob/index.ts'
import type { ClobNews, ClobPool, ClobWaitingOrder, Questions } from '../../app/ports.ts'
import { clobStream } from '../../proto/index.ts'
import { jsonText } from '../question-tools.ts'
import { type ClobSource, requireMarket } from './depth.ts'

/** The orders' door of the node, as far as it tells of orders. */
export interface WaitingOrders {
  readonly pool: Pick<OrderPool, 'get' | 'arrivals' | 'ordersOf'>
  readonly watch: OrderWatch
  /** Height of the block that took it of late. */
  includedHeight(hash: Hash): number | undefined
}

const { OrderStage: Stage } = clobStream

export const STAGES: Readonly<Record<OrderStage | OrderEnd, clobStream.OrderStage>> = {
  pending: Stage.PENDING,
  attested: Stage.ATTESTED,
  carried: Stage.CARRIED,
  included: Stage.INCLUDED,
  dropped: Stage.DROPPED,
  displaced: Stage.DISPLACED,
}

interface Shown {
  readonly order: PooledOrder
  readonly stage: OrderStage | OrderEnd
  readonly height: number
  readonly isWhole: boolean
}

const waitingOrder = ({ order, stage, height, isWhole }: Shown): ClobWaitingOrder => ({
  hash: bytesToHex(order.hash),
  stage: STAGES[stage],
  owner: encodeBech32(order.tx.owner),
  markets: [...new Set(order.tx.actions.map(marketOfAction))],
  seenMs: order.seenMs,
  height,
  raw: isWhole ? bytesToBase64(order.raw) : null,
})

/** Throws grpc/5. */
export const clobPool = (source: ClobSource, waiting: WaitingOrders, question: Questions['clobPool']): string => {
  const { market, owner, from } = question
  if (market !== 0) requireMarket(source, market)
  const { pool, watch } = waiting
  const { height, timeMs } = source.updates
  const place = from?.place ?? watch.follow()
  const below = from?.below ?? pool.arrivals
  const watched = { market, owner: owner === undefined ? undefined : parseAccountAddress(owner) }
  const { orders, next } = watch.page(watched, from?.arrival ?? 0, below)
  return jsonText({
    ...{ height, timeMs, place },
    orders: orders.map((order) => waitingOrder({ order, stage: watch.stageOf(order), height, isWhole: true })),
    next: next === undefined ? null : { arrival: next, below, place },
  } satisfies ClobPool)
}

/** Throws query/5 where what follows the place is not here any more. */
export const clobNews = (source: ClobSource, waiting: WaitingOrders, { since }: Questions['clobNews']): string => {
  const page = waiting.watch.read(since)
  if (page === undefined) {
    throw limitExceeded('so much has happened to orders that what was told last is not known here any more')
  }
  const { height, timeMs } = source.updates
  const { next, isMore, news } = page
  const orders = news.map(({ order, stage, isNew, height: at }) =>
    waitingOrder({ order, stage, height: at, isWhole: isNew }),
  )
  return jsonText({ height, timeMs, next, isMore, orders } satisfies ClobNews)
}

/** All that a book in memory knows, as plain values: two books are equal where these are. */
import { bytesToUnprefixedHex } from '../../../../core/bytes.ts'
import type { Books } from '../../book/books.ts'
import type { BookSide } from '../../book/book-side.ts'
import type { MarketBook } from '../../book/market-book.ts'
import type { RestingOrder } from '../../book/resting-order.ts'

const orderOf = (order: RestingOrder) => ({
  seq: order.seq,
  left: order.left,
  lots: order.lots,
  owner: bytesToUnprefixedHex(order.owner),
  clientId: bytesToUnprefixedHex(order.clientId),
  terms: [order.subaccount, order.side, order.tif, order.priceTicks, order.lockedPpm, order.expireS, order.stp],
  trigger: [order.triggerKind, order.triggerTicks, order.maxFills, order.postOnlyMode],
})

const sideOf = (side: BookSide) =>
  [...side.levels()].map((level) => {
    const orders: number[] = []
    for (let order = level.oldest; order !== undefined; order = order.newerInLevel) orders.push(order.seq)
    return { ticks: level.ticks, lots: level.lots.value, count: level.orders, orders, newest: level.newest?.seq }
  })

const marketOf = (market: MarketBook) => ({
  id: market.id,
  orders: [...market.orders.values()].toSorted((a, b) => a.seq - b.seq).map(orderOf),
  bids: sideOf(market.bids),
  asks: sideOf(market.asks),
  fired: Array.from({ length: 30 }, (_, at) => market.firstFiredAt(85 + at)?.seq),
  root: bytesToUnprefixedHex(market.buckets.root),
})

export const describeBooks = (books: Books) => ({
  markets: books.markets().map(marketOf),
  accounts: [...books.accounts()]
    .map((account) => ({
      owner: bytesToUnprefixedHex(account.owner),
      openOrders: account.openOrders,
      switchMs: account.switchMs,
      floors: account.floors.map(({ floor, named }) => ({ ...floor, named })),
      groups: account
        .groupsNamedBy({ subaccount: undefined, market: 0, side: undefined })
        .map((group) => {
          const orders: number[] = []
          for (let order = group.oldest; order !== undefined; order = order.newerInGroup) orders.push(order.seq)
          return {
            market: group.market,
            subaccount: group.subaccount,
            side: group.side,
            orders,
            living: account.living,
          }
        })
        .toSorted((a, b) => (a.orders[0] ?? 0) - (b.orders[0] ?? 0)),
    }))
    .toSorted((a, b) => (a.owner < b.owner ? -1 : 1)),
  nonces: books.nonces.size,
  dead: books.firstDead?.seq,
})

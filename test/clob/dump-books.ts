/** All that readers can see of the books in memory, as text: two books with one dump do the same. */
import { bytesToUnprefixedHex } from '../../core/bytes.ts'
import type { Books } from '../../modules/clob/book/books.ts'
import { stakeOf } from '../../modules/clob/book/crowd.ts'
import type { BookSide } from '../../modules/clob/book/book-side.ts'
import { encodeOrder } from '../../modules/clob/keeper/index.ts'
import type { ModelNonce } from './model/world.ts'
import { addressOf } from './traffic.ts'

/** Prices and times at which triggers and deaths are asked for. */
const MAX_TICKS = 20

const dumpSide = (side: BookSide): readonly string[] =>
  [...side.levels()].map((level) => {
    const seqs: number[] = []
    let back = 0
    for (let order = level.oldest; order !== undefined; order = order.newerInLevel) seqs.push(order.seq)
    let left = 0n
    for (let order = level.oldest; order !== undefined; order = order.newerInLevel) left += BigInt(order.left)
    // Property 2: rebuilt books could be wrong in the same way.
    if (left !== level.lots.value)
      throw new RangeError(`${level.lots.value} lots at ${level.ticks}, of orders with ${left}`)
    for (let order = level.newest; order !== undefined; order = order.olderInLevel) back += order.seq
    return `${side.side} ${level.ticks}: ${level.orders} orders ${seqs.join(' ')} back ${back} lots ${JSON.stringify(level.lots)}`
  })

export const dumpBooks = (books: Books, nonces: readonly ModelNonce[]): readonly string[] => {
  const lines: string[] = []
  for (const market of books.markets()) {
    lines.push(`market ${market.id} root ${bytesToUnprefixedHex(market.buckets.rootAfter([]))}`)
    lines.push(...dumpSide(market.bids), ...dumpSide(market.asks))
    const orders = [...market.orders.values()].toSorted((a, b) => a.seq - b.seq)
    for (const order of orders) {
      const state = order.isDead ? 'dead' : 'open'
      lines.push(`${state} order ${order.seq} ${bytesToUnprefixedHex(encodeOrder(order))}`)
    }
    for (const side of ['buy', 'sell'] as const) {
      const crowd = market.crowd(side)
      lines.push(`${side}: ${crowd.size} orders`)
      const living = orders.filter((order) => order.side === side && !order.isDead)
      const stakes = living.map((order) => [stakeOf(order), order.seq] as const)
      const least = stakes.toSorted(([a, first], [b, second]) => a - b || second - first)[0]?.[1]
      // Whether they are sorted depends on what was before, and says nothing.
      if (crowd.isSorted && crowd.least?.seq !== least) lines.push(`${crowd.least?.seq} gives way, and ${least} should`)
    }
    for (let ticks = 1; ticks <= MAX_TICKS; ticks++) {
      lines.push(`fires at ${ticks}: ${market.firstFiredAt(ticks)?.seq ?? 'none'}`)
    }
  }
  lines.push(`${books.size} orders, the first that is dead is ${books.firstDead?.seq ?? 'none'}`)
  const accounts = [...books.accounts()].toSorted((a, b) => (a.key < b.key ? -1 : 1))
  for (const account of accounts) {
    if (account.openOrders === 0) continue
    const floors = account.floors.map(({ floor, named }) => `${JSON.stringify(floor)} ${named}`)
    const orders = books.ordersOf(account.owner).map(({ seq }) => seq)
    const { owner, openOrders, living, switchMs } = account
    lines.push(
      `account ${bytesToUnprefixedHex(owner)} ${openOrders} ${living} ${switchMs} ${floors.join(';')} ${orders.join(' ')}`,
    )
  }
  for (const { signer, nonceMs } of nonces) {
    if (!books.isNonceUsed(addressOf(signer), Number(nonceMs))) lines.push(`nonce ${signer} ${nonceMs} is not known`)
  }
  return [...lines, `${books.nonces.size} nonces`]
}

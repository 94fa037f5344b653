/** The end of a step: escrow and settlement netted, and the state of all that it touched. */
import type { BookChange } from '../book/book-log.ts'
import type { OrderChanges } from '../book/bucket-root.ts'
import type { Books } from '../book/books.ts'
import { forgottenAt } from '../book/recent.ts'
import type { RestingOrder } from '../book/resting-order.ts'
import { compareBytes, equalBytes } from '../../../core/bytes.ts'
import type { Hash } from '../../../core/hash.ts'
import type { AccountBook } from '../book/account-book.ts'
import type { MarketRecord } from '../domain/market.ts'
import {
  CLOB_ACCOUNT,
  encodeOrder,
  writeAccount,
  writeAfter,
  writeMarks,
  writeNextSeq,
  writeNonces,
  writeOrder,
  writeRecord,
  writeTimeMs,
  writeVolume,
} from '../keeper/index.ts'
import type { MarketRun, StepRun } from './step-run.ts'

/** Orders and accounts that changes touch, as the book has them now. */
interface Touched {
  /** The orders by market and order_seq, sorted; undefined is gone. Those that came and went are not among them. */
  readonly orders: ReadonlyMap<number, readonly (readonly [seq: number, order: RestingOrder | undefined])[]>
  readonly accounts: ReadonlySet<AccountBook>
}

const touchedBy = (books: Books, log: readonly BookChange[]): Touched => {
  const accounts = new Set<AccountBook>()
  /** Whether state has the order, by market and order_seq. */
  const orders = new Map<number, Map<number, boolean>>()
  for (const change of log) {
    if ('account' in change) {
      if (change.kind === 'switch' || change.kind === 'floors') accounts.add(change.account)
      continue
    }
    const { order, kind } = change
    // State knows nothing of it: that an order is dead follows from what state has.
    if (kind === 'die') continue
    if (kind !== 'left') accounts.add(order.account)
    let inMarket = orders.get(order.market)
    if (inMarket === undefined) {
      inMarket = new Map()
      orders.set(order.market, inMarket)
    }
    if (!inMarket.has(order.seq)) inMarket.set(order.seq, kind !== 'insert')
  }
  const sorted = [...orders].map(([market, seqs]) => {
    const book = books.market(market)
    const list = [...seqs]
      .map(([seq, isInState]) => [seq, book.orders.get(seq), isInState] as const)
      .filter(([, order, isInState]) => isInState || order !== undefined)
      .map(([seq, order]) => [seq, order] as const)
      .toSorted(([a], [b]) => a - b)
    return [market, list] as const
  })
  return { orders: new Map(sorted), accounts }
}

/** Owners that have no open orders any more need no place in the books. */
const closeEmptyAccounts = (step: StepRun): void => {
  for (const key of step.traders.keys()) {
    const account = step.books.account(key)
    if (account?.openOrders === 0) step.books.closeAccount(account)
  }
}

const moveCoins = ({ context, purses, collected }: StepRun): void => {
  const { escrowed, settled } = purses.entries()
  const fees = [...collected]
    .filter(([, amount]) => amount > 0n)
    .map(([denom, amount]) => ({ owner: context.feeCollector, denom, amount }))
  if (escrowed.length > 0) context.ledger.escrow(context.state, CLOB_ACCOUNT, escrowed)
  if (settled.length + fees.length > 0) context.ledger.settle(context.state, CLOB_ACCOUNT, [...settled, ...fees])
}

const recordAfter = (step: StepRun, run: MarketRun, bookRoot: Hash): MarketRecord => {
  const { before, book, sequence, blockPriceTicks } = run
  const hasMoved = blockPriceTicks !== before.blockPriceTicks
  const passedMs = hasMoved ? step.timeMs - before.sinceMs : 0
  return {
    sequence,
    blockPriceTicks,
    priceMs: before.priceMs + BigInt(before.blockPriceTicks) * BigInt(passedMs),
    sinceMs: hasMoved ? step.timeMs : before.sinceMs,
    bestBidTicks: book.bids.best?.ticks ?? 0,
    bestAskTicks: book.asks.best?.ticks ?? 0,
    openOrders: book.orders.size,
    bookRoot,
  }
}

const isSameRecord = (a: MarketRecord, b: MarketRecord): boolean =>
  a.sequence === b.sequence &&
  a.blockPriceTicks === b.blockPriceTicks &&
  a.bestBidTicks === b.bestBidTicks &&
  a.bestAskTicks === b.bestAskTicks &&
  equalBytes(a.bookRoot, b.bookRoot)

const writeVolumes = (step: StepRun): void => {
  for (const trader of step.traders.values()) {
    for (const [denom, { before, added }] of trader.volumes) {
      if (added === 0n) continue
      const [today = 0n, ...earlier] = before.sums
      writeVolume(step.context.state, trader.owner, denom, { ...before, sums: [today + added, ...earlier] })
    }
  }
}

/** Writes all that the step touched, and returns what of it the buckets of the books need. */
export const finishStep = (step: StepRun, after: Hash | undefined): ReadonlyMap<number, OrderChanges> => {
  const { state, height } = step.context
  closeEmptyAccounts(step)
  const touched = touchedBy(step.books, step.books.log)
  const changes = new Map<number, OrderChanges>()
  for (const [market, list] of touched.orders) {
    const values = list.map(([seq, order]) => [seq, order === undefined ? undefined : encodeOrder(order)] as const)
    for (const [seq, value] of values) writeOrder(state, market, seq, value)
    changes.set(market, values)
  }
  const accounts = [...touched.accounts].toSorted((a, b) => compareBytes(a.owner, b.owner))
  for (const { owner, openOrders, switchMs, floors } of accounts) {
    writeAccount(state, owner, { openOrders, switchMs, floors: floors.map(({ floor }) => floor) })
  }
  for (const [id, run] of step.markets) {
    const record = recordAfter(step, run, run.book.buckets.rootAfter(changes.get(id) ?? []))
    if (!isSameRecord(record, run.before)) writeRecord(state, id, record)
  }
  writeVolumes(step)
  moveCoins(step)
  writeNonces(state, height, step.nonces)
  writeMarks(state, height, step.marks)
  const forgotten = forgottenAt(height)
  if (forgotten > 0) {
    writeNonces(state, forgotten, [])
    writeMarks(state, forgotten, [])
  }
  writeNextSeq(state, step.nextSeq)
  writeTimeMs(state, step.timeMs)
  writeAfter(state, after)
  return changes
}

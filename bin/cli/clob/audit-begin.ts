/** Rule 2: the book at A, from proven values and from open orders that have the root of their market's record. */
import { bytesToKey, equalBytes } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import {
  accountKey,
  AFTER_KEY,
  Books,
  CARRIED_KEY,
  encodeOrder,
  KEPT_BLOCKS,
  marketKey,
  marksKey,
  NEXT_KEY,
  noncesKey,
  type OpenOrder,
  orderKey,
  PARAMS_KEY,
  parseOpenOrder,
  QUEUE_KEY,
  readRecord,
  recordKey,
  rootOfOrders,
  TIME_KEY,
} from '../../../modules/clob/index.ts'
import { AuditFault } from './audit-fault.ts'
import type { ProvenHeight, Sources } from './audit-proven.ts'
import { type KnownValues, ListedState, readerOf } from './audit-state.ts'

const MARKETS_AT_ONCE = 64
const VALUES_AT_ONCE = 16

export interface BookAtStart {
  readonly books: Books
  readonly known: KnownValues
  readonly marketCount: number
}

export const SINGLE_KEYS = [PARAMS_KEY, NEXT_KEY, TIME_KEY, AFTER_KEY, QUEUE_KEY, CARRIED_KEY] as const

/** Puts the values of the keys into `known`: one proof for all, and a request for each that is there. */
const learn = async (at: ProvenHeight, known: KnownValues, keys: readonly Uint8Array[]): Promise<void> => {
  await at.prove(keys)
  for (let first = 0; first < keys.length; first += VALUES_AT_ONCE) {
    const part = keys.slice(first, first + VALUES_AT_ONCE)
    const values = await Promise.all(part.map((key) => at.value(key)))
    for (const [index, key] of part.entries()) known.set(bytesToKey(key), values[index])
  }
}

/** Learns the markets from `first` on, with their records. Returns how many markets there are. */
export const learnMarkets = async (at: ProvenHeight, known: KnownValues, first: number): Promise<number> => {
  for (let start = first; ; start += MARKETS_AT_ONCE) {
    const ids = Array.from({ length: MARKETS_AT_ONCE }, (_, index) => start + index)
    await at.prove(ids.map(marketKey))
    const end = ids.findIndex((id) => at.isAbsent(marketKey(id)))
    const there = end < 0 ? ids : ids.slice(0, end)
    await learn(
      at,
      known,
      there.flatMap((id) => [marketKey(id), recordKey(id)]),
    )
    if (end >= 0) return start + end - 1
  }
}

export class BookReader {
  readonly #sources: Sources
  readonly #at: ProvenHeight
  readonly #blockHeight: number
  readonly #known: KnownValues = new Map()
  /** Orders, nonces and marks, which the books keep from here on. */
  readonly #listed: KnownValues = new Map()

  constructor(sources: Sources, at: ProvenHeight, blockHeight: number) {
    this.#sources = sources
    this.#at = at
    this.#blockHeight = blockHeight
  }

  async read(): Promise<BookAtStart> {
    const at = this.#at
    await learn(at, this.#known, SINGLE_KEYS)
    const marketCount = await learnMarkets(at, this.#known, 1)
    const first = Math.max(1, at.height - KEPT_BLOCKS + 1)
    const heights = Array.from({ length: at.height - first + 1 }, (_, index) => first + index)
    await learn(at, this.#listed, [...heights.map(noncesKey), ...heights.map(marksKey)])
    const owners = new Map<string, Uint8Array>()
    for (let market = 1; market <= marketCount; market++) {
      for (const { owner } of await this.#readOrders(market)) owners.set(bytesToKey(owner), owner)
    }
    await learn(at, this.#known, [...owners.values()].map(accountKey))
    return {
      books: Books.load(new ListedState(new Map([...this.#known, ...this.#listed]))),
      known: this.#known,
      marketCount,
    }
  }

  async #readOrders(market: number): Promise<readonly OpenOrder[]> {
    const orders: OpenOrder[] = []
    const record = readRecord(readerOf(this.#known), market)
    try {
      for await (const order of this.#sources.node.orders(market, this.#at.height)) {
        const last = orders.at(-1)?.seq ?? 0
        const parsed = parseOpenOrder(order, `order ${order.orderSeq} of market ${market}`)
        if (parsed.market !== market || parsed.seq <= last) throw this.#lie(market, 'are not in the order of order_seq')
        if (orders.push(parsed) > (record?.openOrders ?? 0)) throw this.#lie(market, 'are more than its record has')
      }
    } catch (error) {
      if (error instanceof CodedError && error.codespace !== 'cli')
        throw this.#lie(market, `are malformed: ${error.message}`)
      throw error
    }
    const values = orders.map((order) => [order.seq, encodeOrder(order)] as const)
    if (record !== undefined && !equalBytes(rootOfOrders(values), record.bookRoot)) {
      throw this.#lie(market, 'do not have the root of its record')
    }
    for (const [seq, value] of values) this.#listed.set(bytesToKey(orderKey(market, seq)), value)
    return orders
  }

  #lie(market: number, what: string): AuditFault {
    const at = this.#at.height
    const { url } = this.#sources.node
    return new AuditFault({
      height: this.#blockHeight,
      rule: 2,
      what: `the open orders of market ${market} at ${at} ${what}`,
      liar: url,
    })
  }
}

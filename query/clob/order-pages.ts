/**
 * Open orders of a market in pages: a whole book would hold up the thread that executes blocks. Each page is of the block that is the newest when it is
 * asked for; who wants all of one block asks again for those that the blocks between have changed.
 */
import { create, toBinary } from '@bufbuild/protobuf'
import { bytesToBase64 } from '../../core/bytes.ts'
import { queryFailed } from '../../app/errors.ts'
import type { ClobOrdersPage, Questions } from '../../app/ports.ts'
import { type BookOrder, orderForm } from '../../modules/clob/index.ts'
import { clobStream } from '../../proto/index.ts'
import { jsonText } from '../question-tools.ts'
import type { ClobSource } from './depth.ts'

/** Some milliseconds. */
const ORDERS_A_PAGE = 2_000
/** Lists of numbers that are remembered: the oldest goes first, and who reads it begins anew. */
const MAX_LISTS = 4

interface SeqList {
  readonly market: number
  readonly seqs: readonly number[]
}

export const listOf = (open: readonly BookOrder[]) => ({
  orders: open.map(orderForm),
  died: open.filter(({ isDead }) => isDead).map(({ seq }) => BigInt(seq)),
})

export class OrderPages {
  readonly #source: ClobSource
  readonly #lists = new Map<number, SeqList>()
  #named = 0

  constructor(source: ClobSource) {
    this.#source = source
  }

  /** A page of a market that there is. Throws query/1 for a list that is not known any more. */
  page({ market, from, seqs }: Questions['clobOrders']): string {
    if (seqs !== undefined) return this.#text(market, seqs.slice(0, ORDERS_A_PAGE), null)
    const known = from && this.#lists.get(from.list)
    if (from !== undefined && known?.market !== market) {
      throw queryFailed('the list of these orders is not known here any more: begin anew')
    }
    const all = known?.seqs ?? [...this.#source.books().market(market).orders.keys()]
    const [at, end] = [from?.at ?? 0, (from?.at ?? 0) + ORDERS_A_PAGE]
    const isLast = end >= all.length
    if (isLast && from !== undefined) this.#lists.delete(from.list)
    const next = isLast ? null : { list: from?.list ?? this.#remember({ market, seqs: all }), at: end }
    return this.#text(market, all.slice(at, end), next)
  }

  forget(): void {
    this.#lists.clear()
  }

  #remember(list: SeqList): number {
    this.#lists.set(++this.#named, list)
    for (const oldest of this.#lists.keys()) {
      if (this.#lists.size <= MAX_LISTS) break
      this.#lists.delete(oldest)
    }
    return this.#named
  }

  /** The text of those that are open still. */
  #text(market: number, seqs: readonly number[], next: ClobOrdersPage['next']): string {
    const { updates } = this.#source
    const { orders } = this.#source.books().market(market)
    const { height, timeMs } = updates
    const { sequence } = updates.stampOf(market)
    const schema = clobStream.OrdersUpdateSchema
    const message = create(schema, listOf(seqs.flatMap((seq) => orders.get(seq) ?? [])))
    return jsonText({
      ...{ height, timeMs, sequence, next },
      orders: bytesToBase64(toBinary(schema, message)),
    } satisfies ClobOrdersPage)
  }
}

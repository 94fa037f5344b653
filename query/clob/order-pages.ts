/**
 * Open orders of a market in pages: a whole book would hold up the thread that executes blocks. Each page is of the block that is the newest when it is
 * asked for; who wants all of one block asks again for those that the blocks between have changed. The pages follow a list of numbers that all who
 * begin within a few blocks share, so that nobody can take the list of another reader away by beginning often.
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
/** Blocks for which a list serves those who begin: they ask again for what these blocks have changed. */
const SHARED_BLOCKS = 4
/** Blocks for which a list is remembered: a reader gives up after 60. */
const KEPT_BLOCKS = 64

/** The numbers of the orders that were open in a market at a height. */
interface SeqList {
  readonly id: number
  readonly market: number
  readonly height: number
  readonly seqs: readonly number[]
}

export const listOf = (open: readonly BookOrder[]) => ({
  orders: open.map(orderForm),
  died: open.filter(({ isDead }) => isDead).map(({ seq }) => BigInt(seq)),
})

export class OrderPages {
  readonly #source: ClobSource
  /** The oldest first, 17 of a market at most: 500,000 orders may be open in all markets together, so that all of them take 68 MB at most. */
  #lists: SeqList[] = []
  #named = 0

  constructor(source: ClobSource) {
    this.#source = source
  }

  /** A page of a market that there is. Throws query/1 for a list that is not known any more. */
  page({ market, from, seqs }: Questions['clobOrders']): string {
    const { height } = this.#source.updates
    if (seqs !== undefined) return this.#text(market, seqs.slice(0, ORDERS_A_PAGE), height, null)
    const list = from === undefined ? this.#listOf(market) : this.#lists.find(({ id }) => id === from.list)
    if (list?.market !== market) {
      throw queryFailed('the list of these orders is not known here any more: begin anew')
    }
    const at = from?.at ?? 0
    const end = at + ORDERS_A_PAGE
    const next = end >= list.seqs.length ? null : { list: list.id, at: end }
    return this.#text(market, list.seqs.slice(at, end), list.height, next)
  }

  forget(): void {
    this.#lists = []
  }

  /** The list for those who begin: one of the last blocks, as long as it is known what has changed since. */
  #listOf(market: number): SeqList {
    const { updates } = this.#source
    const { height, oldest } = updates
    const lowest = Math.max(height - SHARED_BLOCKS + 1, oldest - 1)
    const shared = this.#lists.findLast((list) => list.market === market && list.height >= lowest)
    if (shared !== undefined) return shared
    const seqs = [...this.#source.books().market(market).orders.keys()]
    const list = { id: ++this.#named, market, height, seqs }
    this.#lists = this.#lists.filter((each) => each.height > height - KEPT_BLOCKS)
    if (seqs.length > ORDERS_A_PAGE) this.#lists.push(list)
    return list
  }

  /** The text of those that are open still. */
  #text(market: number, seqs: readonly number[], listHeight: number, next: ClobOrdersPage['next']): string {
    const { updates } = this.#source
    const { orders } = this.#source.books().market(market)
    const { height, timeMs } = updates
    const { sequence } = updates.stampOf(market)
    const schema = clobStream.OrdersUpdateSchema
    const message = create(schema, listOf(seqs.flatMap((seq) => orders.get(seq) ?? [])))
    return jsonText({
      ...{ height, timeMs, sequence, listHeight, next },
      orders: bytesToBase64(toBinary(schema, message)),
    } satisfies ClobOrdersPage)
  }
}

/** Questions of streams about the order book: answered from the live book and the ring of the last blocks. */
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { parseAccountAddress } from '../../core/bech32.ts'
import { bytesToBase64 } from '../../core/bytes.ts'
import { type BookOrder, orderForm } from '../../modules/clob/index.ts'
import { clobStream } from '../../proto/index.ts'
import { limitExceeded, queryFailed } from '../../app/errors.ts'
import type { ClobStamp, Questions } from '../../app/ports.ts'
import { jsonText } from '../question-tools.ts'
import { type ClobSource, clobDepth, requireMarket, stampView } from './depth.ts'
import { updatesView } from './updates-view.ts'
import { clobNews, clobPool, type WaitingOrders } from './waiting.ts'

/** More would hold up the thread that executes blocks. */
const MAX_SNAPSHOT_ORDERS = 20_000

const listOf = (open: readonly BookOrder[]) => ({
  orders: open.map(orderForm),
  died: open.filter(({ isDead }) => isDead).map(({ seq }) => BigInt(seq)),
})

/** Base64, as JSON. */
const encoded = <Schema extends DescMessage>(schema: Schema, init: MessageInitShape<Schema>): string =>
  jsonText(bytesToBase64(toBinary(schema, create(schema, init))))

/** Answers of one block that are kept: the same is asked for by many who begin to read. */
const MAX_KEPT = 16
/** Of all of them together. */
const MAX_KEPT_CHARACTERS = 32 * 1024 * 1024

export class ClobQuestions {
  readonly #source: ClobSource
  readonly #waiting: WaitingOrders
  /** As of the block of this height. */
  #keptHeight = 0
  readonly #kept = new Map<string, string>()
  #keptCharacters = 0

  constructor(source: ClobSource, waiting: WaitingOrders) {
    this.#source = source
    this.#waiting = waiting
  }

  /** Throws grpc/5. */
  pool(question: Questions['clobPool']): string {
    return clobPool(this.#source, this.#waiting, question)
  }

  /** Throws query/5 where the place is too far behind. */
  news(question: Questions['clobNews']): string {
    return clobNews(this.#source, this.#waiting, question)
  }

  /** Throws grpc/5. */
  depth({ market, levels }: Questions['clobDepth']): string {
    return this.#keep(`depth ${market} ${levels}`, () => jsonText(clobDepth(this.#source, market, levels)))
  }

  /** Throws grpc/5, and query/5 where the market has too many orders for one answer. */
  orders({ market }: Questions['clobOrders']): string {
    return this.#keep(`orders ${market}`, () => this.#orders(market))
  }

  #orders(market: number): string {
    requireMarket(this.#source, market)
    const { updates } = this.#source
    const open = this.#source.books().market(market).orders
    if (open.size > MAX_SNAPSHOT_ORDERS) {
      throw limitExceeded(
        `market ${market} has ${open.size} open orders, and a snapshot has at most ${MAX_SNAPSHOT_ORDERS}: read nat.clob.v1.Query/Orders`,
      )
    }
    const sequence = BigInt(updates.stampOf(market).sequence)
    const { orders, died } = listOf([...open.values()].toSorted((a, b) => a.seq - b.seq))
    return encoded(clobStream.OrdersUpdateSchema, {
      ...{ market, height: BigInt(updates.height), timeMs: BigInt(updates.timeMs) },
      ...{ sequence, previousSequence: sequence, isSnapshot: true, orders, died },
    })
  }

  ownOrders({ owner }: Questions['clobOwnOrders']): string {
    const { height, timeMs } = this.#source.updates
    const { orders, died } = listOf(this.#source.books().ordersOf(parseAccountAddress(owner)))
    return encoded(clobStream.OwnOrdersUpdateSchema, {
      ...{ owner, height: BigInt(height), timeMs: BigInt(timeMs), previousHeight: BigInt(height - 1) },
      ...{ isSnapshot: true, orders, died },
    })
  }

  /** Throws grpc/5, and query/1 for a block that the ring does not know. */
  stamp({ market, height }: Questions['clobStamp']): string {
    requireMarket(this.#source, market)
    const { updates } = this.#source
    const stamp = updates.stampAt(market, height)
    if (stamp === undefined) throw this.#unknown(height)
    return jsonText({ height, timeMs: updates.at(height)?.timeMs ?? 0, ...stampView(stamp) } satisfies ClobStamp)
  }

  /** Throws query/1 for a block that the ring does not know. */
  updates({ height, recordsFrom }: Questions['clobUpdates']): string {
    const updates = this.#source.updates.at(height)
    if (updates === undefined) throw this.#unknown(height)
    return this.#keep(`updates ${height} ${recordsFrom ?? 'none'}`, () => jsonText(updatesView(updates, recordsFrom)))
  }

  /** The book is another one. */
  forget(): void {
    this.#kept.clear()
    this.#keptCharacters = 0
  }

  /** Made once a block: a whole book takes a tenth of a second. */
  #keep(key: string, make: () => string): string {
    const { height } = this.#source.updates
    if (height !== this.#keptHeight) this.forget()
    this.#keptHeight = height
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const made = make()
    if (this.#kept.size < MAX_KEPT && this.#keptCharacters + made.length <= MAX_KEPT_CHARACTERS) {
      this.#kept.set(key, made)
      this.#keptCharacters += made.length
    }
    return made
  }

  #unknown(height: number): Error {
    return queryFailed(`what block ${height} changed of the order book is not known here any more, or not yet`)
  }
}

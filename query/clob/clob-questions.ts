/** Questions of streams about the order book: answered from the live book and the ring of the last blocks. */
import { create, type DescMessage, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { parseAccountAddress } from '../../core/bech32.ts'
import { bytesToBase64 } from '../../core/bytes.ts'
import { clobStream } from '../../proto/index.ts'
import { blockNotTold } from '../../app/errors.ts'
import type { ClobStamp, Questions } from '../../app/ports.ts'
import { jsonText } from '../question-tools.ts'
import { type ClobSource, clobDepth, requireMarket, stampView } from './depth.ts'
import { listOf, OrderPages } from './order-pages.ts'
import { updatesView } from './updates-view.ts'
import { clobNews, clobPool, type WaitingOrders } from './waiting.ts'

/** Base64, as JSON. */
const encoded = <Schema extends DescMessage>(schema: Schema, init: MessageInitShape<Schema>): string =>
  jsonText(bytesToBase64(toBinary(schema, create(schema, init))))

/** Answers of one block that are kept, the newest: the same is asked for by many who begin to read. */
const MAX_KEPT = 16
/** The most characters of all kept answers together. */
const MAX_KEPT_CHARACTERS = 32 * 1024 * 1024

export class ClobQuestions {
  readonly #source: ClobSource
  readonly #waiting: WaitingOrders
  readonly #snapshots: OrderPages
  /** The kept answers are as of the block of this height. */
  #keptHeight = 0
  readonly #kept = new Map<string, string>()
  #keptCharacters = 0

  constructor(source: ClobSource, waiting: WaitingOrders) {
    this.#source = source
    this.#snapshots = new OrderPages(source)
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
  depth(question: Questions['clobDepth']): string {
    const { market, levels, from } = question
    const name = `depth ${market} ${levels} ${from?.side} ${from?.priceTicks}`
    return this.#keep(name, () => jsonText(clobDepth(this.#source, question)))
  }

  /** Throws grpc/5, and query/1 for a page of a list that is not known any more. */
  orders(question: Questions['clobOrders']): string {
    requireMarket(this.#source, question.market)
    if (question.from !== undefined || question.seqs !== undefined) return this.#snapshots.page(question)
    return this.#keep(`orders ${question.market}`, () => this.#snapshots.page(question))
  }

  ownOrders({ owner }: Questions['clobOwnOrders']): string {
    const { height, timeMs } = this.#source.updates
    const { orders, died } = listOf(this.#source.books().ordersOf(parseAccountAddress(owner)))
    return encoded(clobStream.OwnOrdersUpdateSchema, {
      ...{ owner, height: BigInt(height), timeMs: BigInt(timeMs), previousHeight: BigInt(height - 1) },
      ...{ isSnapshot: true, orders, died },
    })
  }

  /** Throws grpc/5, and query/10 for a block that the ring does not know. */
  stamp({ market, height }: Questions['clobStamp']): string {
    requireMarket(this.#source, market)
    const { updates } = this.#source
    const stamp = updates.stampAt(market, height)
    if (stamp === undefined) throw this.#unknown(height)
    return jsonText({ height, timeMs: updates.at(height)?.timeMs ?? 0, ...stampView(stamp) } satisfies ClobStamp)
  }

  /** Throws query/10 for a block that the ring does not know. */
  updates({ height, recordsFrom }: Questions['clobUpdates']): string {
    const updates = this.#source.updates.at(height)
    if (updates === undefined) throw this.#unknown(height)
    return this.#keep(`updates ${height} ${recordsFrom ?? 'none'}`, () => jsonText(updatesView(updates, recordsFrom)))
  }

  /** Called when the book is another one. */
  forget(): void {
    this.#snapshots.forget()
    this.#forgetKept()
  }

  #forgetKept(): void {
    this.#kept.clear()
    this.#keptCharacters = 0
  }

  /** Made once a block: a whole book takes a tenth of a second. */
  #keep(key: string, make: () => string): string {
    const { height } = this.#source.updates
    if (height !== this.#keptHeight) this.#forgetKept()
    this.#keptHeight = height
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept
    const made = make()
    if (made.length > MAX_KEPT_CHARACTERS) return made
    this.#kept.set(key, made)
    this.#keptCharacters += made.length
    for (const [oldest, { length }] of this.#kept) {
      if (this.#kept.size <= MAX_KEPT && this.#keptCharacters <= MAX_KEPT_CHARACTERS) break
      this.#kept.delete(oldest)
      this.#keptCharacters -= length
    }
    return made
  }

  #unknown(height: number): Error {
    return blockNotTold(height, this.#source.updates.oldest)
  }
}

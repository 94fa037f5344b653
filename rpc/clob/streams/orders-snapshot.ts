/**
 * All open orders of a market after one block. They are asked for in pages, between which blocks go on: orders that these have changed are asked for once
 * more, until no block has come meanwhile.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import type { ClobOrdersPage, Questions } from '../../../app/ports.ts'
import { clob, clobStream } from '../../../proto/index.ts'
import { rpcError } from '../../errors.ts'
import type { BlockMessages } from './messages.ts'

export interface OrdersSnapshot {
  readonly height: number
  readonly timeMs: number
  readonly sequence: number
  /** OpenOrders as bytes, by order_seq. */
  readonly orders: readonly Uint8Array[]
  readonly died: readonly bigint[]
  /** Characters of what was asked for it. */
  readonly length: number
}

export interface OrdersSource {
  ask(question: Questions['clobOrders']): string | Promise<string>
  /** With its records. */
  block(height: number): Promise<BlockMessages>
}

const SEQS_A_QUESTION = 2_000
/** Blocks that may come meanwhile: the application remembers no more. */
const MAX_BLOCKS = 60

/** One that is kept as bytes takes a tenth of what it takes as an object. */
interface Kept {
  readonly bytes: Uint8Array
  readonly isDead: boolean
}

const PAGE = clobStream.OrdersUpdateSchema.field
const ORDER_SEQ = clob.OpenOrderSchema.field.orderSeq.number

const seqOf = (order: Uint8Array): bigint => {
  const reader = new BinaryReader(order)
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    if (number === ORDER_SEQ) return BigInt(reader.uint64())
    reader.skip(wireType, number)
  }
  return 0n
}

/** The orders of a page as they are encoded: two thousand as objects, and back, are more than a turn of the event loop. */
const splitPage = (page: Uint8Array) => {
  const orders: { readonly seq: bigint; readonly bytes: Uint8Array }[] = []
  const died = new Set<bigint>()
  const reader = new BinaryReader(page)
  while (reader.pos < reader.len) {
    const [number, wireType] = reader.tag()
    if (number === PAGE.orders.number) {
      const bytes = reader.bytes()
      orders.push({ seq: seqOf(bytes), bytes })
    } else if (number === PAGE.died.number && wireType === WireType.LengthDelimited) {
      const packed = new BinaryReader(reader.bytes())
      while (packed.pos < packed.len) died.add(BigInt(packed.uint64()))
    } else if (number === PAGE.died.number) died.add(BigInt(reader.uint64()))
    else reader.skip(wireType, number)
  }
  return { orders, died }
}

class Gatherer {
  readonly #market: number
  readonly #source: OrdersSource
  readonly #orders = new Map<number, Kept>()
  /** What the newest page says beside its orders. */
  page: Pick<ClobOrdersPage, 'height' | 'timeMs' | 'sequence'> = { height: 0, timeMs: 0, sequence: 0 }
  length = 0

  constructor(market: number, source: OrdersSource) {
    this.#market = market
    this.#source = source
  }

  async gather(): Promise<void> {
    const first = await this.#ask({ market: this.#market })
    // What the pages show is of a later block than the list of all: what has come or gone since is asked for below.
    let whole = first.listHeight
    for (let { next } = first; next !== null; ) next = (await this.#ask({ market: this.#market, from: next })).next
    while (whole < this.page.height) {
      if (this.page.height - first.height > MAX_BLOCKS) {
        throw rpcError(
          'failed',
          'blocks come faster than this book can be read: read nat.clob.v1.Query/Orders at a height, and begin at the next',
        )
      }
      const until = this.page.height
      const changed = await this.#changed(whole, until)
      whole = until
      for (let at = 0; at < changed.length; at += SEQS_A_QUESTION)
        await this.#askAgain(changed.slice(at, at + SEQS_A_QUESTION))
    }
  }

  /** The orders by order_seq. */
  sorted(): readonly (readonly [number, Kept])[] {
    return [...this.#orders].toSorted(([a], [b]) => a - b)
  }

  /** Orders that blocks above one height, up to another, have changed. */
  async #changed(above: number, upTo: number): Promise<readonly number[]> {
    const seqs = new Set<number>()
    for (let height = above + 1; height <= upTo; height++) {
      const block = await this.#source.block(height)
      this.length += block.length
      for (const seq of block.changedOrders(this.#market)) seqs.add(seq)
    }
    return [...seqs]
  }

  async #askAgain(seqs: readonly number[]): Promise<void> {
    const before = this.#orders.size
    for (const seq of seqs) this.#orders.delete(seq)
    await this.#ask({ market: this.#market, seqs })
    if (before > this.#orders.size) await nextTurn()
  }

  async #ask(question: Questions['clobOrders']): Promise<ClobOrdersPage> {
    const text = await this.#source.ask(question)
    this.length += text.length
    const page = JSON.parse(text) as ClobOrdersPage
    this.page = page
    const { orders, died } = splitPage(Buffer.from(page.orders, 'base64'))
    for (const { seq, bytes } of orders) this.#orders.set(Number(seq), { bytes, isDead: died.has(seq) })
    return page
  }
}

/** Throws what the application says, and rpc/1 where blocks come too fast. */
export const gatherOrders = async (market: number, source: OrdersSource): Promise<OrdersSnapshot> => {
  const gatherer = new Gatherer(market, source)
  await gatherer.gather()
  const all = gatherer.sorted()
  const { height, timeMs, sequence } = gatherer.page
  return {
    ...{ height, timeMs, sequence, length: gatherer.length },
    orders: all.map(([, { bytes }]) => bytes),
    died: all.flatMap(([seq, { isDead }]) => (isDead ? [BigInt(seq)] : [])),
  }
}

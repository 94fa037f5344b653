/**
 * Where streams of the order book begin. An opening is made once for all who ask for the same until the next block, and kept within bounds with what
 * it has encoded.
 */
import { fromBinary } from '@bufbuild/protobuf'
import type { Asker, ClobDepth, ClobStamp } from '../../../app/ports.ts'
import { clobStream } from '../../../proto/index.ts'
import { rpcError } from '../../errors.ts'
import type { HeadNews, HeadTracker } from '../../head.ts'
import { type BookSnapshot, gatherBook } from './book-snapshot.ts'
import type { Opening, StreamHubOptions } from './hub.ts'
import { Kept, type KeptBounds } from './kept.ts'
import { type BlockMessages, ordersSnapshot, snapshotOf } from './messages.ts'
import { OpeningLine, type RequireWanted } from './opening-line.ts'
import { gatherOrders } from './orders-snapshot.ts'
import { keyOf, type StreamRequest } from './request.ts'
import { StreamMessage } from './stream-message.ts'

export const KEPT_OPENINGS: KeptBounds = { entries: 1_024, bytes: 64 * 1024 * 1024 }

/** Bytes of an opening, about: what was asked for it as objects, and its first message as JSON and as bytes. */
export const keptBytes = (length: number): number => 1_024 + 6 * length

export interface OpeningSource {
  readonly head: HeadTracker
  readonly ask: StreamHubOptions['ask']
  blockAt(height: number, withRecords: boolean): Promise<BlockMessages>
}

interface KeptOpening {
  readonly opening: Opening
  /** The newest block while it is what a new stream begins with. */
  readonly height: number
}

export class Openings {
  readonly #source: OpeningSource
  readonly #kept = new Kept<KeptOpening>(KEPT_OPENINGS)
  readonly #line = new OpeningLine<Opening>()

  constructor(source: OpeningSource) {
    this.#source = source
  }

  /** Rejects with CodedErrors. The asker is left out where it is not known when it goes. */
  async open(request: StreamRequest, asker: Asker | undefined): Promise<Opening> {
    const { height } = this.#source.head.current().head
    const { fromHeight } = request
    if (fromHeight > height + 1)
      throw rpcError('failed', `from_height ${fromHeight} is above that of the next block, ${height + 1}`)
    const key = `${keyOf(request)} ${fromHeight}`
    const kept = this.#kept.get(key)
    if (kept?.height === height) return kept.opening
    return await this.#line.open(key, asker, async (requireWanted) => {
      const source = this.#whileWanted(requireWanted)
      const [opening, upTo] = await (fromHeight > 0 ? openAt(request, source) : openNow(request, source))
      // One of a block that the head does not show yet is of use once it does.
      if (upTo >= this.#source.head.current().head.height)
        this.#kept.set(key, { opening, height: upTo }, keptBytes(opening.length))
      return opening
    })
  }

  /** Before anybody else is told the news. */
  follow(news: HeadNews): void {
    if (news.type === 'missed') this.#kept.clear()
    else if (news.type === 'head') this.#kept.deleteWhere(({ height }) => height !== news.head.height)
  }

  close(): void {
    this.#kept.clear()
  }

  #whileWanted(requireWanted: RequireWanted): OpeningSource {
    const { head, ask, blockAt } = this.#source
    return {
      head,
      ask: (name, parameters) => {
        requireWanted()
        return ask(name, parameters)
      },
      blockAt: (height, withRecords) => {
        requireWanted()
        return blockAt(height, withRecords)
      },
    }
  }
}

/** With the newest block for which it is what a stream begins with. */
type Made = readonly [opening: Opening, height: number]

/** A stream that goes on behind what it was told before. */
const openAt = async (request: StreamRequest, { head, ask, blockAt }: OpeningSource): Promise<Made> => {
  const { fromHeight: next } = request
  const { height } = head.current().head
  if ('owner' in request) {
    // A block that is not known any more is an error of the opening.
    const length = next <= height ? (await blockAt(next, true)).length : 0
    return [{ request, snapshot: [], stamp: undefined, next, length }, height]
  }
  const text = await ask('clobStamp', { market: request.market, height: next - 1 })
  return [{ request, snapshot: [], stamp: JSON.parse(text) as ClobStamp, next, length: text.length }, height]
}

const openOrders = async (
  request: Extract<StreamRequest, { market: number }>,
  { ask, blockAt }: OpeningSource,
): Promise<Made> => {
  const { market } = request
  const found = await gatherOrders(market, {
    ask: (question) => ask('clobOrders', question),
    block: (height) => blockAt(height, true),
  })
  const { height, sequence, length } = found
  const stamp = { sequence, blockPriceTicks: 0, bid: null, ask: null }
  return [{ request, snapshot: ordersSnapshot(market, found), stamp, next: height + 1, length }, height]
}

const openOwn = async (request: Extract<StreamRequest, { owner: string }>, { ask }: OpeningSource): Promise<Made> => {
  const text = await ask('clobOwnOrders', { owner: request.owner })
  const schema = clobStream.OwnOrdersUpdateSchema
  const message = fromBinary(schema, Buffer.from(JSON.parse(text) as string, 'base64'))
  // An owner may have thousands: as a list they are encoded in parts.
  const { orders } = message
  const list = { name: 'orders', count: orders.length, make: (at: number) => orders[at] as (typeof orders)[number] }
  const whole = new StreamMessage(schema, { ...message, orders: [] } as typeof message, [list])
  const height = Number(message.height)
  return [{ request, snapshot: [() => whole], stamp: undefined, next: height + 1, length: text.length }, height]
}

const wholeBook = (market: number, { ask, blockAt }: OpeningSource): Promise<BookSnapshot> =>
  gatherBook(market, {
    ask: (question) => ask('clobDepth', question),
    block: (height) => blockAt(height, false),
  })

const bestOf = async (market: number, { ask }: OpeningSource): Promise<BookSnapshot> => {
  const text = await ask('clobDepth', { market, levels: 1 })
  return { depth: JSON.parse(text) as ClobDepth, length: text.length }
}

const openNow = async (request: StreamRequest, source: OpeningSource): Promise<Made> => {
  if ('owner' in request) return await openOwn(request, source)
  const { channel, market } = request
  if (channel === 'orders') return await openOrders(request, source)
  const { depth, length } = await (channel === 'book' ? wholeBook(market, source) : bestOf(market, source))
  const snapshot = snapshotOf(channel, market, depth)
  // Without the levels: a stream keeps its stamp until its market changes.
  const { height, sequence, blockPriceTicks, bid, ask: best } = depth
  const stamp = { sequence, blockPriceTicks, bid, ask: best }
  return [{ request, snapshot: [() => snapshot], stamp, next: height + 1, length }, height]
}

/**
 * Streams of the order book for all connections of a gateway. What a block changed is asked for once, only while somebody reads, and
 * told without a gap: a stream that cannot go on ends with a reason.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { fromBinary } from '@bufbuild/protobuf'
import type { ClobDepth, ClobStamp, ClobUpdates, QuestionName, Questions } from '../../../app/ports.ts'
import { errorText } from '../../../core/errors.ts'
import { clobStream } from '../../../proto/index.ts'
import { rpcError } from '../../errors.ts'
import type { HeadNews, HeadTracker } from '../../head.ts'
import type { GatewayLog } from '../../log.ts'
import { createLine } from '../../subscriptions/line.ts'
import { Owners } from '../../subscriptions/owners.ts'
import { type BookSnapshot, gatherBook } from './book-snapshot.ts'
import { BlockMessages, ordersSnapshot, snapshotOf, type Stamp } from './messages.ts'
import { createOptimisticStreams, type OptimisticOpening } from './optimistic.ts'
import { gatherOrders } from './orders-snapshot.ts'
import { type AnyRequest, keyOf, type StreamRequest } from './request.ts'
import { type StreamForm, StreamMessage } from './stream-message.ts'

export interface StreamReader {
  /** The client as {@link clientOf} of limits.ts names it. */
  readonly client: string
  /** In which it reads messages. */
  readonly form: StreamForm
  /** Called in the order of heights. */
  send(message: StreamMessage): void
  /** Resolves when the client has taken most of what was sent, or has gone. */
  drained(): Promise<void>
  /** Takes note of characters that were asked for it alone, behind its opening. */
  charge(length: number): void
  /** The stream has ended: it cannot go on without a gap. */
  fail(reason: string): void
}

/** Where a stream begins. */
export interface Opening {
  readonly request: StreamRequest
  /** Its messages: most have one, and what resumes at a height has none. */
  readonly snapshot: readonly (() => StreamMessage)[]
  /** Stamp of the stream's market, after the block before `next`. */
  readonly stamp: Stamp | undefined
  /** The first block that is told. */
  readonly next: number
  /** Characters of what was asked for it. */
  readonly length: number
}

export type AnyOpening = Opening | OptimisticOpening

export interface StreamHub {
  /** Rejects with CodedErrors: for a market that is not there, and for a block that cannot be told any more. */
  open(request: AnyRequest): Promise<AnyOpening>
  /** Sends the snapshot, at once where it is short. Returns how to end it. Throws rpc/9 when its client has too many. */
  join(opening: AnyOpening, reader: StreamReader): () => void
  close(): void
}

export interface StreamHubOptions {
  readonly head: HeadTracker
  ask<Name extends QuestionName>(name: Name, parameters: Questions[Name]): string | Promise<string>
  readonly log: GatewayLog
}

interface Stream {
  readonly request: StreamRequest
  readonly reader: StreamReader
  next: number
  stamp: Stamp | undefined
  /** It has all that was told before, and waits for the next block. */
  isLive: boolean
}

/** Blocks that wait for what the ones before them changed; the ring of the application has no more. */
const MAX_WAITING = 64
/** Streams that are told before others get a turn. */
const TOLD_A_TURN = 1_000
/** They take memory of the gateway: each, all of them, and those of a client. */
const STREAM_BYTES = 1_024
const MAX_BYTES = 64 * 1024 * 1024
const MAX_CLIENT_BYTES = 4 * 1024 * 1024

/** The others are told of levels alone. */
const readsRecords = ({ channel }: StreamRequest): boolean => channel !== 'book' && channel !== 'bestPrices'

export const createStreamHub = ({ head, ask, log }: StreamHubOptions): StreamHub => {
  const optimistic = createOptimisticStreams({ ask, log })
  const streams = new Set<Stream>()
  const owners = new Owners<Stream>({ bytes: MAX_BYTES, bytesOfClient: MAX_CLIENT_BYTES })
  const line = createLine(MAX_WAITING)
  /** The newest block that all live streams were told. */
  let told: number | undefined
  /** The answers that are under way, by what is asked: those who ask for the same meanwhile share the answer. */
  const asked = new Map<string, Promise<unknown>>()

  const share = <Result>(key: string, make: () => Promise<Result>): Promise<Result> => {
    const known = asked.get(key) as Promise<Result> | undefined
    if (known !== undefined) return known
    const made = make().finally(() => asked.delete(key))
    asked.set(key, made)
    return made
  }

  const blockAt = (height: number, withRecords: boolean): Promise<BlockMessages> =>
    share(`block ${height} ${withRecords}`, async () => {
      let length = 0
      const pageAt = async (recordsFrom?: number): Promise<ClobUpdates> => {
        const text = await ask('clobUpdates', { height, ...(recordsFrom !== undefined && { recordsFrom }) })
        length += text.length
        return JSON.parse(text) as ClobUpdates
      }
      const first = await pageAt(withRecords ? 0 : undefined)
      const block = new BlockMessages(first)
      for (let { next } = first; withRecords && next !== null; ) {
        await nextTurn()
        const page = await pageAt(next)
        block.take(page)
        ;({ next } = page)
      }
      block.length = length
      return block
    })

  const remove = (stream: Stream): boolean => {
    owners.remove(stream.reader.client, stream)
    return streams.delete(stream)
  }

  const fail = (ending: Iterable<Stream>, reason: string): void => {
    let count = 0
    for (const stream of [...ending]) {
      if (!remove(stream)) continue
      count++
      stream.reader.fail(reason)
    }
    if (count > 0) log.warn('streams of the order book ended', { reason, streams: count })
  }

  /** Undefined where the stream has been told at once; what is long is encoded in turns. */
  const tell = (stream: Stream, block: BlockMessages): Promise<void> | undefined => {
    const { request, stamp: before } = stream
    const after = before === undefined || 'owner' in request ? undefined : block.stampAfter(request.market, before)
    if (block.height !== stream.next || (before !== undefined && after === undefined)) {
      fail([stream], `block ${block.height} does not follow what was told`)
      return undefined
    }
    stream.stamp = after
    stream.next++
    const message = block.messageOf(request, before, after)
    const send = (): void => {
      if (streams.has(stream)) stream.reader.send(message)
    }
    const preparing = message.prepare(stream.reader.form)
    if (preparing !== undefined) return preparing.then(send)
    send()
    return undefined
  }

  const tellAll = async (block: BlockMessages): Promise<void> => {
    // Whoever becomes live from here on needs the next block.
    told = block.height
    let count = 0
    const long: Promise<void>[] = []
    for (const stream of [...streams]) {
      if (!streams.has(stream) || !stream.isLive || stream.next > block.height) continue
      if (block.hasRecords || !readsRecords(stream.request)) {
        // Who reads little does not wait for those who read much.
        const telling = tell(stream, block)
        if (telling !== undefined) long.push(telling)
      } else {
        // It has become live since the block was asked for.
        stream.isLive = false
        void catchUp(stream)
      }
      if (++count % TOLD_A_TURN === 0) await nextTurn()
    }
    await Promise.all(long)
  }

  const live = (): Stream[] => [...streams].filter(({ isLive }) => isLive)

  const follow = async (height: number): Promise<void> => {
    if (streams.size === 0) {
      told = height
      return
    }
    if (told !== undefined && height <= told) {
      fail([...streams], `the chain went back to block ${height}`)
      told = height
      return
    }
    try {
      await tellAll(
        await blockAt(
          height,
          live().some(({ request }) => readsRecords(request)),
        ),
      )
    } catch (error) {
      told = height
      fail(live(), `block ${height}: ${errorText(error)}`)
    }
  }

  const stop = head.subscribe((news: HeadNews) => {
    if (news.type === 'missed') return fail([...streams], `blocks were missed: ${news.reason}`)
    if (news.type === 'pending') return
    const { height } = news.head
    if (!line.add(() => follow(height))) fail([...streams], 'the application does not answer')
  })

  /** Tells what stands between the opening and the newest block, which the others have been told already. */
  const catchUp = async (stream: Stream): Promise<void> => {
    try {
      while (streams.has(stream)) {
        told ??= head.current().head.height
        if (stream.next > told) {
          stream.isLive = true
          return
        }
        const block = await blockAt(stream.next, readsRecords(stream.request))
        if (stream.request.fromHeight > 0) stream.reader.charge(block.length)
        if (streams.has(stream)) await tell(stream, block)
      }
    } catch (error) {
      fail([stream], errorText(error))
    }
  }

  /** Sends the snapshot, of which a part waits until the client has taken the one before it. */
  const begin = async (stream: Stream, snapshot: Opening['snapshot']): Promise<void> => {
    const { reader } = stream
    for (const [at, make] of snapshot.entries()) {
      if (at > 0) await reader.drained()
      const message = make()
      const preparing = message.prepare(reader.form)
      if (preparing !== undefined) await preparing
      if (!streams.has(stream)) return
      reader.send(message)
    }
    await catchUp(stream)
  }

  const openAt = async (request: StreamRequest): Promise<Opening> => {
    const { fromHeight: next } = request
    const newest = head.current().head.height
    if (next > newest + 1)
      throw rpcError('failed', `from_height ${next} is above that of the next block, ${newest + 1}`)
    if ('owner' in request) {
      // A block that is not known any more is an error of the opening.
      const length = next <= newest ? (await blockAt(next, true)).length : 0
      return { request, snapshot: [], stamp: undefined, next, length }
    }
    const text = await ask('clobStamp', { market: request.market, height: next - 1 })
    return { request, snapshot: [], stamp: JSON.parse(text) as ClobStamp, next, length: text.length }
  }

  const openOrders = async (request: Extract<StreamRequest, { market: number }>): Promise<Opening> => {
    const { market } = request
    const found = await gatherOrders(market, {
      ask: (question) => ask('clobOrders', question),
      block: (height) => blockAt(height, true),
    })
    const stamp = { sequence: found.sequence, blockPriceTicks: 0, bid: null, ask: null }
    const snapshot = ordersSnapshot(market, found)
    return { request, snapshot, stamp, next: found.height + 1, length: found.length }
  }

  const openOwn = async (request: Extract<StreamRequest, { owner: string }>): Promise<Opening> => {
    const text = await ask('clobOwnOrders', { owner: request.owner })
    const schema = clobStream.OwnOrdersUpdateSchema
    const message = fromBinary(schema, Buffer.from(JSON.parse(text) as string, 'base64'))
    const next = Number(message.height) + 1
    const whole = new StreamMessage(schema, message)
    return { request, snapshot: [() => whole], stamp: undefined, next, length: text.length }
  }

  const wholeBook = (market: number): Promise<BookSnapshot> =>
    gatherBook(market, {
      ask: (question) => ask('clobDepth', question),
      block: (height) => blockAt(height, false),
    })

  const bestOf = async (market: number): Promise<BookSnapshot> => {
    const text = await ask('clobDepth', { market, levels: 1 })
    return { depth: JSON.parse(text) as ClobDepth, length: text.length }
  }

  const openNow = async (request: StreamRequest): Promise<Opening> => {
    if ('owner' in request) return openOwn(request)
    const { channel, market } = request
    if (channel === 'orders') return openOrders(request)
    const { depth, length } = channel === 'book' ? await wholeBook(market) : await bestOf(market)
    const snapshot = snapshotOf(channel, market, depth)
    // Without the levels: a stream keeps its stamp until its market changes.
    const { sequence, blockPriceTicks, bid, ask: best } = depth
    const stamp = { sequence, blockPriceTicks, bid, ask: best }
    return { request, snapshot: [() => snapshot], stamp, next: depth.height + 1, length }
  }

  return {
    open(request) {
      if (request.channel === 'optimistic') return optimistic.open(request)
      return request.fromHeight > 0 ? openAt(request) : share(`snapshot ${keyOf(request)}`, () => openNow(request))
    },
    join(opening, reader) {
      if ('pages' in opening) return optimistic.join(opening, reader)
      const { request, snapshot, stamp, next } = opening
      const stream: Stream = { request, reader, stamp, next, isLive: false }
      const ended = owners.add(reader.client, stream, STREAM_BYTES)
      fail(ended, 'the streams of all clients are too many')
      streams.add(stream)
      begin(stream, snapshot).catch((error: unknown) => fail([stream], errorText(error)))
      return () => void remove(stream)
    },
    close() {
      stop()
      optimistic.close()
      streams.clear()
    },
  }
}

/**
 * Channel `optimistic`: orders that no block holds yet. What happens to them is asked for once, while somebody reads, some tens of times a
 * second; a stream that cannot go on ends with a reason. None of it is mixed with what blocks have done.
 */
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import type { Asker, ClobNews, ClobPool, ClobWaitingOrder } from '../../../app/ports.ts'
import { errorText } from '../../../core/errors.ts'
import { hexToBytes } from '../../../core/hex.ts'
import { clobStream, clobTx } from '../../../proto/index.ts'
import { rpcError } from '../../errors.ts'
import { Owners } from '../../subscriptions/owners.ts'
import type { StreamHubOptions, StreamReader } from './hub.ts'
import { Kept } from './kept.ts'
import { OpeningLine, type RequireWanted } from './opening-line.ts'
import { KEPT_OPENINGS, keptBytes } from './openings.ts'
import { keyOf, type OptimisticRequest } from './request.ts'
import { SendingTurns, sendSnapshot } from './sending-turns.ts'
import { listOfMessages, messageOf, type StreamMessage } from './stream-message.ts'
import { TOO_MANY_SNAPSHOTS, WAITING_SNAPSHOTS } from './waiting-snapshots.ts'

export interface OptimisticOpening {
  readonly request: OptimisticRequest
  /** Pages of the pool, in their order. */
  readonly snapshot: readonly (() => StreamMessage)[]
  /** Number of the first news behind them. */
  readonly place: number
  /** Characters of what was asked for it. */
  readonly length: number
}

interface Stream {
  readonly request: OptimisticRequest
  readonly reader: StreamReader
  /** Number of the first news that it is told. */
  next: number
  /** It has its snapshot, and is told news. */
  isLive: boolean
}

export interface OptimisticOptions extends Pick<StreamHubOptions, 'ask' | 'log' | 'waitingSnapshots'> {
  /** Shared with other streams; left out, they have their own. */
  readonly turns?: SendingTurns
}

export interface OptimisticStreams {
  open(request: OptimisticRequest, asker?: Asker): Promise<OptimisticOpening>
  join(opening: OptimisticOpening, reader: StreamReader): () => void
  /** Whoever opens from here on begins anew. */
  forget(): void
  close(): void
}

const POLL_MS = 50
/** Streams are told for so long before others get a turn. */
const TURN_MS = 3
/** An opening is shared for so long: whoever has it is told what has come since, which is little. */
const KEPT_MS = 100
const STREAM_BYTES = 1_024
const MAX_BYTES = 16 * 1024 * 1024
const MAX_CLIENT_BYTES = 1024 * 1024
/**
 * The most characters of all pages of a snapshot: a pool that is full of orders of one market has more, and is told by
 * owner.
 */
const MAX_SNAPSHOT_CHARACTERS = 32 * 1024 * 1024

const orderForm = ({
  hash,
  stage,
  owner,
  seenMs,
  height,
  raw,
}: ClobWaitingOrder): MessageInitShape<typeof clobStream.OptimisticOrderSchema> => ({
  ...{
    txHash: hexToBytes(hash),
    stage: stage as clobStream.OrderStage,
    owner,
    seenMs: BigInt(seenMs),
    height: BigInt(height),
  },
  // The first byte says which kind of transaction it is.
  ...(raw !== null && { tx: fromBinary(clobTx.ClobTxSchema, Buffer.from(raw, 'base64').subarray(1)) }),
})

const updateOf = (
  { height, timeMs }: Pick<ClobNews, 'height' | 'timeMs'>,
  orders: readonly ClobWaitingOrder[],
  flags: { readonly isSnapshot?: boolean; readonly isContinued?: boolean } = {},
): StreamMessage =>
  messageOf(clobStream.OptimisticUpdateSchema, { height: BigInt(height), timeMs: BigInt(timeMs), ...flags }, [
    listOfMessages('orders', orders, clobStream.OptimisticOrderSchema, orderForm),
  ])

/** Each page is made when it is its turn, and the first kept, for those who join together: all of them take much memory. */
const snapshotOf = (pages: readonly ClobPool[]): OptimisticOpening['snapshot'] => {
  const [first, ...others] = pages.map((page, at) => () => {
    const flags = { isSnapshot: at === 0, isContinued: at < pages.length - 1 }
    return updateOf(page, page.orders, flags)
  })
  if (first === undefined) return []
  const whole = first()
  return [() => whole, ...others]
}

const isWatched = ({ owner, markets }: ClobWaitingOrder, request: OptimisticRequest): boolean => {
  if (request.owner !== undefined && request.owner !== owner) return false
  return request.market === 0 || markets.includes(0) || markets.includes(request.market)
}

export const createOptimisticStreams = ({
  ask,
  log,
  waitingSnapshots = WAITING_SNAPSHOTS,
  turns = new SendingTurns(),
}: OptimisticOptions): OptimisticStreams => {
  const streams = new Set<Stream>()
  const owners = new Owners<Stream>({ bytes: MAX_BYTES, bytesOfClient: MAX_CLIENT_BYTES })
  /** Those that have more pages of their snapshot to send than the first. */
  const reading = new Owners<Stream>(waitingSnapshots)
  /** Place of the next news that is asked for. */
  let next = 0
  let isFollowing = false
  const line = new OpeningLine<OptimisticOpening>()
  const kept = new Kept<OptimisticOpening>(KEPT_OPENINGS)
  let isClosed = false

  const keep = (key: string, opening: OptimisticOpening): void => {
    if (isClosed) return
    kept.set(key, opening, keptBytes(opening.length))
    setTimeout(() => {
      if (kept.get(key) === opening) kept.delete(key)
    }, KEPT_MS).unref()
  }

  const remove = (stream: Stream): boolean => {
    owners.remove(stream.reader.client, stream)
    reading.remove(stream.reader.client, stream)
    return streams.delete(stream)
  }

  const fail = (ending: Iterable<Stream>, reason: string): void => {
    let count = 0
    for (const stream of [...ending]) {
      if (!remove(stream)) continue
      count++
      stream.reader.fail(reason)
    }
    if (count > 0) log.warn('optimistic streams of the order book ended', { reason, streams: count })
  }

  const tell = async (page: ClobNews, from: number): Promise<void> => {
    let untilMs = performance.now() + TURN_MS
    const made = new Map<string, StreamMessage | undefined>()
    const messageFor = (request: OptimisticRequest, begin: number): StreamMessage | undefined => {
      const orders = page.orders.filter((order, at) => from + at >= begin && isWatched(order, request))
      return orders.length === 0 ? undefined : updateOf(page, orders)
    }
    for (const stream of [...streams]) {
      // Who has joined meanwhile, and begins before the page, is told by the next one.
      if (!streams.has(stream) || !stream.isLive || stream.next < from) continue
      // Who has been told up to the same place shares its message with all others who ask for the same.
      const key = `${keyOf(stream.request)} ${stream.next}`
      if (!made.has(key)) made.set(key, messageFor(stream.request, stream.next))
      const message = made.get(key)
      stream.next = Math.max(stream.next, page.next)
      if (message !== undefined) stream.reader.send(message)
      if (performance.now() < untilMs) continue
      await nextTurn()
      untilMs = performance.now() + TURN_MS
    }
  }

  /** Undefined where they are not here any more. Then whoever waits for them has fallen behind, and the others go on. */
  const readNews = async (from: number): Promise<ClobNews | undefined> => {
    try {
      return JSON.parse(await ask('clobNews', { since: from })) as ClobNews
    } catch (error) {
      fail(
        [...streams].filter((stream) => stream.next <= from),
        errorText(error),
      )
      next = [...streams].reduce((least, stream) => Math.min(least, stream.next), Number.POSITIVE_INFINITY)
      return undefined
    }
  }

  const follow = async (): Promise<void> => {
    if (isFollowing) return
    isFollowing = true
    try {
      while (streams.size > 0) {
        const from = next
        const page = await readNews(from)
        if (page === undefined) continue
        // Somebody may have joined who must be told of what was before.
        if (next >= from) next = page.next
        await tell(page, from)
        if (!page.isMore) await wait(POLL_MS)
      }
    } catch (error) {
      fail([...streams], errorText(error))
    } finally {
      isFollowing = false
    }
  }

  /** Sends the snapshot page by page. */
  const begin = async (stream: Stream, snapshot: OptimisticOpening['snapshot']): Promise<void> => {
    const { reader } = stream
    if (!(await sendSnapshot(turns, reader, snapshot, () => streams.has(stream)))) return
    reading.remove(reader.client, stream)
    stream.isLive = true
    next = Math.min(next, stream.next)
    void follow()
  }

  const openNow = async (request: OptimisticRequest, requireWanted: RequireWanted): Promise<OptimisticOpening> => {
    const { market, owner } = request
    const pages: ClobPool[] = []
    let length = 0
    for (let from: ClobPool['next'] | undefined; from !== null; ) {
      if (length > MAX_SNAPSHOT_CHARACTERS) {
        throw rpcError(
          'failed',
          'the orders that wait are too many for a snapshot now: watch those of an owner, or try again',
        )
      }
      const question = { market, ...(owner !== undefined && { owner }), ...(from !== undefined && { from }) }
      requireWanted()
      const text = await ask('clobPool', question)
      const page = JSON.parse(text) as ClobPool
      pages.push(page)
      length += text.length
      from = page.next
    }
    return { request, snapshot: snapshotOf(pages), place: pages[0]?.place ?? 0, length }
  }

  return {
    async open(request, asker) {
      const key = keyOf(request)
      return (
        kept.get(key) ??
        (await line.open(key, asker, async (requireWanted) => {
          const opening = await openNow(request, requireWanted)
          keep(key, opening)
          return opening
        }))
      )
    },
    join({ request, snapshot, place, length }, reader) {
      const stream: Stream = { request, reader, next: place, isLive: false }
      if (snapshot.length > 1) fail(reading.add(reader.client, stream, length), TOO_MANY_SNAPSHOTS)
      try {
        fail(owners.add(reader.client, stream, STREAM_BYTES), 'the streams of all clients are too many')
      } catch (error) {
        reading.remove(reader.client, stream)
        throw error
      }
      // What comes while it reads its snapshot it is told behind that.
      if (streams.size === 0 && !isFollowing) next = place
      streams.add(stream)
      begin(stream, snapshot).catch((error: unknown) => fail([stream], errorText(error)))
      // While it reads its snapshot the application keeps what comes meanwhile.
      void follow()
      return () => void remove(stream)
    },
    forget: () => kept.clear(),
    close() {
      isClosed = true
      kept.clear()
      streams.clear()
    },
  }
}

/**
 * Channel `optimistic`: orders that no block holds yet. What happens to them is asked for once, while somebody reads, some tens of times a
 * second; a stream that cannot go on ends with a reason. None of it is mixed with what blocks have done.
 */
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import type { ClobNews, ClobPool, ClobWaitingOrder } from '../../../app/ports.ts'
import { errorText } from '../../../core/errors.ts'
import { hexToBytes } from '../../../core/hex.ts'
import { clobStream, clobTx } from '../../../proto/index.ts'
import { rpcError } from '../../errors.ts'
import { Owners } from '../../subscriptions/owners.ts'
import type { StreamHubOptions, StreamReader } from './hub.ts'
import { keyOf, type OptimisticRequest } from './request.ts'
import { listOfMessages, messageOf, type StreamMessage } from './stream-message.ts'

/** Pages of the pool, in their order. */
export interface OptimisticOpening {
  readonly request: OptimisticRequest
  readonly pages: readonly ClobPool[]
  /** Characters of them. */
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

export interface OptimisticStreams {
  open(request: OptimisticRequest): Promise<OptimisticOpening>
  join(opening: OptimisticOpening, reader: StreamReader): () => void
  close(): void
}

const POLL_MS = 50
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

const isWatched = ({ owner, markets }: ClobWaitingOrder, request: OptimisticRequest): boolean => {
  if (request.owner !== undefined && request.owner !== owner) return false
  return request.market === 0 || markets.includes(0) || markets.includes(request.market)
}

export const createOptimisticStreams = ({ ask, log }: Pick<StreamHubOptions, 'ask' | 'log'>): OptimisticStreams => {
  const streams = new Set<Stream>()
  const owners = new Owners<Stream>({ bytes: MAX_BYTES, bytesOfClient: MAX_CLIENT_BYTES })
  /** Place of the next news that is asked for. */
  let next = 0
  let isFollowing = false
  /** The openings under way, by what is asked: those who ask for the same meanwhile share the answer. */
  const opening = new Map<string, Promise<OptimisticOpening>>()

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
    if (count > 0) log.warn('optimistic streams of the order book ended', { reason, streams: count })
  }

  const tell = (page: ClobNews, from: number): void => {
    const made = new Map<string, StreamMessage | undefined>()
    const messageFor = ({ request, next: begin }: Stream): StreamMessage | undefined => {
      const orders = page.orders.filter((order, at) => from + at >= begin && isWatched(order, request))
      return orders.length === 0 ? undefined : updateOf(page, orders)
    }
    for (const stream of [...streams]) {
      if (!streams.has(stream) || !stream.isLive) continue
      // Who has been told up to here shares its message with all others who ask for the same.
      const key = stream.next <= from ? keyOf(stream.request) : undefined
      let message = key === undefined ? undefined : made.get(key)
      if (key === undefined || !made.has(key)) message = messageFor(stream)
      if (key !== undefined) made.set(key, message)
      stream.next = Math.max(stream.next, page.next)
      if (message !== undefined) stream.reader.send(message)
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
        // Somebody has joined who must be told of what was before.
        if (page === undefined || next < from) continue
        next = page.next
        tell(page, from)
        if (!page.isMore) await wait(POLL_MS)
      }
    } catch (error) {
      fail([...streams], errorText(error))
    } finally {
      isFollowing = false
    }
  }

  /** Sends the snapshot page by page; a page waits until the client has taken those before it. */
  const begin = async (stream: Stream, pages: readonly ClobPool[]): Promise<void> => {
    const { reader } = stream
    for (const [at, page] of pages.entries()) {
      if (at > 0) {
        await nextTurn()
        await reader.drained()
      }
      if (!streams.has(stream)) return
      reader.send(updateOf(page, page.orders, { isSnapshot: at === 0, isContinued: at < pages.length - 1 }))
    }
    if (!streams.has(stream)) return
    stream.isLive = true
    next = Math.min(next, stream.next)
    void follow()
  }

  const openNow = async (request: OptimisticRequest): Promise<OptimisticOpening> => {
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
      const text = await ask('clobPool', question)
      const page = JSON.parse(text) as ClobPool
      pages.push(page)
      length += text.length
      from = page.next
    }
    return { request, pages, length }
  }

  return {
    open(request) {
      const key = keyOf(request)
      const known = opening.get(key)
      if (known !== undefined) return known
      const made = openNow(request).finally(() => opening.delete(key))
      opening.set(key, made)
      return made
    },
    join({ request, pages }, reader) {
      const place = pages[0]?.place ?? 0
      const stream: Stream = { request, reader, next: place, isLive: false }
      const ended = owners.add(reader.client, stream, STREAM_BYTES)
      fail(ended, 'the streams of all clients are too many')
      const isFirst = streams.size === 0
      streams.add(stream)
      next = isFirst && !isFollowing ? place : Math.min(next, place)
      begin(stream, pages).catch((error: unknown) => fail([stream], errorText(error)))
      // While it reads its snapshot the application keeps what comes meanwhile.
      void follow()
      return () => void remove(stream)
    },
    close() {
      streams.clear()
    },
  }
}

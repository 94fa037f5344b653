/**
 * Streams of the order book for all connections of a gateway. What a block changed is asked for once, only while somebody reads, and
 * told without a gap: a stream that cannot go on ends with a reason.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Asker, ClobUpdates, QuestionName, Questions } from '../../../app/ports.ts'
import { errorText } from '../../../core/errors.ts'
import type { HeadNews, HeadTracker } from '../../head.ts'
import type { GatewayLog } from '../../log.ts'
import { Lines } from '../../subscriptions/line.ts'
import { type OwnerBounds, Owners } from '../../subscriptions/owners.ts'
import { BlockMessages, type Stamp } from './messages.ts'
import { Openings } from './openings.ts'
import { createOptimisticStreams, type OptimisticOpening } from './optimistic.ts'
import type { AnyRequest, StreamRequest } from './request.ts'
import { SendingTurns, sendSnapshot } from './sending-turns.ts'
import type { StreamForm, StreamMessage } from './stream-message.ts'
import { TOO_MANY_SNAPSHOTS, WAITING_SNAPSHOTS } from './waiting-snapshots.ts'

export interface StreamReader {
  /** The client as {@link clientOf} of limits.ts names it. */
  readonly client: string
  /** One of the client's, as {@link Asker} has it. */
  readonly connection?: string
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
  /**
   * Rejects with CodedErrors: for a market that is not there, for a block that cannot be told any more, and once the asker has gone. Whose asker is
   * left out waits in no line, and is taken for one that never goes.
   */
  open(request: AnyRequest, asker?: Asker): Promise<AnyOpening>
  /** Sends the snapshot, at once where it is short and its client has nothing else to be sent. Returns how to end it. Throws rpc/9 when its client has too many. */
  join(opening: AnyOpening, reader: StreamReader): () => void
  close(): void
}

export interface StreamHubOptions {
  readonly head: HeadTracker
  ask<Name extends QuestionName>(name: Name, parameters: Questions[Name]): string | Promise<string>
  readonly log: GatewayLog
  /** How much of snapshots may wait for their readers, of each channel with pages; left out, what a gateway has room for. */
  readonly waitingSnapshots?: OwnerBounds
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
/** Streams are told for so long before others get a turn. */
const TURN_MS = 3
/** They take memory of the gateway: each, all of them, and those of a client. */
const STREAM_BYTES = 1_024
const MAX_BYTES = 64 * 1024 * 1024
const MAX_CLIENT_BYTES = 4 * 1024 * 1024

/** The others are told of levels alone. */
const readsRecords = ({ channel }: StreamRequest): boolean => channel !== 'book' && channel !== 'bestPrices'

export const createStreamHub = (options: StreamHubOptions): StreamHub => {
  const { head, ask, log, waitingSnapshots = WAITING_SNAPSHOTS } = options
  const turns = new SendingTurns()
  const optimistic = createOptimisticStreams({ ask, log, waitingSnapshots, turns })
  const streams = new Set<Stream>()
  const owners = new Owners<Stream>({ bytes: MAX_BYTES, bytesOfClient: MAX_CLIENT_BYTES })
  /** Those that have more of their snapshot to send than its first message: it is held until they have read what was before. */
  const reading = new Owners<Stream>(waitingSnapshots)
  const lines = new Lines(MAX_WAITING)
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

  const openings = new Openings({ head, ask, blockAt })

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
    let untilMs = performance.now() + TURN_MS
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
      if (performance.now() < untilMs) continue
      await nextTurn()
      untilMs = performance.now() + TURN_MS
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
    openings.follow(news)
    if (news.type !== 'pending') optimistic.forget()
    if (news.type === 'missed') return fail([...streams], `blocks were missed: ${news.reason}`)
    if (news.type === 'pending') return
    const { height } = news.head
    if (!lines.add('blocks', () => follow(height))) fail([...streams], 'the application does not answer')
  })

  /** Tells what stands between the opening and the newest block, which the others have been told already. */
  const catchUp = async (stream: Stream): Promise<void> => {
    try {
      while (streams.has(stream)) {
        // Before any was told: those between that one and the newest may still be told, one by one.
        if (stream.next > (told ?? head.current().head.height)) {
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

  const begin = async (stream: Stream, snapshot: Opening['snapshot']): Promise<void> => {
    const { reader } = stream
    if (!(await sendSnapshot(turns, reader, snapshot, () => streams.has(stream)))) return
    reading.remove(reader.client, stream)
    await catchUp(stream)
  }

  return {
    open(request, asker) {
      return request.channel === 'optimistic' ? optimistic.open(request, asker) : openings.open(request, asker)
    },
    join(opening, reader) {
      if ('place' in opening) return optimistic.join(opening, reader)
      const { request, snapshot, stamp, next, length } = opening
      const stream: Stream = { request, reader, stamp, next, isLive: false }
      if (snapshot.length > 1) fail(reading.add(reader.client, stream, length), TOO_MANY_SNAPSHOTS)
      try {
        fail(owners.add(reader.client, stream, STREAM_BYTES), 'the streams of all clients are too many')
      } catch (error) {
        reading.remove(reader.client, stream)
        throw error
      }
      streams.add(stream)
      begin(stream, snapshot).catch((error: unknown) => fail([stream], errorText(error)))
      return () => void remove(stream)
    },
    close() {
      stop()
      optimistic.close()
      openings.close()
      turns.close()
      streams.clear()
    },
  }
}

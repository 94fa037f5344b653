/** One WebSocket: its messages are read, charged and answered one after another. */
import type { Duplex } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import { afterArrivals } from '../arrival.ts'
import { askerOn } from '../asker.ts'
import { answerCost, bodyCost, PLAIN_COST } from '../costs.ts'
import { CROWDED, failWith, type Subscriber } from '../envelope.ts'
import { rpcError } from '../errors.ts'
import { describeSyntaxError } from '../json-syntax.ts'
import { LONG_REQUEST_BYTES, type LongRequests, MOST_SUBSCRIBING_BYTES } from '../long-requests/long-requests.ts'
import { admitLater, clientOf } from '../limits.ts'
import { TOO_GREEDY } from '../memory-budget.ts'
import { type Payload, replyIdOf } from '../payload.ts'
import { LongReply, type Reply } from '../replies.ts'
import { ConnectionSubscriptions } from './connection-subscriptions.ts'
import { Counted } from './counted.ts'
import { PART_OF_BATCH } from '../turns.ts'
import type { WebSocketOptions } from './options.ts'
import { SocketWriter } from './socket-writer.ts'

/** Messages of a connection that are being answered; reading pauses above it. */
const MAX_IN_FLIGHT = 1_000
/** Messages of a connection that wait for their turn, and their bytes; the same. One read may bring more. */
const MAX_WAITING = 16
const MAX_WAITING_BYTES = 64 * 1024
/** What a message takes in memory beside its text, until it is answered. */
const MESSAGE_BYTES = 512
/** Close codes of RFC 6455. */
const POLICY_VIOLATION = 1008
const TRY_AGAIN_LATER = 1013
/** Bytes of the reason in a close frame. */
const MAX_REASON_BYTES = 123
/** What a connection that is closed for being slow has left to take the reason. */
const CLOSE_GRACE_MS = 1_000

const LIMITED = 'rate limit exceeded'

const truncate = (reason: string): string =>
  Buffer.from(reason)
    .subarray(0, MAX_REASON_BYTES)
    .toString('utf8')
    .replace(/\ufffd+$/, '')

export interface Connection {
  isAlive: boolean
  /** Bytes have come that may be a part of a message. */
  arrive(bytes: number): void
  /** Takes off bytes that turned out to be no part of a message. */
  depart(bytes: number): void
  receive(data: RawData): void
  /** It sends tiny frames without end, and is closed for it; called for whatever comes after that, too. */
  flood(): void
  end(): void
}

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data)).toString('utf8')

/** In memory of its own, to be given away. */
const bytesOf = (data: RawData): Uint8Array => {
  const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data)
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}

/**
 * What subscribes is read where its connection is, if it is no longer than that may be: it would come back from the other thread, and
 * be read twice. Whoever writes the name with escapes has it go there and back.
 */
const staysHere = (data: RawData): boolean =>
  Buffer.isBuffer(data) && data.length <= MOST_SUBSCRIBING_BYTES && data.includes('subscribe"')

/** What a client sent that has gone since is still sent; nobody waits for the answers to all else. */
const mayHaveEffect = (data: RawData): boolean => Buffer.isBuffer(data) && data.includes('_send')

const lengthOf = (data: RawData): number =>
  Array.isArray(data) ? data.reduce((sum, { length }) => sum + length, 0) : data.byteLength

/** `stream` carries the socket; `address` is that of its client. */
export const createConnection = (
  socket: WebSocket,
  stream: Duplex,
  address: string,
  options: WebSocketOptions,
): Connection => {
  const { responder, limiter, turns, longRequests } = options
  const client = clientOf(address)
  // The socket of TCP: that of WebSocket is closed when what was read of it has been given to whoever listens.
  const asker = askerOn(stream, client)
  const share = options.budget.open(client, (reason) => closeWith(TRY_AGAIN_LATER, reason))
  const unfinished = new Counted(share)
  let arrived = 0
  let inFlight = 0
  let waiting = 0
  let waitingBytes = 0

  const closeSlow = (): void => closeWith(POLICY_VIOLATION, 'too slow: messages were left unread')
  const writer = new SocketWriter({
    ...{ socket, stream, share, asker, turns: options.writingTurns },
    bufferLimit: options.bufferLimit,
    onSlow: closeSlow,
  })
  const subscriptions = new ConnectionSubscriptions({
    ...{ client, asker, writer, share, hub: options.hub, streams: options.streams, limit: options.subscriptionLimit },
    charge: (length) => limiter?.charge(address, answerCost(length)),
    onSlow: closeSlow,
    // JSON-RPC has no word for a subscription that ends by itself, so all of the connection does.
    onFailed: (reason) => closeWith(TRY_AGAIN_LATER, `a subscription ended: ${reason}`),
  })

  const end = (): void => {
    writer.end()
    share.release()
    subscriptions.endAll()
  }

  /** What it still sends would be held, and nobody reads it; whoever takes nothing never takes the reason. */
  const stopReading = (): void => {
    socket.pause()
    setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref()
  }

  const closeWith = (code: number, reason: string, bytes = socket.bufferedAmount): void => {
    if (writer.isEnded) return
    end()
    options.log.warn('websocket closed', { address, reason, bytes })
    socket.close(code, truncate(reason))
    stopReading()
  }

  const answer = async (payload: Payload): Promise<void> => {
    const created: string[] = []
    const subscriber: Subscriber = {
      subscribe(namespace, params) {
        const made = subscriptions.subscribe(namespace, params)
        if (typeof made === 'string') {
          created.push(made)
          return made
        }
        return made.then((id) => {
          created.push(id)
          return id
        })
      },
      unsubscribe: (id) => subscriptions.unsubscribe(id),
    }
    let held = 0
    const reply = responder.respond(payload, {
      asker: () => asker,
      subscriber,
      takeTurn: (work) => turns.take(stream, PART_OF_BATCH, work),
      hold: (bytes) => {
        if (writer.isEnded || !share.hold(bytes)) return false
        held += bytes
        return true
      },
    })
    const late = reply instanceof Promise ? await reply : reply
    share.give(held)
    sendReply(late)
    subscriptions.activate(created)
  }

  const sendReply = (reply: Reply | undefined): void => {
    const text = reply instanceof LongReply ? reply.toBuffer() : reply
    limiter?.charge(address, answerCost(text?.length ?? 0))
    // Some replies end without a line feed over HTTP, here none does.
    if (text === undefined) return
    // Answers to what was asked together come together.
    if (inFlight > 1) writer.cork()
    writer.send([typeof text !== 'string' || text.endsWith('\n') ? text : `${text}\n`])
  }

  /** Read and answered by another thread, but for subscriptions. */
  const answerLong = async ({ answer: answerElsewhere }: LongRequests, data: RawData): Promise<void> => {
    let held = 0
    const outcome = await answerElsewhere(bytesOf(data), {
      asker,
      canSubscribe: true,
      admit: (cost) => admitLater(limiter, address, cost),
      hold(bytes) {
        if (writer.isEnded || !share.hold(bytes)) return false
        held += bytes
        return true
      },
    })
    share.give(held)
    if (outcome.kind === 'unreadable') limiter?.charge(address, PLAIN_COST)
    if (writer.isEnded) return undefined
    switch (outcome.kind) {
      case 'reply':
        return sendReply(outcome.reply)
      case 'refused':
        return sendRefusal(outcome.replyId, LIMITED, outcome.waitSeconds)
      case 'unreadable':
        return outcome.why === 'crowded' ? writer.send([`${CROWDED}\n`]) : refuse(outcome.syntax)
      case 'lost':
        return writer.send([`${failWith('null', outcome.error)}\n`])
      case 'subscribes': {
        const { bytes } = outcome
        return await turns.take(stream, bytes.byteLength, () =>
          takeText(Buffer.from(bytes.buffer).toString('utf8'), true),
        )
      }
    }
  }

  const sendRefusal = (id: string, what: string, waitSeconds: number): void =>
    writer.send([`${failWith(id, rpcError('rateLimited', `${what}, retry in ${waitSeconds} s`))}\n`])

  /** True when the address has used up its rate; the refusal has been sent then. */
  const isLimited = (cost: number, id = 'null'): boolean => {
    const waitSeconds = cost === 0 ? 0 : (limiter?.take(address, cost) ?? 0)
    if (waitSeconds > 0) sendRefusal(id, LIMITED, waitSeconds)
    return waitSeconds > 0
  }

  const isFlood = (): boolean => {
    const waitSeconds = options.messages?.take(address, 1) ?? 0
    if (waitSeconds > 0) sendRefusal('null', 'too many messages', waitSeconds)
    return waitSeconds > 0
  }

  /**
   * Refuses a text as geth does: what is wrong with it is said, where it does not only end too early, and the line is
   * cut.
   */
  const refuse = (message: string | undefined): void => {
    end()
    stopReading()
    if (message === undefined) socket.terminate()
    else socket.send(`${failWith('null', rpcError('parse', message))}\n`, () => socket.terminate())
  }

  const take = (data: RawData): void | Promise<void> => {
    if (writer.isEnded || isFlood()) return undefined
    const reading = bodyCost(lengthOf(data))
    if (isLimited(reading)) return undefined
    const isLong = longRequests !== undefined && lengthOf(data) >= LONG_REQUEST_BYTES && !staysHere(data)
    return isLong ? answerLong(longRequests, data) : takeText(textOf(data), reading > 0)
  }

  /** `isPaid` where its length has been charged. */
  const takeText = (text: string, isPaid: boolean): void | Promise<void> => {
    const payload = responder.parse(text)
    const isRefused = (cost: number, id?: string): boolean => {
      if (!isPaid) return isLimited(cost, id)
      // It was let in by its length, and a full bucket lets in everything once: the rest it may owe.
      limiter?.charge(address, cost)
      return false
    }
    if (typeof payload === 'string') {
      if (isRefused(PLAIN_COST)) return undefined
      return payload === 'crowded' ? writer.send([`${CROWDED}\n`]) : refuse(describeSyntaxError(text))
    }
    if (isRefused(responder.cost(payload), replyIdOf(payload))) return undefined
    return answer(payload)
  }

  const isBusy = (): boolean => inFlight >= MAX_IN_FLIGHT || waiting >= MAX_WAITING || waitingBytes >= MAX_WAITING_BYTES

  const flow = (): void => {
    if (!isBusy() && socket.isPaused && !writer.isEnded) socket.resume()
  }

  /** What is called when a message is answered. It keeps nothing of it: a thousand may wait. */
  const answered = (length: number) => (): void => {
    share.give(length + MESSAGE_BYTES)
    inFlight--
    flow()
  }

  const takeWaiting = (data: RawData, length: number): void => {
    waiting--
    waitingBytes -= length
    void Promise.resolve(take(data)).finally(answered(length))
    flow()
  }

  return {
    isAlive: true,
    arrive(bytes) {
      arrived += bytes
      if (!writer.isEnded && !unfinished.set(arrived)) closeWith(TRY_AGAIN_LATER, TOO_GREEDY, arrived)
    },
    depart(bytes) {
      arrived = Math.max(0, arrived - bytes)
    },
    receive(data) {
      arrived = 0
      unfinished.set(0)
      if (writer.isEnded || (stream.destroyed && !mayHaveEffect(data))) return
      const length = lengthOf(data)
      if (!share.hold(length + MESSAGE_BYTES)) return closeWith(TRY_AGAIN_LATER, TOO_GREEDY, length)
      inFlight++
      waiting++
      waitingBytes += length
      if (isBusy()) socket.pause()
      afterArrivals(() => turns.run(stream, length, () => takeWaiting(data, length)))
    },
    flood() {
      closeWith(POLICY_VIOLATION, 'too many small frames')
      // The error that what was left of them makes has resumed it.
      stream.pause()
    },
    end,
  }
}

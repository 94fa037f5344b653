/** JSON-RPC over WebSocket, with the subscriptions of each connection. */
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'
import { askerOn } from './asker.ts'
import { afterArrivals } from './arrival.ts'
import { answerCost, bodyCost, PLAIN_COST, UPGRADE_COST } from './costs.ts'
import { CROWDED, failWith, type Responder, type Subscriber } from './envelope.ts'
import { rpcError } from './errors.ts'
import { describeSyntaxError } from './json-syntax.ts'
import { ClientCounts } from './client-counts.ts'
import { clientOf, type FindAddress, type RateLimiter } from './limits.ts'
import type { HostCheck } from './hosts.ts'
import type { GatewayLog } from './log.ts'
import { type MemoryBudget, type MemoryShare, TOO_GREEDY } from './memory-budget.ts'
import { SHORT_LENGTH, type Turns } from './turns.ts'
import { isOriginAllowed } from './origins.ts'
import type { Payload } from './payload.ts'
import { LongReply } from './replies.ts'
import type { StreamHub, StreamReader } from './clob/streams/hub.ts'
import { parseStreamRequest } from './clob/streams/request.ts'
import type { SubscriptionHub } from './subscriptions/hub.ts'
import { parseSubscription } from './subscriptions/subscription.ts'

export interface WebSocketOptions {
  readonly responder: Responder
  readonly hub: SubscriptionHub
  /** Streams of the order book: namespace clob. */
  readonly streams: StreamHub
  readonly log: GatewayLog
  readonly origins: readonly string[]
  readonly isHostAllowed: HostCheck
  readonly messageLimit: number
  readonly bufferLimit: number
  readonly subscriptionLimit: number
  /** WebSockets of one client; 0 is no limit. */
  readonly connectionsByClient: number
  /** Limits messages, whatever they ask. */
  readonly messages: RateLimiter | undefined
  readonly pingIntervalMs: number
  readonly limiter: RateLimiter | undefined
  readonly findAddress: FindAddress
  readonly turns: Turns
  readonly budget: MemoryBudget
}

/** Bytes that are on their way in any case: up to here neither side of a connection is counted. */
const UNCOUNTED_BYTES = 64 * 1024
/** What a message that waits to be sent takes beside its text: its frame, and what the queue keeps of it. */
const QUEUED_BYTES = 512
/** Header and mask of a short frame of a client (RFC 6455, section 5.2). */
const FRAME_BYTES = 6

/** A part of what a connection holds, told anew each time. */
class Counted {
  readonly #share: MemoryShare
  #bytes = 0

  constructor(share: MemoryShare) {
    this.#share = share
  }

  /** False where there is no room for it. */
  set(bytes: number): boolean {
    const counted = bytes > UNCOUNTED_BYTES ? bytes : 0
    const more = counted - this.#bytes
    if (more > 0 && !this.#share.hold(more)) return false
    if (more < 0) this.#share.give(-more)
    this.#bytes = counted
    return true
  }
}

/** Messages of a connection that are being answered; reading pauses above it. */
const MAX_IN_FLIGHT = 1_000
/** Close codes of RFC 6455. */
const POLICY_VIOLATION = 1008
const TRY_AGAIN_LATER = 1013
/** Bytes of the reason in a close frame. */
const MAX_REASON_BYTES = 123
/** What a connection that is closed for being slow has left to take the reason. */
const CLOSE_GRACE_MS = 1_000

const truncate = (reason: string): string =>
  Buffer.from(reason)
    .subarray(0, MAX_REASON_BYTES)
    .toString('utf8')
    .replace(/\ufffd+$/, '')

/** 16 random bytes as a quantity, as geth makes them. */
const createId = (): string => `0x${randomBytes(16).toString('hex').replace(/^0+/, '') || '0'}`

interface Held {
  /** Undefined once its id has been sent. */
  waiting: (readonly (string | Buffer)[])[] | undefined
  /** Bytes of those that wait. */
  waitingBytes: number
  /** Called once its id has been sent, or never will be. */
  onActive: (() => void)[]
  readonly end: () => void
}

const newHeld = (end: () => void): Held => ({ waiting: [], waitingBytes: 0, onActive: [], end })

/** Resolves once nothing of a subscription waits for its id any more. */
const activation = ({ onActive }: Held): Promise<void> => new Promise((resolve) => void onActive.push(resolve))

const tellActive = ({ onActive }: Held): void => {
  for (const tell of onActive.splice(0)) tell()
}

const bytesOf = (parts: readonly (string | Buffer)[]): number =>
  parts.reduce((sum, { length }) => sum + length, QUEUED_BYTES)

interface Connection {
  isAlive: boolean
  /** Bytes have come that may be a part of a message. */
  arrive(bytes: number): void
  /** Takes off bytes that turned out to be no part of a message. */
  depart(bytes: number): void
  receive(data: RawData): void
  end(): void
}

const textOf = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.isBuffer(data) ? data : Buffer.from(data)).toString('utf8')

const lengthOf = (data: RawData): number =>
  Array.isArray(data) ? data.reduce((sum, { length }) => sum + length, 0) : data.byteLength

const createConnection = (
  socket: WebSocket,
  stream: Duplex,
  address: string,
  options: WebSocketOptions,
): Connection => {
  const { responder, hub, limiter, bufferLimit, turns } = options
  const subscriptions = new Map<string, Held>()
  const client = clientOf(address)
  const share = options.budget.open(client, (reason) => closeWith(TRY_AGAIN_LATER, reason, socket.bufferedAmount))
  const unread = new Counted(share)
  const unfinished = new Counted(share)
  /** Notifications that wait for the reply that tells the id of their subscription. */
  const early = new Counted(share)
  let earlyBytes = 0
  let arrived = 0
  let queued = 0
  const asker = askerOn(socket, client)
  let inFlight = 0
  let closing = false
  let corked = false

  const endAll = (): void => {
    closing = true
    tellDrained()
    share.release()
    for (const held of subscriptions.values()) {
      held.end()
      tellActive(held)
    }
    subscriptions.clear()
  }

  const closeWith = (code: number, reason: string, bytes: number): void => {
    if (closing) return
    endAll()
    options.log.warn('websocket closed', { address, reason, bytes })
    socket.close(code, truncate(reason))
    // What it still sends would be held, and nobody reads it.
    socket.pause()
    setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref()
  }

  const closeSlow = (): void =>
    closeWith(POLICY_VIOLATION, 'too slow: messages were left unread', socket.bufferedAmount)

  /** JSON-RPC has no word for a subscription that ends by itself, so all of the connection does. */
  const closeFailed = (reason: string): void =>
    closeWith(TRY_AGAIN_LATER, `a subscription ended: ${reason}`, socket.bufferedAmount)

  let onDrained: (() => void)[] = []
  const tellDrained = (): void => {
    const waiting = onDrained
    onDrained = []
    for (const tell of waiting) tell()
  }
  /** Little is left for the client to take, or it has gone. */
  const drained = (): Promise<void> => {
    if (closing || socket.bufferedAmount <= UNCOUNTED_BYTES) return Promise.resolve()
    return new Promise((resolve) => onDrained.push(resolve))
  }

  const countUnread = (): void => {
    const bytes = socket.bufferedAmount
    if (bytes <= UNCOUNTED_BYTES) tellDrained()
    if (bytes === 0) queued = 0
    if (!closing && !unread.set(bytes + queued * QUEUED_BYTES)) closeSlow()
  }
  stream.on('drain', countUnread)

  /** Parts are one message: what is long is not copied for each reader. */
  const send = (...parts: readonly (string | Buffer)[]): void => {
    if (closing || socket.readyState !== socket.OPEN) return
    if (socket.bufferedAmount > bufferLimit) return closeSlow()
    for (const [at, part] of parts.entries()) socket.send(part, { binary: false, fin: at === parts.length - 1 })
    queued++
    if (!corked) countUnread()
  }

  /** What a block has to tell all subscriptions of a connection goes out together. */
  const cork = (): void => {
    if (corked) return
    corked = true
    stream.cork()
    setImmediate(() => {
      corked = false
      stream.uncork()
      countUnread()
    })
  }

  /** `more` are members beside the result. */
  const notify = (namespace: string, id: string, result: string | Buffer, more = ''): void => {
    if (closing) return
    const held = subscriptions.get(id)
    const before = `{"jsonrpc":"2.0","method":"${namespace}_subscription","params":{"subscription":"${id}",${more}"result":`
    const parts = typeof result === 'string' ? [`${before}${result}}}\n`] : [before, result, '}}\n']
    if (held?.waiting === undefined) {
      cork()
      send(...parts)
    } else if (held.waiting.length < MAX_IN_FLIGHT && early.set(earlyBytes + bytesOf(parts))) {
      earlyBytes += bytesOf(parts)
      held.waitingBytes += bytesOf(parts)
      held.waiting.push(parts)
    } else closeSlow()
  }

  /** What waited for the id of a subscription: it is sent, or not any more. */
  const takeWaiting = (held: Held): readonly (readonly (string | Buffer)[])[] => {
    const { waiting = [] } = held
    earlyBytes -= held.waitingBytes
    held.waitingBytes = 0
    held.waiting = undefined
    if (!closing) early.set(earlyBytes)
    return waiting
  }

  const requireRoom = (): void => {
    if (subscriptions.size < options.subscriptionLimit) return
    throw rpcError('rateLimited', `too many subscriptions, at most ${options.subscriptionLimit} are allowed`)
  }

  /** A stream of the order book: what it begins with is asked for before the reply, so that what is not there is an error. */
  const subscribeStream = async (params: unknown): Promise<string> => {
    const request = parseStreamRequest(params)
    requireRoom()
    const opening = await options.streams.open(request)
    limiter?.charge(address, answerCost(opening.length))
    if (closing) throw rpcError('failed', 'the connection has ended')
    requireRoom()
    const id = createId()
    const channel = `"channel":"${request.channel}",`
    // The snapshot is sent at once, and waits for the reply.
    const held = newHeld(() => end())
    subscriptions.set(id, held)
    let end = (): void => undefined
    const reader: StreamReader = {
      ...{ client, form: 'json', fail: closeFailed },
      send: ({ json }) => notify('clob', id, json, channel),
      // Before the reply all that is sent waits for it.
      drained: () => (held.waiting === undefined ? drained() : activation(held).then(drained)),
      charge: (length) => limiter?.charge(address, answerCost(length)),
    }
    try {
      end = options.streams.join(opening, reader)
    } catch (error) {
      subscriptions.delete(id)
      throw error
    }
    // The connection may have ended while its first message was sent.
    if (closing) end()
    return id
  }

  const subscribe = (namespace: string, params: unknown): string | Promise<string> => {
    // The rest of a batch whose client has gone: nothing would end it.
    if (closing) throw rpcError('failed', 'the connection has ended')
    if (namespace === 'clob') return subscribeStream(params)
    const kind = parseSubscription(namespace, params)
    requireRoom()
    const id = createId()
    const end = hub.add({ client, kind, notify: (result) => notify(namespace, id, result), fail: closeFailed })
    subscriptions.set(id, newHeld(end))
    return id
  }

  const unsubscribe = (id: string): void => {
    const held = subscriptions.get(id)
    if (held === undefined) throw rpcError('failed', 'subscription not found')
    subscriptions.delete(id)
    takeWaiting(held)
    held.end()
    tellActive(held)
  }

  /** The first notification must not come before the reply that tells the id. */
  const activate = (ids: readonly string[]): void => {
    for (const id of ids) {
      const held = subscriptions.get(id)
      if (held === undefined) continue
      for (const parts of takeWaiting(held)) send(...parts)
      tellActive(held)
    }
  }

  const answer = async (payload: Payload): Promise<void> => {
    const created: string[] = []
    const subscriber: Subscriber = {
      subscribe(namespace, params) {
        const made = subscribe(namespace, params)
        if (typeof made === 'string') {
          created.push(made)
          return made
        }
        return made.then((id) => {
          created.push(id)
          return id
        })
      },
      unsubscribe,
    }
    let held = 0
    const reply = responder.respond(payload, {
      asker: () => asker,
      subscriber,
      takeTurn: (work) => turns.take(socket, 0, work),
      holdAnswer: (length) => {
        if (closing || !share.hold(length)) return false
        held += length
        return true
      },
    })
    const late = reply instanceof Promise ? await reply : reply
    const text = late instanceof LongReply ? late.toBuffer() : late
    share.give(held)
    // Some replies end without a line feed over HTTP, here none does.
    limiter?.charge(address, answerCost(text?.length ?? 0))
    if (text !== undefined) send(typeof text !== 'string' || text.endsWith('\n') ? text : `${text}\n`)
    activate(created)
  }

  /** True when the address has used up its rate; the refusal has been sent then. */
  const isLimited = (cost: number, id = 'null'): boolean => {
    const waitSeconds = cost === 0 ? 0 : (limiter?.take(address, cost) ?? 0)
    if (waitSeconds === 0) return false
    send(`${failWith(id, rpcError('rateLimited', `rate limit exceeded, retry in ${waitSeconds} s`))}\n`)
    return true
  }

  const isFlood = (): boolean => {
    const waitSeconds = options.messages?.take(address, 1) ?? 0
    if (waitSeconds === 0) return false
    send(`${failWith('null', rpcError('rateLimited', `too many messages, retry in ${waitSeconds} s`))}\n`)
    return true
  }

  const idOf = ({ isBatch, messages }: Payload): string => (isBatch ? 'null' : (messages[0]?.id ?? 'null'))

  /**
   * Refuses a text as geth does: what is wrong with it is said, a text that only ends too early is not, and the line is
   * cut.
   */
  const refuse = (text: string): void => {
    endAll()
    // What it still sends would be held uncounted, and whoever takes nothing never takes the reason.
    socket.pause()
    setTimeout(() => socket.terminate(), CLOSE_GRACE_MS).unref()
    const message = describeSyntaxError(text)
    if (message === undefined) socket.terminate()
    else socket.send(`${failWith('null', rpcError('parse', message))}\n`, () => socket.terminate())
  }

  const take = (data: RawData): void | Promise<void> => {
    if (closing || isFlood()) return undefined
    const text = textOf(data)
    const reading = bodyCost(text.length)
    if (isLimited(reading)) return undefined
    const payload = responder.parse(text)
    const isRefused = (cost: number, id?: string): boolean => {
      if (reading === 0) return isLimited(cost, id)
      // It was let in by its length, and a full bucket lets in everything once: the rest it may owe.
      limiter?.charge(address, cost)
      return false
    }
    if (typeof payload === 'string') {
      if (isRefused(PLAIN_COST)) return undefined
      return payload === 'crowded' ? send(`${CROWDED}\n`) : refuse(text)
    }
    if (isRefused(responder.cost(payload), idOf(payload))) return undefined
    return answer(payload)
  }

  return {
    isAlive: true,
    arrive(bytes) {
      arrived += bytes
      if (!closing && !unfinished.set(arrived)) closeWith(TRY_AGAIN_LATER, TOO_GREEDY, arrived)
    },
    depart(bytes) {
      arrived = Math.max(0, arrived - bytes)
    },
    receive(data) {
      arrived = 0
      unfinished.set(0)
      if (closing) return
      const length = lengthOf(data)
      if (length > SHORT_LENGTH && !share.hold(length)) return closeWith(TRY_AGAIN_LATER, TOO_GREEDY, length)
      if (++inFlight >= MAX_IN_FLIGHT) socket.pause()
      afterArrivals(() =>
        turns.run(socket, length, () => {
          void Promise.resolve(take(data)).finally(() => {
            if (length > SHORT_LENGTH) share.give(length)
            if (--inFlight < MAX_IN_FLIGHT && socket.isPaused) socket.resume()
          })
        }),
      )
    },
    end: endAll,
  }
}

/** Headers may stand behind the status. */
const refuseUpgrade = (socket: Duplex, status: string): void => {
  // No timeout and no end of the server reaches a socket that was upgraded: it would stay until its client goes.
  socket.once('finish', () => socket.destroy())
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

export interface WebSocketEndpoint {
  close(): void
}

/** Takes the upgrades of `server` on `/` and `/ws`. */
export const attachWebSocket = (server: Server, options: WebSocketOptions): WebSocketEndpoint => {
  const connections = new Map<WebSocket, Connection>()
  const counts = new ClientCounts(options.connectionsByClient)
  let isClosed = false
  const endpoint = new WebSocketServer({
    noServer: true,
    maxPayload: options.messageLimit,
    perMessageDeflate: false,
    clientTracking: false,
  })

  const accept = (socket: WebSocket, request: IncomingMessage): void => {
    const address = options.findAddress(request)
    const connection = createConnection(socket, request.socket, address, options)
    const leave = counts.enter(clientOf(address))
    connections.set(socket, connection)
    request.socket.on('data', (chunk: Buffer) => connection.arrive(chunk.length))
    socket.on('message', (data: RawData) => {
      connection.isAlive = true
      connection.receive(data)
    })
    socket.on('ping', ({ length }: Buffer) => connection.depart(FRAME_BYTES + length))
    socket.on('pong', ({ length }: Buffer) => {
      connection.isAlive = true
      connection.depart(FRAME_BYTES + length)
    })
    socket.on('error', (error) => options.log.info('websocket', { error: error.message }))
    socket.on('close', () => {
      connections.delete(socket)
      leave()
      // What it sent before is done.
      afterArrivals(connection.end)
    })
  }

  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy())
    if (isClosed) return refuseUpgrade(socket, '503 Service Unavailable')
    const [path] = (request.url ?? '').split('?')
    if (path !== '/' && path !== '/ws') return refuseUpgrade(socket, '404 Not Found')
    const { host, origin } = request.headers
    if (!options.isHostAllowed(host) || !isOriginAllowed(options.origins, origin))
      return refuseUpgrade(socket, '403 Forbidden')
    const address = options.findAddress(request)
    if (counts.isFull(clientOf(address))) return refuseUpgrade(socket, '429 Too Many Requests')
    const waitSeconds = options.limiter?.take(address, UPGRADE_COST) ?? 0
    if (waitSeconds > 0) return refuseUpgrade(socket, `429 Too Many Requests\r\nRetry-After: ${waitSeconds}`)
    return endpoint.handleUpgrade(request, socket, head, accept)
  })

  const pings = setInterval(() => {
    for (const [socket, connection] of connections) {
      if (connection.isAlive) socket.ping()
      else socket.terminate()
      connection.isAlive = false
    }
  }, options.pingIntervalMs)
  pings.unref()

  return {
    close() {
      isClosed = true
      clearInterval(pings)
      for (const socket of connections.keys()) socket.close(1001, 'the gateway stops')
      for (const socket of connections.keys()) setTimeout(() => socket.terminate(), 100).unref()
    },
  }
}

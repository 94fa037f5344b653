/**
 * The subscriptions of one WebSocket. Notifications of one whose id the client does not know yet wait for the reply that tells
 * it, in their order.
 */
import { randomFillSync } from 'node:crypto'
import type { Asker } from '../../app/ports.ts'
import type { StreamHub, StreamReader } from '../clob/streams/hub.ts'
import { parseStreamRequest } from '../clob/streams/request.ts'
import { rpcError } from '../errors.ts'
import type { MemoryShare } from '../memory-budget.ts'
import type { SubscriptionHub } from '../subscriptions/hub.ts'
import type { Notification } from '../subscriptions/notification.ts'
import { parseSubscription } from '../subscriptions/subscription.ts'
import { Counted, QUEUED_BYTES } from './counted.ts'
import type { MessageParts, SocketWriter } from './socket-writer.ts'

export interface ConnectionSubscriptionsOptions {
  readonly hub: SubscriptionHub
  /** Streams of the order book: namespace clob. */
  readonly streams: StreamHub
  /** Subscriptions of a connection. */
  readonly limit: number
  readonly client: string
  readonly asker: Asker
  readonly writer: SocketWriter
  readonly share: MemoryShare
  /** Takes note of characters that were asked for it alone. */
  readonly charge: (length: number) => void
  /** More waits for a reply than may. */
  readonly onSlow: () => void
  /** A subscription has ended by itself. */
  readonly onFailed: (reason: string) => void
}

interface Held {
  /** Undefined once its id has been sent. */
  waiting: MessageParts[] | undefined
  /** Bytes of those that wait. */
  waitingBytes: number
  /** Called once its id has been sent, or never will be. */
  onActive: (() => void)[]
  readonly end: () => void
}

/** Notifications of a subscription that wait for its id. */
const MAX_WAITING = 1_000

const newHeld = (end: () => void): Held => ({ waiting: [], waitingBytes: 0, onActive: [], end })

/** Resolves once nothing of a subscription waits for its id any more. */
const activation = ({ onActive }: Held): Promise<void> => new Promise((resolve) => void onActive.push(resolve))

const tellActive = ({ onActive }: Held): void => {
  for (const tell of onActive.splice(0)) tell()
}

const bytesOf = (parts: MessageParts): number => parts.reduce((sum, { length }) => sum + length, QUEUED_BYTES)

const ID_BYTES = 16
/** Random bytes of the next ids: one call for many of them. */
const random = Buffer.alloc(256 * ID_BYTES)
let used = random.length

/** 16 random bytes as a quantity, as geth makes them. */
const createId = (): string => {
  if (used === random.length) {
    randomFillSync(random)
    used = 0
  }
  const id = random.toString('hex', used, used + ID_BYTES)
  used += ID_BYTES
  return `0x${id.replace(/^0+/, '') || '0'}`
}

export class ConnectionSubscriptions {
  readonly #options: ConnectionSubscriptionsOptions
  readonly #held = new Map<string, Held>()
  readonly #early: Counted
  #earlyBytes = 0

  constructor(options: ConnectionSubscriptionsOptions) {
    this.#options = options
    this.#early = new Counted(options.share)
  }

  /** Returns the id. Throws or rejects with CodedErrors. */
  subscribe(namespace: string, params: unknown): string | Promise<string> {
    this.#requireOpen()
    if (namespace === 'clob') return this.#subscribeStream(params)
    const kind = parseSubscription(namespace, params)
    this.#requireRoom()
    const id = createId()
    const { hub, client, asker, onFailed } = this.#options
    const notify = (result: Notification): void => this.#notify(namespace, id, result)
    const end = hub.add({ client, connection: asker.connection, kind, notify, fail: onFailed })
    this.#held.set(id, newHeld(end))
    return id
  }

  /** Throws rpc/failed for an id that is not this connection's. */
  unsubscribe(id: string): void {
    const held = this.#held.get(id)
    if (held === undefined) throw rpcError('failed', 'subscription not found')
    this.#held.delete(id)
    this.#takeWaiting(held)
    held.end()
    tellActive(held)
  }

  /** Sends what waited for the reply that told these ids. */
  activate(ids: readonly string[]): void {
    for (const id of ids) {
      const held = this.#held.get(id)
      if (held === undefined) continue
      for (const parts of this.#takeWaiting(held)) this.#options.writer.send(parts)
      tellActive(held)
    }
  }

  endAll(): void {
    for (const held of this.#held.values()) {
      held.end()
      tellActive(held)
    }
    this.#held.clear()
  }

  /** A stream of the order book: what it begins with is asked for before the reply, so that what is not there is an error. */
  async #subscribeStream(params: unknown): Promise<string> {
    const { streams, client, asker, writer, charge, onFailed } = this.#options
    const request = parseStreamRequest(params)
    this.#requireRoom()
    const opening = await streams.open(request, asker)
    charge(opening.length)
    this.#requireOpen()
    this.#requireRoom()
    const id = createId()
    const channel = `"channel":"${request.channel}",`
    // The snapshot is sent at once, and waits for the reply.
    const held = newHeld(() => end())
    this.#held.set(id, held)
    let end = (): void => undefined
    const reader: StreamReader = {
      ...{ client, connection: asker.connection, form: 'json', fail: onFailed, charge },
      send: ({ json }) => this.#notify('clob', id, typeof json === 'string' ? json : [json], channel),
      // Before the reply all that is sent waits for it.
      drained: () => (held.waiting === undefined ? writer.drained() : activation(held).then(() => writer.drained())),
    }
    try {
      end = streams.join(opening, reader)
    } catch (error) {
      this.#held.delete(id)
      throw error
    }
    // The connection may have ended while its first message was sent.
    if (writer.isEnded) end()
    return id
  }

  /** `more` are members beside the result. */
  #notify(namespace: string, id: string, result: Notification, more = ''): void {
    const { writer, onSlow } = this.#options
    if (writer.isEnded) return
    const held = this.#held.get(id)
    const before = `{"jsonrpc":"2.0","method":"${namespace}_subscription","params":{"subscription":"${id}",${more}"result":`
    const parts = typeof result === 'string' ? [`${before}${result}}}\n`] : [before, ...result, '}}\n']
    if (held?.waiting === undefined) {
      // What a block has to tell all subscriptions of a connection goes out together.
      writer.cork()
      writer.send(parts)
    } else if (held.waiting.length < MAX_WAITING && this.#early.set(this.#earlyBytes + bytesOf(parts))) {
      this.#earlyBytes += bytesOf(parts)
      held.waitingBytes += bytesOf(parts)
      held.waiting.push(parts)
    } else onSlow()
  }

  /** What waited for the id of a subscription: it is sent, or not any more. */
  #takeWaiting(held: Held): readonly MessageParts[] {
    const { waiting = [] } = held
    this.#earlyBytes -= held.waitingBytes
    held.waitingBytes = 0
    held.waiting = undefined
    if (!this.#options.writer.isEnded) this.#early.set(this.#earlyBytes)
    return waiting
  }

  /** The rest of a batch whose client has gone would make what nothing ends. */
  #requireOpen(): void {
    if (this.#options.writer.isEnded) throw rpcError('failed', 'the connection has ended')
  }

  #requireRoom(): void {
    const { limit } = this.#options
    if (this.#held.size < limit) return
    throw rpcError('rateLimited', `too many subscriptions, at most ${limit} are allowed`)
  }
}

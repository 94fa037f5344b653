/**
 * The thread that reads and answers long requests. It asks the application itself, and hears of heads from its gateway.
 *
 * A request waits as bytes until it is its client's turn; then it is read, its gateway charges what its methods cost, and it
 * is asked. What is read and kept is bounded: V8 would end the process, not the thread, where one call takes more than is left
 * of its heap.
 */
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '../../core/errors.ts'
import { LONG_TEXT } from '../../core/text.ts'
import type { Announcement, Asker } from '../../app/ports.ts'
import { createContext } from '../call-context.ts'
import { createResponder, failWith } from '../envelope.ts'
import { rpcError } from '../errors.ts'
import { FairLine } from '../fair-line.ts'
import { createHeadTracker, type ReachableApplication } from '../head.ts'
import { describeSyntaxError } from '../json-syntax.ts'
import type { GatewayLog } from '../log.ts'
import { selectMethods } from '../methods.ts'
import { type Message, type Payload, replyIdOf } from '../payload.ts'
import { LongReply, type Reply } from '../replies.ts'
import { connectApplication } from '../stream/connect-application.ts'
import { beNice, LONG_NICENESS } from '../thread-priority.ts'
import type { RequestFigure } from '../request-figures.ts'
import { MOST_SUBSCRIBING_BYTES } from './messages.ts'
import type { FromThread, LongRequest, LongRequestsData, ThreadOutcome, ToThread } from './messages.ts'

/** The first requests come while this connects. */
const CONNECT_MS = 5_000
/** Bytes of what a batch keeps that are told of together. */
const TOLD_BYTES = 256 * 1024
/**
 * What may be kept of requests that are read, by all and by one client: above it the others of them wait as bytes. One request
 * may pass it. What a batch keeps the gateway counts, and takes from the greediest.
 */
const MOST_KEPT_BYTES = 64 * 1024 * 1024
const MOST_KEPT_BY_CLIENT_BYTES = 8 * 1024 * 1024

const port = parentPort
invariant(port !== null, 'the thread of no gateway')
beNice(LONG_NICENESS)

const { settings, endpoint } = workerData as LongRequestsData
const post = (message: FromThread, given: readonly ArrayBuffer[] = []): void => port.postMessage(message, given)

const logAs =
  (level: 'info' | 'warn' | 'error'): GatewayLog['info'] =>
  (message, fields) =>
    post({ kind: 'log', level, message, fields })
const log: GatewayLog = { info: logAs('info'), warn: logAs('warn'), error: logAs('error') }

// The gateway itself tells of its connection.
const remote = connectApplication({ ...endpoint, isWithoutNews: true })
const listeners = new Set<(announcement: Announcement) => void>()
let told: Announcement | undefined

const application: ReachableApplication = {
  get connected() {
    return remote.connected
  },
  onConnection: (listener) => remote.onConnection(listener),
  ask: (name, parameters, head, asker) => remote.ask(name, parameters, head, asker),
  askText: (name, parameters, head, asker) => remote.askText(name, parameters, head, asker),
  subscribe(listener) {
    listeners.add(listener)
    if (told !== undefined) listener(told)
    return () => listeners.delete(listener)
  },
}

let figures: RequestFigure[] = []
const head = createHeadTracker(application)
const methods = selectMethods(settings.api)
const context = createContext(settings, application, head, methods, log)
const responder = createResponder({
  methods,
  context,
  log,
  batchRequestLimit: settings.batchRequestLimit,
  batchResponseMaxSize: settings.batchResponseMaxSize,
  timeoutMs: settings.httpTimeoutMs,
  figures: {
    begin(method) {
      const fromMs = performance.now()
      return (isFailed) => figures.push({ method, seconds: (performance.now() - fromMs) / 1_000, isFailed })
    },
    note: (figure) => figures.push(figure),
  },
})
/** A request, until it is answered. */
class Asking implements Asker {
  readonly id: number
  readonly client: string
  readonly connection: string
  readonly canSubscribe: boolean
  /** Bytes of it. */
  readonly length: number
  readonly #listeners = new Set<() => void>()
  #isGone = false
  /** Its connection has no room for more of what it keeps. */
  isFull = false
  /** What is to be read, until it is. */
  bytes: Uint8Array | undefined
  /** Until then it may time out. */
  timer: NodeJS.Timeout | undefined
  /** What was read, until it is admitted. */
  payload: Payload | undefined
  /** Bytes that its values, or its question, take here. */
  kept = 0

  constructor({ id, client, connection, canSubscribe, bytes }: LongRequest) {
    this.id = id
    this.client = client
    this.connection = connection
    this.canSubscribe = canSubscribe
    this.length = bytes.byteLength
    this.bytes = bytes
  }

  readonly onGone = (listener: () => void): (() => void) => {
    if (this.#isGone) {
      listener()
      return () => undefined
    }
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  leave(): void {
    this.#isGone = true
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }

  get isGone(): boolean {
    return this.#isGone
  }
}

const asking = new Map<number, Asking>()
/** Those that are not read yet. */
const line = new FairLine<Asking>()
const keptBy = new Map<string, number>()
let keptBytes = 0
let isConnected = false
let isReading = false

/** Instead of what it has kept before. */
const keep = (asker: Asking, bytes: number): void => {
  const { client } = asker
  const more = bytes - asker.kept
  asker.kept = bytes
  keptBytes += more
  const kept = (keptBy.get(client) ?? 0) + more
  if (kept > 0) keptBy.set(client, kept)
  else keptBy.delete(client)
}

const end = (asker: Asking, outcome: ThreadOutcome, given: readonly ArrayBuffer[] = []): void => {
  const { id } = asker
  asking.delete(id)
  keep(asker, 0)
  post({ kind: 'end', id, outcome, figures }, given)
  figures = []
  readNext()
}

/** Bytes that can be given away: nothing else is in their memory. */
const alone = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)

const endWith = (asker: Asking, reply: Reply | undefined): void => {
  if (reply === undefined || (typeof reply === 'string' && reply.length <= LONG_TEXT)) {
    return end(asker, { kind: 'reply', reply })
  }
  const pieces = (reply instanceof LongReply ? reply.pieces : [Buffer.from(reply, 'utf8')]).map(alone)
  end(
    asker,
    { kind: 'reply', reply: pieces },
    pieces.map(({ buffer }) => buffer as ArrayBuffer),
  )
}

const TIMED_OUT = failWith('null', rpcError('timeout', 'request timed out'))

/** For one whose turn does not come. */
const expire = (asker: Asking): void => {
  line.remove(asker, (one) => one === asker)
  asker.bytes = undefined
  endWith(asker, `${TIMED_OUT}\n`)
}

const isOfSubscriptions = ({ method }: Message): boolean =>
  method.endsWith('_subscribe') || method.endsWith('_unsubscribe')

const TOO_LONG_TO_SUBSCRIBE = rpcError(
  'invalidRequest',
  `a message that subscribes or unsubscribes has at most ${MOST_SUBSCRIBING_BYTES} bytes: send the rest by itself`,
)

/**
 * Nothing that is made here outlives the call but what the asker keeps: many requests wait for answers at a time, and the
 * values of one can take forty times its bytes.
 */
const read = (asker: Asking): void => {
  const { id, bytes, canSubscribe } = asker
  clearTimeout(asker.timer)
  asker.bytes = undefined
  invariant(bytes !== undefined, 'a request that is read twice')
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const payload = responder.parse(text)
  if (typeof payload === 'string') {
    const syntax = canSubscribe ? describeSyntaxError(text) : undefined
    return end(asker, { kind: 'unreadable', why: payload, syntax })
  }
  const replyId = replyIdOf(payload)
  if (canSubscribe && payload.messages.some(isOfSubscriptions)) {
    if (bytes.byteLength > MOST_SUBSCRIBING_BYTES) return endWith(asker, failWith(replyId, TOO_LONG_TO_SUBSCRIBE))
    return end(asker, { kind: 'subscribes', bytes }, [bytes.buffer as ArrayBuffer])
  }
  asker.payload = payload
  keep(asker, payload.heapBytes)
  post({ kind: 'read', id, cost: responder.cost(payload), replyId })
}

const mayBeRead = (client: string): boolean => (keptBy.get(client) ?? 0) < MOST_KEPT_BY_CLIENT_BYTES

/** One in a turn of the event loop: meanwhile it is heard who has gone. */
const readNext = (): void => {
  if (!isConnected || isReading || keptBytes >= MOST_KEPT_BYTES || line.peek(mayBeRead) === undefined) return
  isReading = true
  setImmediate(() => {
    isReading = false
    const next = line.take(mayBeRead)
    if (next !== undefined) read(next)
    readNext()
  })
}

const finish = async (asker: Asking, reply: Promise<Reply | undefined>): Promise<void> => endWith(asker, await reply)

const ask = (asker: Asking): void => {
  const { id, payload } = asker
  if (payload === undefined) return
  asker.payload = undefined
  // A question is about as long as its request.
  keep(asker, payload.isBatch ? 0 : asker.length)
  let untold = 0
  const reply = responder.respond(payload, {
    asker: () => asker,
    takeTurn: async (work) => {
      await nextTurn()
      return work()
    },
    hold(bytes) {
      if (asker.isFull || asker.isGone) return false
      untold += bytes
      if (untold >= TOLD_BYTES) {
        post({ kind: 'hold', id, bytes: untold })
        untold = 0
      }
      return true
    },
  })
  if (reply instanceof Promise) void finish(asker, reply)
  else endWith(asker, reply)
}

const leave = (asker: Asking): void => {
  asker.leave()
  const isAsked = asker.bytes === undefined && asker.payload === undefined
  // Its questions fail, and with the last of them it ends.
  if (isAsked) return
  clearTimeout(asker.timer)
  line.remove(asker, (one) => one === asker)
  asker.bytes = undefined
  asker.payload = undefined
  endWith(asker, undefined)
}

void Promise.race([remote.whenConnected(), delay(CONNECT_MS, undefined, { ref: false })]).then(() => {
  isConnected = true
  readNext()
})

const stop = (): void => {
  for (const asker of asking.values()) clearTimeout(asker.timer)
  line.clear()
  context.inclusion.close()
  head.close()
  void remote.close()
  port.close()
}

port.on('message', (message: ToThread) => {
  if (message === 'stop') return stop()
  if (message.kind === 'head') {
    told = { type: 'head', head: message.head, isNew: true }
    for (const listener of listeners) listener(told)
    return
  }
  if (message.kind === 'request') {
    const asker = new Asking(message)
    asker.timer = setTimeout(expire, settings.httpTimeoutMs, asker)
    asking.set(asker.id, asker)
    line.add(asker, asker)
    return readNext()
  }
  const asker = asking.get(message.id)
  if (asker === undefined) return
  if (message.kind === 'admitted') ask(asker)
  else if (message.kind === 'gone') leave(asker)
  else asker.isFull = true
})

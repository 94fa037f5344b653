/** The thread that reads and answers long requests. It asks the application itself, and hears of heads from its gateway. */
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { invariant } from '../../core/errors.ts'
import { LONG_TEXT } from '../../core/text.ts'
import type { Announcement, Asker } from '../../app/ports.ts'
import { createContext } from '../call-context.ts'
import { createResponder } from '../envelope.ts'
import { createHeadTracker, type ReachableApplication } from '../head.ts'
import { describeSyntaxError } from '../json-syntax.ts'
import type { GatewayLog } from '../log.ts'
import { selectMethods } from '../methods.ts'
import type { Message } from '../payload.ts'
import { LongReply, type Reply } from '../replies.ts'
import { connectApplication } from '../stream/connect-application.ts'
import { beNice, LONG_NICENESS } from '../thread-priority.ts'
import { Turns } from '../turns.ts'
import type { RequestFigure } from '../request-figures.ts'
import type { FromThread, LongRequest, LongRequestsData, ThreadOutcome, ToThread } from './messages.ts'

/** The first requests come while this connects. */
const CONNECT_MS = 5_000
/** Bytes of answers that are told of together. */
const TOLD_BYTES = 256 * 1024

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
const turns = new Turns()

/** A request that is being answered. */
class Asking implements Asker {
  readonly client: string
  readonly connection: string
  readonly #listeners = new Set<() => void>()
  #isGone = false
  /** Its connection has no room for more answers. */
  isFull = false
  /** What is to be read; nothing where it has been, or where nobody waits for it: it may wait here behind others. */
  bytes: Uint8Array | undefined

  constructor({ client, connection, bytes }: LongRequest) {
    this.client = client
    this.connection = connection
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
    this.bytes = undefined
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }

  get isGone(): boolean {
    return this.#isGone
  }
}

const asking = new Map<number, Asking>()
/** Turns are those of connections: what stands for each while it has requests here. */
const connections = new Map<string, { requests: number }>()

const end = (id: number, outcome: ThreadOutcome, given: readonly ArrayBuffer[] = []): void => {
  post({ kind: 'end', id, outcome, figures }, given)
  figures = []
}

/** Bytes that can be given away: nothing else is in their memory. */
const alone = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)

const endWith = (id: number, reply: Reply | undefined, cost: number): void => {
  if (reply === undefined || (typeof reply === 'string' && reply.length <= LONG_TEXT)) {
    return end(id, { kind: 'reply', reply, cost })
  }
  const pieces = (reply instanceof LongReply ? reply.pieces : [Buffer.from(reply, 'utf8')]).map(alone)
  end(
    id,
    { kind: 'reply', reply: pieces, cost },
    pieces.map(({ buffer }) => buffer as ArrayBuffer),
  )
}

const isOfSubscriptions = ({ method }: Message): boolean =>
  method.endsWith('_subscribe') || method.endsWith('_unsubscribe')

type Heading = Pick<LongRequest, 'id' | 'canSubscribe'>

const answer = async ({ id, canSubscribe }: Heading, asker: Asking, connection: object): Promise<void> => {
  const { bytes } = asker
  asker.bytes = undefined
  if (bytes === undefined) return endWith(id, undefined, 0)
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const payload = responder.parse(text)
  if (typeof payload === 'string') {
    return end(id, { kind: 'unreadable', why: payload, syntax: canSubscribe ? describeSyntaxError(text) : undefined })
  }
  if (canSubscribe && payload.messages.some(isOfSubscriptions)) {
    return end(id, { kind: 'subscribes', bytes }, [bytes.buffer as ArrayBuffer])
  }
  let untold = 0
  const reply = responder.respond(payload, {
    asker: () => asker,
    takeTurn: (work) => turns.take(connection, 0, work),
    holdAnswer(length) {
      if (asker.isFull || asker.isGone) return false
      untold += length
      if (untold >= TOLD_BYTES) {
        post({ kind: 'hold', id, bytes: untold })
        untold = 0
      }
      return true
    },
  })
  post({ kind: 'read', id })
  endWith(id, reply instanceof Promise ? await reply : reply, responder.cost(payload))
}

const connected = Promise.race([remote.whenConnected(), delay(CONNECT_MS, undefined, { ref: false })])

/** The bytes are the asker's alone, who lets go of them when he goes. */
const take = async (heading: Heading, length: number, asker: Asking): Promise<void> => {
  const { id } = heading
  asking.set(id, asker)
  await connected
  const name = `${asker.client} ${asker.connection}`
  const connection = connections.get(name) ?? { requests: 0 }
  connections.set(name, connection)
  connection.requests++
  try {
    await turns.take(connection, length, () => answer(heading, asker, connection))
  } finally {
    asking.delete(id)
    if (--connection.requests === 0) connections.delete(name)
  }
}

const stop = (): void => {
  turns.close()
  context.inclusion.close()
  head.close()
  void remote.close()
  port.close()
}

port.on('message', (message: ToThread) => {
  if (message === 'stop') return stop()
  switch (message.kind) {
    case 'request':
      void take({ id: message.id, canSubscribe: message.canSubscribe }, message.bytes.byteLength, new Asking(message))
      break
    case 'gone':
      asking.get(message.id)?.leave()
      break
    case 'full': {
      const full = asking.get(message.id)
      if (full !== undefined) full.isFull = true
      break
    }
    case 'head':
      told = { type: 'head', head: message.head, isNew: true }
      for (const listener of listeners) listener(told)
      break
  }
})

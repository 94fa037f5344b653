/** The gateway's side of the stream: the application, wherever it runs. */
import { connect, type Socket } from 'node:net'
import type {
  Announcement,
  Asker,
  BlockReference,
  Head,
  QueryApplication,
  QuestionName,
  Questions,
} from '../../app/ports.ts'
import { CodedError } from '../../core/errors.ts'
import { MAX_QUESTION_BYTES, MAX_STREAM_FRAME_BYTES } from '../../core/limits.ts'
import { LONG_TEXT, type Text, textToString } from '../../core/text.ts'
import { rpcError } from '../errors.ts'
import type { Endpoint } from '../head.ts'
import { SILENT_LOG, type GatewayLog } from '../log.ts'
import { requireEndpoint } from './address.ts'
import {
  createFrameReader,
  encodeFrame,
  encodeLongQuestion,
  FRAME,
  type Frame,
  PROTOCOL,
  PROTOCOL_WITHOUT_NEWS,
} from './frames.ts'
import { LARGE_QUESTION_BYTES, LargeQuestions } from './large-questions.ts'
import { BROADCAST_PATH } from './question.ts'
import { createNumber, isProof, proofOf } from './secret.ts'
import { kindOf, SmallLines } from './small-lines.ts'
import type { SmallQuestions } from './small-questions.ts'
import { UnsentBytes } from './unsent-bytes.ts'
import { createBatchedWriter } from './write-batch.ts'

export interface ConnectApplicationOptions {
  readonly address: string
  readonly log?: GatewayLog
  /** The application must know it, and asks for it. */
  readonly secret?: Uint8Array
  /** It asks alone: nobody is told of heads and pending transactions. */
  readonly isWithoutNews?: boolean
  /** A question without an answer fails after this long. */
  readonly timeoutMs?: number
  /** Questions that may wait for an answer; beside them a few of each connection. */
  readonly maxPending?: number
  readonly maxFrameBytes?: number
  readonly reconnectMs?: { readonly first: number; readonly most: number }
}

export interface RemoteApplication extends QueryApplication {
  readonly endpoint: Endpoint
  /** True while questions can be asked. */
  readonly connected: boolean
  /** Calls `listener` after each change of `connected`. Returns how to stop. */
  onConnection(listener: () => void): () => void
  /** Resolves when connected for the first time, or again. */
  whenConnected(): Promise<void>
  close(): Promise<void>
}

interface PendingQuestion {
  readonly resolve: (text: Text) => void
  readonly reject: (error: unknown) => void
  readonly deadlineMs: number
  readonly line: LargeQuestions | SmallQuestions
  readonly asker: Asker
  readonly isSending: boolean
  /** Until it goes to the application. */
  unsent: Buffer | undefined
  /** Nobody tells any more that the client has gone. */
  stopListening: () => void
}

/** What clients that have gone would still send: above it the one that has left most loses its last. */
const MOST_LEFT_BYTES = 16 * 1024 * 1024
/** Each counts so much beside its bytes, so that they are no more than eight thousand. */
const LEFT_BYTES = 2 * 1024
/** Unsent questions above which a new one is refused. */
const MAX_UNSENT_BYTES = 64 * 1024 * 1024
const SWEEP_MS = 500
/** Questions of a connection that may wait however many others do: what is asked at once of a batch (envelope.ts). */
const MOST_BESIDE_OTHERS = 16
/** Answers in one turn of the event loop: whoever waits for each makes a reply of it and sends that. */
const FRAMES_PER_TURN = 256

/** Gateways themselves. */
const NOBODY: Asker = { client: '', connection: '', onGone: () => () => undefined }

const nobodyWaits = (): CodedError => rpcError('unavailable', 'nobody waits for the answer any more')

const tooManyWait = (): CodedError => rpcError('rateLimited', 'too many requests are waiting for the application')

const unavailable = (address: string): CodedError =>
  rpcError('unavailable', `application unavailable at ${address}; retrying`)

const parseFailure = (body: Text): CodedError => {
  const { codespace, code, message, data } = JSON.parse(textToString(body)) as CodedError
  return new CodedError(codespace, code, message, data)
}

/** The block that a question is about, if it names one. */
const blockOf = (parameters: Questions[QuestionName]): BlockReference | null => {
  const { block, newest } = parameters as { readonly block?: BlockReference; readonly newest?: BlockReference }
  return block ?? newest ?? null
}

const encodeQuestion = <Name extends QuestionName>(
  id: number,
  name: Name,
  parameters: Questions[Name],
  asOf: number,
  { client, connection }: Asker,
): Buffer => {
  const text = JSON.stringify(parameters)
  if (text.length > LONG_TEXT) {
    return encodeLongQuestion(id, JSON.stringify([name, asOf, client, connection, blockOf(parameters)]), text)
  }
  return encodeFrame(
    FRAME.ask,
    id,
    `["${name}",${text},${asOf},${JSON.stringify(client)},${JSON.stringify(connection)}]`,
  )
}

/** The pool gets it, whoever has gone since. */
const sendsSomething = (name: QuestionName, parameters: Questions[QuestionName]): boolean =>
  name.startsWith('send') || (name === 'native' && (parameters as Questions['native']).path === BROADCAST_PATH)

export const connectApplication = (options: ConnectApplicationOptions): RemoteApplication => {
  const { address } = options
  const log = options.log ?? SILENT_LOG
  const timeoutMs = options.timeoutMs ?? 30_000
  const maxPending = options.maxPending ?? 20_000
  const reconnect = options.reconnectMs ?? { first: 50, most: 2_000 }
  const where = requireEndpoint(address)

  const pending = new Map<number, PendingQuestion>()
  const large = new LargeQuestions()
  const lines = new SmallLines()
  const unsent = new UnsentBytes(MAX_UNSENT_BYTES)
  const left = new UnsentBytes(MOST_LEFT_BYTES)
  const listeners = new Set<(announcement: Announcement) => void>()
  const waiters: (() => void)[] = []
  const connectionListeners = new Set<() => void>()
  let socket: Socket | undefined
  let write: (frame: Buffer) => void = () => {}
  let connected = false
  /** The number of the present connection. */
  let number = ''
  let isProven = false
  let closed = false
  /** One line a failure, not one an attempt. */
  let toldOfFailure = false
  let head: Head | undefined
  let nextId = 1
  let delayMs = reconnect.first
  let retryTimer: NodeJS.Timeout | undefined

  const changeConnection = (isConnected: boolean): void => {
    if (connected === isConnected) return
    connected = isConnected
    for (const listener of connectionListeners) listener()
  }

  const failAll = (error: CodedError): void => {
    const questions = [...pending.values()]
    pending.clear()
    large.clear()
    lines.clear()
    unsent.clear()
    left.clear()
    for (const question of questions) {
      question.stopListening()
      question.reject(error)
    }
  }

  const announce = (announcement: Announcement): void => {
    if (announcement.type === 'head') head = announcement.head
    for (const listener of listeners) listener(announcement)
  }

  const settle = (frame: Frame): void => {
    const question = pending.get(frame.id)
    // Absent: it timed out before.
    if (question === undefined) return
    pending.delete(frame.id)
    question.stopListening()
    question.line.end(frame.id)
    if (frame.kind === FRAME.answer) question.resolve(frame.body)
    else question.reject(parseFailure(frame.body))
  }

  /** The application knows the secret, and is shown that this does. */
  const proveTo = (body: string): void => {
    const { secret } = options
    const [applicationNumber = '', shown = ''] = body.split(' ')
    const numbers = { application: applicationNumber, gateway: number }
    if (secret === undefined || !isProof(shown, secret, 'application', numbers)) {
      throw rpcError('protocol', `the process at ${address} does not know the secret`)
    }
    isProven = true
    write(encodeFrame(FRAME.proof, 0, proofOf(secret, 'gateway', numbers)))
  }

  const greet = (frame: Frame): void => {
    if (frame.kind === FRAME.proof && !isProven) return proveTo(textToString(frame.body))
    if (options.secret !== undefined && !isProven) {
      throw rpcError('protocol', `the process at ${address} was asked for the secret and shows none`)
    }
    if (frame.kind !== FRAME.hello || frame.body !== PROTOCOL) {
      throw rpcError('protocol', `the process at ${address} speaks another protocol`)
    }
    changeConnection(true)
    delayMs = reconnect.first
    toldOfFailure = false
    log.info('connected to the application', { address })
    for (const waiter of waiters.splice(0)) waiter()
  }

  const take = (frame: Frame): void => {
    if (!connected) greet(frame)
    else if (frame.kind === FRAME.announcement) announce(JSON.parse(textToString(frame.body)) as Announcement)
    else if (frame.kind === FRAME.answer || frame.kind === FRAME.failure) settle(frame)
    else throw rpcError('protocol', `unexpected frame of kind ${frame.kind}`)
  }

  const scheduleRetry = (): void => {
    if (closed) return
    retryTimer = setTimeout(open, delayMs)
    delayMs = Math.min(delayMs * 2, reconnect.most)
  }

  const open = (): void => {
    const opened = connect(where)
    const maxFrameBytes = options.maxFrameBytes ?? MAX_STREAM_FRAME_BYTES + 64
    const reader = createFrameReader(() => maxFrameBytes)
    number = createNumber()
    isProven = false
    socket = opened
    write = createBatchedWriter(opened).write
    opened.setNoDelay(true)
    opened.setKeepAlive(true, 15_000)
    const protocol = options.isWithoutNews === true ? PROTOCOL_WITHOUT_NEWS : PROTOCOL
    const hello = options.secret === undefined ? protocol : `${protocol} ${number}`
    opened.on('connect', () => write(encodeFrame(FRAME.hello, 0, hello)))
    /** Answers that came together wait here: what each of them sets going runs when this turn has ended. */
    const unsettled: Frame[] = []
    let isTurnPlanned = false
    const takeSome = (): void => {
      isTurnPlanned = false
      // What is left is settled when it closes.
      if (opened.destroyed) return
      try {
        for (const frame of unsettled.splice(0, FRAMES_PER_TURN)) take(frame)
      } catch (error) {
        log.error('a message of the application cannot be read', { error: String(error) })
        opened.destroy()
      }
      if (opened.destroyed) return
      if (unsettled.length === 0) return void opened.resume()
      isTurnPlanned = true
      setImmediate(takeSome)
    }
    opened.on('data', (chunk: Buffer) => {
      try {
        for (const frame of reader.push(chunk)) {
          if (opened.destroyed) return
          // The head goes before answers, never behind them: whoever has heard of a block finds it here.
          if (connected && frame.kind === FRAME.announcement) take(frame)
          else if (connected) unsettled.push(frame)
          else take(frame)
        }
      } catch (error) {
        log.error('a message of the application cannot be read', { error: String(error) })
        opened.destroy()
      }
      if (unsettled.length > FRAMES_PER_TURN) opened.pause()
      if (!isTurnPlanned) takeSome()
    })
    opened.on('error', (error) => {
      if (!toldOfFailure) log.warn('application not reachable, retrying', { address, error: error.message })
      toldOfFailure = true
    })
    opened.on('close', () => {
      // They were answered before it went away. What cannot be read fails with the others.
      try {
        for (const frame of unsettled.splice(0)) {
          if (frame.kind === FRAME.answer || frame.kind === FRAME.failure) settle(frame)
        }
      } catch (error) {
        log.error('a message of the application cannot be read', { error: String(error) })
      }
      if (connected && !closed) log.warn('connection to the application lost, retrying', { address })
      changeConnection(false)
      failAll(unavailable(address))
      scheduleRetry()
    })
  }

  /** The application need not answer it. */
  const giveUp = (id: number, error: CodedError): void => {
    const question = pending.get(id)
    if (question === undefined) return
    pending.delete(id)
    unsent.end(id)
    left.end(id)
    question.stopListening()
    if (question.line.end(id)) write(encodeFrame(FRAME.cancel, id, ''))
    question.reject(error)
  }

  /** Its client has gone. What sends something is sent in its turn all the same, unless there is much of it. */
  const leave = (id: number): void => {
    const question = pending.get(id)
    if (question?.isSending !== true || question.unsent === undefined) return giveUp(id, nobodyWaits())
    const bytes = question.unsent.length + LEFT_BYTES
    if (!left.makeRoom(question.asker, bytes, (victim) => giveUp(victim, nobodyWaits())))
      return giveUp(id, nobodyWaits())
    left.add(question.asker, id, bytes)
    question.stopListening()
    question.reject(nobodyWaits())
  }

  const sweep = setInterval(() => {
    const nowMs = performance.now()
    for (const [id, question] of pending) {
      // Questions wait equally long, so the first that may wait is followed by others that may.
      if (question.deadlineMs > nowMs) break
      giveUp(id, rpcError('timeout', 'request timed out'))
    }
  }, SWEEP_MS)
  sweep.unref()

  const askText = <Name extends QuestionName>(
    name: Name,
    parameters: Questions[Name],
    asOf: number,
    asker: Asker = NOBODY,
  ): Promise<Text> => {
    if (!connected || socket === undefined) return Promise.reject(unavailable(address))
    if (socket.writableLength > MAX_UNSENT_BYTES) return Promise.reject(tooManyWait())
    // Those that ask far ahead are refused, and nobody who asks one thing, or a batch, at a time.
    const isMuch = (): boolean => lines.countOf(asker) >= MOST_BESIDE_OTHERS
    if (pending.size >= maxPending && isMuch()) return Promise.reject(tooManyWait())
    const id = nextId
    nextId = nextId === 0xffff_ffff ? 1 : nextId + 1
    const frame = encodeQuestion(id, name, parameters, asOf, asker)
    // The application would end the connection, and with it the questions of everybody else.
    if (frame.length > MAX_QUESTION_BYTES) return Promise.reject(rpcError('invalidParameters', 'request too large'))
    const isSending = sendsSomething(name, parameters)
    const line = frame.length > LARGE_QUESTION_BYTES ? large : lines.lineOf(kindOf(name, isSending), frame.length)
    const drop = (waiting: number): void => giveUp(waiting, tooManyWait())
    if (!unsent.makeRoom(asker, frame.length, drop)) return Promise.reject(tooManyWait())
    return new Promise((resolve, reject) => {
      const question: PendingQuestion = {
        resolve,
        reject,
        deadlineMs: performance.now() + timeoutMs,
        line,
        asker,
        isSending,
        unsent: frame,
        stopListening: (): void => undefined,
      }
      pending.set(id, question)
      const send = (): void => {
        question.unsent = undefined
        unsent.end(id)
        left.end(id)
        write(frame)
      }
      unsent.add(asker, id, frame.length)
      line.add(asker, { id, bytes: frame.length, send })
      question.stopListening = asker.onGone(() => leave(id))
    })
  }

  open()
  const { secret } = options
  return {
    endpoint: secret === undefined ? { address } : { address, secret },
    get connected() {
      return connected
    },
    onConnection(listener) {
      connectionListeners.add(listener)
      return () => connectionListeners.delete(listener)
    },
    whenConnected: () => (connected ? Promise.resolve() : new Promise((resolve) => waiters.push(resolve))),
    ask: (name, parameters, asOf, asker) => askText(name, parameters, asOf, asker).then(textToString),
    askText,
    subscribe(listener) {
      listeners.add(listener)
      if (head !== undefined) listener({ type: 'head', head, isNew: false })
      return () => listeners.delete(listener)
    },
    async close() {
      closed = true
      clearTimeout(retryTimer)
      clearInterval(sweep)
      if (socket === undefined || socket.closed) return
      const ended = new Promise((resolve) => socket?.once('close', resolve))
      socket.destroy()
      await ended
    },
  }
}

/** The application's side of the stream: answers the questions of any number of gateways. */
import { unlink } from 'node:fs/promises'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { Announcement, AnsweringApplication } from '../../app/ports.ts'
import { CodedError, errorText, InvariantError, isFault } from '../../core/errors.ts'
import { MAX_QUESTION_BYTES, MAX_STREAM_FRAME_BYTES } from '../../core/limits.ts'
import { type Text, textToString } from '../../core/text.ts'
import { INTERNAL_ERROR_TEXT, RPC_CODES, RPC_CODESPACE, rpcError } from '../errors.ts'
import { SILENT_LOG, type GatewayLog } from '../log.ts'
import { describeAddress, requireEndpoint } from './address.ts'
import {
  createFrameReader,
  encodeFrame,
  encodeFrameHead,
  FRAME,
  type Frame,
  PROTOCOL,
  PROTOCOL_WITHOUT_NEWS,
} from './frames.ts'
import { AnswerLine } from './answer-line.ts'
import { createNumber, isNumber, isProof, type Numbers, proofOf } from './secret.ts'
import { readQuestion } from './question.ts'
import { RemoteAsker } from './remote-asker.ts'
import { Strangers } from './strangers.ts'
import { WaitingQuestions } from './waiting-questions.ts'
import { createBatchedWriter } from './write-batch.ts'

export interface ServeQueriesOptions {
  readonly address: string
  readonly application: AnsweringApplication
  readonly log?: GatewayLog
  /** Gateways must know it; left out where who reaches the address may ask. */
  readonly secret?: Uint8Array
  /** A broken invariant in a question: the node must stop. */
  readonly onFatal?: (error: InvariantError) => void
  /** Largest question. */
  readonly maxFrameBytes?: number
  /** Questions of one gateway that are being answered; reading pauses above it. */
  readonly maxInFlight?: number
  /** Unread answers above which reading pauses, and above which the gateway is dropped. */
  readonly pauseAboveBytes?: number
  readonly dropAboveBytes?: number
}

export interface QueryServer {
  /** Where it listens, with the port that was bound. */
  readonly address: string
  /** Listens anew where it did: somebody has removed the file of its socket. Gateways stay connected. */
  listenAgain(): void
  close(): Promise<void>
}

/** The most bytes of a frame of one who is not known yet, and the time until he must be. */
const MAX_GREETING_BYTES = 256
const GREETING_MS = 10_000
/** Gateways at once, beside those that have not shown yet that they are any. */
const MAX_GATEWAYS = 1_000
/**
 * Workers have 2,000 questions waiting and refuse more. Here must be room beside all of these, or a client that fills
 * them would hold up what needs no worker: balances, and transactions that are sent.
 */
const MAX_IN_FLIGHT = 3_072

/**
 * The bound of waiting frames of every kind: those that nobody waits for any more are heard of behind others that wait
 * to be taken.
 */
const MAX_WAITING_FRAMES = 65_536
/** Bytes of answers that may wait to be sent when a question is asked whose answer may be long. */
const MOST_BEFORE_HEAVY_BYTES = 2 * 1024 * 1024
/** Questions of one gateway are taken for so long at a stretch. */
const TURN_MS = 5

let gatewayCount = 0

interface Bounds {
  readonly maxFrameBytes: number
  readonly maxInFlight: number
  readonly pauseAboveBytes: number
  readonly dropAboveBytes: number
}

const failureBody = (error: unknown, name: string, log: GatewayLog): string => {
  if (error instanceof CodedError && !isFault(error)) {
    const { codespace, code, message, data } = error
    return JSON.stringify({ codespace, code, message, data })
  }
  log.error(`question ${name} failed`, {
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
  return JSON.stringify({ codespace: RPC_CODESPACE, code: RPC_CODES.internal, message: INTERNAL_ERROR_TEXT })
}

const serveGateway = (socket: Socket, options: ServeQueriesOptions, bounds: Bounds, strangers: Strangers): void => {
  const { application } = options
  const log = options.log ?? SILENT_LOG
  /** Strangers say little, and soon. */
  const reader = createFrameReader(() => (greeted ? bounds.maxFrameBytes : MAX_GREETING_BYTES))
  const writer = createBatchedWriter(socket)
  /** What comes in one piece may ask for more than can be unread, or answered, at once. */
  const waiting = new WaitingQuestions()
  let isTurnPlanned = false
  const answerLine = new AnswerLine()
  /** Those that are being answered, by the ids of their questions. */
  const asking = new Map<number, RemoteAsker>()
  /** Questions that were given up before they were taken: the pool still gets what they send. */
  const givenUp = new Set<number>()
  const gateway = (gatewayCount++).toString(36)
  let greeted = false
  /** It listens to announcements. */
  let wantsNews = false
  /** Both numbers, once the gateway was asked to show that it knows the secret. */
  let numbers: Numbers | undefined
  let stopAnnouncements: (() => void) | undefined

  const drop = (reason: string): void => {
    if (socket.destroyed) return
    if (greeted) log.warn('gateway dropped', { reason })
    else strangers.tell(reason)
    socket.destroy()
  }

  const send = (kind: number, id: number, body: Text): void => {
    if (socket.destroyed) return
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length
    if (length > MAX_STREAM_FRAME_BYTES) {
      // A failure in the place of the answer keeps the other questions of the gateway alive.
      writer.write(
        encodeFrame(FRAME.failure, id, failureBody(rpcError('responseTooLarge', 'response too large'), '', log)),
      )
      return
    }
    if (typeof body === 'string') writer.write(encodeFrame(kind, id, body))
    else {
      writer.write(encodeFrameHead(kind, id, length))
      writer.write(body)
    }
    if (socket.writableLength > bounds.dropAboveBytes) drop(`${socket.writableLength} bytes of answers left unread`)
  }

  const isCongested = (): boolean => asking.size >= bounds.maxInFlight || socket.writableLength > bounds.pauseAboveBytes

  const takeOne = (frame: Frame): void => {
    try {
      take(frame)
    } catch (error) {
      drop(errorText(error))
    }
  }

  const mayTake = (fromMs: number): boolean =>
    !socket.destroyed && !isCongested() && performance.now() - fromMs < TURN_MS

  /** For some milliseconds: between two turns blocks are executed, and it is heard who has gone. */
  const takeWaiting = (): void => {
    const fromMs = performance.now()
    while (mayTake(fromMs)) {
      const frame = waiting.take(hasRoom())
      if (frame === undefined) break
      takeOne(frame)
    }
    flow()
  }

  /** What is answered meanwhile to others waits for the bytes before it. */
  const hasRoom = (): boolean => socket.writableLength <= MOST_BEFORE_HEAVY_BYTES

  const flow = (): void => {
    if (socket.destroyed) return
    const { pauseAboveBytes } = bounds
    if (waiting.canTake(hasRoom()) && !isCongested() && !isTurnPlanned) {
      isTurnPlanned = true
      setImmediate(() => {
        isTurnPlanned = false
        takeWaiting()
      })
    }
    // Behind questions that wait may stand the word that nobody waits for those before them: it is read.
    const isFull = waiting.size > MAX_WAITING_FRAMES || waiting.length > pauseAboveBytes
    if (isFull || socket.writableLength > pauseAboveBytes) socket.pause()
    else if (socket.isPaused() && !isCongested()) socket.resume()
  }

  const resume = (): void => {
    sendFromLine()
    if (!socket.destroyed && !isCongested()) flow()
  }

  const fail = (id: number, error: unknown, name: string): void => {
    send(FRAME.failure, id, failureBody(error, name, log))
    if (error instanceof InvariantError) options.onFatal?.(error)
  }

  /** At once where there is room, or when it comes. */
  const sendLong = (id: number, text: Uint8Array): void => {
    answerLine.add(text, () => {
      if (asking.delete(id)) send(FRAME.answer, id, text)
    })
    if (answerLine.bytes > bounds.dropAboveBytes) return drop(`${answerLine.bytes} bytes of answers wait to be sent`)
    resume()
  }

  const sendFromLine = (): void => {
    while (!answerLine.isEmpty && hasRoom() && !socket.destroyed) answerLine.sendOne()
  }

  const finish = async (frame: Frame, name: string, asker: RemoteAsker, answer: Promise<Text>): Promise<void> => {
    const { id } = frame
    asking.set(id, asker)
    try {
      const text = await answer
      if (!asking.has(id)) return resume()
      waiting.noteAnswer(asker, frame, text.length)
      if (typeof text !== 'string') return sendLong(id, text)
      send(FRAME.answer, id, text)
    } catch (error) {
      if (asking.has(id)) fail(id, error, name)
      else if (error instanceof InvariantError) options.onFatal?.(error)
    }
    asking.delete(id)
    resume()
  }

  /** Its answer is not sent, and not made where it has not been. */
  const giveUp = (id: number): void => {
    const given = waiting.giveUp(id)
    if (given === 'kept') givenUp.add(id)
    if (given !== 'unknown') return
    // Where none is asked either it has been answered already.
    const asker = asking.get(id)
    asking.delete(id)
    asker?.leave()
  }

  const answer = (frame: Frame): void => {
    const { id } = frame
    let name = ''
    const read = readQuestion(frame)
    if (read === undefined) return drop('a question that is not JSON')
    try {
      const question = read()
      const { client, connection } = question
      name = question.name
      const asker = new RemoteAsker(client, connection === '' ? '' : `${gateway}.${connection}`)
      if (givenUp.delete(id)) asker.leave()
      const text = question.ask(application, asker)
      if (text instanceof Promise) return void finish(frame, name, asker, text)
      waiting.noteAnswer(asker, frame, text.length)
      if (typeof text === 'string') return send(FRAME.answer, id, text)
      asking.set(id, asker)
      sendLong(id, text)
    } catch (error) {
      fail(id, error, name)
    }
  }

  const announce = (announcement: Announcement): void => {
    send(FRAME.announcement, 0, JSON.stringify(announcement))
    // The head goes out before CometBFT gets its answer to Commit: whoever hears of the block there finds it here.
    if (announcement.type === 'head') writer.flush()
  }

  const welcome = (): void => {
    greeted = true
    strangers.leave(socket)
    clearTimeout(strange)
    send(FRAME.hello, 0, PROTOCOL)
    if (wantsNews) stopAnnouncements = application.subscribe(announce)
  }

  const greet = (kind: number, body: string): void => {
    const { secret } = options
    if (numbers !== undefined && secret !== undefined) {
      const isKnown = kind === FRAME.proof && isProof(body, secret, 'gateway', numbers)
      return isKnown ? welcome() : drop('it does not know the secret')
    }
    const [protocol, gatewayNumber, ...rest] = body.split(' ')
    wantsNews = protocol === PROTOCOL
    const isKnown = wantsNews || protocol === PROTOCOL_WITHOUT_NEWS
    if (kind !== FRAME.hello || !isKnown || rest.length > 0) return drop('it speaks another protocol')
    if (secret === undefined)
      return gatewayNumber === undefined ? welcome() : drop('it has a secret, and this has none')
    if (gatewayNumber === undefined || !isNumber(gatewayNumber)) return drop('it shows no secret')
    numbers = { application: createNumber(), gateway: gatewayNumber }
    send(FRAME.proof, 0, `${numbers.application} ${proofOf(secret, 'application', numbers)}`)
  }

  const take = (frame: Frame): void => {
    if (!greeted) return greet(frame.kind, textToString(frame.body))
    if (frame.kind !== FRAME.ask && frame.kind !== FRAME.askLong) return drop(`unexpected frame of kind ${frame.kind}`)
    answer(frame)
  }

  const strange = setTimeout(() => drop('it has said nothing'), GREETING_MS)
  socket.setNoDelay(true)
  socket.setKeepAlive(true, 15_000)
  socket.on('data', (chunk: Buffer) => {
    const fromMs = performance.now()
    try {
      for (const frame of reader.push(chunk)) {
        if (frame.kind === FRAME.cancel && greeted) giveUp(frame.id)
        else if (!greeted || (waiting.size === 0 && mayTake(fromMs) && !waiting.isHeavy(frame))) takeOne(frame)
        else waiting.add(frame)
      }
    } catch (error) {
      drop(errorText(error))
    }
    flow()
  })
  socket.on('drain', resume)
  socket.on('error', ({ message }) => {
    if (greeted) log.warn('stream to a gateway failed', { error: message })
    else strangers.tell(message)
  })
  socket.on('close', () => {
    clearTimeout(strange)
    stopAnnouncements?.()
    waiting.clear()
    answerLine.clear()
    for (const id of [...asking.keys()]) giveUp(id)
  })
}

/** Removes a socket file that a killed process left behind; one that answers is in use. Throws rpc/failed. */
const removeStaleSocket = async (path: string): Promise<void> => {
  const isAlive = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => {
      probe.destroy()
      resolve(true)
    })
    probe.on('error', () => resolve(false))
  })
  if (isAlive) throw rpcError('failed', `unix://${path} is in use by another process`)
  await unlink(path).catch(() => {})
}

const listen = async (server: Server, address: string): Promise<void> => {
  const where = requireEndpoint(address)
  if ('path' in where) await removeStaleSocket(where.path)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

/** Serves until closed. Rejects when the address cannot be bound. */
export const serveQueries = async (options: ServeQueriesOptions): Promise<QueryServer> => {
  const bounds: Bounds = {
    maxFrameBytes: options.maxFrameBytes ?? MAX_QUESTION_BYTES,
    maxInFlight: options.maxInFlight ?? MAX_IN_FLIGHT,
    pauseAboveBytes: options.pauseAboveBytes ?? 16 * 1024 * 1024,
    dropAboveBytes: options.dropAboveBytes ?? 512 * 1024 * 1024,
  }
  const sockets = new Set<Socket>()
  const strangers = new Strangers(options.log ?? SILENT_LOG)
  const server = createServer((socket) => {
    if (!strangers.take(socket)) return void socket.destroy()
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    serveGateway(socket, options, bounds, strangers)
  })
  server.maxConnections = MAX_GATEWAYS + Strangers.most
  await listen(server, options.address)
  server.on('error', (error) => options.log?.error('query stream', { error: error.message }))
  return {
    address: describeAddress(server),
    listenAgain: () => {
      if (!server.listening) return
      server.close()
      server.listen(requireEndpoint(options.address))
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** One connection of CometBFT's socket client: requests are answered strictly one after another, in their order. */
import type { Socket } from 'node:net'
import { plainBytes } from '../core/bytes.ts'
import { type CodedError, errorText } from '../core/errors.ts'
import { Room } from '../core/room.ts'
import type { abci } from '../proto/index.ts'
import { decodeRequest, encodeAnswer, encodeException } from './codec.ts'
import type { ConsensusGate } from './consensus-gate.ts'
import { isProtocolError, protocolError } from './errors.ts'
import { createFrameDecoder, encodeVarint } from './frames.ts'
import { type AbciAnswer, dispatch, type AbciHandlers } from './handlers.ts'
import type { AbciLog } from './log.ts'
import { WaitingFrames } from './waiting-frames.ts'

/**
 * Frames answered before the event loop gets its turn, and the time after which none is begun: what CheckTx takes those
 * decide who send, and questions of gateways wait meanwhile.
 */
const FRAMES_PER_TURN = 128
const TURN_MS = 3
/** The answer to a block of some thousand native transfers. What a larger one took goes back. */
const MAX_ROOM_BYTES = 8 * 1024 * 1024
/** Frames that wait behind an unfinished call before reading pauses. CometBFT itself queues 256. */
const MAX_WAITING_FRAMES = 10_000

export interface ConnectionOptions {
  readonly name: string
  readonly handlers: AbciHandlers
  readonly gate: ConsensusGate
  readonly log: AbciLog
  readonly maxFrameBytes: number
  /** Bound of the answers that the peer does not read, and of the requests that wait. */
  readonly maxQueuedBytes: number
  /** True once the application's invariants are broken: no further request is answered. */
  isHalted(): boolean
  onFatal(error: unknown): void
  onProtocolError(error: CodedError): void
}

export interface Connection {
  /** Ends it at once; settles when the call that it was in has ended. */
  close(): Promise<void>
}

const holdsBlock = ({ method }: AbciAnswer): boolean => method === 'prepareProposal' || method === 'finalizeBlock'

export const serveConnection = (socket: Socket, options: ConnectionOptions): Connection => {
  const { gate, handlers, log, name } = options
  const decoder = createFrameDecoder(options.maxFrameBytes)
  const waiting = new WaitingFrames()
  let inputError: unknown
  let output: Uint8Array[] = []
  /** Answers with a block are written in it, once the one before has left. */
  const room = new Room(MAX_ROOM_BYTES)
  let isRoomFree = true
  let call: Promise<void> | undefined
  let scheduled = false
  let closed = false

  const shut = (): void => {
    if (closed) return
    closed = true
    waiting.clear()
    output = []
    gate.leave(member)
    socket.destroy()
  }

  const drop = (error: CodedError): void => {
    if (closed) return
    log.warn(`abci connection ${name} closed: ${error.message} (${error.codespace}/${error.code})`)
    shut()
    options.onProtocolError(error)
  }

  const member = { peer: socket.remoteAddress }

  const write = (): void => {
    if (output.length === 0) return
    socket.write(output.length === 1 ? (output[0] as Uint8Array) : Buffer.concat(output))
    output = []
  }

  // Replies of a turn leave together. That answers Flush too: nothing is held back past the turn.
  const flush = (): void => {
    if (closed) return
    write()
    socket.uncork()
    // Reading goes on while output is backed up, or both sides would wait for each other for ever: so it has a bound.
    if (socket.writableLength > options.maxQueuedBytes) {
      drop(protocolError('outputBackedUp', `the peer left ${socket.writableLength} bytes of answers unread`))
    }
  }

  const send = (body: Uint8Array): void => void output.push(encodeVarint(body.length), body)

  const sendAnswer = (answer: AbciAnswer): void => {
    if (!holdsBlock(answer)) return send(encodeAnswer(answer))
    const body = encodeAnswer(answer, isRoomFree ? room : undefined)
    isRoomFree = false
    // Not copied once more, but in the same call to the system as what is before it.
    if (socket.writableCorked === 0) socket.cork()
    output.push(encodeVarint(body.length))
    write()
    socket.write(body, () => (isRoomFree = true))
  }

  const fail = (error: unknown): void => {
    if (isProtocolError(error)) {
      flush()
      drop(error)
      return
    }
    if (options.isHalted()) return
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    log.error(`the application failed in a call of abci connection ${name}: ${reason}`)
    // CometBFT stops at an exception: the application cannot go on, and must not be asked again.
    const text = errorText(error).toWellFormed()
    send(encodeException(text))
    flush()
    options.onFatal(error)
  }

  const execute = (request: abci.Request): AbciAnswer | Promise<AbciAnswer> => {
    const answer = dispatch(handlers, request)
    if (answer instanceof Promise && request.value.case !== undefined) gate.hold(request.value.case, answer)
    return answer
  }

  const isActive = (): boolean => !closed && !options.isHalted()

  const answerFrame = (frame: Uint8Array): AbciAnswer | Promise<AbciAnswer | undefined> => {
    const request = decodeRequest(frame)
    const wait = request.value.case === undefined ? undefined : gate.enter(member, request.value.case)
    return wait === undefined ? execute(request) : wait.then(() => (isActive() ? execute(request) : undefined))
  }

  const finishCall = async (answer: Promise<AbciAnswer | undefined>): Promise<void> => {
    try {
      const done = await answer
      if (done !== undefined && isActive()) sendAnswer(done)
    } catch (error) {
      fail(error)
    }
    call = undefined
    pump()
  }

  const pumpTurn = (): void => {
    const fromMs = performance.now()
    for (let turn = 0; turn < FRAMES_PER_TURN && isActive(); turn++) {
      if (turn > 0 && performance.now() - fromMs > TURN_MS) break
      const frame = waiting.take()
      if (frame === undefined) {
        if (inputError !== undefined) fail(inputError)
        else if (socket.isPaused()) socket.resume()
        return
      }
      const answer = answerFrame(frame)
      if (answer instanceof Promise) {
        call = finishCall(answer)
        return
      }
      sendAnswer(answer)
    }
    if (!isActive()) return
    scheduled = true
    setImmediate(() => {
      scheduled = false
      pump()
    })
  }

  const pump = (): void => {
    if (call !== undefined || scheduled || !isActive()) return
    try {
      pumpTurn()
    } catch (error) {
      fail(error)
    }
    flush()
  }

  socket.on('data', (chunk: Uint8Array) => {
    if (inputError !== undefined) return
    try {
      // Plain, for the bytes go into the application: Buffer.slice does not copy.
      for (const frame of decoder.push(plainBytes(chunk))) waiting.push(frame)
    } catch (error) {
      inputError = error
    }
    // Reading pauses behind a call that ends by itself, never behind output.
    if (waiting.bytes > options.maxQueuedBytes || waiting.count > MAX_WAITING_FRAMES) socket.pause()
    pump()
  })
  socket.on('error', (error) => {
    if (!closed) log.warn(`abci connection ${name}: ${error.message}`)
  })
  socket.on('close', () => {
    if (!closed) log.info(`abci connection ${name} ended`)
    shut()
  })

  return {
    async close() {
      shut()
      await call
    },
  }
}

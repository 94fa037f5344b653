/** One connection of CometBFT's socket client: requests are answered strictly one after another, in their order. */
import type { Socket } from 'node:net'
import { plainBytes } from '../core/bytes.ts'
import { type CodedError, errorText } from '../core/errors.ts'
import { Room } from '../core/room.ts'
import type { abci } from '../proto/index.ts'
import { decodeRequest, encodeAnswer, encodeException } from './codec.ts'
import type { ConsensusGate } from './consensus-gate.ts'
import { isProtocolError, protocolError } from './errors.ts'
import { createFrameDecoder, encodeVarint, type FrameDecoder } from './frames.ts'
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

class SocketConnection implements Connection {
  readonly #socket: Socket
  readonly #options: ConnectionOptions
  /** What the gate of consensus knows it by. */
  readonly #member: { readonly peer: string | undefined }
  readonly #decoder: FrameDecoder
  readonly #waiting = new WaitingFrames()
  /** What is wrong with the input behind the frames that wait. */
  #inputError: unknown
  #output: Uint8Array[] = []
  /** Answers with a block are written in it, once the one before has left. */
  readonly #room = new Room(MAX_ROOM_BYTES)
  #isRoomFree = true
  #call: Promise<void> | undefined
  #isTurnPlanned = false
  #isClosed = false

  constructor(socket: Socket, options: ConnectionOptions) {
    const { log, name } = options
    this.#socket = socket
    this.#options = options
    this.#member = { peer: socket.remoteAddress }
    this.#decoder = createFrameDecoder(options.maxFrameBytes)
    socket.on('data', (chunk: Uint8Array) => this.#receive(chunk))
    socket.on('error', (error) => {
      if (!this.#isClosed) log.warn(`abci connection ${name}: ${error.message}`)
    })
    socket.on('close', () => {
      if (!this.#isClosed) log.info(`abci connection ${name} ended`)
      this.#shut()
    })
  }

  async close(): Promise<void> {
    this.#shut()
    await this.#call
  }

  get #isActive(): boolean {
    return !this.#isClosed && !this.#options.isHalted()
  }

  #shut(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#waiting.clear()
    this.#output = []
    this.#options.gate.leave(this.#member)
    this.#socket.destroy()
  }

  #drop(error: CodedError): void {
    if (this.#isClosed) return
    const { log, name, onProtocolError } = this.#options
    log.warn(`abci connection ${name} closed: ${error.message} (${error.codespace}/${error.code})`)
    this.#shut()
    onProtocolError(error)
  }

  // ---- requests -------------------------------------------------------------------------------------------------

  #receive(chunk: Uint8Array): void {
    if (this.#inputError !== undefined) return
    const waiting = this.#waiting
    try {
      // Plain, for the bytes go into the application: Buffer.slice does not copy.
      for (const frame of this.#decoder.push(plainBytes(chunk))) waiting.push(frame)
    } catch (error) {
      this.#inputError = error
    }
    // Reading pauses behind a call that ends by itself, never behind output.
    if (waiting.bytes > this.#options.maxQueuedBytes || waiting.count > MAX_WAITING_FRAMES) this.#socket.pause()
    this.#pump()
  }

  /** Answers what waits, unless a call or a turn of the event loop must end first. */
  #pump(): void {
    if (this.#call !== undefined || this.#isTurnPlanned || !this.#isActive) return
    try {
      this.#takeTurn()
    } catch (error) {
      this.#fail(error)
    }
    this.#flush()
  }

  #takeTurn(): void {
    const fromMs = performance.now()
    for (let taken = 0; taken < FRAMES_PER_TURN && this.#isActive; taken++) {
      if (taken > 0 && performance.now() - fromMs > TURN_MS) break
      const frame = this.#waiting.take()
      if (frame === undefined) {
        if (this.#inputError !== undefined) this.#fail(this.#inputError)
        else if (this.#socket.isPaused()) this.#socket.resume()
        return
      }
      const answer = this.#answer(frame)
      if (answer instanceof Promise) {
        this.#call = this.#finishCall(answer)
        return
      }
      this.#sendAnswer(answer)
    }
    if (!this.#isActive) return
    this.#isTurnPlanned = true
    setImmediate(() => {
      this.#isTurnPlanned = false
      this.#pump()
    })
  }

  #answer(frame: Uint8Array): AbciAnswer | Promise<AbciAnswer | undefined> {
    const request = decodeRequest(frame)
    const { case: method } = request.value
    const wait = method === undefined ? undefined : this.#options.gate.enter(this.#member, method)
    if (wait === undefined) return this.#execute(request)
    return wait.then(() => (this.#isActive ? this.#execute(request) : undefined))
  }

  #execute(request: abci.Request): AbciAnswer | Promise<AbciAnswer> {
    const { gate, handlers } = this.#options
    const answer = dispatch(handlers, request)
    if (answer instanceof Promise && request.value.case !== undefined) gate.hold(request.value.case, answer)
    return answer
  }

  async #finishCall(answer: Promise<AbciAnswer | undefined>): Promise<void> {
    try {
      const done = await answer
      if (done !== undefined && this.#isActive) this.#sendAnswer(done)
    } catch (error) {
      this.#fail(error)
    }
    this.#call = undefined
    this.#pump()
  }

  // ---- answers --------------------------------------------------------------------------------------------------

  #sendAnswer(answer: AbciAnswer): void {
    if (!holdsBlock(answer)) return this.#send(encodeAnswer(answer))
    const body = encodeAnswer(answer, this.#isRoomFree ? this.#room : undefined)
    this.#isRoomFree = false
    // Not copied once more, but in the same call to the system as what is before it.
    if (this.#socket.writableCorked === 0) this.#socket.cork()
    this.#output.push(encodeVarint(body.length))
    this.#write()
    this.#socket.write(body, () => (this.#isRoomFree = true))
    return undefined
  }

  #send(body: Uint8Array): void {
    this.#output.push(encodeVarint(body.length), body)
  }

  #write(): void {
    const output = this.#output
    if (output.length === 0) return
    this.#socket.write(output.length === 1 ? (output[0] as Uint8Array) : Buffer.concat(output))
    this.#output = []
  }

  /** Replies of a turn leave together. That answers Flush too: nothing is held back past the turn. */
  #flush(): void {
    if (this.#isClosed) return
    this.#write()
    this.#socket.uncork()
    // Reading goes on while output is backed up, or both sides would wait for each other for ever: so it has a bound.
    const { writableLength } = this.#socket
    if (writableLength > this.#options.maxQueuedBytes) {
      this.#drop(protocolError('outputBackedUp', `the peer left ${writableLength} bytes of answers unread`))
    }
  }

  #fail(error: unknown): void {
    if (isProtocolError(error)) {
      this.#flush()
      this.#drop(error)
      return
    }
    const { isHalted, log, name, onFatal } = this.#options
    if (isHalted()) return
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    log.error(`the application failed in a call of abci connection ${name}: ${reason}`)
    // CometBFT stops at an exception: the application cannot go on, and must not be asked again.
    this.#send(encodeException(errorText(error).toWellFormed()))
    this.#flush()
    onFatal(error)
  }
}

export const serveConnection = (socket: Socket, options: ConnectionOptions): Connection =>
  new SocketConnection(socket, options)

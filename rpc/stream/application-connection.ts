/** One connection of a gateway to the application: the greeting of both sides, and the frames that come in turns of the event loop. */
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { textToString } from '../../core/text.ts'
import { rpcError } from '../errors.ts'
import type { GatewayLog } from '../log.ts'
import { createFrameReader, encodeFrame, FRAME, type Frame, PROTOCOL, PROTOCOL_WITHOUT_NEWS } from './frames.ts'
import { createNumber, isProof, proofOf } from './secret.ts'
import { createBatchedWriter } from './write-batch.ts'

/** Answers in one turn of the event loop: whoever waits for each makes a reply of it and sends that. */
const FRAMES_PER_TURN = 256

export interface ApplicationConnectionOptions {
  /** The address in the form that people write. */
  readonly address: string
  readonly where: NetConnectOpts
  readonly log: GatewayLog
  /** The application must know it, and asks for it. */
  readonly secret: Uint8Array | undefined
  /** It asks alone: nobody is told of heads and pending transactions. */
  readonly isWithoutNews: boolean
  readonly maxFrameBytes: number
  /** Both sides have greeted each other. */
  readonly onGreeted: () => void
  /** The text of an announcement. It may throw: what cannot be read ends the connection, as with an answer. */
  readonly onAnnouncement: (text: string) => void
  readonly onAnswer: (frame: Frame) => void
  readonly onError: (error: Error) => void
  /** Called behind all that came. */
  readonly onClose: () => void
}

const isAnswer = ({ kind }: Frame): boolean => kind === FRAME.answer || kind === FRAME.failure

export class ApplicationConnection {
  readonly #options: ApplicationConnectionOptions
  readonly #socket: Socket
  readonly #write: (frame: Buffer) => void
  /** What this connection is proven by. */
  readonly #number = createNumber()
  /** Answers that came together wait here: what each of them sets going runs when this turn has ended. */
  readonly #unsettled: Frame[] = []
  #isTurnPlanned = false
  #isProven = false
  #isGreeted = false

  constructor(options: ApplicationConnectionOptions) {
    this.#options = options
    const socket = connect(options.where)
    this.#socket = socket
    this.#write = createBatchedWriter(socket).write
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 15_000)
    const protocol = options.isWithoutNews ? PROTOCOL_WITHOUT_NEWS : PROTOCOL
    const hello = options.secret === undefined ? protocol : `${protocol} ${this.#number}`
    socket.on('connect', () => this.write(encodeFrame(FRAME.hello, 0, hello)))
    const reader = createFrameReader(() => options.maxFrameBytes)
    socket.on('data', (chunk: Buffer) => this.#receive(() => reader.push(chunk)))
    socket.on('error', options.onError)
    socket.on('close', () => this.#closed())
  }

  get isGreeted(): boolean {
    return this.#isGreeted
  }

  /** Bytes that wait to be sent. */
  get unsentBytes(): number {
    return this.#socket.writableLength
  }

  write(frame: Buffer): void {
    this.#write(frame)
  }

  /** Settles when it is closed. */
  async close(): Promise<void> {
    if (this.#socket.closed) return
    const ended = new Promise((resolve) => this.#socket.once('close', resolve))
    this.#socket.destroy()
    await ended
  }

  #receive(read: () => Iterable<Frame>): void {
    this.#guard(() => {
      for (const frame of read()) {
        if (this.#socket.destroyed) return
        // The head goes before answers, never behind them: whoever has heard of a block finds it here.
        if (this.#isGreeted && frame.kind !== FRAME.announcement) this.#unsettled.push(frame)
        else this.#take(frame)
      }
    })
    if (this.#unsettled.length > FRAMES_PER_TURN) this.#socket.pause()
    if (!this.#isTurnPlanned) this.#takeSome()
  }

  readonly #takeSome = (): void => {
    this.#isTurnPlanned = false
    // What is left is settled when it closes.
    if (this.#socket.destroyed) return
    this.#guard(() => {
      for (const frame of this.#unsettled.splice(0, FRAMES_PER_TURN)) this.#take(frame)
    })
    if (this.#socket.destroyed) return
    if (this.#unsettled.length === 0) return void this.#socket.resume()
    this.#isTurnPlanned = true
    setImmediate(this.#takeSome)
  }

  #take(frame: Frame): void {
    if (!this.#isGreeted) this.#greet(frame)
    else if (frame.kind === FRAME.announcement) this.#options.onAnnouncement(textToString(frame.body))
    else if (isAnswer(frame)) this.#options.onAnswer(frame)
    else throw rpcError('protocol', `unexpected frame of kind ${frame.kind}`)
  }

  #greet(frame: Frame): void {
    const { address, secret, onGreeted } = this.#options
    if (frame.kind === FRAME.proof && !this.#isProven) return this.#proveTo(textToString(frame.body))
    if (secret !== undefined && !this.#isProven) {
      throw rpcError('protocol', `the process at ${address} was asked for the secret and shows none`)
    }
    if (frame.kind !== FRAME.hello || frame.body !== PROTOCOL) {
      throw rpcError('protocol', `the process at ${address} speaks another protocol`)
    }
    this.#isGreeted = true
    return onGreeted()
  }

  /** The application knows the secret, and is shown that this does. */
  #proveTo(body: string): void {
    const { address, secret } = this.#options
    const [applicationNumber = '', shown = ''] = body.split(' ')
    const numbers = { application: applicationNumber, gateway: this.#number }
    if (secret === undefined || !isProof(shown, secret, 'application', numbers)) {
      throw rpcError('protocol', `the process at ${address} does not know the secret`)
    }
    this.#isProven = true
    this.write(encodeFrame(FRAME.proof, 0, proofOf(secret, 'gateway', numbers)))
  }

  #closed(): void {
    // They were answered before it went away.
    this.#guard(() => {
      for (const frame of this.#unsettled.splice(0)) if (isAnswer(frame)) this.#options.onAnswer(frame)
    })
    this.#options.onClose()
  }

  #guard(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.#options.log.error('a message of the application cannot be read', { error: String(error) })
      this.#socket.destroy()
    }
  }
}

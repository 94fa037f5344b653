/** The gateway's side of the stream: the application, wherever it runs. Where it is away, it is connected to anew. */
import type { NetConnectOpts } from 'node:net'
import type { Announcement, Asker, Head, QueryApplication, QuestionName, Questions } from '../../app/ports.ts'
import type { CodedError } from '../../core/errors.ts'
import { MAX_STREAM_FRAME_BYTES } from '../../core/limits.ts'
import { type Text, textToString } from '../../core/text.ts'
import { rpcError } from '../errors.ts'
import type { Endpoint } from '../head.ts'
import { SILENT_LOG, type GatewayLog } from '../log.ts'
import { requireEndpoint } from './address.ts'
import { ApplicationConnection } from './application-connection.ts'
import { MAX_UNSENT_BYTES, OpenQuestions, tooManyWait } from './open-questions.ts'

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

const TIMEOUT_MS = 30_000
const MAX_PENDING = 20_000
const RECONNECT_MS = { first: 50, most: 2_000 }

/** Gateways themselves. */
const NOBODY: Asker = { client: '', connection: '', onGone: () => () => undefined }

const unavailable = (address: string): CodedError =>
  rpcError('unavailable', `application unavailable at ${address}; retrying`)

class ConnectedApplication implements RemoteApplication {
  readonly endpoint: Endpoint
  readonly #options: ConnectApplicationOptions
  readonly #where: NetConnectOpts
  readonly #log: GatewayLog
  readonly #reconnectMs: { readonly first: number; readonly most: number }
  readonly #questions: OpenQuestions
  readonly #listeners = new Set<(announcement: Announcement) => void>()
  readonly #connectionListeners = new Set<() => void>()
  readonly #waiters: (() => void)[] = []
  #connection: ApplicationConnection | undefined
  #isConnected = false
  #head: Head | undefined
  #retry: NodeJS.Timeout | undefined
  #delayMs: number
  /** One line a failure, not one an attempt. */
  #toldOfFailure = false
  #isClosed = false

  constructor(options: ConnectApplicationOptions) {
    const { address, secret, timeoutMs = TIMEOUT_MS, maxPending = MAX_PENDING } = options
    this.#options = options
    this.endpoint = secret === undefined ? { address } : { address, secret }
    this.#where = requireEndpoint(address)
    this.#log = options.log ?? SILENT_LOG
    this.#reconnectMs = options.reconnectMs ?? RECONNECT_MS
    this.#delayMs = this.#reconnectMs.first
    this.#questions = new OpenQuestions({ timeoutMs, maxPending, write: (frame) => this.#connection?.write(frame) })
    this.#open()
  }

  get connected(): boolean {
    return this.#isConnected
  }

  onConnection(listener: () => void): () => void {
    this.#connectionListeners.add(listener)
    return () => this.#connectionListeners.delete(listener)
  }

  whenConnected(): Promise<void> {
    return this.#isConnected ? Promise.resolve() : new Promise((resolve) => this.#waiters.push(resolve))
  }

  async ask<Name extends QuestionName>(
    name: Name,
    parameters: Questions[Name],
    asOf: number,
    asker?: Asker,
  ): Promise<string> {
    return textToString(await this.askText(name, parameters, asOf, asker))
  }

  askText<Name extends QuestionName>(
    name: Name,
    parameters: Questions[Name],
    asOf: number,
    asker: Asker = NOBODY,
  ): Promise<Text> {
    if (!this.#isConnected || this.#connection === undefined) return Promise.reject(unavailable(this.#options.address))
    if (this.#connection.unsentBytes > MAX_UNSENT_BYTES) return Promise.reject(tooManyWait())
    return this.#questions.ask(name, parameters, asOf, asker)
  }

  subscribe(listener: (announcement: Announcement) => void): () => void {
    this.#listeners.add(listener)
    if (this.#head !== undefined) listener({ type: 'head', head: this.#head, isNew: false })
    return () => this.#listeners.delete(listener)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    this.#questions.close()
    await this.#connection?.close()
  }

  readonly #open = (): void => {
    const { address, secret, isWithoutNews = false, maxFrameBytes = MAX_STREAM_FRAME_BYTES + 64 } = this.#options
    this.#connection = new ApplicationConnection({
      ...{ address, where: this.#where, secret, isWithoutNews, maxFrameBytes, log: this.#log },
      onGreeted: () => this.#greeted(),
      onAnnouncement: (text) => this.#announce(JSON.parse(text) as Announcement),
      onAnswer: (frame) => this.#questions.settle(frame),
      onError: ({ message }) => {
        if (!this.#toldOfFailure) this.#log.warn('application not reachable, retrying', { address, error: message })
        this.#toldOfFailure = true
      },
      onClose: () => this.#lost(),
    })
  }

  #greeted(): void {
    this.#changeConnection(true)
    this.#delayMs = this.#reconnectMs.first
    this.#toldOfFailure = false
    this.#log.info('connected to the application', { address: this.#options.address })
    for (const waiter of this.#waiters.splice(0)) waiter()
  }

  #announce(announcement: Announcement): void {
    if (announcement.type === 'head') this.#head = announcement.head
    for (const listener of this.#listeners) listener(announcement)
  }

  #lost(): void {
    const { address } = this.#options
    if (this.#isConnected && !this.#isClosed)
      this.#log.warn('connection to the application lost, retrying', { address })
    this.#changeConnection(false)
    this.#questions.failAll(unavailable(address))
    if (this.#isClosed) return
    this.#retry = setTimeout(this.#open, this.#delayMs)
    this.#delayMs = Math.min(this.#delayMs * 2, this.#reconnectMs.most)
  }

  #changeConnection(isConnected: boolean): void {
    if (this.#isConnected === isConnected) return
    this.#isConnected = isConnected
    for (const listener of this.#connectionListeners) listener()
  }
}

export const connectApplication = (options: ConnectApplicationOptions): RemoteApplication =>
  new ConnectedApplication(options)

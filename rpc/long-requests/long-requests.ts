/**
 * Long requests, which another thread reads and answers: one connection's megabytes of JSON hold up nobody's balance
 * (docs/adr/057). The thread begins with the first of them, and ends when there was none for a while; with it goes what
 * it took of memory.
 */
import { Worker } from 'node:worker_threads'
import { type CodedError, errorText } from '../../core/errors.ts'
import type { Asker, Head } from '../../app/ports.ts'
import { rpcError } from '../errors.ts'
import type { Endpoint, HeadTracker } from '../head.ts'
import type { GatewayLog } from '../log.ts'
import { LongReply, type Reply } from '../replies.ts'
import type { RequestFigures } from '../request-figures.ts'
import type { GatewaySettings } from '../settings.ts'
import type { FromThread, LongRequestsData, ThreadOutcome, ToThread } from './messages.ts'

export { MOST_SUBSCRIBING_BYTES } from './messages.ts'

/**
 * Bytes of a request that is long. A transaction of the greatest size is shorter, and so is what wallets send: they need
 * not wait for the thread to begin.
 */
export const LONG_REQUEST_BYTES = 288 * 1024
/** Without a request for so long, the thread ends. */
const REST_MS = 60_000
/** A thread that does not end by itself is terminated after this long. */
const STOP_TIMEOUT_MS = 5_000
/**
 * V8 ends the whole process where one call takes more than is left of a heap, whatever the limits of a thread: so the
 * thread bounds what it keeps (MOST_KEPT_BYTES there), and its limit is far above what the largest message of WebSocket
 * takes beside that: 32 MB of text, at worst twice as long in memory, its values, and the question that it is.
 */
const HEAP_LIMIT_MB = 1_024

export interface LongCaller {
  readonly asker: Asker
  /** Its connection can carry notifications. */
  readonly canSubscribe: boolean
  /**
   * Called when the bytes are read, and hold a request, with what its methods cost. Returns 0, or the seconds to wait
   * where it is refused.
   */
  admit(cost: number): number
  /** Told of what a batch keeps until all of it is answered; false when that is too much. */
  hold(bytes: number): boolean
}

export type LongOutcome =
  | { readonly kind: 'reply'; readonly reply: Reply | undefined }
  | Exclude<ThreadOutcome, { readonly kind: 'reply' }>
  /** It was not admitted. */
  | { readonly kind: 'refused'; readonly waitSeconds: number; readonly replyId: string }
  /** The thread has ended under it. */
  | { readonly kind: 'lost'; readonly error: CodedError }

export interface LongRequests {
  /** `bytes` are given away: their memory must be their own. Never rejects. */
  answer(bytes: Uint8Array, caller: LongCaller): Promise<LongOutcome>
  close(): Promise<void>
}

export interface LongRequestsOptions {
  readonly settings: GatewaySettings
  readonly endpoint: Endpoint
  readonly head: HeadTracker
  readonly figures: RequestFigures
  readonly log: GatewayLog
  readonly restMs?: number
}

interface Asked {
  readonly caller: LongCaller
  stopListening(): void
  settle(outcome: LongOutcome): void
}

const lost = (text: string): LongOutcome => ({ kind: 'lost', error: rpcError('unavailable', text) })

const toReply = (reply: string | readonly Uint8Array[] | undefined): Reply | undefined =>
  reply === undefined || typeof reply === 'string' ? reply : new LongReply(reply)

class Thread {
  readonly #options: LongRequestsOptions
  readonly #worker: Worker
  readonly #asked = new Map<number, Asked>()
  readonly #exited: Promise<void>
  readonly #onRest: () => void
  #head: Head | undefined
  #nextId = 1
  #rest: NodeJS.Timeout | undefined
  #isEnding = false

  /** `onRest` is called once, when nobody has asked for a while or the thread has died. */
  constructor(options: LongRequestsOptions, onRest: () => void) {
    const { settings, endpoint } = options
    this.#options = options
    this.#onRest = onRest
    const workerData: LongRequestsData = { settings, endpoint }
    const resourceLimits = { maxOldGenerationSizeMb: HEAP_LIMIT_MB }
    this.#worker = new Worker(new URL('./long-requests-thread.ts', import.meta.url), { workerData, resourceLimits })
    this.#worker.on('message', (message: FromThread) => this.#hear(message))
    this.#worker.on('error', (error) => this.#die(error))
    this.#exited = new Promise((resolve) => {
      this.#worker.once('exit', () => resolve())
    })
    this.tellHead()
  }

  /** What is shown as the newest block here is the newest there. */
  tellHead(): void {
    const { head } = this.#options
    if (!head.isAvailable()) return
    const current = head.current().head
    if (current === this.#head) return
    this.#head = current
    this.#post({ kind: 'head', head: current })
  }

  answer(bytes: Uint8Array, caller: LongCaller): Promise<LongOutcome> {
    clearTimeout(this.#rest)
    this.tellHead()
    const id = this.#nextId++
    const { asker, canSubscribe } = caller
    const { client, connection } = asker
    return new Promise((resolve) => {
      const asked: Asked = { caller, settle: resolve, stopListening: () => undefined }
      this.#asked.set(id, asked)
      const given = bytes.buffer as ArrayBuffer
      this.#post({ kind: 'request', id, bytes, client, connection, canSubscribe }, [given])
      asked.stopListening = asker.onGone(() => this.#post({ kind: 'gone', id }))
    })
  }

  async close(): Promise<void> {
    this.#isEnding = true
    clearTimeout(this.#rest)
    this.#post('stop')
    this.#fail('the gateway is stopping')
    const patience = setTimeout(() => void this.#worker.terminate(), STOP_TIMEOUT_MS)
    await this.#exited
    clearTimeout(patience)
  }

  #post(message: ToThread, given: readonly ArrayBuffer[] = []): void {
    this.#worker.postMessage(message, given)
  }

  #hear(message: FromThread): void {
    if (message.kind === 'log') return this.#options.log[message.level](message.message, message.fields)
    const asked = this.#asked.get(message.id)
    if (message.kind === 'end') {
      for (const figure of message.figures) this.#options.figures.note(figure)
      const { outcome } = message
      this.#end(message.id, outcome.kind === 'reply' ? { ...outcome, reply: toReply(outcome.reply) } : outcome)
    } else if (message.kind === 'read') this.#admit(message, asked)
    else if (asked?.caller.hold(message.bytes) === false) this.#post({ kind: 'full', id: message.id })
  }

  #admit({ id, cost, replyId }: Extract<FromThread, { readonly kind: 'read' }>, asked: Asked | undefined): void {
    const waitSeconds = asked?.caller.admit(cost) ?? 0
    if (waitSeconds === 0) return this.#post({ kind: 'admitted', id })
    this.#post({ kind: 'gone', id })
    this.#end(id, { kind: 'refused', waitSeconds, replyId })
  }

  #end(id: number, outcome: LongOutcome): void {
    const asked = this.#asked.get(id)
    // The thread tells of the end of what was refused here too.
    if (asked === undefined) return
    this.#asked.delete(id)
    asked.stopListening()
    asked.settle(outcome)
    if (this.#asked.size > 0 || this.#isEnding) return
    this.#rest = setTimeout(this.#onRest, this.#options.restMs ?? REST_MS).unref()
  }

  #fail(text: string): void {
    for (const id of this.#asked.keys()) this.#end(id, lost(text))
  }

  #die(error: Error): void {
    this.#isEnding = true
    this.#options.log.error('the thread for long requests died', { reason: errorText(error) })
    this.#fail('the request could not be read: send less at once, or try again')
    this.#onRest()
  }
}

export const createLongRequests = (options: LongRequestsOptions): LongRequests => {
  let thread: Thread | undefined
  const ending = new Set<Promise<void>>()
  let isClosed = false

  const end = (ended: Thread): void => {
    if (thread === ended) thread = undefined
    const closing = ended.close().finally(() => ending.delete(closing))
    ending.add(closing)
  }

  const begin = (): Thread => {
    const begun: Thread = new Thread(options, () => end(begun))
    return begun
  }

  const stopListening = options.head.subscribe(() => thread?.tellHead())

  return {
    answer(bytes, caller) {
      if (isClosed) return Promise.resolve(lost('the gateway is stopping'))
      thread ??= begin()
      return thread.answer(bytes, caller)
    },
    async close() {
      isClosed = true
      stopListening()
      if (thread !== undefined) end(thread)
      await Promise.all(ending)
    },
  }
}

/**
 * Questions of usual size. Whoever asks one thing at a time is never held up. Of what connections ask ahead, beside the first
 * of each, few questions are on their way at once; the others wait here and have turns: what stands between two processes is
 * taken in the order in which it came, and batches that hundreds of connections send ahead would all be before what anybody
 * asks.
 */
import type { Asker, QuestionName } from '../../app/ports.ts'
import { FairLine } from '../fair-line.ts'

/** Questions that were asked ahead and sent lately, above which others of these wait: of quick ones, and of others. */
export const MOST_QUICK_LATELY = 128
export const MOST_SLOW_LATELY = 1_024
/** What has no answer after so long waits for a worker, and is in nobody's way. */
const LATELY_MS = 100

interface Waiting {
  readonly id: number
  readonly bytes: number
  send(): void
}

/**
 * Those that workers answer: quick ones must not wait for them. What answers knows them as well (query/questions.ts), and
 * test/questions holds the two together.
 */
const SLOW: ReadonlySet<QuestionName> = new Set([
  'call',
  'estimateGas',
  'evmCall',
  'simulate',
  'createAccessList',
  'fillTransaction',
  'traceTransaction',
  'traceBlock',
  'traceRawBlock',
  'traceCall',
  'intermediateRoots',
  'storageRange',
  'accountRange',
  'modifiedAccounts',
  'proof',
  'feeHistory',
  'heads',
  'rawBlock',
  'rawReceipts',
  'waitingTransactions',
  'logs',
  'logsPage',
  'filterLogs',
  'committedBlocks',
  'native',
])

export const isSlow = (name: QuestionName): boolean => SLOW.has(name)

const keyOf = ({ client, connection }: Asker): string => `${client} ${connection}`

export class SmallQuestions {
  readonly #mostLately: number
  /** The connections of those that have no answer yet, by their ids. */
  readonly #unanswered = new Map<number, string>()
  /** How many each connection has on its way, or waiting. */
  readonly #counts = new Map<string, number>()
  /** When those were sent that were asked ahead and went lately, in this order. */
  readonly #lately = new Map<number, number>()
  /** Who asked each of those that wait. */
  readonly #askers = new Map<number, Asker>()
  readonly #line = new FairLine<Waiting>()
  #timer: NodeJS.Timeout | undefined
  #isPlanned = false
  /** The bytes of those that wait. */
  waitingBytes = 0

  constructor(mostLately: number) {
    this.#mostLately = mostLately
  }

  /** How many that its connection has asked are unanswered. */
  countOf(asker: Asker): number {
    return this.#counts.get(keyOf(asker)) ?? 0
  }

  /** Sends it now or when it is its turn. What a gateway asks for itself, for all of its clients, never waits. */
  add(asker: Asker, waiting: Waiting): void {
    if (asker.client === '') return waiting.send()
    const key = keyOf(asker)
    const count = this.#counts.get(key) ?? 0
    this.#unanswered.set(waiting.id, key)
    this.#counts.set(key, count + 1)
    // These take no place of the others: hundreds who ask one thing at a time would keep all of them.
    if (count === 0) return waiting.send()
    if (this.#line.isEmpty && this.#lately.size < this.#mostLately) return this.#send(waiting)
    this.#line.add(asker, waiting)
    this.#askers.set(waiting.id, asker)
    this.waitingBytes += waiting.bytes
    this.#sendSome()
  }

  /** It is answered, or nobody waits for it. False where it was never sent. */
  end(id: number): boolean {
    const key = this.#unanswered.get(id)
    if (key === undefined) return true
    this.#unanswered.delete(id)
    const count = this.#counts.get(key) ?? 1
    if (count > 1) this.#counts.set(key, count - 1)
    else this.#counts.delete(key)
    const asker = this.#askers.get(id)
    if (asker !== undefined) {
      this.#askers.delete(id)
      this.waitingBytes -= this.#line.remove(asker, (one) => one.id === id)?.bytes ?? 0
      return false
    }
    this.#lately.delete(id)
    this.#sendSoon()
    return true
  }

  clear(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#unanswered.clear()
    this.#counts.clear()
    this.#lately.clear()
    this.#askers.clear()
    this.#line.clear()
    this.waitingBytes = 0
  }

  #send({ id, send }: Waiting): void {
    this.#lately.set(id, performance.now())
    send()
  }

  /** A connection that has gone gives up all that it has asked, one after another: none of it shall go before. */
  #sendSoon(): void {
    if (this.#line.isEmpty || this.#isPlanned) return
    this.#isPlanned = true
    queueMicrotask(() => {
      this.#isPlanned = false
      this.#sendSome()
    })
  }

  #sendSome(): void {
    if (this.#line.isEmpty) return
    this.#forgetLate()
    while (this.#lately.size < this.#mostLately) {
      const next = this.#line.take()
      if (next === undefined) return
      this.#askers.delete(next.id)
      this.waitingBytes -= next.bytes
      this.#send(next)
    }
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#sendSome()
    }, LATELY_MS)
  }

  #forgetLate(): void {
    const fromMs = performance.now() - LATELY_MS
    for (const [id, sentMs] of this.#lately) {
      if (sentMs > fromMs) return
      this.#lately.delete(id)
    }
  }
}

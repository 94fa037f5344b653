/** Questions of one gateway that were read and not yet asked. */
import { FairLine } from '../fair-line.ts'
import type { Frame } from './frames.ts'
import { sends, whatIsAsked, type Who, whoAsks } from './question.ts'

/** Answers of so many bytes are noted; a connection that had so many in the last seconds waits behind the others. */
const NOTED_BYTES = 64 * 1024
const MUCH_BYTES = 1024 * 1024
/** A question whose answer was so long is one whose answer is, whoever asks it next. */
const LONG_ANSWER_BYTES = 512 * 1024
const MAX_LONG_QUESTIONS = 1_000
const HAD_MS = 5_000
/** One of those is asked after so long, also where others never end. */
const HEAVY_WAIT_MS = 100

/** What connections were answered lately, as far as it is much, and to which questions. */
class LongAnswers {
  #bytes = new Map<string, number>()
  #questions = new Set<string>()
  #sinceMs = 0

  note({ client, connection }: Who, question: Frame, bytes: number): void {
    // What gateways ask for themselves is for all of their clients.
    if (bytes < NOTED_BYTES || client === '') return
    this.#forget()
    // On this side names of connections begin with their gateway.
    const key = `${client} ${connection.slice(connection.indexOf('.') + 1)}`
    this.#bytes.set(key, (this.#bytes.get(key) ?? 0) + bytes)
    if (bytes < LONG_ANSWER_BYTES || this.#questions.size >= MAX_LONG_QUESTIONS) return
    const asked = whatIsAsked(question)
    if (asked !== undefined) this.#questions.add(asked)
  }

  get isNothing(): boolean {
    return this.#bytes.size === 0
  }

  isLong(question: Frame): boolean {
    if (this.#questions.size === 0) return false
    this.#forget()
    const asked = whatIsAsked(question)
    return asked !== undefined && this.#questions.has(asked)
  }

  isMuch({ client, connection }: Who): boolean {
    this.#forget()
    return (this.#bytes.get(`${client} ${connection}`) ?? 0) > MUCH_BYTES
  }

  #forget(): void {
    const nowMs = performance.now()
    if (nowMs - this.#sinceMs < HAD_MS) return
    this.#sinceMs = nowMs
    this.#bytes = new Map()
    this.#questions = new Set()
  }
}

/**
 * Clients have turns, and of each its connections. Connections that have had long answers wait behind the others, so do
 * questions whose answers are long, also from a connection that is new, and for room on the socket: what is answered
 * meanwhile to others would wait for the bytes before it.
 */
export class WaitingQuestions {
  readonly #line = new FairLine<Frame>()
  readonly #heavyLine = new FairLine<Frame>()
  readonly #had = new LongAnswers()
  /** Who asks each of them, by their ids. */
  readonly #askers = new Map<number, Who>()
  #length = 0
  /** When one of the heavy line was taken last. */
  #heavyMs = 0

  get size(): number {
    return this.#askers.size
  }

  /** Bytes, or characters of those that are text. */
  get length(): number {
    return this.#length
  }

  add(frame: Frame): void {
    const who = whoAsks(frame)
    // What one connection asks keeps its order.
    const isHeavy = this.#heavyLine.has(who) || (!this.#line.has(who) && this.isHeavy(frame, who))
    const line = isHeavy ? this.#heavyLine : this.#line
    line.add(who, frame)
    this.#askers.set(frame.id, who)
    this.#length += frame.body.length
  }

  /** Whether it has to wait where it could be asked at once. */
  isHeavy(frame: Frame, asker?: Who): boolean {
    if (this.#had.isNothing) return false
    const who = asker ?? whoAsks(frame)
    return who.client !== '' && (this.#had.isLong(frame) || this.#had.isMuch(who))
  }

  canTake(hasRoom: boolean): boolean {
    return !this.#line.isEmpty || (hasRoom && !this.#heavyLine.isEmpty)
  }

  /** The next to be asked. `hasRoom`: a long answer may be added to what waits to be sent. */
  take(hasRoom: boolean): Frame | undefined {
    const isHeavyDue = performance.now() - this.#heavyMs > HEAVY_WAIT_MS
    const frame = (isHeavyDue ? this.#takeHeavy(hasRoom) : undefined) ?? this.#line.take() ?? this.#takeHeavy(hasRoom)
    if (frame !== undefined) this.#forget(frame)
    return frame
  }

  #takeHeavy(hasRoom: boolean): Frame | undefined {
    const frame = hasRoom ? this.#heavyLine.take() : undefined
    if (frame !== undefined) this.#heavyMs = performance.now()
    return frame
  }

  noteAnswer(who: Who, question: Frame, bytes: number): void {
    this.#had.note(who, question, bytes)
  }

  /** `kept` is what sends something, and is asked all the same: its asker has left. */
  giveUp(id: number): 'kept' | 'removed' | 'unknown' {
    const who = this.#askers.get(id)
    if (who === undefined) return 'unknown'
    const isIt = (one: Frame): boolean => one.id === id && !sends(one)
    const frame = this.#line.remove(who, isIt) ?? this.#heavyLine.remove(who, isIt)
    if (frame === undefined) return 'kept'
    this.#forget(frame)
    return 'removed'
  }

  clear(): void {
    this.#line.clear()
    this.#heavyLine.clear()
    this.#askers.clear()
    this.#length = 0
  }

  #forget({ id, body }: Frame): void {
    this.#askers.delete(id)
    this.#length -= body.length
  }
}

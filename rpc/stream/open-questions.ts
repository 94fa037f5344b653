/** Questions to the application that have no answer yet: in which lines they wait to be sent, and what becomes of them. */
import type { Asker, BlockReference, QuestionName, Questions } from '../../app/ports.ts'
import { CodedError } from '../../core/errors.ts'
import { MAX_QUESTION_BYTES } from '../../core/limits.ts'
import { LONG_TEXT, type Text, textToString } from '../../core/text.ts'
import { rpcError } from '../errors.ts'
import { encodeFrame, encodeLongQuestion, FRAME, type Frame } from './frames.ts'
import { LARGE_QUESTION_BYTES, LargeQuestions } from './large-questions.ts'
import { BROADCAST_PATH } from './question.ts'
import { kindOf, SmallLines } from './small-lines.ts'
import type { SmallQuestions } from './small-questions.ts'
import { UnsentBytes } from './unsent-bytes.ts'

export interface OpenQuestionsOptions {
  /** A question without an answer fails after this long. */
  readonly timeoutMs: number
  /** Questions that may wait for an answer; beside them a few of each connection. */
  readonly maxPending: number
  /** Sends a frame to the application. */
  write(frame: Buffer): void
}

interface OpenQuestion {
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

/** Bytes of unsent questions above which a new one is refused. */
export const MAX_UNSENT_BYTES = 64 * 1024 * 1024
/** What clients that have gone would still send: above it the one that has left most loses its last. */
const MOST_LEFT_BYTES = 16 * 1024 * 1024
/** Each counts so much beside its bytes, so that they are no more than eight thousand. */
const LEFT_BYTES = 2 * 1024
const SWEEP_MS = 500
/** Questions of a connection that may wait however many others do: what is asked at once of a batch (envelope.ts). */
const MOST_BESIDE_OTHERS = 16
const MAX_ID = 0xffff_ffff

const nobodyWaits = (): CodedError => rpcError('unavailable', 'nobody waits for the answer any more')

export const tooManyWait = (): CodedError =>
  rpcError('rateLimited', 'too many requests are waiting for the application')

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

export class OpenQuestions {
  readonly #options: OpenQuestionsOptions
  readonly #open = new Map<number, OpenQuestion>()
  readonly #large = new LargeQuestions()
  readonly #small = new SmallLines()
  readonly #unsent = new UnsentBytes(MAX_UNSENT_BYTES)
  readonly #left = new UnsentBytes(MOST_LEFT_BYTES)
  readonly #sweep: NodeJS.Timeout
  #nextId = 1

  constructor(options: OpenQuestionsOptions) {
    this.#options = options
    this.#sweep = setInterval(() => this.#endLate(), SWEEP_MS).unref()
  }

  /** Rejects with the refusal of the application, or with an error of rpc where it gets no answer. */
  ask<Name extends QuestionName>(name: Name, parameters: Questions[Name], asOf: number, asker: Asker): Promise<Text> {
    // Those that ask far ahead are refused, and nobody who asks one thing, or a batch, at a time.
    const isMuch = (): boolean => this.#small.countOf(asker) >= MOST_BESIDE_OTHERS
    if (this.#open.size >= this.#options.maxPending && isMuch()) return Promise.reject(tooManyWait())
    const id = this.#nextId
    this.#nextId = id === MAX_ID ? 1 : id + 1
    const frame = encodeQuestion(id, name, parameters, asOf, asker)
    // The application would end the connection, and with it the questions of everybody else.
    if (frame.length > MAX_QUESTION_BYTES) return Promise.reject(rpcError('invalidParameters', 'request too large'))
    const drop = (waiting: number): void => this.#giveUp(waiting, tooManyWait())
    if (!this.#unsent.makeRoom(asker, frame.length, drop)) return Promise.reject(tooManyWait())
    const isSending = sendsSomething(name, parameters)
    const isLarge = frame.length > LARGE_QUESTION_BYTES
    const line = isLarge ? this.#large : this.#small.lineOf(kindOf(name, isSending), frame.length)
    return new Promise((resolve, reject) => this.#add(id, { resolve, reject, line, asker, isSending, frame }))
  }

  /** An answer or a failure has come. */
  settle(frame: Frame): void {
    const question = this.#open.get(frame.id)
    // Absent: it timed out before.
    if (question === undefined) return
    this.#open.delete(frame.id)
    question.stopListening()
    question.line.end(frame.id)
    if (frame.kind === FRAME.answer) question.resolve(frame.body)
    else question.reject(parseFailure(frame.body))
  }

  failAll(error: CodedError): void {
    const questions = [...this.#open.values()]
    this.#open.clear()
    this.#large.clear()
    this.#small.clear()
    this.#unsent.clear()
    this.#left.clear()
    for (const question of questions) {
      question.stopListening()
      question.reject(error)
    }
  }

  /** Those that wait are not settled by it. */
  close(): void {
    clearInterval(this.#sweep)
  }

  #add(
    id: number,
    { frame, ...told }: Pick<OpenQuestion, 'resolve' | 'reject' | 'line' | 'asker' | 'isSending'> & { frame: Buffer },
  ): void {
    const { asker, line } = told
    const question: OpenQuestion = {
      ...told,
      deadlineMs: performance.now() + this.#options.timeoutMs,
      unsent: frame,
      stopListening: () => undefined,
    }
    this.#open.set(id, question)
    const send = (): void => {
      question.unsent = undefined
      this.#unsent.end(id)
      this.#left.end(id)
      this.#options.write(frame)
    }
    this.#unsent.add(asker, id, frame.length)
    line.add(asker, { id, bytes: frame.length, send })
    question.stopListening = asker.onGone(() => this.#leave(id))
  }

  /** The application need not answer it. */
  #giveUp(id: number, error: CodedError): void {
    const question = this.#open.get(id)
    if (question === undefined) return
    this.#open.delete(id)
    this.#unsent.end(id)
    this.#left.end(id)
    question.stopListening()
    if (question.line.end(id)) this.#options.write(encodeFrame(FRAME.cancel, id, ''))
    question.reject(error)
  }

  /** Its client has gone. What sends something is sent in its turn all the same, unless there is much of it. */
  #leave(id: number): void {
    const question = this.#open.get(id)
    if (question?.isSending !== true || question.unsent === undefined) return this.#giveUp(id, nobodyWaits())
    const bytes = question.unsent.length + LEFT_BYTES
    if (!this.#left.makeRoom(question.asker, bytes, (victim) => this.#giveUp(victim, nobodyWaits())))
      return this.#giveUp(id, nobodyWaits())
    this.#left.add(question.asker, id, bytes)
    question.stopListening()
    question.reject(nobodyWaits())
  }

  #endLate(): void {
    const nowMs = performance.now()
    for (const [id, question] of this.#open) {
      // Questions wait equally long, so the first that may wait is followed by others that may.
      if (question.deadlineMs > nowMs) break
      this.#giveUp(id, rpcError('timeout', 'request timed out'))
    }
  }
}

/**
 * Answers of the application that a gateway has already had: what is asked of one head again and again, as pages do that
 * show the same balances and prices to everybody, and of decided blocks the long ones beyond it. A head never changes what it
 * says, so that an answer is right for as long as the gateway shows that head. Errors are not kept: some are of the
 * moment.
 */
import type { Text } from '../core/text.ts'
import type { Announcement, Asker, BlockReference, QuestionName } from '../app/ports.ts'
import type { ReachableApplication } from './head.ts'
import { SharedAnswers } from './shared-answers.ts'

/** What is read from a state or from decided blocks alone, and is short as a rule. */
const OF_HEAD: ReadonlySet<QuestionName> = new Set([
  'balance',
  'transactionCount',
  'code',
  'storage',
  'call',
  'receipt',
])
const OF_BLOCK: ReadonlySet<QuestionName> = new Set(['block', 'blockReceipts', 'rawBlock', 'rawReceipts'])

/** Characters of a question, of an answer, of all that are kept of a head, and of those of one client. */
const MAX_QUESTION = 2_048
const MAX_ANSWER = 8_192
const MAX_KEPT = 4 * 1024 * 1024
const MAX_OF_CLIENT = MAX_KEPT / 4

interface Asked {
  readonly block?: BlockReference
  readonly call?: { readonly data?: string; readonly accessList?: unknown; readonly authorizationList?: unknown }
  readonly stateOverrides?: unknown
  readonly blockOverrides?: unknown
}

/** Told before it is written as text: some questions have megabytes. */
const mayBeLong = ({ call = {}, stateOverrides, blockOverrides }: Asked): boolean =>
  [stateOverrides, blockOverrides, call.accessList, call.authorizationList].some((each) => each !== undefined) ||
  (call.data?.length ?? 0) > MAX_QUESTION

/** Undefined where the answer is not kept. */
const headKey = (name: QuestionName, parameters: object): string | undefined => {
  const asked = parameters as Asked
  if (!OF_HEAD.has(name) || mayBeLong(asked)) return undefined
  const { block } = asked
  if (block !== undefined && 'tag' in block && block.tag === 'pending') return undefined
  const text = JSON.stringify(parameters)
  return text.length > MAX_QUESTION ? undefined : `${name} ${text}`
}

/** The newest block has another name at every head; undefined where the answer is none about a decided block. */
const blockKey = (name: QuestionName, parameters: object, head: number): string | undefined => {
  const { block } = parameters as Asked
  if (!OF_BLOCK.has(name) || block === undefined) return undefined
  if ('number' in block && block.number > head) return undefined
  if (!('tag' in block)) return `${name} ${JSON.stringify(parameters)}`
  return block.tag === 'pending' ? undefined : `${name} ${head} ${JSON.stringify(parameters)}`
}

class AnswersOfHead {
  readonly #answers = new Map<string, string>()
  readonly #lengths = new Map<string, number>()
  readonly height: number
  #length = 0

  constructor(height: number) {
    this.height = height
  }

  get(key: string): string | undefined {
    return this.#answers.get(key)
  }

  keep(key: string, answer: string, client: string): void {
    const length = key.length + answer.length
    const ofClient = (this.#lengths.get(client) ?? 0) + length
    if (answer.length > MAX_ANSWER || ofClient > MAX_OF_CLIENT || this.#length + length > MAX_KEPT) return
    if (this.#answers.has(key)) return
    this.#length += length
    this.#lengths.set(client, ofClient)
    this.#answers.set(key, answer)
  }
}

class KeepingApplication {
  readonly #application: ReachableApplication
  #ofHead = new AnswersOfHead(0)
  /** The height that the application last told; undefined before it has told any. */
  #told: number | undefined
  readonly #ofBlocks = new SharedAnswers<Text>()

  constructor(application: ReachableApplication) {
    this.#application = application
  }

  readonly ask: ReachableApplication['ask'] = (name, parameters, head, asker) => {
    const key = headKey(name, parameters)
    const answers = key === undefined ? undefined : this.#answersOf(head)
    if (key === undefined || answers === undefined) return this.#application.ask(name, parameters, head, asker)
    const kept = answers.get(key)
    if (kept !== undefined) return kept
    const answer = this.#application.ask(name, parameters, head, asker)
    if (typeof answer === 'string') {
      answers.keep(key, answer, asker?.client ?? '')
      return answer
    }
    return answer.then((text) => {
      answers.keep(key, text, asker?.client ?? '')
      return text
    })
  }

  readonly askText: ReachableApplication['askText'] = (name, parameters, head, asker) => {
    const key = blockKey(name, parameters, head)
    if (key === undefined || asker === undefined) return this.#application.askText(name, parameters, head, asker)
    const answers = this.#answersOf(head)
    const kept = answers?.get(key)
    if (kept !== undefined) return kept
    const ask = (who: Asker): Text | Promise<Text> => this.#application.askText(name, parameters, head, who)
    return this.#ofBlocks.answer(key, asker, ask).then((text) => {
      if (typeof text === 'string') answers?.keep(key, text, asker.client)
      return text
    })
  }

  /**
   * Undefined for a head that is not shown any more. One above what the application told is one that it has gone back from: it answers as of
   * another.
   */
  #answersOf(head: number): AnswersOfHead | undefined {
    if (this.#told !== undefined && head !== this.#told) return undefined
    if (head > this.#ofHead.height) this.#ofHead = new AnswersOfHead(head)
    return head === this.#ofHead.height ? this.#ofHead : undefined
  }

  /** Where the head is not one that was just committed, it may be that of another chain, or of the same at a lower height. */
  readonly listen = (announcement: Announcement): void => {
    if (announcement.type !== 'head') return
    this.#told = announcement.head.height
    if (announcement.isNew) return
    this.#ofHead = new AnswersOfHead(0)
    this.#ofBlocks.forget()
  }
}

/** The same application, asked less often; `close` ends that it listens to the heads. */
export const keepAnswers = (
  application: ReachableApplication,
): { readonly application: ReachableApplication; close(): void } => {
  const keeping = new KeepingApplication(application)
  // Before anybody else hears of a head, and asks as of it.
  const close = application.subscribe(keeping.listen)
  const keeps: ReachableApplication = {
    ...(application.endpoint && { endpoint: application.endpoint }),
    ...(application.onConnection && {
      onConnection: (listener) => application.onConnection?.(listener) ?? (() => undefined),
    }),
    get connected() {
      return application.connected !== false
    },
    ask: keeping.ask,
    askText: keeping.askText,
    subscribe: (listener) => application.subscribe(listener),
  }
  return { application: keeps, close }
}

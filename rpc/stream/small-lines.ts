/** The lines of questions of usual size, so that what is answered soon stands behind nothing that is not. */
import type { Asker, QuestionName } from '../../app/ports.ts'
import { BULKY_BYTES, SmallQuestions } from './small-questions.ts'

/**
 * `quick` is read where it arrives, `slow` is answered by a worker, and `sending` is examined, its signature checked, and
 * written down before it is answered.
 */
export type Kind = 'quick' | 'slow' | 'sending'

export const MOST_QUICK_LATELY = 128
const MOST_LATELY: Readonly<Record<Kind, number>> = { quick: MOST_QUICK_LATELY, slow: 1_024, sending: 128 }
const KINDS: readonly Kind[] = ['quick', 'slow', 'sending']

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

export const kindOf = (name: QuestionName, isSending: boolean): Kind => {
  if (isSending) return 'sending'
  return isSlow(name) ? 'slow' : 'quick'
}

export class SmallLines {
  readonly #short = linesOfKinds()
  readonly #bulky = linesOfKinds()

  lineOf(kind: Kind, bytes: number): SmallQuestions {
    return bytes > BULKY_BYTES ? this.#bulky[kind] : this.#short[kind]
  }

  /** How many that its connection has asked are unanswered. */
  countOf(asker: Asker): number {
    return this.#all().reduce((sum, line) => sum + line.countOf(asker), 0)
  }

  clear(): void {
    for (const line of this.#all()) line.clear()
  }

  #all(): readonly SmallQuestions[] {
    return KINDS.flatMap((kind) => [this.#short[kind], this.#bulky[kind]])
  }
}

const linesOfKinds = (): Readonly<Record<Kind, SmallQuestions>> => {
  const line = (kind: Kind): SmallQuestions => new SmallQuestions(MOST_LATELY[kind])
  return { quick: line('quick'), slow: line('slow'), sending: line('sending') }
}

/**
 * Answers that are made of what CometBFT says: a whole block, its results, a page of a search. The thread that executes
 * blocks asks CometBFT, and makes the answer itself where what it heard is short; otherwise a worker makes it of the
 * same texts, by the same code.
 */
import { CodedError } from '../core/errors.ts'
import { MAX_STREAM_FRAME_BYTES } from '../core/limits.ts'
import type { Text } from '../core/text.ts'
import type { Consensus } from '../app/environment.ts'
import { answerTooLarge, QUERY_CODES, queryFailed } from '../app/errors.ts'
import type { Questions } from '../app/ports.ts'
import { LIGHT_COST } from './answer-cost.ts'
import { type Node, node } from './comet-json.ts'
import type { QuestionTools, Reply } from './question-tools.ts'

/** Routes of one answer: pages of validators are the most. */
const MAX_ROUTES = 200

/** CometBFT, with what it said kept until it is too long for this thread to read. */
class HeardConsensus implements Consensus {
  readonly #consensus: Consensus
  readonly replies: Record<string, string> = {}
  #length = 0

  constructor(consensus: Consensus) {
    this.#consensus = consensus
  }

  get isLong(): boolean {
    return this.#length > LIGHT_COST
  }

  consensusRpc(route: string): Promise<unknown> {
    return this.#consensus.consensusRpc(route, (text) => {
      this.#length += text.length
      if (this.#length > MAX_STREAM_FRAME_BYTES) throw answerTooLarge(MAX_STREAM_FRAME_BYTES)
      this.replies[route] = text
      return !this.isLong
    })
  }

  /** Only the worker calls it. */
  async hear(route: string): Promise<void> {
    try {
      await this.consensusRpc(route)
    } catch (error) {
      if (this.replies[route] === undefined) throw error
    }
  }
}

/** `ask` has a worker answer with what is heard: what that needs beside it is asked for, and then it is asked again. */
const askWorker = async (
  heard: HeardConsensus,
  ask: (replies: Readonly<Record<string, string>>) => Promise<Text>,
): Promise<Text> => {
  for (let count = 0; count < MAX_ROUTES; count++) {
    try {
      return await ask(heard.replies)
    } catch (error) {
      const route = unheardRoute(error)
      if (route === undefined) throw error
      await heard.hear(route)
    }
  }
  throw queryFailed('the answer takes too many questions to CometBFT')
}

/** A worker answers in any case, with what CometBFT says to `routes` at least. */
export const answerInWorker = async (
  consensus: Consensus,
  routes: readonly string[],
  ask: (replies: Readonly<Record<string, string>>) => Promise<Text>,
): Promise<Text> => {
  const heard = new HeardConsensus(consensus)
  for (const route of routes) await heard.hear(route)
  return await askWorker(heard, ask)
}

/** `answer` makes the value of a question, which `encode` turns into the text of its answer. */
export const answerWithConsensus = (
  consensus: Consensus,
  heavy: QuestionTools['heavy'],
  { question, head }: { readonly question: Questions['native']; readonly head: number },
  answer: (heard: Consensus) => Uint8Array | Promise<Uint8Array>,
  encode: (value: Uint8Array) => string,
): Reply => {
  const heard = new HeardConsensus(consensus)
  const inWorker = (): Promise<Text> => askWorker(heard, (replies) => heavy('native', { ...question, replies }, head))
  const value = answer(heard)
  if (!(value instanceof Promise)) return encode(value)
  return value.then(
    (settled) => (heard.isLong ? inWorker() : encode(settled)),
    (error: unknown) => {
      // Whatever it says, it was for want of what is long.
      if (heard.isLong && !isTooLarge(error)) return inWorker()
      throw error
    },
  )
}

const isTooLarge = (error: unknown): boolean => error instanceof CodedError && error.code === QUERY_CODES.tooLarge

const unheardRoute = (error: unknown): string | undefined => {
  if (!(error instanceof CodedError) || error.codespace !== 'query') return undefined
  const { route } = (error.data ?? {}) as { readonly route?: unknown }
  return typeof route === 'string' ? route : undefined
}

/** Answers in a worker with what CometBFT said, and throws query/1 with the `route` in its data when it was not asked for that. */
export const answerWithReplies = async (
  replies: Readonly<Record<string, string>>,
  answer: (consensus: Consensus) => Uint8Array | Promise<Uint8Array>,
): Promise<Uint8Array> => {
  let unheard: CodedError | undefined
  const consensusRpc = async (route: string): Promise<unknown> => {
    const text = Object.hasOwn(replies, route) ? replies[route] : undefined
    if (text === undefined) throw (unheard ??= queryFailed('CometBFT was not asked', { route }))
    const reply: unknown = JSON.parse(text)
    const { message, data } = node(reply, 'error')
    if (message !== undefined) throw queryFailed(String(data ?? message))
    return (reply as Node)['result']
  }
  try {
    const value = await answer({ consensusRpc })
    if (unheard === undefined) return value
  } catch (error) {
    throw unheard ?? error
  }
  throw unheard
}

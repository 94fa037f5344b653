/**
 * What CometBFT replies to this node's clients. Replies about one decided block never change: they are asked for once
 * where many want them, and kept for a while.
 */
import { BoundedCache } from '../../../store/cache.ts'
import { cliError } from '../../errors.ts'
import { ConsensusQuestions } from './consensus-questions.ts'

/** Characters of the replies that are kept; one of more than half of it is not. */
const KEPT_CHARACTERS = 16 * 1024 * 1024
/** The memory of a short reply beside its text. */
const REPLY_CHARACTERS = 256

/** The results of a block, and the block itself; a commit is another one until the block behind it is decided. */
const DECIDED = /^(?:block|block_results)\?height=[1-9]\d*$/

/** What is refused now may be there a moment later. */
const HAS_RESULT = /^\{"jsonrpc":"2\.0","id":-?\d+,"result":/

export interface ConsensusRepliesOptions {
  /** Asks CometBFT. */
  fetch(route: string): Promise<string>
  /** The result of a reply. Throws what CometBFT refuses. */
  read(reply: string, route: string): unknown
  /** Searches at once: CometBFT looks through its index with a processor for each. */
  readonly searches: number
}

export class ConsensusReplies {
  readonly #options: ConsensusRepliesOptions
  readonly #questions = new ConsensusQuestions()
  readonly #searches: ConsensusQuestions
  readonly #kept = new BoundedCache<string>(KEPT_CHARACTERS, (reply) => REPLY_CHARACTERS + reply.length)
  readonly #underway = new Map<string, Promise<string>>()

  constructor(options: ConsensusRepliesOptions) {
    this.#options = options
    this.#searches = new ConsensusQuestions(options.searches)
  }

  /** See Consensus of app/environment.ts. */
  async ask(route: string, accepts: (reply: string) => boolean = () => true): Promise<unknown> {
    const isDecided = DECIDED.test(route)
    const reply = (isDecided ? this.#kept.get(route) : undefined) ?? (await this.#inTurn(route, isDecided))
    if (!accepts(reply)) throw cliError('unreachable', 'the answer is read elsewhere')
    return this.#options.read(reply, route)
  }

  /** Who waits has a turn of his own, and finds what others have asked for meanwhile. */
  async #inTurn(route: string, isDecided: boolean): Promise<string> {
    const line = route.startsWith('tx_search?') ? this.#searches : this.#questions
    return await line.run(() => {
      if (!isDecided) return this.#options.fetch(route)
      const known = this.#kept.get(route)
      return known === undefined ? this.#fetchOnce(route) : Promise.resolve(known)
    })
  }

  #fetchOnce(route: string): Promise<string> {
    const underway = this.#underway.get(route)
    if (underway !== undefined) return underway
    const fetched = this.#fetchAndKeep(route).finally(() => this.#underway.delete(route))
    this.#underway.set(route, fetched)
    return fetched
  }

  async #fetchAndKeep(route: string): Promise<string> {
    const reply = await this.#options.fetch(route)
    if (HAS_RESULT.test(reply)) this.#kept.set(route, reply)
    return reply
  }
}

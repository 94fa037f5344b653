/**
 * A majority of the endpoints must say the same. Who says something else than the majority is named; who is down or slow
 * keeps nobody from a majority of the others.
 */
import { errorText } from '../../core/errors.ts'
import { daemonError, isFault } from './errors.ts'

export interface Voter {
  readonly name: string
}

export interface Agreement<V extends Voter, T> {
  readonly value: T
  /** Who said so. */
  readonly agreed: readonly V[]
  /** What is wrong with the others, by name. */
  readonly complaints: ReadonlyMap<string, string>
  /** Who has said nothing yet. */
  readonly silent: readonly V[]
}

/** Once a majority agrees the others get this long, so that one of them who lies is found out. */
export const LATE_MS = 500

export const majorityOf = (count: number): number => Math.floor(count / 2) + 1

interface Answer<T> {
  readonly value: T
  readonly key: string
}

class Round<V extends Voter, T> {
  readonly #voters: readonly V[]
  readonly #of: number
  readonly #answers = new Map<V, Answer<T>>()
  readonly #failures = new Map<V, unknown>()

  constructor(voters: readonly V[], of: number) {
    this.#voters = voters
    this.#of = of
  }

  answered(voter: V, answer: Answer<T>): void {
    this.#answers.set(voter, answer)
  }

  failed(voter: V, error: unknown): void {
    this.#failures.set(voter, error)
  }

  get isComplete(): boolean {
    return this.#answers.size + this.#failures.size === this.#voters.length
  }

  agreement(): Agreement<V, T> | undefined {
    for (const { value, key } of this.#answers.values()) {
      const agreed = this.#voters.filter((voter) => this.#answers.get(voter)?.key === key)
      if (agreed.length < majorityOf(this.#of)) continue
      const silent = this.#voters.filter((voter) => !this.#answers.has(voter) && !this.#failures.has(voter))
      return { value, agreed, complaints: this.#complaints(key), silent }
    }
    return undefined
  }

  /** Why there is none: the fault of all where they have the same one, so that the caller can act on it. */
  refusal(what: string): unknown {
    const errors = [...this.#failures.values()]
    const [first] = errors
    if (this.#of === 1 && first !== undefined) return first
    const parts = this.#voters.map((voter) => {
      const answer = this.#answers.get(voter)
      return answer === undefined
        ? errorText(this.#failures.get(voter))
        : `${voter.name}: says ${answer.key.slice(0, 80)}`
    })
    const message = `no majority of ${this.#of} endpoints for ${what}: ${parts.join('; ')}`
    // A smaller range may bring a majority.
    const couldShrink = errors.some((error) => isFault(error, 'limited', 'tooLarge'))
    return daemonError(couldShrink ? 'limited' : 'disagreement', message)
  }

  #complaints(key: string): ReadonlyMap<string, string> {
    const complaints = new Map<string, string>()
    for (const voter of this.#voters) {
      const answer = this.#answers.get(voter)
      if (answer?.key === key) continue
      const failure = this.#failures.get(voter)
      if (answer !== undefined) complaints.set(voter.name, `${voter.name}: lies: it contradicts the majority`)
      else complaints.set(voter.name, failure === undefined ? `${voter.name}: is slow` : errorText(failure))
    }
    return complaints
  }
}

export interface Question<V extends Voter, T> {
  /** Names the question in messages. */
  readonly what: string
  ask(voter: V): Promise<T>
  /** Answers with one key are the same. */
  keyOf(value: T): string
}

/** Asks all voters. `of` is the number of endpoints, of which the voters may be a part. Rejects where no majority agrees. */
export const askQuorum = async <V extends Voter, T>(
  voters: readonly V[],
  of: number,
  { what, ask, keyOf }: Question<V, T>,
  lateMs = LATE_MS,
): Promise<Agreement<V, T>> => {
  const round = new Round<V, T>(voters, of)
  const { promise: late, resolve: hurry } = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const settle = (): void => {
    if (timer === undefined && !round.isComplete && round.agreement() !== undefined) timer = setTimeout(hurry, lateMs)
  }
  const asked = voters.map(async (voter) => {
    try {
      const value = await ask(voter)
      round.answered(voter, { value, key: keyOf(value) })
    } catch (error) {
      round.failed(voter, error)
    }
    settle()
  })
  await Promise.race([Promise.all(asked), late])
  clearTimeout(timer)
  const agreement = round.agreement()
  if (agreement === undefined) throw round.refusal(what)
  return agreement
}

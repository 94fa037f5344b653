/**
 * What workers have lately done for each client and each of its connections: who has used little goes first, and whose
 * questions turned out to be long are not tried on the worker for short ones.
 */
import type { Asker, QuestionName } from '../../../app/ports.ts'

export type Asking = Pick<Asker, 'client' | 'connection'>

/** What was used so long ago counts half. */
const HALF_LIFE_MS = 10_000
/** Clients and connections that are remembered; those that were charged longest ago are forgotten. */
const MAX_ACCOUNTS = 20_000
/** A question takes at least so long: to carry it takes its time. */
const LEAST_MS = 0.1
/** Half-lives after which numbers begin anew, far from where they could not grow any more. */
const MAX_HALF_LIVES = 500
/** A long question is believed to be followed by others, unless so many were short for each that was long. */
const SHORT_FOR_ONE_LONG = 10
/** What counts as one that was lately long, and as a question at all. */
const LONG_ONES = 1 / 2
/** So many long ones of a client speak against its connections that have asked nothing yet. */
const LONG_ONES_OF_CLIENT = 8

/** Weight of the last question in what is expected of the next one of its kind. */
const LAST_SHARE = 1 / 8
/** A connection that asked so many of a kind is judged by these alone. */
const OWN_QUESTIONS = 8

/** What questions of one kind took. */
interface Learned {
  /** Milliseconds for which they lately kept the worker for short ones. */
  ms: number
  count: number
  /** When the last of them did. */
  atMs: number
}

/** Numbers that grow with the time of the charge, so that what is old counts less without being touched. */
export interface Account {
  readonly key: string
  /** Milliseconds that were used, never less than {@link virtual} of those among whom it asks when it begins to. */
  tag: number
  /**
   * For a client, the tag of its connection that was served last. Who comes anew begins here, and owes and is owed
   * nothing.
   */
  virtual: number
  short: number
  long: number
  kinds?: Map<QuestionName, Learned>
}

/** How a connection has asked: short ones, none yet, or long ones. */
export const RANKS = { short: 0, unknown: 1, long: 2 } as const

const isLong = ({ short, long }: Account, least: number): boolean => long >= least && long * SHORT_FOR_ONE_LONG > short

const connectionKey = ({ client, connection }: Asking): string => `${client}\n${connection}`

export class ReaderUsage {
  readonly #nowMs: () => number
  readonly #accounts = new Map<string, Account>()
  #beginMs: number

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
    this.#beginMs = nowMs()
  }

  client(client: string): Account {
    return this.#accounts.get(client) ?? this.#open(client)
  }

  connection(asking: Asking): Account {
    const key = connectionKey(asking)
    return this.#accounts.get(key) ?? this.#open(key)
  }

  /**
   * A worker has computed for so long for a client and one of its connections; `isShort` tells whether that was an answer
   * within one slice. Accounts that were forgotten since their question came are remembered again.
   */
  charge(accounts: readonly Account[], ms: number, isShort: boolean): void {
    const weight = this.weight()
    for (const account of accounts) {
      account.tag += Math.max(ms, LEAST_MS)
      if (isShort) account.short += weight
      else account.long += weight
      // The last to be charged stand last.
      this.#accounts.delete(account.key)
      this.#remember(account)
    }
  }

  /** The worker for short ones was kept for so long by a question. */
  learn(accounts: readonly Account[], name: QuestionName, ms: number): void {
    const atMs = this.#nowMs()
    for (const account of accounts) {
      account.kinds ??= new Map()
      const known = account.kinds.get(name)
      if (known === undefined) {
        account.kinds.set(name, { ms, count: 1, atMs })
      } else {
        known.ms += (ms - known.ms) * LAST_SHARE
        known.count++
        known.atMs = atMs
      }
    }
  }

  /** Milliseconds that the next question of a client will take, by those of its kind; 0 where there were none. Half is forgotten in each half-life. */
  expectedOfClient({ kinds }: Account, name: QuestionName): number {
    const known = kinds?.get(name)
    return known === undefined ? 0 : known.ms * 0.5 ** ((this.#nowMs() - known.atMs) / HALF_LIFE_MS)
  }

  /** The same of a connection, by its own; undefined where it has asked few of them. */
  expectedOfConnection({ kinds }: Account, name: QuestionName): number | undefined {
    const known = kinds?.get(name)
    return known === undefined || known.count < OWN_QUESTIONS ? undefined : known.ms
  }

  /** `weight` is {@link weight} of this moment. */
  rankOf(connection: Account, weight = this.weight()): number {
    if (isLong(connection, LONG_ONES * weight)) return RANKS.long
    return connection.short > 0 ? RANKS.short : RANKS.unknown
  }

  /** Whether the next question of a connection is not worth a slice of the worker for short ones. */
  asksLong(connection: Account, client: Account): boolean {
    const weight = this.weight()
    const isKnown = connection.short + connection.long >= LONG_ONES * weight
    return isKnown ? isLong(connection, LONG_ONES * weight) : isLong(client, LONG_ONES_OF_CLIENT * weight)
  }

  #open(key: string): Account {
    return this.#remember({ key, tag: 0, virtual: 0, short: 0, long: 0 })
  }

  #remember(account: Account): Account {
    this.#accounts.set(account.key, account)
    if (this.#accounts.size > MAX_ACCOUNTS) this.#forget()
    return account
  }

  /** What a question counts now: twice as much each half-life. */
  weight(): number {
    const halfLives = (this.#nowMs() - this.#beginMs) / HALF_LIFE_MS
    if (halfLives <= MAX_HALF_LIVES) return 2 ** halfLives
    const left = 2 ** -halfLives
    for (const account of this.#accounts.values()) {
      account.short *= left
      account.long *= left
    }
    this.#beginMs = this.#nowMs()
    return 1
  }

  #forget(): void {
    for (const key of this.#accounts.keys()) {
      if (this.#accounts.size <= MAX_ACCOUNTS / 2) return
      this.#accounts.delete(key)
    }
  }
}

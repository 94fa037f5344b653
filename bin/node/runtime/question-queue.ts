/**
 * Questions that wait for a worker: bounded in number and memory, those that take long behind all others, and each client's
 * by turns with those of the rest, so that nobody waits for all that another one has asked.
 */
import type { QuestionName } from '../../../app/ports.ts'
import { isSlowQuestion } from '../../../query/find-question.ts'

const MAX_WAITING = 2_000
/** Of those that take long. */
const MAX_SLOW_WAITING = 200
/** Characters, about, of what all of them ask: a single one can have 32 MB of overrides or of a raw block. */
const MAX_WAITING_SIZE = 256 * 1024 * 1024
/** What a value takes beside its text. */
const VALUE_SIZE = 16

export interface Queued {
  /** Who asked: questions of one client come in their order. */
  readonly client: string
  readonly question: { readonly name: QuestionName; readonly parameters: unknown }
}

export const isSlow = ({ question }: Queued): boolean => isSlowQuestion(question.name)

const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return VALUE_SIZE + value.length
  if (typeof value !== 'object' || value === null) return VALUE_SIZE
  let size = VALUE_SIZE
  for (const member of Object.values(value)) size += sizeOf(member)
  return size
}

/** Questions of one kind: the clients in the order of their turns, each with what it has asked. */
class Lane<Item extends Queued> {
  readonly #clients = new Map<string, Item[]>()

  push(item: Item): void {
    const items = this.#clients.get(item.client)
    if (items === undefined) this.#clients.set(item.client, [item])
    else items.push(item)
  }

  /** The first of the client whose turn it is; its next turn comes after those of all others. */
  shift(): Item | undefined {
    for (const [client, items] of this.#clients) {
      const item = items.shift()
      this.#clients.delete(client)
      if (items.length > 0) this.#clients.set(client, items)
      return item
    }
    return undefined
  }

  /** The last of a client. */
  pop(client: string): Item | undefined {
    const items = this.#clients.get(client)
    const item = items?.pop()
    if (items?.length === 0) this.#clients.delete(client)
    return item
  }
}

/** What one client has waiting. */
interface Share {
  places: number
  slow: number
  size: number
}

type Measure = keyof Share

export interface Pushed<Item> {
  /** False where there is no room, and no other client has more than this one. */
  readonly isTaken: boolean
  /** Taken out to make room: the last of the clients that had most. */
  readonly displaced: readonly Item[]
}

const LIMITS: Readonly<Share> = { places: MAX_WAITING, slow: MAX_SLOW_WAITING, size: MAX_WAITING_SIZE }
const MEASURES = ['places', 'slow', 'size'] as const satisfies readonly Measure[]

export class QuestionQueue<Item extends Queued> {
  readonly #quick = new Lane<Item>()
  readonly #slow = new Lane<Item>()
  readonly #sizes = new Map<Item, number>()
  readonly #shares = new Map<string, Share>()
  readonly #all: Share = { places: 0, slow: 0, size: 0 }

  /** What bounds all together is taken from those who have most of it. */
  push(item: Item): Pushed<Item> {
    const asked: Share = { places: 1, slow: isSlow(item) ? 1 : 0, size: sizeOf(item.question.parameters) }
    const displaced: Item[] = []
    for (const measure of MEASURES) {
      while (this.#all[measure] + asked[measure] > LIMITS[measure]) {
        const victim = this.#takeFromGreediest(item.client, measure, asked[measure])
        if (victim === undefined) {
          // Nobody leaves for one who does not come.
          for (const back of displaced.toReversed()) this.#put(back, sizeOf(back.question.parameters))
          return { isTaken: false, displaced: [] }
        }
        displaced.push(victim)
      }
    }
    this.#put(item, asked.size)
    return { isTaken: true, displaced }
  }

  /** The one whose turn it is. */
  next(takesSlow: boolean): Item | undefined {
    const item = this.#quick.shift() ?? (takesSlow ? this.#slow.shift() : undefined)
    if (item !== undefined) this.#release(item)
    return item
  }

  /** Takes out the last of who has most, where that is more than `client` would have with so much more. */
  #takeFromGreediest(client: string, measure: Measure, more: number): Item | undefined {
    let most = (this.#shares.get(client)?.[measure] ?? 0) + more
    let greediest: string | undefined
    for (const [other, share] of this.#shares) {
      if (share[measure] <= most) continue
      most = share[measure]
      greediest = other
    }
    if (greediest === undefined) return undefined
    const victim = this.#slow.pop(greediest) ?? (measure === 'slow' ? undefined : this.#quick.pop(greediest))
    if (victim !== undefined) this.#release(victim)
    return victim
  }

  #put(item: Item, size: number): void {
    this.#sizes.set(item, size)
    this.#count(item, 1, size)
    const lane = isSlow(item) ? this.#slow : this.#quick
    lane.push(item)
  }

  #release(item: Item): void {
    this.#count(item, -1, this.#sizes.get(item) ?? 0)
    this.#sizes.delete(item)
  }

  #count(item: Item, sign: 1 | -1, size: number): void {
    const share = this.#shares.get(item.client) ?? { places: 0, slow: 0, size: 0 }
    this.#shares.set(item.client, share)
    for (const counted of [share, this.#all]) {
      counted.places += sign
      counted.slow += isSlow(item) ? sign : 0
      counted.size += sign * size
    }
    if (share.places === 0) this.#shares.delete(item.client)
  }
}

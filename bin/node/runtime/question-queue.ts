/**
 * Questions that wait for a worker: bounded in number and memory, in a lane for those that may be short and one for
 * those that are long. Whoever has used least goes first: the client, then the connection of it. So nobody waits for
 * all that another one has asked, be it over one connection or over many.
 */
import { invariant } from '../../../core/errors.ts'
import { isNeverShort, isSlowQuestion } from '../../../query/find-question.ts'
import {
  asks,
  type Crowd,
  isBefore,
  type Lane,
  Line,
  nextByUse,
  nextInTurn,
  type Queued,
  type Share,
} from './question-lines.ts'
import type { Asking, ReaderUsage } from './reader-usage.ts'

const MAX_WAITING = 2_000
/** The most that wait of those that take long by their kind. */
const MAX_SLOW_WAITING = 200
/** Characters, about, of what all of them ask: a single one can have 32 MB of overrides or of a raw block. */
const MAX_WAITING_SIZE = 256 * 1024 * 1024
/** Characters of a question that is not tried as a short one: to read it takes as long as that. */
const LARGE_SIZE = 64 * 1024
/**
 * For what is taken by what was used, a third of its time is owed to connections by plain turns: whatever is expected of a
 * connection, nobody is kept waiting by others that ask without end.
 */
const TURN_SHARE = 1 / 3
/** The most that is owed, or was taken in advance. */
const MOST_OWED_MS = 100
/** What a value takes beside its text. */
const VALUE_SIZE = 16

export const isSlow = ({ question }: Queued): boolean => isSlowQuestion(question.name)

const sizeOf = (value: unknown): number => {
  if (typeof value === 'string') return VALUE_SIZE + value.length
  if (typeof value !== 'object' || value === null) return VALUE_SIZE
  if (ArrayBuffer.isView(value)) return VALUE_SIZE + value.byteLength
  let size = VALUE_SIZE
  for (const member of Object.values(value)) size += sizeOf(member)
  return size
}

type Measure = keyof Share

const LIMITS: Readonly<Share> = { places: MAX_WAITING, slow: MAX_SLOW_WAITING, size: MAX_WAITING_SIZE }
const MEASURES = ['places', 'slow', 'size'] as const satisfies readonly Measure[]

export interface Pushed<Item> {
  /** False where there is no room, and nobody else has more than who asks. */
  readonly isTaken: boolean
  /** Taken out to make room: the last of those that had most. */
  readonly displaced: readonly Item[]
}

interface Place {
  readonly lane: Lane
  readonly size: number
  /** Numbers grow in the order in which questions came. */
  readonly order: number
}

/** Where a question stood before a worker had it. */
interface Given<Item extends Queued> extends Place {
  readonly crowd: Crowd<Item>
  readonly line: Line<Item>
  readonly turn: number
  readonly crowdTurn: number
  /** It was taken by plain turn. */
  readonly isInTurn: boolean
}

export class QuestionQueue<Item extends Queued> {
  readonly #usage: ReaderUsage
  /** What waits or is with a worker, by client, then by connection. */
  readonly #clients = new Map<string, Crowd<Item>>()
  readonly #places = new Map<Item, Place>()
  readonly #given = new Map<Item, Given<Item>>()
  #turns = 0
  #orders = 0
  readonly #all: Share = { places: 0, slow: 0, size: 0 }
  #virtual = 0
  readonly #waiting: Record<Lane, number> = { short: 0, long: 0 }

  constructor(usage: ReaderUsage) {
    this.#usage = usage
  }

  waiting(lane: Lane): number {
    return this.#waiting[lane]
  }

  /** Those that have a question here, or at a worker. */
  get connections(): number {
    let count = 0
    for (const { lines } of this.#clients.values()) count += lines.size
    return count
  }

  /** What bounds all together is taken from those who have most of it. */
  push(item: Item): Pushed<Item> {
    const size = sizeOf(item.question.parameters)
    const asked: Share = { places: 1, slow: isSlow(item) ? 1 : 0, size }
    const displaced: Item[] = []
    for (const measure of MEASURES) {
      while (this.#all[measure] + asked[measure] > LIMITS[measure]) {
        const victim = this.#takeFromGreediest(item.asker, measure, asked[measure])
        if (victim === undefined) {
          // Nobody leaves for one who does not come.
          for (const back of displaced.toReversed()) this.#put(back, sizeOf(back.question.parameters))
          return { isTaken: false, displaced: [] }
        }
        displaced.push(victim)
      }
    }
    this.#put(item, size)
    return { isTaken: true, displaced }
  }

  /**
   * The one whose turn it is in a lane, of a client that may have one more. Whoever takes it says what has become of it:
   * {@link done} or {@link putBack}. Behind others of a hand it may come back without having been begun: then who comes
   * anew must not begin where it stands, or he would wait for all of the hand.
   */
  next(lane: Lane, mayHave: (client: string) => boolean = () => true, isFirst = true): Item | undefined {
    for (;;) {
      const crowd = this.#nextCrowd(lane, mayHave)
      if (crowd === undefined) return undefined
      const isInTurn = isFirst && crowd.owedMs[lane] > 0
      const line = isInTurn ? nextInTurn(crowd, lane) : nextByUse(crowd, lane, this.#usage)
      const item = line?.lanes[lane][0]
      if (line === undefined || item === undefined) return undefined
      if (lane === 'short' && (item.isLong === true || this.#usage.asksLong(line.account, crowd.account))) {
        // Those before it, or the same one of somebody else, have turned out to be long since it was asked.
        this.#move(line, item)
      } else {
        if (isFirst) this.#serve(crowd, line)
        this.#give(crowd, line, item, isInTurn)
        return item
      }
    }
  }

  /** A worker has computed for so long for what it was given; `isShort` tells whether that was an answer within one slice. */
  charge(item: Item, ms: number, isShort: boolean): void {
    const given = this.#given.get(item)
    if (given === undefined) return
    const { crowd, line, lane, isInTurn } = given
    const accounts = [crowd.account, line.account]
    this.#usage.charge(accounts, ms, isShort)
    if (lane === 'short') this.#usage.learn(accounts, item.question.name, ms)
    const owed = crowd.owedMs[lane] + (isInTurn ? -ms : ms * TURN_SHARE)
    crowd.owedMs[lane] = Math.min(MOST_OWED_MS, Math.max(-MOST_OWED_MS, owed))
  }

  /** It was answered, or nobody waits for it any more. */
  done(item: Item): void {
    const given = this.#given.get(item)
    if (given === undefined) return
    this.#given.delete(item)
    given.line.given--
    this.#forgetEmpty(given.line)
  }

  /** It was not begun: it stands where it stood, before all that came after it. The bounds were its own already. */
  putBack(item: Item): void {
    const given = this.#given.get(item)
    if (given === undefined) return
    this.#given.delete(item)
    const { crowd, line, lane, size, order } = given
    line.given--
    line.turn = Math.min(line.turn, given.turn)
    crowd.turn = Math.min(crowd.turn, given.crowdTurn)
    const items = line.lanes[lane]
    const later = items.findIndex((other) => (this.#places.get(other)?.order ?? 0) > order)
    items.splice(later === -1 ? items.length : later, 0, item)
    const place: Place = { lane, size, order }
    this.#places.set(item, place)
    this.#count(line, item, place, 1)
  }

  /** Its next turn comes after those of all others that have used as much. */
  #give(crowd: Crowd<Item>, line: Line<Item>, item: Item, isInTurn: boolean): void {
    const place = this.#places.get(item)
    invariant(place !== undefined, 'what a lane holds has its place')
    this.#given.set(item, { ...place, crowd, line, turn: line.turn, crowdTurn: crowd.turn, isInTurn })
    line.given++
    this.remove(item)
    line.turn = this.#turns++
    crowd.turn = this.#turns++
  }

  #serve({ account: client }: Crowd<Item>, { account }: Line<Item>): void {
    client.virtual = Math.max(client.virtual, account.tag)
    this.#virtual = Math.max(this.#virtual, client.tag)
  }

  /** The line of who asks, which begins with the tag of those that are served now where it has none that is higher. */
  #lineOf(asker: Asking): { readonly crowd: Crowd<Item>; readonly line: Line<Item> } {
    const { client, connection } = asker
    let crowd = this.#clients.get(client)
    if (crowd === undefined) {
      crowd = {
        account: this.#usage.client(client),
        lines: new Map(),
        turn: this.#turns++,
        owedMs: { short: 0, long: 0 },
      }
      crowd.account.tag = Math.max(crowd.account.tag, this.#virtual)
      this.#clients.set(client, crowd)
    }
    let line = crowd.lines.get(connection)
    if (line === undefined) {
      line = new Line<Item>(asker, this.#usage.connection(asker), this.#turns++)
      line.account.tag = Math.max(line.account.tag, crowd.account.virtual)
      crowd.lines.set(connection, line)
    }
    return { crowd, line }
  }

  #move(line: Line<Item>, item: Item): void {
    const place = this.#places.get(item)
    if (place === undefined) return
    line.lanes.short.shift()
    line.lanes.long.push(item)
    this.#places.set(item, { ...place, lane: 'long' })
    this.#waiting.short--
    this.#waiting.long++
  }

  #nextCrowd(lane: Lane, mayHave: (client: string) => boolean): Crowd<Item> | undefined {
    if (this.#waiting[lane] === 0) return undefined
    let least: Crowd<Item> | undefined
    for (const [client, crowd] of this.#clients) {
      if (least !== undefined && !isBefore(crowd.account.tag, crowd.turn, least.account.tag, least.turn)) continue
      if (mayHave(client) && asks(crowd, lane)) least = crowd
    }
    return least
  }

  /** Takes one out, wherever it stands; false where it does not wait. */
  remove(item: Item): boolean {
    const place = this.#places.get(item)
    const line = this.#clients.get(item.asker.client)?.lines.get(item.asker.connection)
    if (place === undefined || line === undefined) return false
    const items = line.lanes[place.lane]
    items.splice(items.indexOf(item), 1)
    this.#places.delete(item)
    this.#count(line, item, place, -1)
    return true
  }

  /** Takes out the last of who has most, where that is more than `asker` would have with so much more. */
  #takeFromGreediest(asker: Asking, measure: Measure, more: number): Item | undefined {
    const shareOf = (crowd: Crowd<Item> | undefined): number => {
      let sum = 0
      for (const { share } of crowd?.lines.values() ?? []) sum += share[measure]
      return sum
    }
    const own = this.#clients.get(asker.client)
    let greediest = own
    let most = shareOf(own) + more
    for (const crowd of this.#clients.values()) {
      const has = crowd === own ? 0 : shareOf(crowd)
      if (has <= most) continue
      most = has
      greediest = crowd
    }
    let mostOfLine = greediest === own ? (own?.lines.get(asker.connection)?.share[measure] ?? 0) + more : 0
    let longest: Line<Item> | undefined
    for (const line of greediest?.lines.values() ?? []) {
      if (line.share[measure] <= mostOfLine) continue
      mostOfLine = line.share[measure]
      longest = line
    }
    const victim = longest === undefined ? undefined : lastOf(longest, measure)
    if (victim !== undefined) this.remove(victim)
    return victim
  }

  #put(item: Item, size: number): void {
    const { crowd, line } = this.#lineOf(item.asker)
    const isLong =
      item.isLong === true ||
      isNeverShort(item.question.name, item.question.parameters) ||
      size > LARGE_SIZE ||
      this.#usage.asksLong(line.account, crowd.account)
    const place: Place = { lane: isLong ? 'long' : 'short', size, order: this.#orders++ }
    line.lanes[place.lane].push(item)
    this.#places.set(item, place)
    this.#count(line, item, place, 1)
  }

  #count(line: Line<Item>, item: Item, { lane, size }: Place, sign: 1 | -1): void {
    this.#waiting[lane] += sign
    for (const counted of [line.share, this.#all]) {
      counted.places += sign
      counted.slow += isSlow(item) ? sign : 0
      counted.size += sign * size
    }
    this.#forgetEmpty(line)
  }

  #forgetEmpty({ asker: { client, connection }, share, given }: Line<Item>): void {
    if (share.places > 0 || given > 0) return
    const crowd = this.#clients.get(client)
    crowd?.lines.delete(connection)
    if (crowd?.lines.size === 0) this.#clients.delete(client)
  }
}

/** The last of the long ones comes first; where those that are slow by their kind are too many, one of them. */
const lastOf = <Item extends Queued>({ lanes }: Line<Item>, measure: Measure): Item | undefined =>
  measure === 'slow' ? lanes.long.findLast(isSlow) : (lanes.long.at(-1) ?? lanes.short.at(-1))

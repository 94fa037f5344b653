/**
 * The connections of a client whose questions wait for a worker, and which of them comes next: by what it has used and
 * will use, or by its plain turn.
 */
import type { QuestionName } from '../../../app/ports.ts'
import type { Account, Asking, ReaderUsage } from './reader-usage.ts'

/**
 * What is expected counts so many times: whoever opens a connection for each question owes nothing yet, and would have
 * every other one wait for it.
 */
const EXPECTED_WEIGHT = 4
export type Lane = 'short' | 'long'

export interface Queued {
  readonly asker: Asking
  readonly question: { readonly name: QuestionName; readonly parameters: unknown }
  /** It was tried, and takes longer than a slice. */
  readonly isLong?: boolean
}

/** What one connection has waiting, by what is bounded. */
export interface Share {
  places: number
  slow: number
  size: number
}

/** The questions of a connection, each lane in its order. */
export class Line<Item extends Queued> {
  readonly asker: Asking
  readonly account: Account
  readonly lanes: Readonly<Record<Lane, Item[]>> = { short: [], long: [] }
  readonly share: Share = { places: 0, slow: 0, size: 0 }
  /** Questions that a worker has: as long as there are any, the connection keeps its place among the others. */
  given = 0
  /** Among those that have used the same, the least has its turn. */
  turn: number

  constructor(asker: Asking, account: Account, turn: number) {
    this.asker = asker
    this.account = account
    this.turn = turn
  }
}

/** What a client asks, by its connections. */
export interface Crowd<Item extends Queued> {
  readonly account: Account
  readonly lines: Map<string, Line<Item>>
  turn: number
  /** Milliseconds of a lane that are owed to plain turns of its connections. */
  readonly owedMs: Record<Lane, number>
}

export const isBefore = (tag: number, turn: number, otherTag: number, otherTurn: number): boolean =>
  tag < otherTag || (tag === otherTag && turn < otherTurn)

export const asks = <Item extends Queued>({ lines }: Crowd<Item>, lane: Lane): boolean => {
  for (const line of lines.values()) if (line.lanes[lane].length > 0) return true
  return false
}

/** The connection that was served least lately, whatever it has used and however it has asked. */
export const nextInTurn = <Item extends Queued>({ lines }: Crowd<Item>, lane: Lane): Line<Item> | undefined => {
  let next: Line<Item> | undefined
  for (const line of lines.values())
    if (line.lanes[lane].length > 0 && (next === undefined || line.turn < next.turn)) next = line
  return next
}

/**
 * What counts is what a connection will have used when its next question has been answered. So those that ask what
 * takes long by its kind stand behind those that do not, and come when these have used as much.
 */
export const nextByUse = <Item extends Queued>(
  { account, lines }: Crowd<Item>,
  lane: Lane,
  usage: ReaderUsage,
): Line<Item> | undefined => {
  const weight = usage.weight()
  let least: Line<Item> | undefined
  let [leastRank, leastTag, leastTurn] = [Infinity, Infinity, Infinity]
  let ofClient: { readonly name: QuestionName; readonly ms: number } | undefined
  for (const line of lines.values()) {
    const item = line.lanes[lane][0]
    if (item === undefined) continue
    const rank = usage.rankOf(line.account, weight)
    if (rank > leastRank) continue
    const { name } = item.question
    if (ofClient?.name !== name) ofClient = { name, ms: usage.expectedOfClient(account, name) }
    const expectedMs = usage.expectedOfConnection(line.account, name) ?? ofClient.ms
    const tag = line.account.tag + EXPECTED_WEIGHT * expectedMs
    if (rank === leastRank && !isBefore(tag, line.turn, leastTag, leastTurn)) continue
    least = line
    leastRank = rank
    leastTag = tag
    leastTurn = line.turn
  }
  return least
}

/** Native events in the form of the Cosmos SDK. */
import { FEE_COLLECTOR_ADDRESS } from '../core/address.ts'
import { encodeBech32 } from '../core/bech32.ts'
import type { Event, EventAttribute } from './module.ts'

/** Every attribute is marked as indexed, as the SDK's default has it. What the index keeps says {@link markSearched}. */
export const makeEvent = (type: string, attributes: Readonly<Record<string, string>>): Event => ({
  type,
  attributes: Object.keys(attributes).map((key) => attribute(key, attributes[key] ?? '')),
})

/** An attribute of an event that is written out: {@link makeEvent} takes twice as long, and a transfer has ten. */
export const attribute = (key: string, value: string): EventAttribute => ({ key, value, index: true })

/** The sums, by type of event, that every transaction moves: who looks for a transfer knows whose it was. */
const NEVER_SEARCHED: ReadonlyMap<string, string> = new Map([
  ['coin_spent', 'amount'],
  ['coin_received', 'amount'],
  ['transfer', 'amount'],
  ['tx', 'fee'],
])

/** Every transaction pays to it, so a search for it would find all of them. */
const FEE_COLLECTOR = encodeBech32(FEE_COLLECTOR_ADDRESS)

const unmark = ({ attributes }: Event): void => {
  for (const each of attributes) each.index = false
}

/** Leaves the marks of attributes by which an event is looked for. */
const unmarkUnsearched = ({ type, attributes }: Event): void => {
  const never = NEVER_SEARCHED.get(type)
  for (const each of attributes) {
    if (each.key === never || each.key === 'msg_index' || each.value === FEE_COLLECTOR) each.index = false
  }
}

/** Terms are the marked attributes. */
const countTerms = ({ attributes }: Event): number => {
  let count = 0
  for (const { index } of attributes) if (index) count++
  return count
}

const nextTerm = ({ attributes }: Event, from: number): number => {
  let at = from
  while (at < attributes.length && attributes[at]?.index === false) at++
  return at
}

const hasEqualTerms = (a: Event, b: Event): boolean => {
  for (let [inA, inB] = [nextTerm(a, 0), nextTerm(b, 0)]; ; inA = nextTerm(a, inA + 1), inB = nextTerm(b, inB + 1)) {
    const [one, other] = [a.attributes[inA], b.attributes[inB]]
    if (one === undefined || other === undefined) return one === other
    if (one.key !== other.key || one.value !== other.value) return false
  }
}

const hasTerm = ({ attributes }: Event, { key, value }: EventAttribute): boolean =>
  attributes.some((each) => each.index && each.key === key && each.value === value)

/** All are looked at among so few. */
const FEW = 16

/** The places of the events that have a value among their terms, by value, ascending. */
const placesByValue = (events: readonly Event[]): ReadonlyMap<string, readonly number[]> => {
  const places = new Map<string, number[]>()
  for (const [at, { attributes }] of events.entries()) {
    for (const { value, index } of attributes) {
      if (!index) continue
      const named = places.get(value)
      if (named === undefined) places.set(value, [at])
      else if (named.at(-1) !== at) named.push(at)
    }
  }
  return places
}

/** Who says the same has all of an event's values: those that have the rarest of them are looked at. */
const rarest = (
  places: ReadonlyMap<string, readonly number[]>,
  { attributes }: Event,
): readonly number[] | undefined => {
  let least: readonly number[] | undefined
  for (const { value, index } of attributes) {
    const named = index ? places.get(value) : undefined
    if (named !== undefined && (least === undefined || named.length < least.length)) least = named
  }
  return least
}

/**
 * Not when an earlier event says the same, nor when its only term stands in a longer event of its type. `among` are the
 * places of the events that may, ascending; undefined are all.
 */
const isNews = (events: readonly Event[], at: number, event: Event, among: readonly number[] | undefined): boolean => {
  const terms = countTerms(event)
  const only = terms === 1 ? event.attributes[nextTerm(event, 0)] : undefined
  const count = among?.length ?? events.length
  for (let next = 0; next < count; next++) {
    const place = among === undefined ? next : among[next]
    const other = place === undefined ? undefined : events[place]
    if (place === undefined || other === undefined) continue
    if (place >= at && only === undefined) return true
    if (place === at || other.type !== event.type) continue
    if (place < at && hasEqualTerms(other, event)) return false
    if (only !== undefined && countTerms(other) > 1 && hasTerm(other, only)) return false
  }
  return true
}

/**
 * Marks in the events of one transaction, in place, the attributes that CometBFT's indexer shall keep. The index is most
 * of what CometBFT does for a transaction, so an event that adds nothing is left out: one that says the same as an
 * earlier one, and one whose only term stands in a longer event of its type. What a search joins by AND must hold within
 * one event, so all others keep every term.
 */
export const markSearched = (events: readonly Event[]): readonly Event[] => {
  for (const event of events) unmarkUnsearched(event)
  // Fills have no marks: a transaction may have hundreds of them.
  const marked = events.filter(({ attributes }) => attributes.some(({ index }) => index))
  const places = marked.length > FEW ? placesByValue(marked) : undefined
  // The loop goes from the last to the first: the earlier ones, which decide, have their marks still. A longer event
  // that lost them had an equal before it.
  for (let at = marked.length - 1; at >= 0; at--) {
    const event = marked[at]
    if (event === undefined || isNews(marked, at, event, places && rarest(places, event))) continue
    unmark(event)
  }
  return events
}

/** Marks events as clients are shown them: an SDK chain marks all. */
export const markAll = (events: readonly Event[]): readonly Event[] =>
  events.map(({ type, attributes }) => ({ type, attributes: attributes.map((each) => ({ ...each, index: true })) }))

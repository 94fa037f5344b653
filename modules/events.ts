/** Native events in the form of the Cosmos SDK. */
import { FEE_COLLECTOR_ADDRESS } from '../core/address.ts'
import { encodeBech32 } from '../core/bech32.ts'
import type { Event, EventAttribute } from './module.ts'

/** Every attribute is marked as indexed, as the SDK's default has it. What the index keeps says {@link markSearched}. */
export const makeEvent = (type: string, attributes: Readonly<Record<string, string>>): Event => {
  const listed: EventAttribute[] = []
  // Not Object.entries: a transfer has ten events, and the pairs would be half of what making them takes.
  for (const key of Object.keys(attributes)) listed.push({ key, value: attributes[key] ?? '', index: true })
  return { type, attributes: listed }
}

/** By type of event, sums that every transaction moves: who looks for a transfer knows whose it was. */
const NEVER_SEARCHED: ReadonlyMap<string, string> = new Map([
  ['coin_spent', 'amount'],
  ['coin_received', 'amount'],
  ['transfer', 'amount'],
  ['tx', 'fee'],
])

/** Every transaction pays to it, so a search for it would find all of them. */
const FEE_COLLECTOR = encodeBech32(FEE_COLLECTOR_ADDRESS)

/** The attributes by which an event is looked for. */
const searchedOf = ({ type, attributes }: Event): readonly EventAttribute[] => {
  const never = NEVER_SEARCHED.get(type)
  const isSearched = ({ key, value, index }: EventAttribute): boolean =>
    index && key !== never && key !== 'msg_index' && value !== FEE_COLLECTOR
  return attributes.every(isSearched) ? attributes : attributes.filter(isSearched)
}

/** An event as the index has it. */
interface Entry {
  readonly event: Event
  readonly searched: readonly EventAttribute[]
}

const isEqual = (a: Entry, b: Entry): boolean => {
  if (a.searched.length !== b.searched.length) return false
  return a.searched.every(({ key, value }, at) => key === b.searched[at]?.key && value === b.searched[at]?.value)
}

const hasTerm = ({ searched }: Entry, { key, value }: EventAttribute): boolean =>
  searched.some((each) => each.key === key && each.value === value)

/** Among so few all are looked at. */
const FEW = 16

/** Entries that may say what another one says, in their order. */
type Candidates = (entry: Entry) => readonly Entry[]

/** Who says the same has all of an entry's values: those that have the rarest of them are looked at. */
const candidatesOf = (entries: readonly Entry[]): Candidates => {
  if (entries.length <= FEW) return () => entries
  const byValue = new Map<string, Entry[]>()
  for (const entry of entries) {
    for (const { value } of entry.searched) {
      const named = byValue.get(value)
      if (named === undefined) byValue.set(value, [entry])
      else if (named.at(-1) !== entry) named.push(entry)
    }
  }
  return ({ searched }) => {
    const lists = searched.map(({ value }) => byValue.get(value) ?? entries)
    return lists.reduce((rarest, list) => (list.length < rarest.length ? list : rarest), entries)
  }
}

/** Not when an earlier event says the same, nor when its only term stands in a longer event of its type. */
const isNews = (entry: Entry, candidates: readonly Entry[]): boolean => {
  const { event, searched } = entry
  const [only] = searched
  if (only === undefined) return false
  let isEarlier = true
  for (const other of candidates) {
    if (other === entry) {
      if (searched.length > 1) return true
      isEarlier = false
    } else if (other.event.type === event.type) {
      if (isEarlier && isEqual(other, entry)) return false
      if (searched.length === 1 && other.searched.length > 1 && hasTerm(other, only)) return false
    }
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
  const entries = events.map((event): Entry => ({ event, searched: searchedOf(event) }))
  const candidates = candidatesOf(entries)
  const news = entries.map((entry) => isNews(entry, candidates(entry)))
  for (const [at, { event, searched }] of entries.entries()) {
    for (const each of event.attributes) each.index = news[at] === true && searched.includes(each)
  }
  return events
}

/** As clients are shown them: an SDK chain marks all. */
export const markAll = (events: readonly Event[]): readonly Event[] =>
  events.map(({ type, attributes }) => ({ type, attributes: attributes.map((each) => ({ ...each, index: true })) }))

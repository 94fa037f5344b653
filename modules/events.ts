/** Native events in the form of the Cosmos SDK. */
import { FEE_COLLECTOR_ADDRESS } from '../core/address.ts'
import { encodeBech32 } from '../core/bech32.ts'
import type { Event, EventAttribute } from './module.ts'

/** Every attribute is marked as indexed, as the SDK's default has it. What the index keeps says {@link markSearched}. */
export const makeEvent = (type: string, attributes: Readonly<Record<string, string>>): Event => ({
  type,
  attributes: Object.entries(attributes).map(([key, value]) => ({ key, value, index: true })),
})

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
  return attributes.filter(
    ({ key, value, index }) => index && key !== never && key !== 'msg_index' && value !== FEE_COLLECTOR,
  )
}

/** An event as the index has it. */
interface Entry {
  readonly type: string
  readonly searched: readonly EventAttribute[]
}

const isEqual = (a: Entry, b: Entry): boolean =>
  a.type === b.type &&
  a.searched.length === b.searched.length &&
  a.searched.every(({ key, value }, at) => key === b.searched[at]?.key && value === b.searched[at]?.value)

/** Entries by a value in them: values are strings that exist, where names of terms would have to be built. */
class EntriesByValue {
  readonly #entries = new Map<string, Entry[]>()

  /** Those under the value; more may be pushed. */
  at(value: string): Entry[] {
    const known = this.#entries.get(value)
    if (known !== undefined) return known
    const created: Entry[] = []
    this.#entries.set(value, created)
    return created
  }
}

/** Undefined where each has at most one term. */
const longerEntries = (entries: readonly Entry[]): EntriesByValue | undefined => {
  let longer: EntriesByValue | undefined
  for (const entry of entries) {
    if (entry.searched.length < 2) continue
    longer ??= new EntriesByValue()
    for (const { key, value } of entry.searched) {
      const same = longer.at(value)
      if (!same.some((other) => hasTerm(other, entry.type, key, value))) same.push(entry)
    }
  }
  return longer
}

const hasTerm = (entry: Entry, type: string, key: string, value: string): boolean =>
  entry.type === type && entry.searched.some((each) => each.key === key && each.value === value)

/**
 * The events of one transaction with the attributes marked that CometBFT's indexer shall keep. The index is most of
 * what CometBFT does for a transaction, so an event that adds nothing is left out: one that says the same as an earlier
 * one, and one whose only term stands in a longer event of its type. What a search joins by AND must hold within one
 * event, so all others keep every term.
 */
export const markSearched = (events: readonly Event[]): readonly Event[] => {
  const entries = events.map((event): Entry => ({ type: event.type, searched: searchedOf(event) }))
  const longer = longerEntries(entries)
  const kept = new EntriesByValue()
  const isNew = (entry: Entry): boolean => {
    const { type, searched } = entry
    const last = searched.at(-1)
    if (last === undefined) return false
    const { key, value } = last
    if (searched.length === 1 && longer?.at(value).some((other) => hasTerm(other, type, key, value)) === true)
      return false
    const same = kept.at(value)
    if (same.some((other) => isEqual(other, entry))) return false
    same.push(entry)
    return true
  }
  return events.map(({ type, attributes }, at) => {
    const entry = entries[at]
    const searched = entry !== undefined && isNew(entry) ? entry.searched : NONE
    return {
      type,
      attributes: attributes.map((each) => ({ key: each.key, value: each.value, index: searched.includes(each) })),
    }
  })
}

const NONE: readonly EventAttribute[] = []

/** As clients are shown them: an SDK chain marks all. */
export const markAll = (events: readonly Event[]): readonly Event[] =>
  events.map(({ type, attributes }) => ({ type, attributes: attributes.map((each) => ({ ...each, index: true })) }))

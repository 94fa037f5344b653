/** Native events in the form of the Cosmos SDK. */
import { FEE_COLLECTOR_ADDRESS } from '../core/address.ts'
import { encodeBech32 } from '../core/bech32.ts'
import type { Event, EventAttribute } from './module.ts'

/** Every attribute is marked as indexed, as the SDK's default has it. What the index keeps says {@link markSearched}. */
export const makeEvent = (type: string, attributes: Readonly<Record<string, string>>): Event => ({
  type,
  attributes: Object.entries(attributes).map(([key, value]) => ({ key, value, index: true })),
})

/** Sums that every transaction moves: who looks for a transfer knows whose it was. */
const NEVER_SEARCHED: ReadonlySet<string> = new Set([
  'coin_spent.amount',
  'coin_received.amount',
  'transfer.amount',
  'tx.fee',
])

/** Every transaction pays to it, so a search for it would find all of them. */
const FEE_COLLECTOR = encodeBech32(FEE_COLLECTOR_ADDRESS)

const isSearched = ({ type }: Event, { key, value, index }: EventAttribute): boolean =>
  index && key !== 'msg_index' && value !== FEE_COLLECTOR && !NEVER_SEARCHED.has(`${type}.${key}`)
const termOf = ({ type }: Event, { key, value }: EventAttribute): string => `${type}.${key}='${value}'`

const unmarked = ({ type, attributes }: Event): Event => ({
  type,
  attributes: attributes.map(({ key, value }) => ({ key, value, index: false })),
})

/**
 * The events of one transaction with the attributes marked that CometBFT's indexer shall keep. The index is most of
 * what CometBFT does for a transaction, so an event that adds nothing is left out: one that says the same as an earlier
 * one, and one whose only term stands in a longer event of its type. What a search joins by AND must hold within one
 * event, so all others keep every term.
 */
export const markSearched = (events: readonly Event[]): readonly Event[] => {
  const kept = new Set<string>()
  const named = events.map((event) => ({
    event,
    terms: event.attributes.flatMap((each) => (isSearched(event, each) ? termOf(event, each) : [])),
  }))
  for (const { terms } of named) {
    if (terms.length > 1) for (const term of terms) kept.add(term)
  }
  return named.map(({ event, terms }) => {
    const name = terms.join(' AND ')
    if (terms.length === 0 || kept.has(name)) return unmarked(event)
    kept.add(name)
    const { type, attributes } = event
    return {
      type,
      attributes: attributes.map((each) => ({ key: each.key, value: each.value, index: isSearched(event, each) })),
    }
  })
}

/** As clients are shown them: an SDK chain marks all. */
export const markAll = (events: readonly Event[]): readonly Event[] =>
  events.map(({ type, attributes }) => ({ type, attributes: attributes.map((each) => ({ ...each, index: true })) }))

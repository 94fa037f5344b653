/**
 * Which logs of a page a subscription may want, found by what its criteria name most seldom: thousands of subscriptions to what does not
 * happen cost a look-up each, and not one for each log.
 */
import type { LogCriteria } from '../../app/ports.ts'
import type { LogView } from './match-logs.ts'

type Places = Map<string, number[]>

const NONE: readonly number[] = []

const note = (places: Places, value: string, place: number): void => {
  const known = places.get(value)
  if (known === undefined) places.set(value, [place])
  else known.push(place)
}

const placesOf = (places: Places, choices: readonly string[]): readonly number[] => {
  const [first] = choices
  if (choices.length === 1 && first !== undefined) return places.get(first) ?? NONE
  // A log has one value, so no place comes twice, unless a choice does.
  return [...new Set(choices)].flatMap((choice) => places.get(choice) ?? NONE).sort((one, other) => one - other)
}

const countOf = (places: Places, choices: readonly string[]): number =>
  choices.reduce((sum, choice) => sum + (places.get(choice)?.length ?? 0), 0)

export class LogIndex {
  readonly #all: readonly number[]
  readonly #addresses: Places = new Map()
  readonly #topics: Places[] = []

  constructor(logs: readonly LogView[]) {
    this.#all = logs.map((_, place) => place)
    for (const [place, { address, topics }] of logs.entries()) {
      note(this.#addresses, address, place)
      for (const [position, topic] of topics.entries()) note((this.#topics[position] ??= new Map()), topic, place)
    }
  }

  /** The places of the logs that one of the criteria chooses, the one that chooses fewest, in ascending order. */
  candidates({ addresses, topics }: Pick<LogCriteria, 'addresses' | 'topics'>): readonly number[] {
    let places: Places | undefined
    let choices: readonly string[] = []
    let fewest = this.#all.length
    const consider = (found: Places | undefined, named: readonly string[]): void => {
      if (named.length === 0) return
      const count = found === undefined ? 0 : countOf(found, named)
      if (count > fewest) return
      places = found ?? new Map()
      choices = named
      fewest = count
    }
    consider(this.#addresses, addresses)
    for (const [position, named] of topics.entries()) consider(this.#topics[position], named)
    return places === undefined ? this.#all : placesOf(places, choices)
  }
}

/** Who has acknowledged what, and how much power that is now: pure functions of the record and of the votes. */
import type { BridgeEvent } from '../../core/bridge-event.ts'
import { bytesToKey, equalBytes } from '../../core/bytes.ts'
import type { Candidate, OpenEvent } from './record.ts'

/** Power of each validator of the set, by bytesToKey of its address. */
export interface Powers {
  readonly of: ReadonlyMap<string, bigint>
  readonly total: bigint
}

export interface Vote {
  readonly validator: Uint8Array
  readonly hash: Uint8Array
}

/** What the votes of a block say of one id. */
export interface Said {
  /** Every validator at most once. */
  readonly votes: readonly Vote[]
  readonly contents: readonly BridgeEvent[]
}

export interface Tally {
  readonly open: OpenEvent
  /** More than two thirds of the power acknowledged it, and its content is known. */
  readonly accepted: BridgeEvent | undefined
  /** Validators that acknowledged another hash before. */
  readonly contradicting: readonly Uint8Array[]
}

export const powersOf = (set: readonly { readonly address: Uint8Array; readonly power: bigint }[]): Powers => {
  let total = 0n
  const of = new Map<string, bigint>()
  for (const { address, power } of set) {
    of.set(bytesToKey(address), power)
    total += power
  }
  return { of, total }
}

/** Present power of those who acknowledged a hash. */
export const powerOf = ({ validators }: Pick<Candidate, 'validators'>, powers: Powers): bigint =>
  validators.reduce((sum, validator) => sum + (powers.of.get(bytesToKey(validator)) ?? 0n), 0n)

const isAboveThird = (power: bigint, { total }: Powers): boolean => power * 3n > total
const isAboveTwoThirds = (power: bigint, { total }: Powers): boolean => power * 3n > total * 2n

interface Counted {
  readonly hash: Uint8Array
  readonly validators: Uint8Array[]
  readonly event: BridgeEvent | undefined
}

/** Those who left the set count for nothing, and would make the record grow: they are forgotten. */
const present = (open: OpenEvent, powers: Powers): Counted[] =>
  open.map(({ hash, validators, event }) => ({
    hash,
    event,
    validators: validators.filter((validator) => powers.of.has(bytesToKey(validator))),
  }))

/** Adds votes in their order; the first hash of a validator is the one that counts. Returns those that named a second one. */
const addVotes = (candidates: Counted[], votes: readonly Vote[], powers: Powers): readonly Uint8Array[] => {
  const named = new Map(
    candidates.flatMap((candidate) => candidate.validators.map((each) => [bytesToKey(each), candidate] as const)),
  )
  const contradicting: Uint8Array[] = []
  for (const { validator, hash } of votes) {
    const key = bytesToKey(validator)
    if (!powers.of.has(key)) continue
    const before = named.get(key)
    if (before !== undefined) {
      if (!equalBytes(before.hash, hash)) contradicting.push(validator)
      continue
    }
    let candidate = candidates.find((each) => equalBytes(each.hash, hash))
    if (candidate === undefined) candidates.push((candidate = { hash, validators: [], event: undefined }))
    candidate.validators.push(validator)
    named.set(key, candidate)
  }
  return contradicting
}

/**
 * The record of an open event after what the votes of a block say of it, counted with the present powers. A content counts
 * where more than a third has acknowledged its hash, which `hashOf` tells: at most two can have that much.
 */
export const tally = (
  before: OpenEvent,
  { votes, contents }: Said,
  powers: Powers,
  hashOf: (event: BridgeEvent) => Uint8Array,
): Tally => {
  const counted = present(before, powers)
  const contradicting = addVotes(counted, votes, powers)
  let accepted: BridgeEvent | undefined
  const open: Candidate[] = []
  for (const { hash, validators, event: known } of counted) {
    if (validators.length === 0) continue
    const power = powerOf({ validators }, powers)
    const isHeard = isAboveThird(power, powers)
    const event = isHeard ? (known ?? contents.find((each) => equalBytes(hashOf(each), hash))) : undefined
    if (event !== undefined && isAboveTwoThirds(power, powers)) accepted = event
    open.push({ hash, validators, event, isWanted: isHeard && event === undefined })
  }
  return { open, accepted, contradicting }
}

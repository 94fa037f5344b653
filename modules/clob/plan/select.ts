/**
 * Which orders a validator attests where not all have room: the same on all nodes that hold the same pool. docs/clob-spec.md, Selection.
 */
import type { Address } from '../../../core/address.ts'
import { compareBytes, concatBytes } from '../../../core/bytes.ts'
import { type Hash, sha256Key } from '../../../core/hash.ts'
import { proposalBytes } from '../../../core/proposal-bytes.ts'
import { MAX_TX_WEIGHT, type Phase, PHASES } from '../orders/clob-tx.ts'
import { sortAttestations } from './attestation-bytes.ts'
import { MAX_DT_MS } from './columns.ts'
import { idOf } from './ids.ts'
import { MOST_BYTES, quotaOf } from './room.ts'
import type { Attestation } from './types.ts'

const ADDRESS_BYTES = 20
/** A round gives every owner so much weight. */
const ROUND_WEIGHT = 20

/** An order of the pool that may be attested. */
export interface Candidate {
  readonly hash: Hash
  readonly phase: Phase
  readonly weight: number
  /** The bytes of the wire form. */
  readonly bytes: number
  readonly owner: Address
  /** The owner as `bytesToKey` gives it. */
  readonly ownerKey: string
  readonly nonceMs: number
  /**
   * True in phase CANCEL where its owner has an open order, or a Place among the candidates, in a market that one of
   * its actions names.
   */
  readonly hasPriority: boolean
  /** The time by the wall clock of this node. */
  readonly firstSeenMs: number
}

export interface SelectionContext {
  /** Hash of block H. */
  readonly salt: Uint8Array
  /** Time of header H. */
  readonly timeOfHMs: number
  readonly limits: SelectionLimits
  /** What the carried bodies take of the block, by phase. */
  readonly carried: readonly BlockUse[]
}

/** Bytes with tags and lengths, and weight. */
export interface BlockUse {
  readonly bytes: number
  readonly weight: number
}

/** What may be attested together, and what a block has for orders. */
export interface SelectionLimits extends BlockUse {
  readonly attestations: number
}

const byNonce = (a: Candidate, b: Candidate): number => a.nonceMs - b.nonceMs || compareBytes(a.hash, b.hash)

/** How many bytes the prefix of a hash as text has: its first four, read as a number. */
const PREFIX_BYTES = 4
const prefixOf = (hash: string): number => {
  let prefix = 0
  for (let at = 0; at < PREFIX_BYTES; at++) prefix = prefix * 256 + hash.charCodeAt(at)
  return prefix
}

/**
 * Indexes by ascending keys, those of equal keys in their order. Numbers in an array of their own are sorted without a call for each
 * comparison, which takes a tenth of the time. The product of keys and count must be below 2^53.
 */
const sortedIndexes = (count: number, keyOf: (index: number) => number): Float64Array => {
  const keys = new Float64Array(count)
  for (let index = 0; index < count; index++) keys[index] = keyOf(index) * count + index
  keys.sort()
  for (let at = 0; at < count; at++) keys[at] = (keys[at] as number) % count
  return keys
}

/** Places of the hashes in their order. */
const sortHashes = (hashes: readonly string[]): Float64Array => {
  const prefixes = hashes.map(prefixOf)
  const order = sortedIndexes(hashes.length, (index) => prefixes[index] as number)
  // Hashes with the same first bytes are rare, and then there are two.
  for (let from = 0, to = 1; from < order.length; from = to++) {
    while (to < order.length && prefixes[order[to] as number] === prefixes[order[from] as number]) to++
    if (to - from < 2) continue
    order.subarray(from, to).sort((a, b) => ((hashes[a] as string) < (hashes[b] as string) ? -1 : 1))
  }
  return order
}

/** The candidates by owner, in the order of the hashes of block and owner. */
const groupByOwner = <Each extends Candidate>(
  candidates: readonly Each[],
  salt: Uint8Array,
): readonly (readonly Each[])[] => {
  const groups = new Map<string, Each[]>()
  for (const candidate of candidates) {
    const { ownerKey } = candidate
    const group = groups.get(ownerKey)
    if (group === undefined) groups.set(ownerKey, [candidate])
    else group.push(candidate)
  }
  const list = [...groups.values()]
  // All that is hashed: it is filled anew for each owner.
  const preimage = concatBytes(salt, new Uint8Array(ADDRESS_BYTES))
  const hashes = list.map((group) => {
    preimage.set((group[0] as Each).owner, salt.length)
    return sha256Key(preimage)
  })
  return Array.from(sortHashes(hashes), (index) => {
    const group = list[index] as Each[]
    return group.length === 1 ? group : group.sort(byNonce)
  })
}

/** The candidates of a phase in the order (priority, round, hash of block and owner, nonce, hash). */
export const orderCandidates = <Each extends Candidate>(
  candidates: readonly Each[],
  salt: Uint8Array,
): readonly Each[] => {
  const waiting: Each[] = []
  const rounds: number[] = []
  let rankedRounds = 0
  for (const group of groupByOwner(candidates, salt)) {
    let weight = 0
    for (const candidate of group) {
      weight += candidate.weight
      const round = Math.ceil(weight / ROUND_WEIGHT)
      waiting.push(candidate)
      rounds.push(round)
      rankedRounds = Math.max(rankedRounds, round + 1)
    }
  }
  // Owners lie by their hashes and those of one owner in their order: sorting leaves equal ones so.
  const order = sortedIndexes(waiting.length, (index) => {
    const { phase, hasPriority } = waiting[index] as Each
    const round = rounds[index] as number
    return phase === 0 && hasPriority ? round : rankedRounds + round
  })
  return Array.from(order, (index) => waiting[index] as Each)
}

const NOTHING: SelectionLimits = { attestations: 0, bytes: 0, weight: 0 }

const plus = (used: SelectionLimits, { attestations, bytes, weight }: SelectionLimits): SelectionLimits => ({
  attestations: used.attestations + attestations,
  bytes: used.bytes + bytes,
  weight: used.weight + weight,
})

const useOf = ({ bytes, weight }: Candidate): SelectionLimits => ({
  attestations: 1,
  bytes: proposalBytes(bytes),
  weight,
})

const isWithin = (used: SelectionLimits, limits: SelectionLimits): boolean =>
  used.attestations <= limits.attestations && used.bytes <= limits.bytes && used.weight <= limits.weight

const sumOf = (amounts: readonly number[]): number => amounts.reduce((sum, amount) => sum + amount, 0)

/**
 * Bytes, or weight, of a block whose plan takes all that is selected, in whatever order times put it. What a plan passes over is
 * attested anew, and its youngest orders would be passed over again: whoever has many older ones would keep all others out.
 */
class PlannedRoom {
  readonly #limit: number
  /** What the largest transaction takes: the plan does not know how much one takes before it has it. */
  readonly #most: number
  readonly #carried: number
  /** What the plan keeps for the phases behind each while that has its turn. */
  readonly #keptBehind: readonly number[]
  readonly #used = PHASES.map(() => 0)
  /** The least that one of a phase takes: it may be the last of it. */
  readonly #least = PHASES.map(() => Number.POSITIVE_INFINITY)

  /** `carried` is by phase, and so is the number of candidates. */
  constructor(limit: number, most: number, carried: readonly number[], candidates: readonly number[]) {
    this.#limit = limit
    this.#most = most
    this.#carried = sumOf(carried)
    const kept = PHASES.map((phase) => {
      const quotaLeft = Math.max(0, quotaOf(limit, phase) - (carried[phase] as number))
      return Math.min(quotaLeft, most * (candidates[phase] as number))
    })
    this.#keptBehind = PHASES.map((phase) => sumOf(kept.slice(phase + 1)))
  }

  /** False where the plan might pass over one more of a phase, or over one of a later phase then. */
  hasRoomFor(phase: Phase, amount: number): boolean {
    const least = Math.min(this.#least[phase] as number, amount)
    let used = this.#carried + amount
    for (const each of PHASES) {
      used += this.#used[each] as number
      const last = each === phase ? least : (this.#least[each] as number)
      if (each < phase || last === Number.POSITIVE_INFINITY) continue
      if (used - last + this.#most + (this.#keptBehind[each] as number) > this.#limit) return false
    }
    return true
  }

  take(phase: Phase, amount: number): void {
    this.#used[phase] = (this.#used[phase] as number) + amount
    this.#least[phase] = Math.min(this.#least[phase] as number, amount)
  }
}

/**
 * The candidates that are attested, by phase. CANCEL takes up to half of each limit, POST and TAKER up to a quarter; then, in that order
 * again, each what the others left, as long as the plan of the block takes all of it. A phase ends at its first that does not fit.
 */
export const selectCandidates = <Each extends Candidate>(
  candidates: readonly Each[],
  { salt, limits, carried }: Omit<SelectionContext, 'timeOfHMs'>,
): readonly Each[] => {
  const queues = PHASES.map((phase) =>
    orderCandidates(
      candidates.filter((each) => each.phase === phase),
      salt,
    ),
  )
  const counts = queues.map(({ length }) => length)
  const bytes = carried.map((each) => each.bytes)
  const weights = carried.map(({ weight }) => weight)
  const plannedBytes = new PlannedRoom(limits.bytes, MOST_BYTES, bytes, counts)
  const plannedWeight = new PlannedRoom(limits.weight, MAX_TX_WEIGHT, weights, counts)
  const left = { ...limits, bytes: limits.bytes - sumOf(bytes), weight: limits.weight - sumOf(weights) }
  const taken = PHASES.map(() => 0)
  /** Takes of a phase while what is used then stays within what it may use. Returns what is used. */
  const take = (phase: Phase, used: SelectionLimits, most: SelectionLimits): SelectionLimits => {
    const queue = queues[phase] as readonly Each[]
    let now = used
    for (let at = taken[phase] as number; at < queue.length; at++) {
      const use = useOf(queue[at] as Each)
      const next = plus(now, use)
      if (!isWithin(next, most)) break
      if (!plannedBytes.hasRoomFor(phase, use.bytes) || !plannedWeight.hasRoomFor(phase, use.weight)) break
      plannedBytes.take(phase, use.bytes)
      plannedWeight.take(phase, use.weight)
      taken[phase] = at + 1
      now = next
    }
    return now
  }
  let used = NOTHING
  for (const phase of PHASES) {
    const quota: SelectionLimits = {
      attestations: quotaOf(left.attestations, phase),
      bytes: quotaOf(left.bytes, phase),
      weight: quotaOf(left.weight, phase),
    }
    used = plus(used, take(phase, NOTHING, quota))
  }
  for (const phase of PHASES) used = take(phase, used, left)
  return PHASES.flatMap((phase) => (queues[phase] as readonly Each[]).slice(0, taken[phase]))
}

/** What is attested of the candidates, in the order of the encoding. */
export const toAttestations = (
  candidates: readonly Candidate[],
  { salt, timeOfHMs }: Pick<SelectionContext, 'salt' | 'timeOfHMs'>,
): readonly Attestation[] =>
  sortAttestations(
    candidates.map(({ hash, phase, firstSeenMs }) => ({
      phase,
      id: idOf(salt, hash),
      dtMs: Math.max(-MAX_DT_MS, Math.min(MAX_DT_MS, firstSeenMs - timeOfHMs)),
    })),
  )

/** What the extension of a vote on block H attests, in the order of its encoding. */
export const selectAttestations = (
  candidates: readonly Candidate[],
  context: SelectionContext,
): readonly Attestation[] => toAttestations(selectCandidates(candidates, context), context)

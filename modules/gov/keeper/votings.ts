/**
 * Votings and what is kept of them: votes, and beside them the shares that voted, by validator and option. These counts
 * follow every vote and every change of a voter's delegations, paid by the messages that bring them, so that a tally
 * reads a few values for each bonded validator, however many voted (docs/adr/035).
 */
import type { Address } from '../../../core/address.ts'
import { bigintToBytes, bytesToBigint, readUint64 } from '../../../core/bytes.ts'
import { type Decimal, ONE } from '../../../core/decimal.ts'
import { invariant } from '../../../core/errors.ts'
import { decodeRlp, encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import {
  castKey,
  castPrefix,
  COUNTS_PREFIX,
  countKey,
  countsPrefix,
  ENDED_PREFIX,
  endedKey,
  GOV_ADDRESS,
  ID_BYTES,
  PRESENT,
  type Voting,
  VOTES_PREFIX,
  voteKey,
  votesPrefix,
  votingKey,
} from '../keys.ts'
import { readAll } from './scan.ts'
import { decodeVote, encodeVote, OPTIONS, type Vote, type WeightedOption } from '../vote.ts'

/** An identifier and the byte that tells the expedited voting of a proposal from its regular one. */
const VOTING_BYTES = ID_BYTES + 1

const votingAt = (key: Uint8Array, offset: number): Voting => ({
  id: BigInt(readUint64(key, offset)),
  expedited: key[offset + ID_BYTES] === 1,
})

/** The voting that runs on a proposal; undefined when none does. */
export const readVoting = (state: StateReader, id: bigint): Voting | undefined => {
  const value = state.value(GOV_ADDRESS, votingKey(id))
  return value === undefined ? undefined : { id, expedited: value[0] === 1 }
}

export const isRunning = (state: StateReader, { id, expedited }: Voting): boolean =>
  readVoting(state, id)?.expedited === expedited

export const beginVoting = (state: StateWriter, { id, expedited }: Voting): void =>
  state.setValue(GOV_ADDRESS, votingKey(id), Uint8Array.of(expedited ? 1 : 0))

/** Its votes count for nothing any more: they are cleared away by this block and later ones. */
export const endVoting = (state: StateWriter, voting: Voting): void => {
  state.setValue(GOV_ADDRESS, votingKey(voting.id), undefined)
  const [vote] = state.values(GOV_ADDRESS, votesPrefix(voting), 1)
  if (vote !== undefined) state.setValue(GOV_ADDRESS, endedKey(voting), PRESENT)
}

// Votes

export interface CastVote extends Vote {
  readonly voting: Voting
  readonly voter: Address
}

export const readVote = (state: StateReader, voting: Voting, voter: Address): Vote | undefined => {
  const bytes = state.value(GOV_ADDRESS, voteKey(voting, voter))
  return bytes === undefined ? undefined : decodeVote(bytes)
}

/** Writes a vote without the counts: the caller knows the voter's delegations. */
export const writeVote = (state: StateWriter, { voting, voter, options, metadata }: CastVote): void => {
  state.setValue(GOV_ADDRESS, voteKey(voting, voter), encodeVote({ options, metadata }))
  state.setValue(GOV_ADDRESS, castKey(voter, voting), PRESENT)
}

const castVote = ([key, value]: readonly [Uint8Array, Uint8Array]): CastVote => ({
  voting: votingAt(key, VOTES_PREFIX.length),
  voter: key.slice(VOTES_PREFIX.length + VOTING_BYTES),
  ...decodeVote(value),
})

/** Reads votes in the order of voters, from `start` (inclusive) on. */
export function* readVotes(state: StateReader, voting: Voting, start?: Address): Generator<CastVote, void> {
  const prefix = votesPrefix(voting)
  for (const entry of readAll(state, prefix, start === undefined ? prefix : voteKey(voting, start))) {
    yield castVote(entry)
  }
}

/** Reads the votes of all votings, those that ended too. */
export function* readAllVotes(state: StateReader): Generator<CastVote, void> {
  for (const entry of readAll(state, VOTES_PREFIX)) yield castVote(entry)
}

/** Votings in which the account has a vote, those that ended too as long as they are not cleared away. */
export function* readVotingsOf(state: StateReader, voter: Address): Generator<Voting, void> {
  const prefix = castPrefix(voter)
  for (const [key] of readAll(state, prefix)) yield votingAt(key, prefix.length)
}

// Counts

/** Shares times weights, so in 10^-36, by option: exact, and in any order the same. */
export type Count = readonly [yes: bigint, abstain: bigint, no: bigint, noWithVeto: bigint]

export const NO_COUNT: Count = [0n, 0n, 0n, 0n]

const decodeCount = (bytes: Uint8Array): Count => {
  const [yes = 0n, abstain = 0n, no = 0n, veto = 0n] = (decodeRlp(bytes) as Uint8Array[]).map(bytesToBigint)
  return [yes, abstain, no, veto]
}

const sumOf = ([yes, abstain, no, veto]: Count): bigint => yes + abstain + no + veto

/** Shares of the delegators that voted. */
export const sharesOf = (count: Count): Decimal => sumOf(count) / ONE

/** The count of the delegators of a validator. */
export const readCount = (state: StateReader, voting: Voting, operator: Address): Count => {
  const bytes = state.value(GOV_ADDRESS, countKey(voting, operator))
  return bytes === undefined ? NO_COUNT : decodeCount(bytes)
}

export const writeCount = (state: StateWriter, voting: Voting, operator: Address, count: Count): void =>
  state.setValue(
    GOV_ADDRESS,
    countKey(voting, operator),
    sumOf(count) === 0n ? undefined : encodeRlp(count.map(bigintToBytes)),
  )

/** Adds to a count what shares with these options are; `shares` below zero takes it away again. */
export const addShares = (count: Count, shares: Decimal, options: readonly WeightedOption[]): Count => {
  const sums: [bigint, bigint, bigint, bigint] = [...count]
  for (const { option, weight } of options) sums[OPTIONS[option]] += shares * weight
  invariant(
    sums.every((sum) => sum >= 0n),
    'no more shares are taken from a count than it has',
  )
  return sums
}

export interface ValidatorCount {
  readonly voting: Voting
  readonly operator: Address
  readonly count: Count
}

const validatorCount = ([key, value]: readonly [Uint8Array, Uint8Array]): ValidatorCount => ({
  voting: votingAt(key, COUNTS_PREFIX.length),
  operator: key.slice(COUNTS_PREFIX.length + VOTING_BYTES),
  count: decodeCount(value),
})

/** Reads counts in the order of operators. */
export function* readCounts(state: StateReader, voting: Voting): Generator<ValidatorCount, void> {
  for (const entry of readAll(state, countsPrefix(voting))) yield validatorCount(entry)
}

/** Reads the counts of all votings, those that ended too. */
export function* readAllCounts(state: StateReader): Generator<ValidatorCount, void> {
  for (const entry of readAll(state, COUNTS_PREFIX)) yield validatorCount(entry)
}

// What ended

/** Votings whose votes are not all cleared away. */
export function* readEndedVotings(state: StateReader): Generator<Voting, void> {
  for (const [key] of readAll(state, ENDED_PREFIX)) yield votingAt(key, ENDED_PREFIX.length)
}

export const markEnded = (state: StateWriter, voting: Voting): void =>
  state.setValue(GOV_ADDRESS, endedKey(voting), PRESENT)

/** Deletes at most `limit` votes and counts of votings that ended. */
export const clearEnded = (state: StateWriter, limit: number): void => {
  let left = limit
  while (left > 0) {
    const [ended] = state.values(GOV_ADDRESS, ENDED_PREFIX, 1)
    if (ended === undefined) return
    const voting = votingAt(ended[0], ENDED_PREFIX.length)
    const prefix = votesPrefix(voting)
    const votes = state.values(GOV_ADDRESS, prefix, left)
    for (const [key] of votes) {
      state.setValue(GOV_ADDRESS, key, undefined)
      state.setValue(GOV_ADDRESS, castKey(key.slice(prefix.length), voting), undefined)
    }
    left -= votes.length
    const counts = left === 0 ? [] : state.values(GOV_ADDRESS, countsPrefix(voting), left)
    for (const [key] of counts) state.setValue(GOV_ADDRESS, key, undefined)
    left -= counts.length
    // Only a page that was not full shows that nothing is left.
    if (left > 0) state.setValue(GOV_ADDRESS, ended[0], undefined)
  }
}

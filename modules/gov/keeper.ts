/** The state of governance: the only code that knows its keys. Counts and queues follow what they are of. */
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { type Address, moduleAddress } from '../../core/address.ts'
import {
  bigintToBytes,
  bytesToBigint,
  bytesToUtf8,
  concatBytes,
  readUint64,
  uint64ToBytes,
  utf8ToBytes,
} from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'
import { gov } from '../../proto/index.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import type { Coin } from '../ledger.ts'
import { coinsFromRlp, coinsToRlp } from './coins.ts'
import {
  ACTIVE_PREFIX,
  CONSTITUTION_KEY,
  DEPOSITED_PREFIX,
  depositedKey,
  depositKey,
  DEPOSITS_PREFIX,
  depositsPrefix,
  INACTIVE_PREFIX,
  NEXT_PROPOSAL_KEY,
  PARAMS_KEY,
  proposalKey,
  PROPOSALS_PREFIX,
  queueKey,
  voteKey,
  VOTES_PREFIX,
  votesPrefix,
  votingKey,
} from './keys.ts'
import { type GovParams, paramsFromProto, paramsToProto } from './params.ts'
import { decodeProposal, encodeProposal, type Proposal, ProposalStatus } from './proposal.ts'
import { decodeVote, encodeVote, type Vote } from './vote.ts'

export const GOV_ADDRESS = moduleAddress('gov')

/** Values read at once. */
const CHUNK = 1_000
const PRESENT = Uint8Array.of(1)
const ID_BYTES = 8

/** Every value under a prefix in the order of keys, from `start` (inclusive) on. */
function* readAll(
  state: StateReader,
  prefix: Uint8Array,
  start: Uint8Array = prefix,
): Generator<readonly [Uint8Array, Uint8Array], void> {
  for (let next = start; ; ) {
    const page = state.values(GOV_ADDRESS, prefix, CHUNK, next)
    yield* page
    const last = page.at(-1)
    if (last === undefined || page.length < CHUNK) return
    next = concatBytes(last[0], Uint8Array.of(0))
  }
}

// Parameters, constitution, identifiers

export const readParams = (state: StateReader): GovParams => {
  const bytes = state.value(GOV_ADDRESS, PARAMS_KEY)
  invariant(bytes !== undefined, 'governance has parameters')
  return paramsFromProto(
    fromBinary(gov.ParamsSchema, bytes),
    (message) => invariant(false, `the stored parameters of governance are valid: ${message}`) as never,
  )
}

export const writeParams = (state: StateWriter, params: GovParams): void =>
  state.setValue(GOV_ADDRESS, PARAMS_KEY, toBinary(gov.ParamsSchema, paramsToProto(params)))

export const readConstitution = (state: StateReader): string => {
  const bytes = state.value(GOV_ADDRESS, CONSTITUTION_KEY)
  return bytes === undefined ? '' : bytesToUtf8(bytes)
}

export const writeConstitution = (state: StateWriter, text: string): void =>
  state.setValue(GOV_ADDRESS, CONSTITUTION_KEY, text === '' ? undefined : utf8ToBytes(text))

export const readNextProposalId = (state: StateReader): bigint => {
  const bytes = state.value(GOV_ADDRESS, NEXT_PROPOSAL_KEY)
  invariant(bytes !== undefined, 'governance knows its next proposal')
  return bytesToBigint(bytes)
}

export const writeNextProposalId = (state: StateWriter, id: bigint): void =>
  state.setValue(GOV_ADDRESS, NEXT_PROPOSAL_KEY, uint64ToBytes(id))

// Proposals and their queues

export const readProposal = (state: StateReader, id: bigint): Proposal | undefined => {
  const bytes = state.value(GOV_ADDRESS, proposalKey(id))
  return bytes === undefined ? undefined : decodeProposal(bytes)
}

/** In the order of identifiers, from `start` (inclusive) on. */
export function* readProposals(state: StateReader, start = 0n): Generator<Proposal, void> {
  for (const [, value] of readAll(state, PROPOSALS_PREFIX, proposalKey(start))) yield decodeProposal(value)
}

/** The latest first, from `start` (inclusive) on. */
export function* readProposalsBackwards(state: StateReader, start?: bigint): Generator<Proposal, void> {
  const last = readNextProposalId(state) - 1n
  for (let id = start !== undefined && start < last ? start : last; id > 0n; id--) {
    const proposal = readProposal(state, id)
    if (proposal !== undefined) yield proposal
  }
}

/** Where a proposal waits for its time; undefined when it is over. */
const queueOf = ({ id, status, depositEndTimeNs, votingEndTimeNs }: Proposal): Uint8Array | undefined => {
  if (status === ProposalStatus.DEPOSIT_PERIOD) return queueKey(INACTIVE_PREFIX, depositEndTimeNs, id)
  if (status !== ProposalStatus.VOTING_PERIOD) return undefined
  invariant(votingEndTimeNs !== undefined, 'a proposal in its voting period has an end of it')
  return queueKey(ACTIVE_PREFIX, votingEndTimeNs, id)
}

/** Writes it, and moves it from the queue of `before` to its own. Returns the bytes that were written. */
export const writeProposal = (state: StateWriter, proposal: Proposal, before?: Proposal): Uint8Array => {
  const bytes = encodeProposal(proposal)
  state.setValue(GOV_ADDRESS, proposalKey(proposal.id), bytes)
  const from = before === undefined ? undefined : queueOf(before)
  const to = queueOf(proposal)
  if (from !== undefined) state.setValue(GOV_ADDRESS, from, undefined)
  if (to !== undefined) state.setValue(GOV_ADDRESS, to, PRESENT)
  const isVoting = proposal.status === ProposalStatus.VOTING_PERIOD
  if (isVoting && before?.status !== ProposalStatus.VOTING_PERIOD) writeVoteCount(state, proposal.id, 0)
  if (!isVoting && before?.status === ProposalStatus.VOTING_PERIOD) writeVoteCount(state, proposal.id, undefined)
  return bytes
}

/** Its votes and deposits are gone by then. */
export const deleteProposal = (state: StateWriter, proposal: Proposal): void => {
  state.setValue(GOV_ADDRESS, proposalKey(proposal.id), undefined)
  const queue = queueOf(proposal)
  if (queue !== undefined) state.setValue(GOV_ADDRESS, queue, undefined)
  if (proposal.status === ProposalStatus.VOTING_PERIOD) writeVoteCount(state, proposal.id, undefined)
}

/** At most `limit` identifiers of proposals whose time is at or before `timeNs`, the oldest first. */
const readEnded = (state: StateReader, prefix: Uint8Array, timeNs: bigint, limit: number): readonly bigint[] => {
  const ids: bigint[] = []
  for (const [key] of state.values(GOV_ADDRESS, prefix, limit)) {
    if (bytesToBigint(key.subarray(prefix.length, prefix.length + ID_BYTES)) > timeNs) break
    ids.push(bytesToBigint(key.subarray(prefix.length + ID_BYTES)))
  }
  return ids
}

export const readEndedDeposits = (state: StateReader, timeNs: bigint, limit: number): readonly bigint[] =>
  readEnded(state, INACTIVE_PREFIX, timeNs, limit)

export const readEndedVotings = (state: StateReader, timeNs: bigint, limit: number): readonly bigint[] =>
  readEnded(state, ACTIVE_PREFIX, timeNs, limit)

// Votes

/** Undefined when the proposal is not in its voting period. */
export const readVoteCount = (state: StateReader, id: bigint): number | undefined => {
  const bytes = state.value(GOV_ADDRESS, votingKey(id))
  if (bytes === undefined) return undefined
  const [count] = decodeRlp(bytes) as [Uint8Array]
  return Number(bytesToBigint(count))
}

export const writeVoteCount = (state: StateWriter, id: bigint, count: number | undefined): void =>
  state.setValue(
    GOV_ADDRESS,
    votingKey(id),
    count === undefined ? undefined : encodeRlp([bigintToBytes(BigInt(count))]),
  )

export const readVote = (state: StateReader, id: bigint, voter: Address): Vote | undefined => {
  const bytes = state.value(GOV_ADDRESS, voteKey(id, voter))
  return bytes === undefined ? undefined : decodeVote(bytes)
}

export const hasVote = (state: StateReader, id: bigint, voter: Address): boolean =>
  state.value(GOV_ADDRESS, voteKey(id, voter)) !== undefined

export const writeVote = (state: StateWriter, id: bigint, voter: Address, vote: Vote): void =>
  state.setValue(GOV_ADDRESS, voteKey(id, voter), encodeVote(vote))

export interface CastVote extends Vote {
  readonly proposalId: bigint
  readonly voter: Address
}

const castVote = ([key, value]: readonly [Uint8Array, Uint8Array]): CastVote => ({
  proposalId: BigInt(readUint64(key, VOTES_PREFIX.length)),
  voter: key.slice(VOTES_PREFIX.length + ID_BYTES),
  ...decodeVote(value),
})

/** Of one proposal, in the order of voters, from `start` (inclusive) on. */
export function* readVotes(state: StateReader, id: bigint, start?: Address): Generator<CastVote, void> {
  const prefix = votesPrefix(id)
  const from = start === undefined ? prefix : voteKey(id, start)
  for (const entry of readAll(state, prefix, from)) yield castVote(entry)
}

/** Of all proposals. */
export function* readAllVotes(state: StateReader): Generator<CastVote, void> {
  for (const entry of readAll(state, VOTES_PREFIX)) yield castVote(entry)
}

/**
 * All have been read by then: a list is slow to read while it is deleted. The count is not changed: it goes with the
 * voting period, or is written anew.
 */
export const deleteVotes = (state: StateWriter, votes: readonly CastVote[]): void => {
  for (const { proposalId, voter } of votes) state.setValue(GOV_ADDRESS, voteKey(proposalId, voter), undefined)
}

// Deposits

export interface Deposit {
  readonly proposalId: bigint
  readonly depositor: Address
  readonly coins: readonly Coin[]
}

export const readDeposit = (state: StateReader, id: bigint, depositor: Address): Deposit | undefined => {
  const bytes = state.value(GOV_ADDRESS, depositKey(id, depositor))
  return bytes === undefined ? undefined : { proposalId: id, depositor, coins: coinsFromRlp(decodeRlp(bytes)) }
}

const deposit = ([key, value]: readonly [Uint8Array, Uint8Array]): Deposit => ({
  proposalId: BigInt(readUint64(key, DEPOSITS_PREFIX.length)),
  depositor: key.slice(DEPOSITS_PREFIX.length + ID_BYTES),
  coins: coinsFromRlp(decodeRlp(value)),
})

/** Of one proposal, in the order of depositors, from `start` (inclusive) on. */
export function* readDeposits(state: StateReader, id: bigint, start?: Address): Generator<Deposit, void> {
  const prefix = depositsPrefix(id)
  const from = start === undefined ? prefix : depositKey(id, start)
  for (const entry of readAll(state, prefix, from)) yield deposit(entry)
}

/** Of all proposals. */
export function* readAllDeposits(state: StateReader): Generator<Deposit, void> {
  for (const entry of readAll(state, DEPOSITS_PREFIX)) yield deposit(entry)
}

const changeDeposited = (state: StateWriter, coins: readonly Coin[], sign: 1n | -1n): void => {
  for (const { denom, amount } of coins) {
    const key = depositedKey(denom)
    const bytes = state.value(GOV_ADDRESS, key)
    const after = (bytes === undefined ? 0n : bytesToBigint(bytes)) + sign * amount
    invariant(after >= 0n, 'no more deposits are given back than were made')
    state.setValue(GOV_ADDRESS, key, after === 0n ? undefined : bigintToBytes(after))
  }
}

/** `added` is what it has more than before. */
export const writeDeposit = (
  state: StateWriter,
  { proposalId, depositor, coins }: Deposit,
  added: readonly Coin[],
): void => {
  state.setValue(GOV_ADDRESS, depositKey(proposalId, depositor), encodeRlp(coinsToRlp(coins)))
  changeDeposited(state, added, 1n)
}

export const deleteDeposit = (state: StateWriter, { proposalId, depositor, coins }: Deposit): void => {
  state.setValue(GOV_ADDRESS, depositKey(proposalId, depositor), undefined)
  changeDeposited(state, coins, -1n)
}

/** All deposits together, in the order of denominations: what the module's account must have. */
export const readDeposited = (state: StateReader): readonly Coin[] =>
  [...readAll(state, DEPOSITED_PREFIX)].map(([key, value]) => ({
    denom: bytesToUtf8(key.subarray(DEPOSITED_PREFIX.length)),
    amount: bytesToBigint(value),
  }))

/** The state of governance but for votes, which are in votings.ts: queues and sums follow what they are of. */
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import type { Address } from '../../../core/address.ts'
import {
  bigintToBytes,
  bytesToBigint,
  bytesToUtf8,
  readUint64,
  uint64ToBytes,
  utf8ToBytes,
} from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { decodeRlp, encodeRlp } from '../../../core/rlp.ts'
import { gov } from '../../../proto/index.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import type { Coin } from '../../ledger.ts'
import { coinsFromRlp, coinsToRlp } from '../coins.ts'
import {
  ACTIVE_PREFIX,
  CONSTITUTION_KEY,
  DEPOSITED_PREFIX,
  depositedKey,
  depositKey,
  DEPOSITS_PREFIX,
  depositsPrefix,
  GOV_ADDRESS,
  ID_BYTES,
  INACTIVE_PREFIX,
  NEXT_PROPOSAL_KEY,
  PARAMS_KEY,
  PRESENT,
  proposalKey,
  PROPOSALS_PREFIX,
  queueKey,
  type Voting,
} from '../keys.ts'
import { readAll } from './scan.ts'
import { type GovParams, paramsFromProto, paramsToProto } from '../params.ts'
import { decodeProposal, encodeProposal, type Proposal, ProposalStatus } from '../proposal.ts'
import { beginVoting, endVoting } from './votings.ts'

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

/** Reads proposals in the order of identifiers, from `start` (inclusive) on. */
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

const votingOf = (proposal: Proposal | undefined): Voting | undefined =>
  proposal?.status === ProposalStatus.VOTING_PERIOD ? { id: proposal.id, expedited: proposal.expedited } : undefined

const followVoting = (state: StateWriter, before: Proposal | undefined, after: Proposal | undefined): void => {
  const [ended, begun] = [votingOf(before), votingOf(after)]
  if (ended?.expedited === begun?.expedited) return
  if (ended !== undefined) endVoting(state, ended)
  if (begun !== undefined) beginVoting(state, begun)
}

/** Writes it, and moves it from the queue of `before` to its own. Returns the bytes that were written. */
export const writeProposal = (state: StateWriter, proposal: Proposal, before?: Proposal): Uint8Array => {
  const bytes = encodeProposal(proposal)
  state.setValue(GOV_ADDRESS, proposalKey(proposal.id), bytes)
  const from = before === undefined ? undefined : queueOf(before)
  const to = queueOf(proposal)
  if (from !== undefined) state.setValue(GOV_ADDRESS, from, undefined)
  if (to !== undefined) state.setValue(GOV_ADDRESS, to, PRESENT)
  followVoting(state, before, proposal)
  return bytes
}

/** Its deposits are gone by then. */
export const deleteProposal = (state: StateWriter, proposal: Proposal): void => {
  state.setValue(GOV_ADDRESS, proposalKey(proposal.id), undefined)
  const queue = queueOf(proposal)
  if (queue !== undefined) state.setValue(GOV_ADDRESS, queue, undefined)
  followVoting(state, proposal, undefined)
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

export const readDueDeposits = (state: StateReader, timeNs: bigint, limit: number): readonly bigint[] =>
  readEnded(state, INACTIVE_PREFIX, timeNs, limit)

export const readDueVotings = (state: StateReader, timeNs: bigint, limit: number): readonly bigint[] =>
  readEnded(state, ACTIVE_PREFIX, timeNs, limit)

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

/** Reads the deposits of one proposal, in the order of depositors, from `start` (inclusive) on. */
export function* readDeposits(state: StateReader, id: bigint, start?: Address): Generator<Deposit, void> {
  const prefix = depositsPrefix(id)
  const from = start === undefined ? prefix : depositKey(id, start)
  for (const entry of readAll(state, prefix, from)) yield deposit(entry)
}

/** Reads the deposits of all proposals. */
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

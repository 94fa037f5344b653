/** Keys of the store of governance. Identifiers and times are eight bytes, big-endian. */
import { type Address, moduleAddress } from '../../core/address.ts'
import { concatBytes, uint64ToBytes, utf8ToBytes } from '../../core/bytes.ts'

export const GOV_ADDRESS = moduleAddress('gov')
export const ID_BYTES = 8
/** The value of a key that says it all. */
export const PRESENT = Uint8Array.of(1)

/** A proposal is voted on once, or twice: an expedited one that does not pass becomes a regular one. */
export interface Voting {
  readonly id: bigint
  readonly expedited: boolean
}

/** A proposal: RLP of the number of its depositors and a cosmos.gov.v1.Proposal. */
export const PROPOSALS_PREFIX = Uint8Array.of(0x01)
/** The vote of an account in a voting: RLP of its options and its metadata. */
export const VOTES_PREFIX = Uint8Array.of(0x02)
/** The deposit of an account on a proposal: RLP of coins. */
export const DEPOSITS_PREFIX = Uint8Array.of(0x03)
/** Proposals by the end of their deposit period. The value is 1. */
export const INACTIVE_PREFIX = Uint8Array.of(0x04)
/** Proposals by the end of their voting period. The value is 1. */
export const ACTIVE_PREFIX = Uint8Array.of(0x05)
/** A proposal in its voting period: 1 when it is expedited, else 0. */
const VOTING_PREFIX = Uint8Array.of(0x06)
/** All deposits together in a denomination, big-endian; absent is zero. */
export const DEPOSITED_PREFIX = Uint8Array.of(0x07)
/** The identifier of the next proposal, big-endian. */
export const NEXT_PROPOSAL_KEY = Uint8Array.of(0x08)
/** A cosmos.gov.v1.Params. */
export const PARAMS_KEY = Uint8Array.of(0x09)
/** UTF-8; absent is empty. */
export const CONSTITUTION_KEY = Uint8Array.of(0x0a)

/** Votings in which an account has a vote. The value is 1. */
const CAST_PREFIX = Uint8Array.of(0x0b)
/** Shares times weights of those who voted, by voting and validator: RLP of [yes, abstain, no, no with veto]. */
export const COUNTS_PREFIX = Uint8Array.of(0x0c)
/** Votings that ended, and whose votes and counts are not all deleted. The value is 1. */
export const ENDED_PREFIX = Uint8Array.of(0x0d)

const votingBytes = ({ id, expedited }: Voting): Uint8Array =>
  concatBytes(uint64ToBytes(id), Uint8Array.of(expedited ? 1 : 0))

export const proposalKey = (id: bigint): Uint8Array => concatBytes(PROPOSALS_PREFIX, uint64ToBytes(id))
export const votesPrefix = (voting: Voting): Uint8Array => concatBytes(VOTES_PREFIX, votingBytes(voting))
export const voteKey = (voting: Voting, voter: Address): Uint8Array => concatBytes(votesPrefix(voting), voter)
export const castPrefix = (voter: Address): Uint8Array => concatBytes(CAST_PREFIX, voter)
export const castKey = (voter: Address, voting: Voting): Uint8Array =>
  concatBytes(castPrefix(voter), votingBytes(voting))
export const countsPrefix = (voting: Voting): Uint8Array => concatBytes(COUNTS_PREFIX, votingBytes(voting))
export const countKey = (voting: Voting, operator: Address): Uint8Array => concatBytes(countsPrefix(voting), operator)
export const endedKey = (voting: Voting): Uint8Array => concatBytes(ENDED_PREFIX, votingBytes(voting))
export const depositsPrefix = (id: bigint): Uint8Array => concatBytes(DEPOSITS_PREFIX, uint64ToBytes(id))
export const depositKey = (id: bigint, depositor: Address): Uint8Array => concatBytes(depositsPrefix(id), depositor)
export const votingKey = (id: bigint): Uint8Array => concatBytes(VOTING_PREFIX, uint64ToBytes(id))
export const depositedKey = (denom: string): Uint8Array => concatBytes(DEPOSITED_PREFIX, utf8ToBytes(denom))

/** `prefix` is that of a queue; `timeNs` is since 1970. */
export const queueKey = (prefix: Uint8Array, timeNs: bigint, id: bigint): Uint8Array =>
  concatBytes(prefix, uint64ToBytes(timeNs), uint64ToBytes(id))

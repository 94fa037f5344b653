/** Keys of the store of governance. Identifiers and times are eight bytes, big-endian. */
import type { Address } from '../../core/address.ts'
import { concatBytes, uint64ToBytes, utf8ToBytes } from '../../core/bytes.ts'

/** A proposal: RLP of the number of its depositors and a cosmos.gov.v1.Proposal. */
export const PROPOSALS_PREFIX = Uint8Array.of(0x01)
/** The vote of an account on a proposal in its voting period: RLP of its options and its metadata. */
export const VOTES_PREFIX = Uint8Array.of(0x02)
/** The deposit of an account on a proposal: RLP of coins. */
export const DEPOSITS_PREFIX = Uint8Array.of(0x03)
/** Proposals by the end of their deposit period. The value is 1. */
export const INACTIVE_PREFIX = Uint8Array.of(0x04)
/** Proposals by the end of their voting period. The value is 1. */
export const ACTIVE_PREFIX = Uint8Array.of(0x05)
/** A proposal in its voting period: RLP of the number of its votes. */
const VOTING_PREFIX = Uint8Array.of(0x06)
/** All deposits together in a denomination, big-endian; absent is zero. */
export const DEPOSITED_PREFIX = Uint8Array.of(0x07)
/** The identifier of the next proposal, big-endian. */
export const NEXT_PROPOSAL_KEY = Uint8Array.of(0x08)
/** A cosmos.gov.v1.Params. */
export const PARAMS_KEY = Uint8Array.of(0x09)
/** UTF-8; absent is empty. */
export const CONSTITUTION_KEY = Uint8Array.of(0x0a)

export const proposalKey = (id: bigint): Uint8Array => concatBytes(PROPOSALS_PREFIX, uint64ToBytes(id))
export const votesPrefix = (id: bigint): Uint8Array => concatBytes(VOTES_PREFIX, uint64ToBytes(id))
export const voteKey = (id: bigint, voter: Address): Uint8Array => concatBytes(votesPrefix(id), voter)
export const depositsPrefix = (id: bigint): Uint8Array => concatBytes(DEPOSITS_PREFIX, uint64ToBytes(id))
export const depositKey = (id: bigint, depositor: Address): Uint8Array => concatBytes(depositsPrefix(id), depositor)
export const votingKey = (id: bigint): Uint8Array => concatBytes(VOTING_PREFIX, uint64ToBytes(id))
export const depositedKey = (denom: string): Uint8Array => concatBytes(DEPOSITED_PREFIX, utf8ToBytes(denom))

/** `prefix` is that of a queue; `timeNs` is since 1970. */
export const queueKey = (prefix: Uint8Array, timeNs: bigint, id: bigint): Uint8Array =>
  concatBytes(prefix, uint64ToBytes(timeNs), uint64ToBytes(id))

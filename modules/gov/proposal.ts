/** A proposal: the SDK's v1 Proposal with times and amounts as integers. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { Address } from '../../core/address.ts'
import { encodeBech32, parseAccountAddress } from '../../core/bech32.ts'
import { bigintToBytes, bytesToBigint } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'
import { gov } from '../../proto/index.ts'
import type { Coin } from '../ledger.ts'
import { storedCoins, toWireCoins } from './coins.ts'
import type { PackedMessage } from './deps.ts'
import { fromTimestamp, toTimestamp } from './times.ts'

export const { ProposalStatus } = gov
export type ProposalStatus = gov.ProposalStatus

/** Bonded tokens by option, in anat. */
export interface TallyResult {
  readonly yes: bigint
  readonly abstain: bigint
  readonly no: bigint
  readonly noWithVeto: bigint
}

export const EMPTY_TALLY: TallyResult = { yes: 0n, abstain: 0n, no: 0n, noWithVeto: 0n }

export interface Proposal {
  readonly id: bigint
  readonly messages: readonly PackedMessage[]
  readonly status: ProposalStatus
  /** The last tally: an expedited proposal that became a regular one keeps that of its first. */
  readonly finalTally: TallyResult
  readonly submitTimeNs: bigint
  readonly depositEndTimeNs: bigint
  readonly totalDeposit: readonly Coin[]
  /** Both or neither. */
  readonly votingStartTimeNs: bigint | undefined
  readonly votingEndTimeNs: bigint | undefined
  readonly metadata: string
  readonly title: string
  readonly summary: string
  /** Only a genesis of an old chain has proposals without one. */
  readonly proposer: Address | undefined
  readonly expedited: boolean
  readonly failedReason: string
  /** Accounts with a deposit on it now. */
  readonly depositors: number
}

export const isOpen = ({ status }: Proposal): boolean =>
  status === ProposalStatus.DEPOSIT_PERIOD || status === ProposalStatus.VOTING_PERIOD

export const tallyToProto = ({ yes, abstain, no, noWithVeto }: TallyResult): gov.TallyResult =>
  create(gov.TallyResultSchema, {
    yesCount: yes.toString(),
    abstainCount: abstain.toString(),
    noCount: no.toString(),
    noWithVetoCount: noWithVeto.toString(),
  })

export const proposalToProto = (proposal: Proposal): gov.Proposal => {
  const { votingStartTimeNs, votingEndTimeNs, proposer } = proposal
  return create(gov.ProposalSchema, {
    id: proposal.id,
    messages: proposal.messages.map(({ typeUrl, value }) => ({ typeUrl, value })),
    status: proposal.status,
    finalTallyResult: tallyToProto(proposal.finalTally),
    submitTime: toTimestamp(proposal.submitTimeNs),
    depositEndTime: toTimestamp(proposal.depositEndTimeNs),
    totalDeposit: toWireCoins(proposal.totalDeposit),
    ...(votingStartTimeNs === undefined ? {} : { votingStartTime: toTimestamp(votingStartTimeNs) }),
    ...(votingEndTimeNs === undefined ? {} : { votingEndTime: toTimestamp(votingEndTimeNs) }),
    metadata: proposal.metadata,
    title: proposal.title,
    summary: proposal.summary,
    proposer: proposer === undefined ? '' : encodeBech32(proposer),
    expedited: proposal.expedited,
    failedReason: proposal.failedReason,
  })
}

export const encodeProposal = (proposal: Proposal): Uint8Array =>
  encodeRlp([bigintToBytes(BigInt(proposal.depositors)), toBinary(gov.ProposalSchema, proposalToProto(proposal))])

/** Decodes what {@link encodeProposal} gave. */
export const decodeProposal = (bytes: Uint8Array): Proposal => {
  const [depositors, encoded] = decodeRlp(bytes) as [Uint8Array, Uint8Array]
  const proto = fromBinary(gov.ProposalSchema, encoded)
  const { finalTallyResult: tally, submitTime, depositEndTime, votingStartTime, votingEndTime } = proto
  invariant(tally && submitTime && depositEndTime, 'a stored proposal is whole')
  return {
    id: proto.id,
    messages: proto.messages.map(({ typeUrl, value }) => ({ typeUrl, value })),
    status: proto.status,
    finalTally: {
      yes: BigInt(tally.yesCount),
      abstain: BigInt(tally.abstainCount),
      no: BigInt(tally.noCount),
      noWithVeto: BigInt(tally.noWithVetoCount),
    },
    submitTimeNs: fromTimestamp(submitTime),
    depositEndTimeNs: fromTimestamp(depositEndTime),
    totalDeposit: storedCoins(proto.totalDeposit),
    votingStartTimeNs: votingStartTime === undefined ? undefined : fromTimestamp(votingStartTime),
    votingEndTimeNs: votingEndTime === undefined ? undefined : fromTimestamp(votingEndTime),
    metadata: proto.metadata,
    title: proto.title,
    summary: proto.summary,
    proposer: proto.proposer === '' ? undefined : parseAccountAddress(proto.proposer),
    expedited: proto.expedited,
    failedReason: proto.failedReason,
    depositors: Number(bytesToBigint(depositors)),
  }
}

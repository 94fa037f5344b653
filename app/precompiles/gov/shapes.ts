/** The structs of the gov precompile, and the messages of gov as these. */
import type { Duration, Timestamp } from '@bufbuild/protobuf/wkt'
import type { gov } from '../../../proto/index.ts'
import { address, array, bool, int64, string, tuple, uint32, uint64, uint8, type ValueOf } from '../abi/types.ts'
import { coin, toAddressOrZero, toCoin } from '../shapes.ts'

/** `weight` has a point: "0.7". */
export const weightedOption = tuple({ option: uint8, weight: string })

export const weightedVote = tuple({
  proposalId: uint64,
  voter: address,
  options: array(weightedOption),
  metadata: string,
})

export const depositData = tuple({ proposalId: uint64, depositor: address, amount: array(coin) })

/** Votes in the smallest unit, as text. */
export const tallyResult = tuple({ yes: string, abstain: string, no: string, noWithVeto: string })

/** Times in seconds since 1970; 0 before there is one. */
export const proposalData = tuple({
  id: uint64,
  /** Type URLs. */
  messages: array(string),
  status: uint32,
  finalTallyResult: tallyResult,
  submitTime: uint64,
  depositEndTime: uint64,
  totalDeposit: array(coin),
  votingStartTime: uint64,
  votingEndTime: uint64,
  metadata: string,
  title: string,
  summary: string,
  proposer: address,
})

/** Periods in nanoseconds, ratios with a point. */
export const params = tuple({
  votingPeriod: int64,
  minDeposit: array(coin),
  maxDepositPeriod: int64,
  quorum: string,
  threshold: string,
  vetoThreshold: string,
  minInitialDepositRatio: string,
  proposalCancelRatio: string,
  proposalCancelDest: string,
  expeditedVotingPeriod: int64,
  expeditedThreshold: string,
  expeditedMinDeposit: array(coin),
  burnVoteQuorum: bool,
  burnProposalDepositPrevote: bool,
  burnVoteVeto: bool,
  minDepositRatio: string,
})

const NS_PER_SECOND = 1_000_000_000n
const seconds = (time: Timestamp | undefined): bigint => time?.seconds ?? 0n
const nanoseconds = (time: Duration | undefined): bigint =>
  time === undefined ? 0n : time.seconds * NS_PER_SECOND + BigInt(time.nanos)

export const toVote = ({ proposalId, voter, options, metadata }: gov.Vote): ValueOf<typeof weightedVote> => ({
  proposalId,
  voter: toAddressOrZero(voter),
  options: options.map(({ option, weight }) => ({ option: BigInt(option), weight })),
  metadata,
})

export const toDeposit = ({ proposalId, depositor, amount }: gov.Deposit): ValueOf<typeof depositData> => ({
  proposalId,
  depositor: toAddressOrZero(depositor),
  amount: amount.map(toCoin),
})

export const toTally = (tally: gov.TallyResult | undefined): ValueOf<typeof tallyResult> => ({
  yes: tally?.yesCount ?? '',
  abstain: tally?.abstainCount ?? '',
  no: tally?.noCount ?? '',
  noWithVeto: tally?.noWithVetoCount ?? '',
})

export const toProposal = (from: gov.Proposal): ValueOf<typeof proposalData> => ({
  id: from.id,
  messages: from.messages.map(({ typeUrl }) => typeUrl),
  status: BigInt(from.status),
  finalTallyResult: toTally(from.finalTallyResult),
  submitTime: seconds(from.submitTime),
  depositEndTime: seconds(from.depositEndTime),
  totalDeposit: from.totalDeposit.map(toCoin),
  votingStartTime: seconds(from.votingStartTime),
  votingEndTime: seconds(from.votingEndTime),
  metadata: from.metadata,
  title: from.title,
  summary: from.summary,
  proposer: toAddressOrZero(from.proposer),
})

export const toParams = (from: gov.Params): ValueOf<typeof params> => ({
  votingPeriod: nanoseconds(from.votingPeriod),
  minDeposit: from.minDeposit.map(toCoin),
  maxDepositPeriod: nanoseconds(from.maxDepositPeriod),
  quorum: from.quorum,
  threshold: from.threshold,
  vetoThreshold: from.vetoThreshold,
  minInitialDepositRatio: from.minInitialDepositRatio,
  proposalCancelRatio: from.proposalCancelRatio,
  proposalCancelDest: from.proposalCancelDest,
  expeditedVotingPeriod: nanoseconds(from.expeditedVotingPeriod),
  expeditedThreshold: from.expeditedThreshold,
  expeditedMinDeposit: from.expeditedMinDeposit.map(toCoin),
  burnVoteQuorum: from.burnVoteQuorum,
  burnProposalDepositPrevote: from.burnProposalDepositPrevote,
  burnVoteVeto: from.burnVoteVeto,
  minDepositRatio: from.minDepositRatio,
})

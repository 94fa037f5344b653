/** The read-only gRPC methods of cosmos.gov.v1beta1.Query: the same state in the older form. */
import { encodeBech32 } from '../../../core/bech32.ts'
import { utf8ToBytes } from '../../../core/bytes.ts'
import type { Decimal } from '../../../core/decimal.ts'
import type { CodedError } from '../../../core/errors.ts'
import { govBetaQuery } from '../../../proto/index.ts'
import { handleQuery } from '../../handlers.ts'
import type { QueryHandler } from '../../module.ts'
import { queryRefusal, sdkError } from '../../sdk-errors.ts'
import { toWireCoins } from '../coins.ts'
import type { GovDependencies } from '../deps.ts'
import { type Deposit, readParams } from '../keeper/proposals.ts'
import { unwrapContent } from '../legacy-content.ts'
import type { GovParams } from '../params.ts'
import type { Proposal, TallyResult } from '../proposal.ts'
import { toDuration, toTimestamp } from '../times.ts'
import {
  currentTally,
  findDeposit,
  findProposal,
  findVote,
  pageOfDeposits,
  pageOfProposals,
  pageOfVotes,
} from './lookups.ts'
import type { CastVote } from '../keeper/votings.ts'

/** Go's zero time, the first second of the year 1: v1beta1 has no absent times. */
const ZERO_TIME = { seconds: -62_135_596_800n, nanos: 0 }

const tallyToLegacy = ({ yes, abstain, no, noWithVeto }: TallyResult) => ({
  yes: yes.toString(),
  abstain: abstain.toString(),
  no: no.toString(),
  noWithVeto: noWithVeto.toString(),
})

/** The SDK's ErrInvalidType. */
const inexpressible = (): CodedError =>
  sdkError(
    'invalidType',
    "can't convert a gov/v1 Proposal to gov/v1beta1 Proposal when amount of proposal messages not exactly one",
  )

/** Throws sdk/29 for a proposal that has not exactly one message. */
const proposalToLegacy = (proposal: Proposal) => {
  const [message] = proposal.messages
  if (message === undefined || proposal.messages.length !== 1) throw inexpressible()
  const time = (ns: bigint | undefined) => (ns === undefined ? ZERO_TIME : toTimestamp(ns))
  return {
    proposalId: proposal.id,
    content: unwrapContent(message),
    status: proposal.status,
    finalTallyResult: tallyToLegacy(proposal.finalTally),
    submitTime: time(proposal.submitTimeNs),
    depositEndTime: time(proposal.depositEndTimeNs),
    totalDeposit: toWireCoins(proposal.totalDeposit),
    votingStartTime: time(proposal.votingStartTimeNs),
    votingEndTime: time(proposal.votingEndTimeNs),
  }
}

const voteToLegacy = ({ voting, voter, options }: CastVote) => ({
  proposalId: voting.id,
  voter: encodeBech32(voter),
  options: options.map(({ option, weight }) => ({ option, weight: weight.toString() })),
})

const depositToLegacy = ({ proposalId, depositor, coins }: Deposit) => ({
  proposalId,
  depositor: encodeBech32(depositor),
  amount: toWireCoins(coins),
})

const scaled = (value: Decimal): Uint8Array => utf8ToBytes(value.toString())

const ZERO_PARAMS = {
  votingParams: { votingPeriod: toDuration(0n) },
  depositParams: { minDeposit: [], maxDepositPeriod: toDuration(0n) },
  tallyParams: { quorum: scaled(0n), threshold: scaled(0n), vetoThreshold: scaled(0n) },
}

/** One member is filled, the others are zero. Throws grpc/3 for an unknown type and for none. */
const paramsOfType = (type: string, params: GovParams) => {
  const { minDeposit, maxDepositPeriodNs, votingPeriodNs, quorum, threshold, vetoThreshold } = params
  switch (type) {
    case 'voting':
      return { ...ZERO_PARAMS, votingParams: { votingPeriod: toDuration(votingPeriodNs) } }
    case 'deposit': {
      const depositParams = { minDeposit: toWireCoins(minDeposit), maxDepositPeriod: toDuration(maxDepositPeriodNs) }
      return { ...ZERO_PARAMS, depositParams }
    }
    case 'tallying': {
      const tallyParams = {
        quorum: scaled(quorum),
        threshold: scaled(threshold),
        vetoThreshold: scaled(vetoThreshold),
      }
      return { ...ZERO_PARAMS, tallyParams }
    }
    case '':
      throw queryRefusal('invalidArgument', ' is not a valid parameter type')
    default:
      throw queryRefusal('invalidArgument', `unknown params type: ${type.slice(0, 100)}`)
  }
}

export const govLegacyQueries = (dependencies: GovDependencies): readonly QueryHandler[] => {
  const { method } = govBetaQuery.Query
  return [
    handleQuery(method.proposal, ({ state }, { proposalId }) => ({
      proposal: proposalToLegacy(findProposal(state, proposalId)),
    })),
    // Those that v1beta1 cannot express are left out: the SDK refuses the whole list for one of them.
    handleQuery(method.proposals, ({ state }, request) => {
      const { items, pagination } = pageOfProposals(state, request, ({ messages }) => messages.length === 1)
      return { proposals: items.map(proposalToLegacy), pagination }
    }),
    handleQuery(method.vote, ({ state }, { proposalId, voter }) => ({
      vote: voteToLegacy(findVote(state, proposalId, voter)),
    })),
    handleQuery(method.votes, ({ state }, request) => {
      const { items, pagination } = pageOfVotes(state, request.proposalId, request.pagination)
      return { votes: items.map(voteToLegacy), pagination }
    }),
    handleQuery(method.params, ({ state }, { paramsType }) => paramsOfType(paramsType, readParams(state))),
    handleQuery(method.deposit, ({ state }, { proposalId, depositor }) => ({
      deposit: depositToLegacy(findDeposit(state, proposalId, depositor)),
    })),
    handleQuery(method.deposits, ({ state }, request) => {
      const { items, pagination } = pageOfDeposits(state, request.proposalId, request.pagination)
      return { deposits: items.map(depositToLegacy), pagination }
    }),
    handleQuery(
      method.tallyResult,
      ({ state }, { proposalId }) => ({ tally: tallyToLegacy(currentTally(state, dependencies, proposalId)) }),
      // It reads two values for each bonded validator.
      { isHeavy: true },
    ),
  ]
}

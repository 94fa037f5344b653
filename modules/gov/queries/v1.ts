/** The read-only gRPC methods of cosmos.gov.v1.Query. */
import { encodeBech32 } from '../../../core/bech32.ts'
import { formatDecimal } from '../../../core/decimal.ts'
import { govQuery } from '../../../proto/index.ts'
import { handleQuery } from '../../handlers.ts'
import type { QueryHandler } from '../../module.ts'
import { queryRefusal } from '../../sdk-errors.ts'
import { toWireCoins } from '../coins.ts'
import type { GovDependencies } from '../deps.ts'
import { type Deposit, readConstitution, readParams } from '../keeper/proposals.ts'
import { paramsToProto } from '../params.ts'
import { proposalToProto, tallyToProto } from '../proposal.ts'
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

const voteToProto = ({ voting, voter, options, metadata }: CastVote) => ({
  proposalId: voting.id,
  voter: encodeBech32(voter),
  options: options.map(({ option, weight }) => ({ option, weight: formatDecimal(weight) })),
  metadata,
})

const depositToProto = ({ proposalId, depositor, coins }: Deposit) => ({
  proposalId,
  depositor: encodeBech32(depositor),
  amount: toWireCoins(coins),
})

/** The member of the type that was asked for, beside all of them together. Throws grpc/3 for an unknown type. */
const paramsOfType = (type: string, params: ReturnType<typeof paramsToProto>) => {
  const { minDeposit, maxDepositPeriod, votingPeriod, quorum, threshold, vetoThreshold } = params
  switch (type) {
    case 'deposit':
      return { depositParams: { minDeposit, ...(maxDepositPeriod === undefined ? {} : { maxDepositPeriod }) } }
    case 'voting':
      return { votingParams: votingPeriod === undefined ? {} : { votingPeriod } }
    case 'tallying':
      return { tallyParams: { quorum, threshold, vetoThreshold } }
    case '':
      return {}
    default:
      throw queryRefusal('invalidArgument', `unknown params type: ${type.slice(0, 100)}`)
  }
}

export const govQueries = (dependencies: GovDependencies): readonly QueryHandler[] => {
  const { method } = govQuery.Query
  return [
    handleQuery(method.constitution, ({ state }) => ({ constitution: readConstitution(state) })),
    handleQuery(method.proposal, ({ state }, { proposalId }) => ({
      proposal: proposalToProto(findProposal(state, proposalId)),
    })),
    handleQuery(method.proposals, ({ state }, request) => {
      const { items, pagination } = pageOfProposals(state, request)
      return { proposals: items.map(proposalToProto), pagination }
    }),
    handleQuery(method.vote, ({ state }, { proposalId, voter }) => ({
      vote: voteToProto(findVote(state, proposalId, voter)),
    })),
    handleQuery(method.votes, ({ state }, request) => {
      const { items, pagination } = pageOfVotes(state, request.proposalId, request.pagination)
      return { votes: items.map(voteToProto), pagination }
    }),
    handleQuery(method.params, ({ state }, { paramsType }) => {
      const params = paramsToProto(readParams(state))
      return { params, ...paramsOfType(paramsType, params) }
    }),
    handleQuery(method.deposit, ({ state }, { proposalId, depositor }) => ({
      deposit: depositToProto(findDeposit(state, proposalId, depositor)),
    })),
    handleQuery(method.deposits, ({ state }, request) => {
      const { items, pagination } = pageOfDeposits(state, request.proposalId, request.pagination)
      return { deposits: items.map(depositToProto), pagination }
    }),
    handleQuery(
      method.tallyResult,
      ({ state }, { proposalId }) => ({ tally: tallyToProto(currentTally(state, dependencies, proposalId)) }),
      // It reads two values for each bonded validator.
      { isHeavy: true },
    ),
  ]
}

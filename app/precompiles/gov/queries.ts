/** What the gov precompile tells. */
import { encodeBech32 } from '../../../core/bech32.ts'
import { type gov, govQuery } from '../../../proto/index.ts'
import { address, array, string, uint32, uint64 } from '../abi/types.ts'
import { refuseCall } from '../errors.ts'
import { query } from '../precompile.ts'
import { fromPage, isZeroAddress, pageRequest, pageResponse, toPage } from '../shapes.ts'
import {
  depositData,
  params as paramsShape,
  proposalData,
  tallyResult as tallyShape,
  toDeposit,
  toParams,
  toProposal,
  toTally,
  toVote,
  weightedVote,
} from './shapes.ts'

const { method } = govQuery.Query

/** The module refuses what is not there; an answer without content would be a fault of its own. */
const present = <Content>(content: Content | undefined): Content => {
  if (content === undefined) throw refuseCall('not found')
  return content
}

const getVote = query(
  'getVote',
  { proposalId: uint64, voter: address },
  { vote: weightedVote },
  (scope, { proposalId, voter }) => ({
    vote: toVote(present(scope.query(method.vote, { proposalId, voter: encodeBech32(voter) }).vote)),
  }),
)

const getVotes = query(
  'getVotes',
  { proposalId: uint64, pagination: pageRequest },
  { votes: array(weightedVote), pageResponse },
  (scope, { proposalId, pagination }) => {
    const answer = scope.query(method.votes, { proposalId, pagination: fromPage(pagination) })
    return { votes: answer.votes.map(toVote), pageResponse: toPage(answer.pagination) }
  },
)

const getDeposit = query(
  'getDeposit',
  { proposalId: uint64, depositor: address },
  { deposit: depositData },
  (scope, { proposalId, depositor }) => {
    const request = { proposalId, depositor: encodeBech32(depositor) }
    return { deposit: toDeposit(present(scope.query(method.deposit, request).deposit)) }
  },
)

const getDeposits = query(
  'getDeposits',
  { proposalId: uint64, pagination: pageRequest },
  { deposits: array(depositData), pageResponse },
  (scope, { proposalId, pagination }) => {
    const answer = scope.query(method.deposits, { proposalId, pagination: fromPage(pagination) })
    return { deposits: answer.deposits.map(toDeposit), pageResponse: toPage(answer.pagination) }
  },
)

const getTallyResult = query(
  'getTallyResult',
  { proposalId: uint64 },
  { tallyResult: tallyShape },
  (scope, { proposalId }) => ({ tallyResult: toTally(scope.query(method.tallyResult, { proposalId }).tally) }),
)

const getProposal = query(
  'getProposal',
  { proposalId: uint64 },
  { proposal: proposalData },
  (scope, { proposalId }) => ({
    proposal: toProposal(present(scope.query(method.proposal, { proposalId }).proposal)),
  }),
)

const getProposals = query(
  'getProposals',
  { proposalStatus: uint32, voter: address, depositor: address, pagination: pageRequest },
  { proposals: array(proposalData), pageResponse },
  (scope, { proposalStatus, voter, depositor, pagination }) => {
    // Above what an enumeration holds there is no proposal either.
    const status = proposalStatus > 0x7fff_ffffn ? 0x7fff_ffff : Number(proposalStatus)
    const answer = scope.query(method.proposals, {
      proposalStatus: status as gov.ProposalStatus,
      voter: isZeroAddress(voter) ? '' : encodeBech32(voter),
      depositor: isZeroAddress(depositor) ? '' : encodeBech32(depositor),
      pagination: fromPage(pagination),
    })
    return { proposals: answer.proposals.map(toProposal), pageResponse: toPage(answer.pagination) }
  },
)

const getParams = query('getParams', {}, { params: paramsShape }, (scope) => ({
  params: toParams(present(scope.query(method.params, {}).params)),
}))

const getConstitution = query('getConstitution', {}, { constitution: string }, (scope) => ({
  constitution: scope.query(method.constitution, {}).constitution,
}))

export const govQueries = [
  getVote,
  getVotes,
  getDeposit,
  getDeposits,
  getTallyResult,
  getProposal,
  getProposals,
  getParams,
  getConstitution,
] as const

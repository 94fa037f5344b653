/** What the queries of both versions look at: proposals by filters, votes, deposits, tallies. */
import { create } from '@bufbuild/protobuf'
import type { Address } from '../../../core/address.ts'
import { parseAccountAddress } from '../../../core/bech32.ts'
import { bytesToBigint, uint64ToBytes } from '../../../core/bytes.ts'
import { CodedError } from '../../../core/errors.ts'
import type { StateReader } from '../../../store/state.ts'
import { pagination } from '../../../proto/index.ts'
import { type Page, takePage } from '../../pages.ts'
import { queryRefusal } from '../../sdk-errors.ts'
import type { GovDependencies } from '../deps.ts'
import {
  type Deposit,
  readDeposit,
  readDeposits,
  readParams,
  readProposal,
  readProposals,
  readProposalsBackwards,
} from '../keeper/proposals.ts'
import { EMPTY_TALLY, type Proposal, ProposalStatus, type TallyResult } from '../proposal.ts'
import { ballotsOf, tally } from '../tally.ts'
import { type CastVote, readVote, readVotes, readVoting } from '../keeper/votings.ts'

/** Proposals that a search looks at. */
const MAX_SEARCHED = 5_000

type PageRequest = pagination.PageRequest | undefined

const requireId = (id: bigint): bigint => {
  if (id === 0n) throw queryRefusal('invalidArgument', 'proposal id can not be 0')
  return id
}

const parseOwner = (text: string, what: string): Address => {
  if (text === '') throw queryRefusal('invalidArgument', `empty ${what} address`)
  try {
    return parseAccountAddress(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw queryRefusal('invalidArgument', `invalid ${what} address: ${error.message}`)
  }
}

/** Throws grpc/3 and grpc/5. */
export const findProposal = (state: StateReader, id: bigint): Proposal => {
  const proposal = readProposal(state, requireId(id))
  if (proposal === undefined) throw queryRefusal('notFound', `proposal ${id} doesn't exist`)
  return proposal
}

const runningVote = (state: StateReader, id: bigint, voter: Address): CastVote | undefined => {
  const voting = readVoting(state, id)
  const vote = voting === undefined ? undefined : readVote(state, voting, voter)
  return voting === undefined || vote === undefined ? undefined : { voting, voter, ...vote }
}

export interface ProposalFilter {
  /** The status by its number in the definition; what is no status filters nothing. */
  readonly proposalStatus: number
  readonly voter: string
  readonly depositor: string
  readonly pagination?: PageRequest
}

const isStatus = (status: number): boolean => status >= ProposalStatus.DEPOSIT_PERIOD && status <= ProposalStatus.FAILED

/** The proposals by identifier in either direction: explorers ask for the latest first. */
export const pageOfProposals = (
  state: StateReader,
  filter: ProposalFilter,
  shows: (proposal: Proposal) => boolean = () => true,
): Page<Proposal> => {
  const { proposalStatus, pagination: page } = filter
  const voter = filter.voter === '' ? undefined : parseOwner(filter.voter, 'voter')
  const depositor = filter.depositor === '' ? undefined : parseOwner(filter.depositor, 'depositor')
  const matches = (proposal: Proposal): boolean =>
    (!isStatus(proposalStatus) || proposal.status === proposalStatus) &&
    (voter === undefined || runningVote(state, proposal.id, voter) !== undefined) &&
    (depositor === undefined || readDeposit(state, proposal.id, depositor) !== undefined) &&
    shows(proposal)
  const read = page?.reverse === true ? readProposalsBackwards : readProposals
  function* search(start: Uint8Array | undefined): Generator<Proposal, void> {
    if (start !== undefined && start.length !== 8) throw queryRefusal('invalidArgument', 'invalid pagination key')
    let searched = 0
    for (const proposal of read(state, start === undefined ? undefined : bytesToBigint(start))) {
      if (++searched > MAX_SEARCHED) {
        throw queryRefusal('invalidArgument', `more than ${MAX_SEARCHED} proposals to search: ask for smaller pages`)
      }
      if (matches(proposal)) yield proposal
    }
  }
  const forward = page === undefined ? undefined : create(pagination.PageRequestSchema, { ...page, reverse: false })
  return takePage(forward, search, ({ id }) => uint64ToBytes(id))
}

/** A vote that is not there is grpc/3, as the SDK has it. Votes are gone when their voting period is over. */
export const findVote = (state: StateReader, id: bigint, text: string): CastVote => {
  requireId(id)
  const voter = parseOwner(text, 'voter')
  const vote = runningVote(state, id, voter)
  if (vote === undefined) {
    throw queryRefusal('invalidArgument', `voter: ${text} not found for proposal: ${id}`)
  }
  return vote
}

/**
 * Nothing is looked for outside of a voting period: votes that a block has just deleted are slow to pass over, and a
 * contract could ask for them as often as it likes.
 */
export const pageOfVotes = (state: StateReader, id: bigint, page: PageRequest): Page<CastVote> => {
  const voting = readVoting(state, requireId(id))
  return takePage(
    page,
    (start) => (voting === undefined ? [] : readVotes(state, voting, start)),
    ({ voter }) => voter,
  )
}

export const findDeposit = (state: StateReader, id: bigint, text: string): Deposit => {
  requireId(id)
  const deposit = readDeposit(state, id, parseOwner(text, 'depositor'))
  if (deposit === undefined) {
    throw queryRefusal('notFound', `depositor: ${text} not found for proposal: ${id}`)
  }
  return deposit
}

export const pageOfDeposits = (state: StateReader, id: bigint, page: PageRequest): Page<Deposit> =>
  takePage(
    page,
    (start) => readDeposits(state, requireId(id), start),
    ({ depositor }) => depositor,
  )

/** The tally of a running vote is what it would be if the vote ended now. */
export const currentTally = (state: StateReader, { stake }: GovDependencies, id: bigint): TallyResult => {
  const { status, expedited, finalTally } = findProposal(state, id)
  if (status === ProposalStatus.DEPOSIT_PERIOD) return EMPTY_TALLY
  if (status !== ProposalStatus.VOTING_PERIOD) return finalTally
  return tally(state, stake, ballotsOf(state, { id, expedited }), readParams(state), expedited).result
}

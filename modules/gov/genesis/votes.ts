/**
 * Votes in a genesis file: the SDK's list of those in running votings, and what blocks have not deleted yet of votings
 * that ended, so that an export has the same state. The counts of running votings follow from delegations: staking's
 * part of the file comes before.
 */
import type { Address } from '../../../core/address.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { formatDecimal } from '../../../core/decimal.ts'
import { failAt, type JsonObject, parseAmount, parseArray, parseObject, parseString } from '../../../core/parse.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { formatOperator, parseOperator } from '../../validator-addresses.ts'
import type { GovDependencies } from '../deps.ts'
import { checkEntries, located, mapAll, parseFlag, parseId, parseList, parseOwner, parseText } from './values.ts'
import type { Voting } from '../keys.ts'
import { type Proposal, ProposalStatus } from '../proposal.ts'
import { optionName, splitOptions, type Vote } from '../vote.ts'
import {
  addShares,
  type CastVote,
  type Count,
  isRunning,
  markEnded,
  readAllVotes,
  readCount,
  readCounts,
  readEndedVotings,
  readVotes,
  writeCount,
  writeVote,
} from '../keeper/votings.ts'

export interface VotesGenesis {
  readonly running: readonly CastVote[]
  readonly ended: readonly EndedVoting[]
}

interface EndedVoting {
  readonly voting: Voting
  readonly votes: readonly CastVote[]
  readonly counts: readonly (readonly [operator: Address, Count])[]
}

const parseOption = (value: unknown, path: string) => {
  const object = parseObject(value, path, ['option', 'weight'])
  const name = parseString(object['option'], `${path}.option`)
  const option = [1, 2, 3, 4].find((each) => optionName(each) === name) ?? 0
  return { option, weight: parseString(object['weight'], `${path}.weight`) }
}

const parseVote = (object: JsonObject, path: string): Vote & { readonly voter: Address } => {
  const at = `${path}.options`
  const options = parseArray(object['options'], at, 4).map((item, index) => parseOption(item, `${at}[${index}]`))
  return {
    voter: parseOwner(object['voter'], `${path}.voter`),
    options: located(at, () => splitOptions(options)),
    metadata: parseText(object['metadata'], `${path}.metadata`),
  }
}

const VOTE_MEMBERS = ['voter', 'options', 'metadata']
const COUNT_MEMBERS = ['yes', 'abstain', 'no', 'no_with_veto'] as const

const parseCount = (value: unknown, path: string): readonly [Address, Count] => {
  const object = parseObject(value, path, ['validator_address', ...COUNT_MEMBERS])
  const at = `${path}.validator_address`
  const operator = located(at, () => parseOperator(parseString(object['validator_address'], at)))
  const of = (name: (typeof COUNT_MEMBERS)[number]): bigint => parseAmount(object[name], `${path}.${name}`)
  return [operator, [of('yes'), of('abstain'), of('no'), of('no_with_veto')]]
}

const parseEnded = (value: unknown, path: string): EndedVoting => {
  const object = parseObject(value, path, ['proposal_id', 'expedited', 'votes', 'counts'])
  const voting = {
    id: parseId(object['proposal_id'], `${path}.proposal_id`),
    expedited: parseFlag(object['expedited'], `${path}.expedited`),
  }
  const votes = parseList(object['votes'], `${path}.votes`, (item, at) => ({
    voting,
    ...parseVote(parseObject(item, at, VOTE_MEMBERS), at),
  }))
  return { voting, votes, counts: parseList(object['counts'], `${path}.counts`, parseCount) }
}

/** Throws genesis/1. */
export const parseVotesGenesis = (
  genesis: JsonObject,
  proposal: (id: bigint) => Proposal | undefined,
  path: string,
): VotesGenesis => {
  const isVoting = (id: bigint): boolean => proposal(id)?.status === ProposalStatus.VOTING_PERIOD
  const running = parseList(genesis['votes'], `${path}.votes`, (item, at): CastVote => {
    const object = parseObject(item, at, ['proposal_id', ...VOTE_MEMBERS])
    const id = parseId(object['proposal_id'], `${at}.proposal_id`)
    return { voting: { id, expedited: proposal(id)?.expedited === true }, ...parseVote(object, at) }
  })
  const ownersOf = (votes: readonly CastVote[]) =>
    votes.map(({ voting, voter }) => ({ proposalId: voting.id, owner: voter }))
  checkEntries(ownersOf(running), isVoting, `${path}.votes`)
  const ended = parseList(genesis['ended_votings'], `${path}.ended_votings`, parseEnded)
  const seen = new Set<string>()
  for (const [index, { voting, votes }] of ended.entries()) {
    const at = `${path}.ended_votings[${index}]`
    const runs = isVoting(voting.id) && proposal(voting.id)?.expedited === voting.expedited
    const key = `${voting.id} ${voting.expedited}`
    if (runs || seen.has(key)) failAt(at, runs ? 'is a voting that runs' : 'is there twice')
    seen.add(key)
    checkEntries(ownersOf(votes), () => true, `${at}.votes`)
  }
  return { running, ended }
}

/** Proposals and delegations are there. */
export const initVotes = ({ stake }: GovDependencies, state: StateWriter, { running, ended }: VotesGenesis): void => {
  for (const vote of running) {
    writeVote(state, vote)
    for (const { operator, shares } of stake.delegationsOf(state, vote.voter)) {
      writeCount(state, vote.voting, operator, addShares(readCount(state, vote.voting, operator), shares, vote.options))
    }
  }
  for (const { voting, votes, counts } of ended) {
    markEnded(state, voting)
    for (const vote of votes) writeVote(state, vote)
    for (const [operator, count] of counts) writeCount(state, voting, operator, count)
  }
}

const formatVote = ({ voter, options, metadata }: CastVote) => ({
  voter: encodeBech32(voter),
  options: options.map(({ option, weight }) => ({ option: optionName(option), weight: formatDecimal(weight) })),
  metadata,
})

const formatCount = (operator: Address, [yes, abstain, no, veto]: Count) => ({
  validator_address: formatOperator(operator),
  yes: yes.toString(),
  abstain: abstain.toString(),
  no: no.toString(),
  no_with_veto: veto.toString(),
})

function* runningVotes(state: StateReader): Generator<CastVote, void> {
  for (const vote of readAllVotes(state)) if (isRunning(state, vote.voting)) yield vote
}

/** The inverse of {@link parseVotesGenesis} and {@link initVotes}. */
export const exportVotes = (state: StateReader) => ({
  votes: mapAll(runningVotes(state), (vote) => ({ proposal_id: vote.voting.id.toString(), ...formatVote(vote) })),
  ended_votings: mapAll(readEndedVotings(state), (voting) => ({
    proposal_id: voting.id.toString(),
    expedited: voting.expedited,
    votes: mapAll(readVotes(state, voting), formatVote),
    counts: mapAll(readCounts(state, voting), ({ operator, count }) => formatCount(operator, count)),
  })),
})

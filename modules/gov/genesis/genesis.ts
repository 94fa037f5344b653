/** The member `gov` of app_state in the SDK's form. Queues, counts and sums follow from proposals, votes and deposits. */
import { toAddress } from '../../../core/address.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import { bytesToBase64, utf8ToBytes } from '../../../core/bytes.ts'
import { failAt, parseAmount, parseArray, parseObject, parseString } from '../../../core/parse.ts'
import { formatTime, parseKeyTimeMember } from '../../../core/time.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import type { Coin } from '../../ledger.ts'
import { addCoins, formatCoins, readCoins, toWireCoins } from '../coins.ts'
import type { GovDependencies, PackedMessage } from '../deps.ts'
import { formatParams, parseParams } from './params.ts'
import { checkEntries, mapAll, MAX_ENTRIES, parseFlag, parseId, parseList, parseOwner, parseText } from './values.ts'
import { exportVotes, initVotes, parseVotesGenesis, type VotesGenesis } from './votes.ts'
import {
  type Deposit,
  readAllDeposits,
  readConstitution,
  readNextProposalId,
  readParams,
  readProposals,
  writeConstitution,
  writeDeposit,
  writeNextProposalId,
  writeParams,
  writeProposal,
} from '../keeper/proposals.ts'
import { GOV_ADDRESS } from '../keys.ts'
import { MAX_DEPOSITORS, MAX_PROPOSAL_MESSAGES } from '../limits.ts'
import type { GovParams } from '../params.ts'
import { EMPTY_TALLY, isOpen, type Proposal, ProposalStatus, type TallyResult } from '../proposal.ts'

/** It is one value of the state, and those of a snapshot's chunk are below 3 MiB. */
const MAX_CONSTITUTION_BYTES = 1_000_000

export interface GovGenesis {
  readonly nextProposalId: bigint
  readonly params: GovParams
  readonly constitution: string
  readonly proposals: readonly Proposal[]
  readonly deposits: readonly Deposit[]
  readonly votes: VotesGenesis
}

const STATUSES: Readonly<Record<string, Proposal['status']>> = {
  PROPOSAL_STATUS_DEPOSIT_PERIOD: ProposalStatus.DEPOSIT_PERIOD,
  PROPOSAL_STATUS_VOTING_PERIOD: ProposalStatus.VOTING_PERIOD,
  PROPOSAL_STATUS_PASSED: ProposalStatus.PASSED,
  PROPOSAL_STATUS_REJECTED: ProposalStatus.REJECTED,
  PROPOSAL_STATUS_FAILED: ProposalStatus.FAILED,
}

const parseCoins = (value: unknown, path: string): readonly Coin[] => {
  const coins = parseArray(value, path, MAX_ENTRIES).map((item, index) => {
    const at = `${path}[${index}]`
    const coin = parseObject(item, at, ['denom', 'amount'])
    return { denom: parseString(coin['denom'], `${at}.denom`), amount: parseString(coin['amount'], `${at}.amount`) }
  })
  return readCoins(coins) ?? failAt(path, 'must be coins above zero in the order of their denominations')
}

const parseMessage = (value: unknown, path: string): PackedMessage => {
  const object = parseObject(value, path, ['type_url', 'value'])
  const typeUrl = parseString(object['type_url'], `${path}.type_url`)
  const text = parseText(object['value'], `${path}.value`)
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'))
  if (bytesToBase64(bytes) !== text) failAt(`${path}.value`, 'must be the message in base64')
  return { typeUrl, value: bytes }
}

const parseTally = (value: unknown, path: string): TallyResult => {
  if (value === undefined || value === null) return EMPTY_TALLY
  const object = parseObject(value, path, ['yes_count', 'abstain_count', 'no_count', 'no_with_veto_count'])
  const count = (name: string): bigint => parseAmount(object[name], `${path}.${name}`)
  return {
    yes: count('yes_count'),
    abstain: count('abstain_count'),
    no: count('no_count'),
    noWithVeto: count('no_with_veto_count'),
  }
}

const PROPOSAL_MEMBERS = [
  ...['id', 'messages', 'status', 'final_tally_result', 'submit_time', 'deposit_end_time', 'total_deposit'],
  ...['voting_start_time', 'voting_end_time', 'metadata', 'title', 'summary', 'proposer', 'expedited'],
  'failed_reason',
]

const parseProposal = (value: unknown, path: string): Omit<Proposal, 'depositors'> => {
  const object = parseObject(value, path, PROPOSAL_MEMBERS)
  const statusName = parseString(object['status'], `${path}.status`)
  const status =
    (Object.hasOwn(STATUSES, statusName) ? STATUSES[statusName] : undefined) ?? failAt(`${path}.status`, 'is no status')
  const optionalTime = (name: string): bigint | undefined =>
    object[name] === undefined || object[name] === null
      ? undefined
      : parseKeyTimeMember(object[name], `${path}.${name}`)
  const [votingStartTimeNs, votingEndTimeNs] = [optionalTime('voting_start_time'), optionalTime('voting_end_time')]
  if (status === ProposalStatus.VOTING_PERIOD && (votingStartTimeNs === undefined || votingEndTimeNs === undefined)) {
    failAt(`${path}.voting_start_time`, 'a proposal in its voting period has a start and an end of it')
  }
  const text = (name: string): string => parseText(object[name], `${path}.${name}`)
  return {
    id: parseId(object['id'], `${path}.id`),
    messages: parseArray(object['messages'], `${path}.messages`, MAX_PROPOSAL_MESSAGES).map((item, index) =>
      parseMessage(item, `${path}.messages[${index}]`),
    ),
    status,
    finalTally: parseTally(object['final_tally_result'], `${path}.final_tally_result`),
    submitTimeNs: parseKeyTimeMember(object['submit_time'], `${path}.submit_time`),
    depositEndTimeNs: parseKeyTimeMember(object['deposit_end_time'], `${path}.deposit_end_time`),
    totalDeposit: parseCoins(object['total_deposit'], `${path}.total_deposit`),
    votingStartTimeNs,
    votingEndTimeNs,
    metadata: text('metadata'),
    title: text('title'),
    summary: text('summary'),
    proposer: text('proposer') === '' ? undefined : parseOwner(object['proposer'], `${path}.proposer`),
    expedited: parseFlag(object['expedited'], `${path}.expedited`),
    failedReason: text('failed_reason'),
  }
}

const parseDeposit = (value: unknown, path: string): Deposit => {
  const object = parseObject(value, path, ['proposal_id', 'depositor', 'amount'])
  return {
    proposalId: parseId(object['proposal_id'], `${path}.proposal_id`),
    depositor: parseOwner(object['depositor'], `${path}.depositor`),
    coins: parseCoins(object['amount'], `${path}.amount`),
  }
}

/** Identifiers once, below the next; an open proposal has the deposits that it says. Counts its depositors. */
const completeProposals = (
  proposals: readonly Omit<Proposal, 'depositors'>[],
  deposits: readonly Deposit[],
  next: bigint,
  path: string,
): readonly Proposal[] => {
  const sums = new Map<bigint, { coins: readonly Coin[]; count: number }>()
  for (const { proposalId, coins } of deposits) {
    const before = sums.get(proposalId) ?? { coins: [], count: 0 }
    sums.set(proposalId, { coins: addCoins(before.coins, coins), count: before.count + 1 })
  }
  const seen = new Set<bigint>()
  return proposals.map((parsed, index) => {
    const at = `${path}[${index}]`
    if (seen.has(parsed.id)) failAt(`${at}.id`, `duplicate proposal id: ${parsed.id}`)
    seen.add(parsed.id)
    if (parsed.id >= next) failAt(`${at}.id`, `must be below starting_proposal_id, which is ${next}`)
    const sum = sums.get(parsed.id) ?? { coins: [], count: 0 }
    const proposal: Proposal = { ...parsed, depositors: sum.count }
    if (sum.count > MAX_DEPOSITORS) failAt(at, `has more than ${MAX_DEPOSITORS} depositors`)
    if (isOpen(proposal) && formatCoins(sum.coins) !== formatCoins(proposal.totalDeposit)) {
      failAt(`${at}.total_deposit`, `the deposits sum to ${formatCoins(sum.coins)}`)
    }
    return proposal
  })
}

const MEMBERS = [
  ...['starting_proposal_id', 'deposits', 'votes', 'proposals', 'params', 'constitution', 'ended_votings'],
  // What the SDK's form still has, always null.
  ...['deposit_params', 'voting_params', 'tally_params'],
]

/** Throws genesis/1 with the member at fault. */
export const parseGovGenesis = (genesis: unknown, path = 'app_state.gov'): GovGenesis => {
  const object = parseObject(genesis ?? {}, path, MEMBERS)
  for (const name of MEMBERS.slice(-3)) {
    if ((object[name] ?? null) !== null) failAt(`${path}.${name}`, 'must be null: params has all of them')
  }
  const start = object['starting_proposal_id']
  const nextProposalId = start === undefined ? 1n : parseId(start, `${path}.starting_proposal_id`)
  const deposits = parseList(object['deposits'], `${path}.deposits`, parseDeposit)
  const parsed = parseList(object['proposals'], `${path}.proposals`, parseProposal)
  const proposals = completeProposals(parsed, deposits, nextProposalId, `${path}.proposals`)
  const byId = new Map(proposals.map((proposal) => [proposal.id, proposal]))
  checkEntries(
    deposits.map(({ proposalId, depositor }) => ({ proposalId, owner: depositor })),
    (id) => [byId.get(id)].some((proposal) => proposal !== undefined && isOpen(proposal)),
    `${path}.deposits`,
  )
  const constitution = parseText(object['constitution'], `${path}.constitution`)
  if (utf8ToBytes(constitution).length > MAX_CONSTITUTION_BYTES) failAt(`${path}.constitution`, 'is too long')
  return {
    nextProposalId,
    params: parseParams(object['params'], `${path}.params`),
    constitution,
    proposals,
    deposits,
    votes: parseVotesGenesis(object, (id) => byId.get(id), path),
  }
}

/** Throws genesis/1 when the module's account has less than the deposits. */
export const initGovGenesis = (
  dependencies: GovDependencies,
  state: StateWriter,
  genesis: GovGenesis,
  path = 'app_state.gov',
): void => {
  writeNextProposalId(state, genesis.nextProposalId)
  writeParams(state, genesis.params)
  writeConstitution(state, genesis.constitution)
  for (const proposal of genesis.proposals) writeProposal(state, proposal)
  let all: readonly Coin[] = []
  for (const deposit of genesis.deposits) {
    writeDeposit(state, deposit, deposit.coins)
    all = addCoins(all, deposit.coins)
  }
  initVotes(dependencies, state, genesis.votes)
  for (const { denom, amount } of all) {
    const balance = dependencies.ledger.balance(state, GOV_ADDRESS, denom)
    if (balance < amount) failAt(`${path}.deposits`, `sum to ${amount}${denom}, the module's account has ${balance}`)
  }
}

const formatTally = ({ yes, abstain, no, noWithVeto }: TallyResult) => ({
  yes_count: yes.toString(),
  abstain_count: abstain.toString(),
  no_count: no.toString(),
  no_with_veto_count: noWithVeto.toString(),
})

const statusName = (status: Proposal['status']): string | undefined =>
  Object.entries(STATUSES).find(([, value]) => value === status)?.[0]

const formatProposal = (proposal: Proposal) => {
  const { votingStartTimeNs: start, votingEndTimeNs: end, proposer } = proposal
  return {
    id: proposal.id.toString(),
    messages: proposal.messages.map(({ typeUrl, value }) => ({
      type_url: typeUrl,
      value: bytesToBase64(value),
    })),
    status: statusName(proposal.status),
    final_tally_result: formatTally(proposal.finalTally),
    submit_time: formatTime(proposal.submitTimeNs),
    deposit_end_time: formatTime(proposal.depositEndTimeNs),
    total_deposit: toWireCoins(proposal.totalDeposit),
    voting_start_time: start === undefined ? null : formatTime(start),
    voting_end_time: end === undefined ? null : formatTime(end),
    metadata: proposal.metadata,
    title: proposal.title,
    summary: proposal.summary,
    proposer: proposer === undefined ? '' : encodeBech32(toAddress(proposer)),
    expedited: proposal.expedited,
    failed_reason: proposal.failedReason,
  }
}

/** The inverse of {@link parseGovGenesis} and {@link initGovGenesis}. */
export const exportGovGenesis = (state: StateReader): unknown => ({
  starting_proposal_id: readNextProposalId(state).toString(),
  deposits: mapAll(readAllDeposits(state), ({ proposalId, depositor, coins }) => ({
    proposal_id: proposalId.toString(),
    depositor: encodeBech32(depositor),
    amount: toWireCoins(coins),
  })),
  ...exportVotes(state),
  proposals: mapAll(readProposals(state), formatProposal),
  params: formatParams(readParams(state)),
  constitution: readConstitution(state),
})

/** Submitting and cancelling proposals (x/gov/keeper/proposal.go and msg_server.go). */
import type { Address } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { equalBytes, utf8ToBytes } from '../../core/bytes.ts'
import { MAX_UINT64 } from '../../core/amounts.ts'
import { invariant } from '../../core/errors.ts'
import type { Coin } from '../ledger.ts'
import type { MessageContext } from '../module.ts'
import { sdkError } from '../sdk-errors.ts'
import { readCoins, describeCoins, type WireCoin } from './coins.ts'
import type { GovDependencies, PackedMessage } from './deps.ts'
import { addDeposit, chargeDeposits, checkDepositDenoms, checkInitialDeposit } from './deposits.ts'
import { govError } from './errors.ts'
import { canceled, proposalSubmitted, votingStartedBySubmission } from './events.ts'
import {
  deleteProposal,
  readNextProposalId,
  readParams,
  readProposal,
  writeNextProposalId,
  writeProposal,
} from './keeper/proposals.ts'
import { GAS_PER_DEPOSIT, GAS_PER_PROPOSAL_BYTE, MAX_METADATA_BYTES, MAX_SUMMARY_BYTES } from './limits.ts'
import { metadataFault } from './metadata.ts'
import { parseParty } from './parties.ts'
import { EMPTY_TALLY, isOpen, type Proposal, ProposalStatus } from './proposal.ts'
import { checkProposalMessages } from './proposal-messages.ts'

/** What a message of either version asks for. */
export interface Submission {
  readonly proposer: Address
  readonly messages: readonly PackedMessage[]
  readonly initialDeposit: readonly Coin[]
  readonly metadata: string
  readonly title: string
  readonly summary: string
  readonly expedited: boolean
}

interface WireSubmission extends Omit<Submission, 'proposer' | 'initialDeposit'> {
  readonly proposer: string
  readonly initialDeposit: readonly WireCoin[]
}

/** Throws gov/15. */
export const checkMetadata = (text: string): void => {
  const { length } = utf8ToBytes(text)
  if (length > MAX_METADATA_BYTES) throw govError('metadataTooLong', `got metadata with length ${length}`)
}

/** Throws gov/5, gov/15 and gov/22. Lengths first: metadata is JSON to be parsed. */
const checkTexts = ({ metadata, title, summary }: WireSubmission): void => {
  checkMetadata(metadata)
  const { length } = utf8ToBytes(summary)
  if (length > MAX_SUMMARY_BYTES) throw govError('summaryTooLong', `got summary with length ${length}`)
  checkMetadata(title)
  const fault = metadataFault(metadata, title, summary)
  if (fault !== undefined) throw govError('invalidContent', fault)
}

/** Stateless. The messages are checked by {@link checkSubmission}. */
export const parseSubmission = (wire: WireSubmission): Submission => {
  if (wire.title === '') throw sdkError('invalidRequest', 'proposal title cannot be empty')
  if (wire.summary === '') throw sdkError('invalidRequest', 'proposal summary cannot be empty')
  const proposer = parseParty(wire.proposer, 'proposer')
  if (wire.messages.length === 0 && wire.metadata === '') {
    throw govError('noMessages', 'either metadata or Msgs length must be non-nil')
  }
  checkTexts(wire)
  const initialDeposit = readCoins(wire.initialDeposit)
  if (initialDeposit === undefined) throw sdkError('invalidCoins', describeCoins(wire.initialDeposit))
  const { messages, metadata, title, summary, expedited } = wire
  return { proposer, messages, initialDeposit, metadata, title, summary, expedited }
}

/** All that can be said of it without state. */
export const checkSubmission = (dependencies: GovDependencies, wire: WireSubmission): void =>
  checkProposalMessages(dependencies, parseSubmission(wire).messages)

const makeProposal = (submission: Submission, id: bigint, timeNs: bigint, depositPeriodNs: bigint): Proposal => ({
  id,
  messages: submission.messages.map(({ typeUrl, value }) => ({ typeUrl, value })),
  status: ProposalStatus.DEPOSIT_PERIOD,
  finalTally: EMPTY_TALLY,
  submitTimeNs: timeNs,
  depositEndTimeNs: timeNs + depositPeriodNs,
  totalDeposit: [],
  votingStartTimeNs: undefined,
  votingEndTimeNs: undefined,
  metadata: submission.metadata,
  title: submission.title,
  summary: submission.summary,
  proposer: submission.proposer,
  expedited: submission.expedited,
  failedReason: '',
  depositors: 0,
})

/** Returns its identifier. Its messages were checked. Throws what a deposit throws. */
export const submitProposal = (
  dependencies: GovDependencies,
  context: MessageContext,
  submission: Submission,
): bigint => {
  const { state, timeNs } = context
  const { proposer, initialDeposit } = submission
  const params = readParams(state)
  checkInitialDeposit(params, initialDeposit, submission.expedited)
  checkDepositDenoms(params, initialDeposit)
  const id = readNextProposalId(state)
  invariant(id < MAX_UINT64, 'proposals have a next identifier')
  writeNextProposalId(state, id + 1n)
  const bytes = writeProposal(state, makeProposal(submission, id, timeNs, params.maxDepositPeriodNs))
  const typeUrls = submission.messages.map(({ typeUrl }) => typeUrl)
  context.emit(proposalSubmitted(id, proposer, typeUrls))
  context.consumeGas(GAS_PER_PROPOSAL_BYTE * BigInt(bytes.length), 'submit proposal')
  if (addDeposit(dependencies, context, id, proposer, initialDeposit)) context.emit(votingStartedBySubmission(id))
  return id
}

/** Throws gov/3, /18, /20, /21, and sdk/4 for a destination of the charge that takes no coins. */
export const cancelProposal = (
  dependencies: GovDependencies,
  context: MessageContext,
  id: bigint,
  sender: Address,
): void => {
  const { state, timeNs } = context
  const proposal = readProposal(state, id)
  if (proposal === undefined) throw govError('inactiveProposal', id.toString())
  const { proposer, votingEndTimeNs, depositors } = proposal
  const name = encodeBech32(sender)
  if (proposer === undefined) {
    throw govError('invalidProposal', `proposal ${id} doesn't have proposer ${name}, so cannot be canceled`)
  }
  if (!equalBytes(proposer, sender)) throw govError('invalidProposer', `invalid proposer ${name}`)
  if (!isOpen(proposal)) throw govError('invalidProposal', 'proposal should be in the deposit or voting period')
  if (votingEndTimeNs !== undefined && votingEndTimeNs < timeNs) {
    throw govError('votingPeriodEnded', `voting period is already ended for this proposal ${id}`)
  }
  context.consumeGas(GAS_PER_DEPOSIT * BigInt(depositors), 'refund')
  chargeDeposits(dependencies, context, id)
  deleteProposal(state, proposal)
  context.emit(canceled(id, sender))
}

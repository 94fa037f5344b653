/** Failures of governance, with the Cosmos SDK's numbers and closing words (x/gov/types/errors.go). */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'
import { WORDS_COME_LAST, wrapWords } from '../sdk-errors.ts'

export const GOV_ERRORS = errorTable(
  'gov',
  `Proposals, deposits and votes, as x/gov numbers them; from 102 on bounds that the SDK does not have. ${WORDS_COME_LAST}`,
  {
    inactiveProposal: {
      code: 3,
      text: 'inactive proposal',
      cause: 'There is no such proposal, or it is not in the period in which this can be done.',
      action: 'Look at its status with `chain query gov proposal`.',
    },
    invalidContent: {
      code: 5,
      text: 'invalid proposal content',
      cause: 'Title or description is empty or too long, or the content is not a text proposal.',
      action: 'Correct what the message names.',
    },
    invalidVote: {
      code: 7,
      text: 'invalid vote option',
      cause: 'An option is unknown or named twice, or the weights are not 1 together.',
      action: 'Vote yes, no, abstain or no-with-veto, with weights that sum to 1.',
    },
    noHandler: {
      code: 9,
      text: 'no handler exists for proposal type',
      cause: 'Of the contents of gov v1beta1 only text proposals are taken.',
      action: 'Submit a proposal of gov v1, with messages.',
    },
    noMessages: {
      code: 11,
      text: 'no messages proposed',
      cause: 'The proposal has neither messages nor metadata.',
      action: 'Add one of them.',
    },
    invalidMessage: {
      code: 12,
      text: 'invalid proposal message',
      cause: 'A message of the proposal is malformed, cannot be proposed, or there are too many.',
      action: 'Correct what the message names.',
    },
    invalidSigner: {
      code: 13,
      text: 'expected gov account as only signer for proposal message',
      cause: 'A message of the proposal is not signed by the account of governance alone.',
      action: 'Put the address of the module account `gov` where the message names its signer.',
    },
    metadataTooLong: {
      code: 15,
      text: 'metadata too long',
      cause: 'The metadata has more bytes than are allowed.',
      action: 'Put the text elsewhere, and its address into the metadata.',
    },
    depositTooSmall: {
      code: 16,
      text: 'minimum deposit is too small',
      cause: 'The deposit is below the least for a proposal, or for an addition to it.',
      action: 'Deposit as much as the message says.',
    },
    invalidProposer: {
      code: 18,
      text: 'invalid proposer',
      cause: 'Only the proposer can cancel a proposal.',
      action: 'Sign with the account of the proposer.',
    },
    votingPeriodEnded: {
      code: 20,
      text: 'voting period already ended',
      cause: 'The time for votes is over.',
      action: 'Nothing.',
    },
    invalidProposal: {
      code: 21,
      text: 'invalid proposal',
      cause: 'The proposal cannot be cancelled: it is decided, or has no proposer.',
      action: 'Nothing.',
    },
    summaryTooLong: {
      code: 22,
      text: 'summary too long',
      cause: 'The summary has more bytes than are allowed.',
      action: 'Shorten the summary.',
    },
    invalidDepositDenom: {
      code: 23,
      text: 'invalid deposit denom',
      cause: 'Deposits are not taken in that denomination.',
      action: 'Deposit one of those that the message lists.',
    },
    // Bounds that the SDK does not have.
    tooManyDepositors: {
      code: 102,
      text: 'too many depositors',
      cause: 'The proposal has as many depositors as it may have.',
      action: 'Ask a depositor to add to theirs.',
    },
    depositsSpent: {
      code: 103,
      text: 'deposits of other proposals would be spent',
      cause: 'The proposal would send coins of the account of governance that are deposits.',
      action: 'Propose to spend less, or from the community pool.',
    },
    tooManyDenoms: {
      code: 104,
      text: 'too many denominations',
      cause: 'The deposits of the proposal have as many denominations as they may have.',
      action: 'Deposit in one of those.',
    },
  },
)

/** Codespace `gov`. */
export const govError = (kind: keyof typeof GOV_ERRORS.codes, message = ''): CodedError => {
  const { code, text } = GOV_ERRORS.entries[kind]
  return new CodedError('gov', code, wrapWords(text, message))
}

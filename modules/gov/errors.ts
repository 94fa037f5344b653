/** Failures of governance, with the Cosmos SDK's numbers and closing words (x/gov/types/errors.go). */
import { CodedError } from '../../core/errors.ts'

const GOV_CODES = {
  inactiveProposal: [3, 'inactive proposal'],
  invalidContent: [5, 'invalid proposal content'],
  invalidVote: [7, 'invalid vote option'],
  noHandler: [9, 'no handler exists for proposal type'],
  noMessages: [11, 'no messages proposed'],
  invalidMessage: [12, 'invalid proposal message'],
  invalidSigner: [13, 'expected gov account as only signer for proposal message'],
  metadataTooLong: [15, 'metadata too long'],
  depositTooSmall: [16, 'minimum deposit is too small'],
  invalidProposer: [18, 'invalid proposer'],
  votingPeriodEnded: [20, 'voting period already ended'],
  invalidProposal: [21, 'invalid proposal'],
  summaryTooLong: [22, 'summary too long'],
  invalidDepositDenom: [23, 'invalid deposit denom'],
  // Bounds that the SDK does not have.
  tooManyDepositors: [102, 'too many depositors'],
  tooManyDenoms: [104, 'too many denominations'],
  depositsSpent: [103, 'deposits of other proposals would be spent'],
} as const

/** Codespace `gov`. */
export const govError = (kind: keyof typeof GOV_CODES, message = ''): CodedError => {
  const [code, words] = GOV_CODES[kind]
  return new CodedError('gov', code, message === '' ? words : `${message}: ${words}`)
}

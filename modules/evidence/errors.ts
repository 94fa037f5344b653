/** Codespace `evidence`, with the SDK's numbers and words. */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'
import { WORDS_COME_LAST, wrapWords } from '../sdk-errors.ts'

export const EVIDENCE_ERRORS = errorTable(
  'evidence',
  `Evidence that somebody submits in a transaction, as x/evidence numbers it. ${WORDS_COME_LAST}`,
  {
    noHandler: {
      code: 2,
      text: 'unregistered handler for evidence type',
      cause: 'Evidence of that type is not taken from transactions. CometBFT brings that of double signing by itself.',
      action: 'Nothing: a validator that signs twice is punished without it.',
    },
    invalid: {
      code: 3,
      text: 'invalid evidence',
      cause: 'The evidence is missing or does not decode, or a field of it cannot be.',
      action: 'Correct the field that the message names.',
    },
    exists: {
      code: 5,
      text: 'evidence already exists',
      cause: 'The same evidence has been handled.',
      action: 'Nothing.',
    },
  },
)

export const evidenceError = (kind: keyof typeof EVIDENCE_ERRORS.codes, message: string): CodedError => {
  const { code, text } = EVIDENCE_ERRORS.entries[kind]
  return new CodedError('evidence', code, wrapWords(text, message))
}

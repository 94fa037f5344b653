/** Codespace `evidence`, with the SDK's numbers and words. */
import { CodedError } from '../../core/errors.ts'

const EVIDENCE_CODES = {
  noHandler: [2, 'unregistered handler for evidence type'],
  invalid: [3, 'invalid evidence'],
  exists: [5, 'evidence already exists'],
} as const

export const evidenceError = (kind: keyof typeof EVIDENCE_CODES, message: string): CodedError => {
  const [code, words] = EVIDENCE_CODES[kind]
  return new CodedError('evidence', code, `${message}: ${words}`)
}

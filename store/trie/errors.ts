/** What can be wrong with a proof. */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'

export const TRIE_ERRORS = errorTable(
  'trie',
  'Merkle proofs that prove nothing. Seen in `chain verify-proof` and wherever proofs are checked.',
  {
    malformed: {
      code: 1,
      text: 'bad proof: ...',
      cause: 'The bytes are not a proof: a node, a header or an account has a shape that cannot be.',
      action: 'Ask for the proof again, from another node.',
    },
    proofOfAnother: {
      code: 2,
      text: 'the header of the proof does not have the app hash | the module ... has ...',
      cause: 'The proof is well formed, but proves another block, another key or another value.',
      action: 'Compare height, module, key and value with what was asked for; do not trust the answer.',
    },
  },
)

export const trieError = (code: keyof typeof TRIE_ERRORS.codes, message: string): CodedError =>
  new CodedError('trie', TRIE_ERRORS.codes[code], message)

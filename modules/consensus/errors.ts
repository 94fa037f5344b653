/** Codespace `consensus`. */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'

export const CONSENSUS_ERRORS = errorTable(
  'consensus',
  'Consensus parameters. Seen in the result of a proposal, and when a genesis file is read.',
  {
    parametersRefused: {
      code: 1,
      text: 'consensus params: ... | ...',
      cause: 'Neither CometBFT nor this application could run with the parameters.',
      action: 'Propose parameters within the bounds that the message names.',
    },
  },
)

export const parametersRefused = (message: string): CodedError =>
  new CodedError('consensus', CONSENSUS_ERRORS.codes.parametersRefused, message)

/** Why a state test cannot be read, or its transaction not be tried: `chain evm statetest` alone says these. */
import { errorTable } from '../../core/error-table.ts'
import { CodedError } from '../../core/errors.ts'

export const STATETEST_ERRORS = errorTable('statetest', 'Ethereum state tests, in `chain evm statetest` alone.', {
  malformed: {
    code: 1,
    text: '<member>: ...',
    cause: 'The file is not a state test of the form of ethereum/tests, or names a fork that is not supported.',
    action: 'Give a file of `GeneralStateTests` or `state_tests`.',
  },
  gasLimitReached: {
    code: 2,
    text: 'gas limit reached',
    cause: 'The transaction of the test asks for more gas than its block has.',
    action: 'Nothing: the test expects to be refused, or its block needs more gas.',
  },
  blobGas: {
    code: 3,
    text: 'blob gas exceeds maximum',
    cause: 'The transaction of the test has more blobs than a block of its fork may have.',
    action: 'Nothing: the test expects to be refused, or has to have fewer blobs.',
  },
})

export const statetestError = (code: keyof typeof STATETEST_ERRORS.codes, message: string): CodedError =>
  new CodedError('statetest', STATETEST_ERRORS.codes[code], message)

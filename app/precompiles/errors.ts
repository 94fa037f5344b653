/** Refusals of calls to precompiles: their text is the reason that the frame reverts with. */
import { CodedError } from '../../core/errors.ts'
import { PRECOMPILE_ERRORS } from '../error-codes.ts'

/**
 * Contracts can read the text, so it is part of consensus: nothing that differs between builds of Node may stand in it,
 * such as what JSON.parse says.
 */
export const refuseCall = (message: string): CodedError =>
  new CodedError('precompile', PRECOMPILE_ERRORS.codes.refused, message)

/** Refusals of calls to precompiles: their text is the reason that the frame reverts with. */
import { CodedError } from '../../core/errors.ts'

const PRECOMPILE_CODESPACE = 'precompile'

/**
 * Contracts can read the text, so it is part of consensus: nothing that differs between builds of Node may stand in it,
 * such as what JSON.parse says.
 */
export const refuseCall = (message: string): CodedError => new CodedError(PRECOMPILE_CODESPACE, 1, message)

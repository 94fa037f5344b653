/** Who speaks: addresses in messages. */
import type { Address } from '../../core/address.ts'
import { parseAccountAddress } from '../../core/bech32.ts'
import { CodedError } from '../../core/errors.ts'
import { sdkError } from '../sdk-errors.ts'

/** `what` is such as `voter`. Throws sdk/7. */
export const parseParty = (text: string, what: string): Address => {
  try {
    return parseAccountAddress(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidAddress', `invalid ${what} address: ${error.message}`)
  }
}

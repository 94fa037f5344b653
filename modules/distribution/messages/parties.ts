/** Addresses of messages. */
import type { Address } from '../../../core/address.ts'
import { parseAccountAddress } from '../../../core/bech32.ts'
import { CodedError } from '../../../core/errors.ts'
import { sdkError } from '../../sdk-errors.ts'
import { parseOperator } from '../../validator-addresses.ts'

const located = (what: string, parse: () => Address): Address => {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidAddress', `invalid ${what} address: ${error.message}`)
  }
}

/** `what` is such as `delegator`. Throws sdk/7. */
export const parseAccount = (text: string, what: string): Address => located(what, () => parseAccountAddress(text))

/** Throws sdk/7. */
export const parseValidator = (text: string): Address => located('validator', () => parseOperator(text))

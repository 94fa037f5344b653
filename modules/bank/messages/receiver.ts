/** Who sends, and who may be sent to. */
import type { Address } from '../../../core/address.ts'
import { parseAccountAddress } from '../../../core/bech32.ts'
import { CodedError } from '../../../core/errors.ts'
import { sdkError } from '../../sdk-errors.ts'
import type { BankDependencies } from '../deps.ts'

/** `what` is such as `from`. Throws sdk/7. */
export const parseParty = (text: string, what: string): Address => {
  try {
    return parseAccountAddress(text)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidAddress', `invalid ${what} address: ${error.message}`)
  }
}

/** Throws sdk/4 for the account of a module, whose coins have a meaning there. */
export const checkReceiver = (address: Address, text: string, dependencies: BankDependencies): void => {
  if (dependencies.isBlockedReceiver(address)) {
    throw sdkError('unauthorized', `${text} is not allowed to receive funds`)
  }
}

/** Who may change parameters: the account of governance, whose proposals carry such messages. */
import { type Address, moduleAddress } from '../core/address.ts'
import { encodeBech32, parseAccountAddress } from '../core/bech32.ts'
import { equalBytes } from '../core/bytes.ts'
import { CodedError } from '../core/errors.ts'
import { sdkError } from './sdk-errors.ts'

export const GOVERNANCE_ADDRESS: Address = moduleAddress('gov')

/** Stateless. Throws sdk/7 for text that is no address, and sdk/4 for another account (types/authority.go). */
export const checkAuthority = (authority: string): void => {
  let address: Address
  try {
    address = parseAccountAddress(authority)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw sdkError('invalidAddress', `invalid authority address: ${error.message}`)
  }
  if (equalBytes(address, GOVERNANCE_ADDRESS)) return
  const expected = encodeBech32(GOVERNANCE_ADDRESS)
  throw sdkError('unauthorized', `invalid authority: expected ${expected}, got ${authority}`)
}

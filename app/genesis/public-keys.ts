/** Public keys of accounts, as a genesis brings them and as invariants look at them. */
import type { Address } from '../../core/address.ts'
import { equalBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { type PackedMessage, parsePublicKey, publicKeyAddress } from '../native/public-key.ts'

/** What is wrong with the public key of an account, in words. */
export const publicKeyFault = (address: Address, key: PackedMessage): string | undefined => {
  try {
    return equalBytes(publicKeyAddress(parsePublicKey(key)), address) ? undefined : 'is the key of another account'
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    return error.message
  }
}

/** Who signed an EIP-7702 authorization. */
import type { Address } from '../../core/address.ts'
import { isEvmError } from '../errors.ts'
import { authorizationHash } from './encode-transaction.ts'
import { recoverSigner } from './recover-sender.ts'
import type { Authorization } from './transaction.ts'

/** Undefined when the signature is none: the tuple is then skipped, and the transaction stays valid. */
export const recoverAuthority = (authorization: Authorization): Address | undefined => {
  try {
    return recoverSigner(authorizationHash(authorization), authorization.yParity, authorization.r, authorization.s)
  } catch (error) {
    if (isEvmError(error, 'invalidSender')) return undefined
    throw error
  }
}

/** Keys of the store of auth. */
import type { Address } from '../../core/address.ts'
import { concatBytes } from '../../core/bytes.ts'

const PUBLIC_KEY = Uint8Array.of(0x01)

/** The public key of an account that has signed a native transaction: a google.protobuf.Any. */
export const publicKeyKey = (address: Address): Uint8Array => concatBytes(PUBLIC_KEY, address)
export const PUBLIC_KEYS_PREFIX = PUBLIC_KEY

/** Parameters: an RLP list of integers in the order of params.ts; absent are the defaults. */
export const PARAMS_KEY = Uint8Array.of(0x02)

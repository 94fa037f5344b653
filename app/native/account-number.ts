/** Account numbers, which no record holds: native signatures are over them, and clients ask for them. */
import type { Address } from '../../core/address.ts'
import { bytesToBigint, utf8ToBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'

const DOMAIN = utf8ToBytes('account number')

/** Six bytes, so that clients that read it as a double lose nothing (below 2^53). */
export const accountNumberOf = (address: Address): bigint => bytesToBigint(sha256(DOMAIN, address).subarray(0, 6))

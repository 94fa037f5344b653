/** Transactions that nobody takes. */
import { sha256 } from '../../core/hash.ts'
import { PLAIN_TRANSFER_GAS } from '../../core/limits.ts'
import { WEIGHT } from '../../evm/weight.ts'
import { appError, poolError } from '../errors.ts'
import type { PoolFamily } from '../pool/family.ts'

/** The family of `firstBytes`, which `reason` keeps out of blocks. */
export const refused = (name: string, reason: string, firstBytes: readonly number[] = []): PoolFamily => ({
  name,
  isLeading: false,
  isInEthereumBlock: false,
  isShown: false,
  recognises: (firstByte) => firstBytes.includes(firstByte),
  hash: (raw) => sha256(raw),
  decode: () => {
    throw appError('familyNotSupported', reason)
  },
  leastGas: () => BigInt(PLAIN_TRANSFER_GAS),
  leastWeight: WEIGHT.transaction,
  examine: () => {
    throw poolError('familyNotSupported', `transactions of the ${name} family are not supported`)
  },
})

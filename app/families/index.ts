/**
 * The families of transactions: a new one is a folder here and a line below. The order of a block is: the injected one
 * (exactly when the last commit carries vote extensions), then the others as the proposer likes.
 */
import { sha256 } from '../../core/hash.ts'
import { PLAIN_TRANSFER_GAS } from '../../core/limits.ts'
import { WEIGHT } from '../../evm/weight.ts'
import type { Module } from '../../modules/module.ts'
import { type BlockFamily, FamilyTable } from '../block/family.ts'
import { appError, poolError } from '../errors.ts'
import type { PoolFamily } from '../pool/family.ts'
import { ethereumFamily } from './ethereum/family.ts'
import { injectedFamily } from './injected/family.ts'
import { createNativeFamily } from './native/family.ts'

export type Families = FamilyTable<PoolFamily>

/** Bytes that no family takes: `recognises` some of them, or all that are left. */
const refused = (name: string, reason: string, firstBytes: readonly number[] = []): PoolFamily => ({
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

/** Kept for the order book: the rest of such a transaction will be a ClobTx. */
const ORDER_BOOK_BYTE = 0x70
const ORDER_BOOK = refused('order-book', 'transactions of the order-book family are not supported yet', [
  ORDER_BOOK_BYTE,
])

export const createFamilies = (modules: readonly Module[], more: readonly PoolFamily[] = []): Families => {
  const native = createNativeFamily(modules)
  // Native clients and CometBFT learn in the SDK's words that bytes are no transaction.
  const unknown = { ...refused('unknown', 'transaction type not supported'), examine: native.examine }
  return new FamilyTable<PoolFamily>([ethereumFamily, native, injectedFamily, ORDER_BOOK, ...more], unknown)
}

const STATELESS = createFamilies([])

/** The family of a transaction that is only looked at, where there are no modules. */
export const familyOf = (raw: Uint8Array): BlockFamily => STATELESS.of(raw)

/**
 * The families of transactions: a new one is a folder here and a line below. The order of a block is: the injected one
 * (exactly when the last commit carries vote extensions), then the others as the proposer likes.
 */
import type { Module } from '../../modules/module.ts'
import type { PoolFamily } from '../pool/family.ts'
import { ethereumFamily } from './ethereum/family.ts'
import { injectedFamily } from './injected/family.ts'
import { createNativeFamily } from './native/family.ts'
import { refused } from './refused.ts'

/** Kept for the order book: the rest of such a transaction will be a ClobTx. */
const ORDER_BOOK_BYTE = 0x70
const ORDER_BOOK = refused('order-book', 'transactions of the order-book family are not supported yet', [
  ORDER_BOOK_BYTE,
])

export const FAMILIES: readonly ((modules: readonly Module[]) => PoolFamily)[] = [
  () => ethereumFamily,
  createNativeFamily,
  () => injectedFamily,
  () => ORDER_BOOK,
]

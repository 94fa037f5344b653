/**
 * The families of transactions: a new one is a folder here and a line below. The order of a block is: the injected one
 * (exactly when the last commit carries vote extensions), the batch of the order book that it obliges the block to hold, then
 * the others as the proposer likes.
 */
import type { Module } from '../../modules/module.ts'
import type { PoolFamily } from '../pool/family.ts'
import { clobFamily } from './clob/family.ts'
import { ethereumFamily } from './ethereum/family.ts'
import { injectedFamily } from './injected/family.ts'
import { createNativeFamily } from './native/family.ts'

export const FAMILIES: readonly ((modules: readonly Module[]) => PoolFamily)[] = [
  () => ethereumFamily,
  createNativeFamily,
  () => injectedFamily,
  () => clobFamily,
]

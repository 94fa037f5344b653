/** The table of the families of a chain (family-list.ts). */
import type { Module } from '../../modules/module.ts'
import { type BlockFamily, FamilyTable } from '../block/family.ts'
import type { PoolFamily } from '../pool/family.ts'
import { FAMILIES } from './family-list.ts'
import { createNativeFamily } from './native/family.ts'
import { refused } from './refused.ts'

export type Families = FamilyTable<PoolFamily>

export const createFamilies = (modules: readonly Module[]): Families => {
  // Native clients and CometBFT learn in the SDK's words that bytes are no transaction.
  const { examine } = createNativeFamily(modules)
  const unknown = { ...refused('unknown', 'transaction type not supported'), examine }
  return new FamilyTable<PoolFamily>(
    FAMILIES.map((create) => create(modules)),
    unknown,
  )
}

const STATELESS = createFamilies([])

/** The family of a transaction that is only looked at, where there are no modules. */
export const familyOf = (raw: Uint8Array): BlockFamily => STATELESS.of(raw)

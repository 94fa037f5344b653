/** Warm and cold (EIP-2929). */
import type { Machine } from '../machine.ts'
import type { AccountEntry } from '../substate.ts'
import { WEIGHT } from '../../weight.ts'

export const WARM_GAS = 100
export const COLD_ACCOUNT_GAS = 2_600
export const COLD_SLOT_GAS = 2_100
/** What a cold account costs beside the warm access that the constant part holds. */
export const COLD_SURCHARGE_GAS = COLD_ACCOUNT_GAS - WARM_GAS

/** Warms an account. The surcharge where it was cold. */
export const accessAccount = (machine: Machine, entry: AccountEntry): number => {
  if (entry.isWarm) return 0
  machine.weigh(WEIGHT.coldAccount)
  machine.substate.warm(entry)
  return COLD_SURCHARGE_GAS
}

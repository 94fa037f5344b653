/** Warm and cold (EIP-2929). */
import type { Machine } from '../machine.ts'
import type { AccountEntry } from '../substate.ts'
import { WEIGHT } from '../../weight.ts'

export const WARM_GAS = 100
export const COLD_ACCOUNT_GAS = 2_600
export const COLD_SLOT_GAS = 2_100
/** What a cold account costs beside the warm access that the constant part holds. */
export const COLD_SURCHARGE_GAS = COLD_ACCOUNT_GAS - WARM_GAS

/** The surcharge of the account that the word names where it is cold. Warms nothing: that is done when it is paid. */
export const accessGas = ({ substate, stack }: Machine, at: number): number =>
  substate.isWarmAccount(stack, at) ? 0 : COLD_SURCHARGE_GAS

/** The account, paid for. */
export const accessAccount = (machine: Machine, at: number): AccountEntry => {
  const { substate, stack } = machine
  const entry = substate.account(stack, at)
  if (!entry.isWarm) machine.weigh(WEIGHT.coldAccount)
  substate.warm(entry)
  return entry
}

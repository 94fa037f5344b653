/** Coins of many owners that go into the account of a module and come back, netted by whoever moves them. */
import type { Address } from '../../../core/address.ts'
import { invariant } from '../../../core/errors.ts'
import type { StateWriter } from '../../../store/state.ts'
import type { EscrowEntry } from '../../ledger.ts'
import { changeBalance } from './balances.ts'

/** What all entries together are, by denomination: the module's balance is written once for each. */
const sumByDenom = (entries: readonly EscrowEntry[]): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const { denom, amount } of entries) {
    invariant(amount >= 0n, 'an amount in escrow would be negative')
    if (amount > 0n) sums.set(denom, (sums.get(denom) ?? 0n) + amount)
  }
  return sums
}

/** Undoes what `act` wrote where it throws. */
const allOrNothing = (state: StateWriter, act: () => void): void => {
  state.checkpoint()
  try {
    act()
  } catch (error) {
    state.revert()
    throw error
  }
  state.commit()
}

/** Moves coins from the owners to the module. Throws sdk/5 where an owner has too little: then nothing has moved. */
export const escrow = (state: StateWriter, module: Address, entries: readonly EscrowEntry[]): void =>
  allOrNothing(state, () => {
    const sums = sumByDenom(entries)
    for (const { owner, denom, amount } of entries) if (amount > 0n) changeBalance(state, owner, denom, -amount)
    for (const [denom, sum] of sums) changeBalance(state, module, denom, sum)
  })

/** Moves coins from the module to the owners. Throws sdk/5 where the module has too little: then nothing has moved. */
export const settle = (state: StateWriter, module: Address, entries: readonly EscrowEntry[]): void =>
  allOrNothing(state, () => {
    for (const [denom, sum] of sumByDenom(entries)) changeBalance(state, module, denom, -sum)
    for (const { owner, denom, amount } of entries) if (amount > 0n) changeBalance(state, owner, denom, amount)
  })

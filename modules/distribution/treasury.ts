/** Coins of the module's account: what comes in, what goes out, and to whom. */
import type { Address } from '../../core/address.ts'
import { DENOMINATION } from '../../core/amounts.ts'
import { toDecimal } from '../../core/decimal.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { equalBytes } from '../../core/bytes.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import type { Coin, LedgerContext } from '../ledger.ts'
import { sdkError } from '../sdk-errors.ts'
import { addCoins, type DecCoins, toDecCoins, truncateCoins } from './dec-coins.ts'
import type { DistributionDependencies, RewardContext } from './deps.ts'
import { withdrawalRedirected } from './events.ts'
import { addToPool, DISTRIBUTION_ADDRESS, readTotals, readWithdrawAddress, writeTotals } from './keeper.ts'

const changeHeld = (state: StateWriter, coins: readonly Coin[], sign: 1n | -1n): void => {
  const amount = coins.find(({ denom }) => denom === DENOMINATION)?.amount ?? 0n
  if (amount === 0n) return
  const totals = readTotals(state)
  writeTotals(state, { ...totals, heldAnat: totals.heldAnat + sign * amount })
}

/** Throws sdk/5. The caller says whose the coins are now. */
export const collect = (
  context: LedgerContext,
  { ledger }: DistributionDependencies,
  from: Address,
  coins: readonly Coin[],
): void => {
  ledger.send(context, from, DISTRIBUTION_ADDRESS, coins)
  changeHeld(context.state, coins, 1n)
}

/** The caller has taken the coins from whom they belonged to. */
export const pay = (
  context: LedgerContext,
  { ledger }: DistributionDependencies,
  to: Address,
  coins: readonly Coin[],
): void => {
  ledger.send(context, DISTRIBUTION_ADDRESS, to, coins)
  changeHeld(context.state, coins, -1n)
}

/**
 * What contracts pushed into the account: it belongs to the community pool. Only anat can come that way; the accounts of
 * modules receive no messages.
 */
export const surplusOf = (state: StateReader, { ledger }: DistributionDependencies): bigint =>
  ledger.balance(state, DISTRIBUTION_ADDRESS, DENOMINATION) - readTotals(state).heldAnat

export const sweepSurplus = ({ state }: LedgerContext, dependencies: DistributionDependencies): void => {
  const surplus = surplusOf(state, dependencies)
  if (surplus <= 0n) return
  addToPool(state, [{ denom: DENOMINATION, amount: toDecimal(surplus) }])
  changeHeld(state, [{ denom: DENOMINATION, amount: surplus }], 1n)
}

export interface Destination {
  /** Who receives; without one the community pool gets it. */
  readonly receiver: Address | undefined
  readonly wanted: Address
}

/** Throws sdk/4 when the owner's withdraw address is that of a module. */
export const strictDestination = (
  state: StateReader,
  { ledger }: DistributionDependencies,
  owner: Address,
): Destination & { readonly receiver: Address } => {
  const wanted = readWithdrawAddress(state, owner)
  if (ledger.isBlockedReceiver(wanted)) {
    throw sdkError('unauthorized', `${encodeBech32(wanted)} is not allowed to receive funds`)
  }
  return { receiver: wanted, wanted }
}

/** Where hooks pay, which must not fail: to the withdraw address, else the owner, else the community pool. */
export const fallbackDestination = (
  state: StateReader,
  { ledger }: DistributionDependencies,
  owner: Address,
): Destination => {
  const wanted = readWithdrawAddress(state, owner)
  return { receiver: [wanted, owner].find((address) => !ledger.isBlockedReceiver(address)), wanted }
}

/** Pays whole units, leaves the rest to the community pool, and returns the whole units. */
export const payOut = (
  context: RewardContext,
  dependencies: DistributionDependencies,
  coins: DecCoins,
  { receiver }: Destination,
): readonly Coin[] => {
  const { whole, rest } = truncateCoins(coins)
  if (receiver !== undefined && whole.length > 0) pay(context, dependencies, receiver, whole)
  addToPool(context.state, receiver === undefined ? addCoins(rest, toDecCoins(whole)) : rest)
  return whole
}

export const tellRedirection = (
  { emit }: RewardContext,
  { wanted, receiver }: Destination,
  operator: Address,
  delegator?: Address,
): void => {
  if (receiver !== undefined && equalBytes(receiver, wanted)) return
  emit(withdrawalRedirected(wanted, receiver, operator, delegator))
}

/** Events of distribution. */
import type { Address } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { makeEvent } from '../events.ts'
import type { Coin } from '../ledger.ts'
import type { Event } from '../module.ts'
import { formatOperator } from '../validator-addresses.ts'
import { formatCoins, withZero } from './coins.ts'
import { type DecCoins, formatDecCoins } from './dec-coins.ts'

export const commissionEarned = (operator: Address, amount: DecCoins): Event =>
  makeEvent('commission', { amount: formatDecCoins(amount), validator: formatOperator(operator) })

/** All that the validator earned, commission included. */
export const rewardsEarned = (operator: Address, amount: DecCoins): Event =>
  makeEvent('rewards', { amount: formatDecCoins(amount), validator: formatOperator(operator) })

/** The event has one zero coin when nothing was due, as the SDK writes it. */
export const rewardsWithdrawn = (operator: Address, delegator: Address, amount: readonly Coin[]): Event =>
  makeEvent('withdraw_rewards', {
    amount: formatCoins(withZero(amount)),
    validator: formatOperator(operator),
    delegator: encodeBech32(delegator),
  })

export const commissionWithdrawn = (amount: readonly Coin[]): Event =>
  makeEvent('withdraw_commission', { amount: formatCoins(amount) })

export const withdrawAddressSet = (address: Address): Event =>
  makeEvent('set_withdraw_address', { withdraw_address: encodeBech32(address) })

/** Coins could not go where their owner wanted them; without a receiver they went to the community pool. */
export const withdrawalRedirected = (
  wanted: Address,
  receiver: Address | undefined,
  operator: Address,
  delegator: Address | undefined,
): Event =>
  makeEvent('withdraw_addr_redirected', {
    original_withdraw_address: encodeBech32(wanted),
    withdraw_address: receiver === undefined ? 'community_pool' : encodeBech32(receiver),
    validator: formatOperator(operator),
    ...(delegator === undefined ? {} : { delegator: encodeBech32(delegator) }),
  })

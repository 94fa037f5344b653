/** Moving coins with the events that clients follow: what messages and other parts of the node call. */
import type { Address } from '../../core/address.ts'
import { formatCoins } from './coins.ts'
import { coinReceived, coinSpent, messageSender, transfer } from './events.ts'
import { insufficientFunds } from './errors.ts'
import type { Coin, LedgerContext } from '../ledger.ts'
import { readBalance, send } from './keeper/balances.ts'

/** Throws sdk/5 when `from` has too little of one of them; what was moved by then stays moved. */
export const sendCoins = ({ state, emit }: LedgerContext, from: Address, to: Address, coins: readonly Coin[]): void => {
  const amount = formatCoins(coins)
  for (const coin of coins) send(state, from, to, coin)
  emit(coinSpent(from, amount))
  emit(coinReceived(to, amount))
  emit(transfer(to, from, amount))
  emit(messageSender(from))
}

export interface Output {
  readonly to: Address
  readonly coins: readonly Coin[]
}

/**
 * Does what {@link sendCoins} does, to several receivers; `sum` is what they get together, and what `from` must have.
 */
export const sendToMany = (
  { state, emit }: LedgerContext,
  from: Address,
  sum: readonly Coin[],
  outputs: readonly Output[],
): void => {
  for (const { denom, amount } of sum) {
    // First: what comes back to the sender by an output is not there yet.
    const balance = readBalance(state, from, denom)
    if (balance < amount) throw insufficientFunds(denom, balance, amount)
  }
  emit(messageSender(from))
  emit(coinSpent(from, formatCoins(sum)))
  for (const { to, coins } of outputs) {
    for (const coin of coins) send(state, from, to, coin)
    const amount = formatCoins(coins)
    emit(coinReceived(to, amount))
    emit(transfer(to, from, amount))
  }
}

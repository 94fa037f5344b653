/** The bank as the other modules use it. */
import type { Address } from '../../core/address.ts'
import type { Coin, Ledger, LedgerContext } from '../ledger.ts'
import { formatCoins } from './coins.ts'
import { cannotDelegate } from './errors.ts'
import { burned, coinbase, coinReceived, coinSpent } from './events.ts'
import { burn, mint, readBalance, readSupply, send } from './keeper/balances.ts'
import { escrow, settle } from './keeper/escrow.ts'
import { sendCoins } from './transfer.ts'

const moveStake = ({ state, emit }: LedgerContext, from: Address, to: Address, coins: readonly Coin[]): void => {
  const amount = formatCoins(coins)
  for (const coin of coins) {
    const balance = readBalance(state, from, coin.denom)
    if (balance < coin.amount) throw cannotDelegate(coin, balance)
    send(state, from, to, coin)
  }
  emit(coinSpent(from, amount))
  emit(coinReceived(to, amount))
}

export const createLedger = ({ isBlockedReceiver }: Pick<Ledger, 'isBlockedReceiver'>): Ledger => ({
  balance: readBalance,
  supply: readSupply,
  send: sendCoins,
  moveStake,
  mint: ({ state, emit }, to, coins) => {
    for (const coin of coins) mint(state, to, coin)
    emit(coinReceived(to, formatCoins(coins)))
    emit(coinbase(to, formatCoins(coins)))
  },
  burn: ({ state, emit }, from, coins) => {
    for (const coin of coins) burn(state, from, coin)
    emit(coinSpent(from, formatCoins(coins)))
    emit(burned(from, formatCoins(coins)))
  },
  escrow,
  settle,
  isBlockedReceiver,
})

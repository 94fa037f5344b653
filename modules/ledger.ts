/** The port to the one ledger, for modules that hold and move coins. The bank stands behind it. */
import type { Address } from '../core/address.ts'
import type { StateReader } from '../store/state.ts'
import type { ModuleContext } from './module.ts'

export interface Coin {
  readonly denom: string
  readonly amount: bigint
}

/** What moving coins needs of a context. */
export type LedgerContext = Pick<ModuleContext, 'state' | 'emit'>

/** Amounts are not negative. Each throws sdk/5 when there is too little; what was moved by then stays moved. */
export interface Ledger {
  balance(state: StateReader, address: Address, denom: string): bigint
  supply(state: StateReader, denom: string): bigint
  /** Emits coin_spent, coin_received, transfer and message(sender), as every transfer does. */
  send(context: LedgerContext, from: Address, to: Address, coins: readonly Coin[]): void
  /** As `send`, with coin_spent and coin_received alone: stake that comes and goes is no transfer. */
  moveStake(context: LedgerContext, from: Address, to: Address, coins: readonly Coin[]): void
  /** Creates coins. Emits coin_received and coinbase(minter, amount). */
  mint(context: LedgerContext, to: Address, coins: readonly Coin[]): void
  /** Destroys coins. Emits coin_spent and burn(burner, amount). */
  burn(context: LedgerContext, from: Address, coins: readonly Coin[]): void
  /** Module accounts cannot be sent to by a message, nor be a withdraw address. */
  isBlockedReceiver(address: Address): boolean
}

/** The port to the one ledger, for modules that hold and move coins. The bank stands behind it. */
import type { Address } from '../core/address.ts'
import type { StateReader, StateWriter } from '../store/state.ts'
import type { ModuleContext } from './module.ts'

export interface Coin {
  readonly denom: string
  readonly amount: bigint
}

/** What an owner gives into escrow, or gets out of it. The amount is not negative. */
export interface EscrowEntry {
  readonly owner: Address
  readonly denom: string
  readonly amount: bigint
}

/** What moving coins needs of a context. */
export type LedgerContext = Pick<ModuleContext, 'state' | 'emit'>

/**
 * Amounts are not negative. Each throws sdk/5 when there is too little; what was moved by then stays moved, but for
 * `escrow` and `settle`, which move all or nothing.
 */
export interface Ledger {
  balance(state: StateReader, address: Address, denom: string): bigint
  supply(state: StateReader, denom: string): bigint
  /** Emits coin_spent, coin_received, transfer and message(sender), as every transfer does. */
  send(context: LedgerContext, from: Address, to: Address, coins: readonly Coin[]): void
  /** Does what `send` does, with coin_spent and coin_received alone: stake that comes and goes is no transfer. */
  moveStake(context: LedgerContext, from: Address, to: Address, coins: readonly Coin[]): void
  /** Creates coins. Emits coin_received and coinbase(minter, amount). */
  mint(context: LedgerContext, to: Address, coins: readonly Coin[]): void
  /** Destroys coins. Emits coin_spent and burn(burner, amount). */
  burn(context: LedgerContext, from: Address, coins: readonly Coin[]): void
  /**
   * Moves coins of many owners into the account of a module, without events: the module tells of them itself. An owner and
   * a denomination may stand there several times, though one netted entry is cheaper.
   */
  escrow(state: StateWriter, module: Address, entries: readonly EscrowEntry[]): void
  /** The way back: from the account of the module to the owners. */
  settle(state: StateWriter, module: Address, entries: readonly EscrowEntry[]): void
  /** Module accounts cannot be sent to by a message, nor be a withdraw address. */
  isBlockedReceiver(address: Address): boolean
}

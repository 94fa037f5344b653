/** What the bank needs of the rest of the node. */
import type { Address } from '../../core/address.ts'
import type { QueryContext } from '../module.ts'

export interface BankDependencies {
  /**
   * Every account of the EVM with its balance, in the order of addresses, from `start` (inclusive) on: for the export
   * of a genesis, for invariants and for lists of owners, not in a block.
   */
  accounts(context: QueryContext, start?: Address): Iterable<readonly [Address, balanceAnat: bigint]>
  /** Accounts of modules: a message cannot send to them. */
  isBlockedReceiver(address: Address): boolean
}

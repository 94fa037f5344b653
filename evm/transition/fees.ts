/** Where the fees of a message go once its gas is known. */
import type { Address } from '../../core/address.ts'
import { MAX_UINT256 } from '../../core/amounts.ts'
import { equalBytes } from '../../core/bytes.ts'
import { EMPTY_CODE_HASH } from '../../core/hash.ts'
import { type AccountState, EMPTY_ACCOUNT, type StateWriter } from '../../store/state.ts'
import type { BlockEnvironment, ExecuteOptions } from '../engine.ts'
import type { PreparedMessage } from './prepare-message.ts'

/** Empty in the sense of EIP-161. */
export const isEmptyAccount = ({ nonce, balance, codeHash }: AccountState): boolean =>
  nonce === 0n && balance === 0n && equalBytes(codeHash, EMPTY_CODE_HASH)

/**
 * An account with more. A balance has 256 bits and begins anew behind them, as in geth: only overrides of calls reach that, for all coins
 * of a chain are far less.
 */
export const withMore = (held: AccountState, amount: bigint): AccountState => {
  const balance = held.balance + amount
  return { ...held, balance: balance > MAX_UINT256 ? BigInt.asUintN(256, balance) : balance }
}

/** Adds to a balance. Adding nothing still touches: an account that is empty then goes (EIP-161). */
export const credit = (state: StateWriter, address: Address, amount: bigint): void => {
  const account = state.account(address)
  if (amount > 0n) {
    const richer = withMore(account ?? EMPTY_ACCOUNT, amount)
    state.setAccount(address, isEmptyAccount(richer) ? undefined : richer)
  } else if (account !== undefined && isEmptyAccount(account)) {
    state.setAccount(address, undefined)
  }
}

/** Pays the coinbase for the gas used: with the base fee on this chain, without it where the base fee is burnt. */
export const payCoinbase = (
  state: StateWriter,
  block: BlockEnvironment,
  prepared: PreparedMessage,
  options: ExecuteOptions,
  gasUsed: bigint,
): void => {
  if (!prepared.charged) return
  const perGas = prepared.effectiveGasPrice - (options.fees === 'burn' ? block.baseFeePerGas : 0n)
  credit(state, block.coinbase, gasUsed * perGas)
}

/** Where the fees of a message go once its gas is known. */
import type { Address } from '../../core/address.ts'
import { equalBytes } from '../../core/bytes.ts'
import { EMPTY_CODE_HASH } from '../../core/hash.ts'
import { type AccountState, EMPTY_ACCOUNT, type StateWriter } from '../../store/state.ts'
import type { BlockEnvironment, ExecuteOptions } from '../engine.ts'
import type { PreparedMessage } from './prepare-message.ts'

/** Empty in the sense of EIP-161. */
export const isEmptyAccount = ({ nonce, balance, codeHash }: AccountState): boolean =>
  nonce === 0n && balance === 0n && equalBytes(codeHash, EMPTY_CODE_HASH)

/** Adds to a balance. Adding nothing still touches: an account that is empty then goes (EIP-161). */
export const credit = (state: StateWriter, address: Address, amount: bigint): void => {
  const account = state.account(address)
  if (amount > 0n) {
    const held = account ?? EMPTY_ACCOUNT
    state.setAccount(address, { ...held, balance: held.balance + amount })
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

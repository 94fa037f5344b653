/** The rules that a transaction must meet, in geth's order and words: those of the pool, with and without state. */
import type { Address } from '../../core/address.ts'
import { MAX_UINT256, MAX_UINT64 } from '../../core/amounts.ts'
import { EMPTY_CODE_HASH } from '../../core/hash.ts'
import { equalBytes } from '../../core/bytes.ts'
import { MAX_INIT_CODE_BYTES, MAX_TRANSACTION_GAS } from '../../core/limits.ts'
import type { StateReader } from '../../store/state.ts'
import type { Hardfork, Message } from '../engine.ts'
import {
  emptyAuthorizationList,
  exceedsBlockGasLimit,
  gasLimitTooHigh,
  invalidChainId,
  nonceMax,
  poolErrors,
  transitionErrors,
  typeNotSupported,
} from '../errors.ts'
import { delegationOf } from '../delegation.ts'
import { floorDataGas, intrinsicGas } from './intrinsic-gas.ts'
import type { SignedTransaction, Transaction } from './transaction.ts'

export interface TransactionLimits {
  readonly chainId: bigint
  readonly hardfork: Hardfork
  readonly blockGasLimit: bigint
}

/** maxFeePerGas, or the gas price of types 0 and 1. */
export const feeCap = (transaction: Transaction): bigint =>
  transaction.type === 0 || transaction.type === 1 ? transaction.gasPrice : transaction.maxFeePerGas

/** maxPriorityFeePerGas, or the gas price of types 0 and 1. */
export const tipCap = (transaction: Transaction): bigint =>
  transaction.type === 0 || transaction.type === 1 ? transaction.gasPrice : transaction.maxPriorityFeePerGas

/** Tells what a unit of gas costs in a block of this base fee: at most the fee cap. */
export const effectiveGasPrice = (
  maxFeePerGas: bigint,
  maxPriorityFeePerGas: bigint,
  baseFeePerGas: bigint,
): bigint => {
  const wanted = maxPriorityFeePerGas + baseFeePerGas
  return wanted < maxFeePerGas ? wanted : maxFeePerGas
}

/** The most that a transaction can take from its sender. */
export const transactionCost = (transaction: Transaction): bigint =>
  transaction.gasLimit * feeCap(transaction) + transaction.value

/** The checks that geth's pool makes before it recovers the sender. Throws a CodedError of codespace evm. */
export const checkEnvelope = (transaction: Transaction, limits: TransactionLimits): void => {
  const { type, to, data, gasLimit } = transaction
  if (type === 4 && limits.hardfork === 'cancun') throw typeNotSupported()
  if (to === undefined && data.length > MAX_INIT_CODE_BYTES) {
    throw poolErrors.initCodeTooLarge(data.length, MAX_INIT_CODE_BYTES)
  }
  if (limits.hardfork === 'osaka' && gasLimit > MAX_TRANSACTION_GAS) {
    throw gasLimitTooHigh(MAX_TRANSACTION_GAS, gasLimit)
  }
  if (gasLimit > limits.blockGasLimit) throw exceedsBlockGasLimit()
  const fee = feeCap(transaction)
  const tip = tipCap(transaction)
  if (fee > MAX_UINT256) throw poolErrors.feeCapVeryHigh()
  if (tip > MAX_UINT256) throw poolErrors.tipVeryHigh()
  if (fee < tip) throw poolErrors.tipAboveFeeCap()
  if (transaction.chainId !== undefined && transaction.chainId !== limits.chainId) {
    throw invalidChainId(transaction.chainId, limits.chainId)
  }
}

/** The checks after the sender is known, still without state: nonce, intrinsic gas, floor gas, authorizations. */
export const checkGas = (transaction: Transaction, limits: TransactionLimits): void => {
  const { nonce, gasLimit, data } = transaction
  if (nonce >= MAX_UINT64) throw nonceMax()
  const intrinsic = intrinsicGas(transaction)
  if (gasLimit < intrinsic) throw poolErrors.intrinsicGasTooLow(gasLimit, intrinsic)
  if (limits.hardfork !== 'cancun') {
    const floor = floorDataGas(data)
    if (gasLimit < floor) throw poolErrors.floorDataGasTooLow(gasLimit, floor)
  }
  if (transaction.type === 4 && transaction.authorizationList.length === 0) throw emptyAuthorizationList()
}

/** Every check that needs no state and no signature. Unprotected legacy transactions pass: that is the pool's rule. */
export const checkTransaction = (transaction: Transaction, limits: TransactionLimits): void => {
  checkEnvelope(transaction, limits)
  checkGas(transaction, limits)
}

/** Contracts send no transactions (EIP-3607); accounts that delegate do (EIP-7702). */
export const checkSenderCode = (state: StateReader, sender: Address): void => {
  const codeHash = state.account(sender)?.codeHash
  if (codeHash === undefined || equalBytes(codeHash, EMPTY_CODE_HASH)) return
  const code = state.code(codeHash)
  if (code.length > 0 && delegationOf(code) === undefined) throw transitionErrors.senderNotEoa(sender, code.length)
}

/**
 * The pool's checks against state: nonce not used up, and funds for the transaction alone. A gap in nonces is
 * allowed: {@link poolErrors}.nonceTooHigh is for those who want none.
 */
export const checkWithState = (state: StateReader, sender: Address, transaction: Transaction): void => {
  const account = state.account(sender)
  const next = account?.nonce ?? 0n
  if (next > transaction.nonce) throw poolErrors.nonceTooLow(next, transaction.nonce)
  const balance = account?.balance ?? 0n
  const cost = transactionCost(transaction)
  if (balance < cost) throw poolErrors.insufficientFunds(balance, cost)
}

/** The transaction as the engine takes it. */
export const toMessage = ({ transaction, sender }: Pick<SignedTransaction, 'transaction' | 'sender'>): Message => ({
  type: transaction.type,
  sender,
  to: transaction.to,
  nonce: transaction.nonce,
  gasLimit: transaction.gasLimit,
  value: transaction.value,
  data: transaction.data,
  maxFeePerGas: feeCap(transaction),
  maxPriorityFeePerGas: tipCap(transaction),
  accessList: transaction.type === 0 ? [] : transaction.accessList,
  authorizationList: transaction.type === 4 ? transaction.authorizationList : [],
  blobVersionedHashes: [],
  maxFeePerBlobGas: undefined,
})

/** What a message must meet at its place in the block, in the order and words of geth's state transition. */
import { MAX_UINT256, MAX_UINT64 } from '../../core/amounts.ts'
import { MAX_INIT_CODE_BYTES, MAX_TRANSACTION_GAS } from '../../core/limits.ts'
import { type AccountState, EMPTY_ACCOUNT, type StateReader } from '../../store/state.ts'
import type { BlockEnvironment, ExecuteOptions, Message } from '../engine.ts'
import { gasLimitTooHigh, transitionErrors } from '../errors.ts'
import { floorDataGas, intrinsicGas } from '../transaction/intrinsic-gas.ts'
import { checkSenderCode, effectiveGasPrice } from '../transaction/validity.ts'

/** EIP-4844. */
export const BLOB_GAS = 131_072n
/** EIP-7594, and the block's limit of the forks before it (EIP-4844, EIP-7691). */
const MAX_BLOBS = { cancun: 6, prague: 9, osaka: 6 } as const
const BLOB_HASH_VERSION = 1

export interface PreparedMessage {
  /** The sender as it was before the message. */
  readonly sender: AccountState
  /** Wei a gas. */
  readonly effectiveGasPrice: bigint
  readonly intrinsicGas: bigint
  /** EIP-7623; zero before Prague. */
  readonly floorGas: bigint
  readonly blobFeeAnat: bigint
  /** False for calls that name no price: neither base fee nor tip exist for them. */
  readonly charged: boolean
}

const checkNonce = (sender: AccountState, message: Message): void => {
  if (sender.nonce < message.nonce) throw transitionErrors.nonceTooHigh(message.sender, message.nonce, sender.nonce)
  if (sender.nonce > message.nonce) throw transitionErrors.nonceTooLow(message.sender, message.nonce, sender.nonce)
  if (sender.nonce >= MAX_UINT64) throw transitionErrors.nonceMax(message.sender, sender.nonce)
}

const bitLength = (value: bigint): number => value.toString(2).length

const checkFees = (block: BlockEnvironment, message: Message): void => {
  const { sender, maxFeePerGas, maxPriorityFeePerGas } = message
  if (maxFeePerGas > MAX_UINT256) throw transitionErrors.feeCapVeryHigh(sender, bitLength(maxFeePerGas))
  if (maxPriorityFeePerGas > MAX_UINT256) throw transitionErrors.tipVeryHigh(sender, bitLength(maxPriorityFeePerGas))
  if (maxFeePerGas < maxPriorityFeePerGas) {
    throw transitionErrors.tipAboveFeeCap(sender, maxPriorityFeePerGas, maxFeePerGas)
  }
  if (maxFeePerGas < block.baseFeePerGas) {
    throw transitionErrors.feeCapTooLow(sender, maxFeePerGas, block.baseFeePerGas)
  }
}

const checkBlobs = (block: BlockEnvironment, message: Message, { checks }: ExecuteOptions): void => {
  const { blobVersionedHashes: hashes, maxFeePerBlobGas = 0n } = message
  if (message.to === undefined) throw transitionErrors.blobTransactionCreation()
  if (hashes.length === 0) throw transitionErrors.missingBlobHashes()
  if (hashes.length > MAX_BLOBS[block.hardfork]) throw transitionErrors.tooManyBlobs()
  const invalid = hashes.findIndex((hash) => hash[0] !== BLOB_HASH_VERSION)
  if (invalid !== -1) throw transitionErrors.invalidBlobHashVersion(invalid)
  // A call that names no fee for its blobs has them for nothing.
  if ((checks !== 'call' || maxFeePerBlobGas > 0n) && maxFeePerBlobGas < block.blobBaseFee) {
    throw transitionErrors.blobFeeCapTooLow(message.sender, maxFeePerBlobGas, block.blobBaseFee)
  }
}

const checkFunds = (sender: AccountState, message: Message): void => {
  const blobGas = BLOB_GAS * BigInt(message.blobVersionedHashes.length)
  const cost = message.gasLimit * message.maxFeePerGas + message.value + blobGas * (message.maxFeePerBlobGas ?? 0n)
  if (cost > MAX_UINT256) throw transitionErrors.costOverflow(message.sender)
  if (sender.balance < cost) throw transitionErrors.insufficientFunds(message.sender, sender.balance, cost)
}

/** Throws a CodedError of codespace evm when the message cannot stand here. Writes nothing. */
export const prepareMessage = (
  state: StateReader,
  block: BlockEnvironment,
  message: Message,
  options: ExecuteOptions,
): PreparedMessage => {
  const { gasLimit, maxFeePerGas, maxPriorityFeePerGas, data } = message
  const sender = state.account(message.sender) ?? EMPTY_ACCOUNT
  if (options.checks !== 'call') checkNonce(sender, message)
  if (options.checks === 'transaction') {
    if (block.hardfork === 'osaka' && gasLimit > MAX_TRANSACTION_GAS) {
      throw gasLimitTooHigh(MAX_TRANSACTION_GAS, gasLimit)
    }
    checkSenderCode(state, message.sender)
  }
  const charged = options.fees !== 'none' || maxFeePerGas > 0n || maxPriorityFeePerGas > 0n
  if (charged) checkFees(block, message)
  const blobs = message.type === 3 || message.blobVersionedHashes.length > 0
  if (blobs) checkBlobs(block, message, options)
  if (message.type === 4) {
    if (message.to === undefined) throw transitionErrors.setCodeCreation(message.sender)
    if (message.authorizationList.length === 0) throw transitionErrors.emptyAuthorizationList(message.sender)
  }
  checkFunds(sender, message)
  const intrinsic = intrinsicGas(message)
  if (gasLimit < intrinsic) throw transitionErrors.intrinsicGasTooLow(gasLimit, intrinsic)
  const floorGas = block.hardfork === 'cancun' ? 0n : floorDataGas(data)
  if (gasLimit < floorGas) throw transitionErrors.floorDataGasTooLow(gasLimit, floorGas)
  if (message.to === undefined && data.length > MAX_INIT_CODE_BYTES) {
    throw transitionErrors.initCodeTooLarge(data.length, MAX_INIT_CODE_BYTES)
  }
  return {
    sender,
    effectiveGasPrice: charged ? effectiveGasPrice(maxFeePerGas, maxPriorityFeePerGas, block.baseFeePerGas) : 0n,
    intrinsicGas: intrinsic,
    floorGas,
    blobFeeAnat: blobs && charged ? BLOB_GAS * BigInt(message.blobVersionedHashes.length) * block.blobBaseFee : 0n,
    charged,
  }
}

/** Codes and texts of the EVM's refusals. The texts are geth's, for clients match on them; the codes never change. */
import { checksumAddress, type Address } from '../core/address.ts'
import { CodedError } from '../core/errors.ts'
import { EVM_ERRORS } from './error-codes.ts'

export const EVM_CODESPACE = 'evm'

export const EVM_ERROR = EVM_ERRORS.codes

export type EvmErrorName = keyof typeof EVM_ERROR

export const evmError = (name: EvmErrorName, message: string): CodedError =>
  new CodedError(EVM_CODESPACE, EVM_ERROR[name], message)

/** True for an error of this package with the given name. */
export const isEvmError = (error: unknown, name: EvmErrorName): boolean =>
  error instanceof CodedError && error.codespace === EVM_CODESPACE && error.code === EVM_ERROR[name]

export const typeNotSupported = (): CodedError => evmError('typeNotSupported', 'transaction type not supported')
export const typedTransactionTooShort = (): CodedError =>
  evmError('typedTransactionTooShort', 'typed transaction too short')
export const invalidSender = (reason: string): CodedError => evmError('invalidSender', `invalid sender: ${reason}`)
export const invalidChainId = (have: bigint, want: bigint): CodedError =>
  evmError('invalidChainId', `invalid sender: invalid chain id for signer: have ${have} want ${want}`)
export const nonceMax = (): CodedError => evmError('nonceMax', 'nonce has max value')
export const exceedsBlockGasLimit = (): CodedError => evmError('exceedsBlockGasLimit', 'exceeds block gas limit')
export const gasLimitTooHigh = (cap: bigint, gas: bigint): CodedError =>
  evmError('gasLimitTooHigh', `transaction gas limit too high (cap: ${cap}, tx: ${gas})`)
export const emptyAuthorizationList = (): CodedError =>
  evmError('emptyAuthorizationList', 'set code tx must have at least one authorization tuple')

const INSUFFICIENT_FUNDS = 'insufficient funds for gas * price + value'

/** The pool's words. */
export const poolErrors = {
  initCodeTooLarge: (size: number, limit: number): CodedError =>
    evmError('initCodeTooLarge', `max initcode size exceeded: code size ${size}, limit ${limit}`),
  tipAboveFeeCap: (): CodedError => evmError('tipAboveFeeCap', 'max priority fee per gas higher than max fee per gas'),
  feeCapVeryHigh: (): CodedError => evmError('feeCapVeryHigh', 'max fee per gas higher than 2^256-1'),
  tipVeryHigh: (): CodedError => evmError('tipVeryHigh', 'max priority fee per gas higher than 2^256-1'),
  intrinsicGasTooLow: (gas: bigint, minimum: bigint): CodedError =>
    evmError('intrinsicGasTooLow', `intrinsic gas too low: gas ${gas}, minimum needed ${minimum}`),
  floorDataGasTooLow: (gas: bigint, minimum: bigint): CodedError =>
    evmError('floorDataGasTooLow', `insufficient gas for floor data gas cost: gas ${gas}, minimum needed ${minimum}`),
  nonceTooLow: (next: bigint, nonce: bigint): CodedError =>
    evmError('nonceTooLow', `nonce too low: next nonce ${next}, tx nonce ${nonce}`),
  nonceTooHigh: (nonce: bigint, gapped: bigint): CodedError =>
    evmError('nonceTooHigh', `nonce too high: tx nonce ${nonce}, gapped nonce ${gapped}`),
  insufficientFunds: (balance: bigint, cost: bigint): CodedError =>
    evmError(
      'insufficientFunds',
      `${INSUFFICIENT_FUNDS}: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`,
    ),
} as const

const at = (address: Address): string => `address ${checksumAddress(address)}`

/** The words of geth's state transition: what eth_call, traces and simulations show. */
export const transitionErrors = {
  nonceTooHigh: (sender: Address, nonce: bigint, state: bigint): CodedError =>
    evmError('nonceTooHigh', `nonce too high: ${at(sender)}, tx: ${nonce} state: ${state}`),
  nonceTooLow: (sender: Address, nonce: bigint, state: bigint): CodedError =>
    evmError('nonceTooLow', `nonce too low: ${at(sender)}, tx: ${nonce} state: ${state}`),
  nonceMax: (sender: Address, nonce: bigint): CodedError =>
    evmError('nonceMax', `nonce has max value: ${at(sender)}, nonce: ${nonce}`),
  senderNotEoa: (sender: Address, codeLength: number): CodedError =>
    evmError('senderNotEoa', `sender not an eoa: ${at(sender)}, len(code): ${codeLength}`),
  feeCapVeryHigh: (sender: Address, bits: number): CodedError =>
    evmError('feeCapVeryHigh', `max fee per gas higher than 2^256-1: ${at(sender)}, maxFeePerGas bit length: ${bits}`),
  tipVeryHigh: (sender: Address, bits: number): CodedError =>
    evmError(
      'tipVeryHigh',
      `max priority fee per gas higher than 2^256-1: ${at(sender)}, maxPriorityFeePerGas bit length: ${bits}`,
    ),
  tipAboveFeeCap: (sender: Address, tip: bigint, feeCap: bigint): CodedError =>
    evmError(
      'tipAboveFeeCap',
      `max priority fee per gas higher than max fee per gas: ${at(sender)}, maxPriorityFeePerGas: ${tip}, maxFeePerGas: ${feeCap}`,
    ),
  feeCapTooLow: (sender: Address, feeCap: bigint, baseFee: bigint): CodedError =>
    evmError(
      'feeCapTooLow',
      `max fee per gas less than block base fee: ${at(sender)}, maxFeePerGas: ${feeCap}, baseFee: ${baseFee}`,
    ),
  blobFeeCapTooLow: (sender: Address, feeCap: bigint, blobBaseFee: bigint): CodedError =>
    evmError(
      'blobFeeCapTooLow',
      `max fee per blob gas less than block blob gas fee: ${at(sender)} blobGasFeeCap: ${feeCap}, blobBaseFee: ${blobBaseFee}`,
    ),
  blobTransactionCreation: (): CodedError => evmError('blobTransactionCreation', 'blob transaction of type create'),
  missingBlobHashes: (): CodedError => evmError('missingBlobHashes', 'blob transaction missing blob hashes'),
  tooManyBlobs: (): CodedError => evmError('tooManyBlobs', 'blob transaction has too many blobs'),
  invalidBlobHashVersion: (index: number): CodedError =>
    evmError('invalidBlobHashVersion', `blob ${index} has invalid hash version`),
  setCodeCreation: (sender: Address): CodedError =>
    evmError(
      'setCodeCreation',
      `EIP-7702 transaction cannot be used to create contract (sender ${checksumAddress(sender)})`,
    ),
  emptyAuthorizationList: (sender: Address): CodedError =>
    evmError('emptyAuthorizationList', `EIP-7702 transaction with empty auth list (sender ${checksumAddress(sender)})`),
  insufficientFunds: (sender: Address, have: bigint, want: bigint): CodedError =>
    evmError('insufficientFunds', `${INSUFFICIENT_FUNDS}: ${at(sender)} have ${have} want ${want}`),
  costOverflow: (sender: Address): CodedError =>
    evmError('insufficientFunds', `${INSUFFICIENT_FUNDS}: ${at(sender)} required balance exceeds 256 bits`),
  insufficientFundsForTransfer: (sender: Address): CodedError =>
    evmError('insufficientFundsForTransfer', `insufficient funds for transfer: ${at(sender)}`),
  intrinsicGasTooLow: (have: bigint, want: bigint): CodedError =>
    evmError('intrinsicGasTooLow', `intrinsic gas too low: have ${have}, want ${want}`),
  floorDataGasTooLow: (have: bigint, want: bigint): CodedError =>
    evmError('floorDataGasTooLow', `insufficient gas for floor data gas cost: have ${have}, want ${want}`),
  initCodeTooLarge: (size: number, limit: number): CodedError =>
    evmError('initCodeTooLarge', `max initcode size exceeded: code size ${size} limit ${limit}`),
} as const

/** eth_fillTransaction: a transaction object with everything that signing it needs (geth's setDefaults). */
import { keccak256 } from '../core/hash.ts'
import { bytesToHex, type Hex, hexToBigint, quantityToHex } from '../core/hex.ts'
import { transitionErrors } from '../evm/errors.ts'
import { encodeTransaction } from '../evm/transaction/encode-transaction.ts'
import type { Transaction } from '../evm/transaction/transaction.ts'
import { queryFailed } from '../app/errors.ts'
import type { BlockReference, CallRequest, Questions } from '../app/ports.ts'
import { estimateGas, openScene } from './calls.ts'
import { withFeeDefaults } from './fee-defaults.ts'
import { toCallMessage } from './message.ts'
import { unsignedTransaction, unsignedType } from './unsigned-transaction.ts'
import type { ChainView } from './chain-view.ts'
import { accessListMember, authorizationMember, type Json } from './ethereum-json.ts'

/** EIP-7594. */
const MAX_BLOBS = 6

const checkMembers = ({ to, data = '0x', blobVersionedHashes: blobs }: CallRequest): void => {
  if (blobs?.length === 0) throw queryFailed('need at least 1 blob for a blob transaction')
  if (blobs !== undefined && blobs.length > MAX_BLOBS) {
    throw queryFailed(`too many blobs in transaction (have=${blobs.length}, max=${MAX_BLOBS})`)
  }
  if (to !== undefined) return
  if (blobs !== undefined) throw queryFailed('missing "to" in blob transaction')
  if (data === '0x') throw queryFailed('contract creation without any data provided')
}

/** Estimates with what the transaction will hold: geth 1.16 leaves authorizations out, and estimates too little. */
const estimate = (view: ChainView, call: CallRequest, block: BlockReference): Promise<Hex> => {
  const { nonce: _, authorizationList = [], chainId: _chainId, ...estimated } = call
  const isSetCode = unsignedType(call) === 4 && authorizationList.length > 0
  return estimateGas(view, { call: isSetCode ? { ...estimated, authorizationList } : estimated, block })
}

/** The members in the order of geth's transactions; those that its type lacks are null or left out. */
const unsignedJson = (transaction: Transaction, raw: Uint8Array): Json => {
  const { type, chainId } = transaction
  const isPriced = 'gasPrice' in transaction
  return {
    type: quantityToHex(type),
    ...(chainId === undefined ? {} : { chainId: quantityToHex(chainId) }),
    nonce: quantityToHex(transaction.nonce),
    to: transaction.to === undefined ? null : bytesToHex(transaction.to),
    gas: quantityToHex(transaction.gasLimit),
    gasPrice: isPriced ? quantityToHex(transaction.gasPrice) : null,
    maxPriorityFeePerGas: isPriced ? null : quantityToHex(transaction.maxPriorityFeePerGas),
    maxFeePerGas: isPriced ? null : quantityToHex(transaction.maxFeePerGas),
    value: quantityToHex(transaction.value),
    input: bytesToHex(transaction.data),
    ...accessListMember(transaction),
    ...(type === 4 && transaction.authorizationList.length === 0 ? {} : authorizationMember(transaction)),
    v: '0x0',
    r: '0x0',
    s: '0x0',
    ...(type === 0 ? {} : { yParity: '0x0' }),
    hash: bytesToHex(keccak256(raw)),
  }
}

export const fillTransaction = async (view: ChainView, question: Questions['fillTransaction']): Promise<Json> => {
  const { evmChainId } = view.parameters
  const { environment } = await openScene(view, question.block)
  const priced = withFeeDefaults(question.call, question.suggestedTip ?? '0x0', environment)
  if (question.inputDiffers) {
    throw queryFailed('both "data" and "input" are set and not equal. Please use "input" to pass transaction call data')
  }
  checkMembers(priced)
  const gas = priced.gas ?? (await estimate(view, priced, question.block))
  const nonce = priced.nonce ?? question.nextNonce ?? '0x0'
  const message = toCallMessage({ ...priced, nonce }, evmChainId, hexToBigint(gas))
  const type = unsignedType(priced)
  if (type === 3) throw queryFailed('transaction type not supported')
  // geth has no error for it: its handler crashes.
  if (type === 4 && message.to === undefined) throw transitionErrors.setCodeCreation(message.sender)
  const transaction = unsignedTransaction(message, type, evmChainId)
  const raw = encodeTransaction(transaction)
  return { raw: bytesToHex(raw), tx: unsignedJson(transaction, raw) }
}

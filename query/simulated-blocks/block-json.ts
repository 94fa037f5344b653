/** Simulated blocks as JSON-RPC shows them. */
import type { Address } from '../../core/address.ts'
import { bigintToBytes, bytesToKey, EMPTY_BYTES } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import { bytesToHex, type Hex, hexToBigint, hexToBytes, quantityToHex } from '../../core/hex.ts'
import { JSON_RPC } from '../../core/json-rpc-codes.ts'
import type { ExecutionResult } from '../../evm/engine.ts'
import { blockSizeBytes } from '../../app/records/block-size.ts'
import { encodeHeader, type Header } from '../../app/records/header.ts'
import type { Withdrawal } from '../../app/ports.ts'
import { revertReason } from '../revert-reason.ts'
import { blockJson, type Json, logJson } from '../ethereum-json.ts'
import type { NumberedLog } from './log-tracer.ts'
import { type CallTransaction, callTransactionJson } from './call-transaction.ts'

export interface SimulatedCall {
  readonly transaction: CallTransaction
  readonly result: ExecutionResult
  readonly logs: readonly NumberedLog[]
  readonly encodedReceipt: Uint8Array
  readonly bloom: Uint8Array
}

/** Calls that fail, in the answer of a simulation that does not. Geth has another number for a revert here. */
const errorJson = ({ failure, returnData }: ExecutionResult): Json => {
  if (failure === undefined) return {}
  return failure.kind === 'revert'
    ? { error: { message: revertReason(returnData), code: JSON_RPC.refused, data: bytesToHex(returnData) } }
    : { error: { message: failure.message, code: JSON_RPC.callFailed } }
}

const callJson = (
  { transaction, result, logs }: SimulatedCall,
  transactionIndex: number,
  header: Header,
  hash: Hash,
): Json => {
  const record = { header, hash, timeNs: 0n, sizeBytes: 0, transactionCount: 0, logCount: 0, logBytes: 0 }
  const transactionHash = bytesToHex(transaction.hash)
  return {
    returnData: result.failure === undefined ? bytesToHex(result.returnData) : '0x',
    logs: logs.map(({ log, index }) => logJson(log, { record, transactionHash, transactionIndex, logIndex: index })),
    gasUsed: quantityToHex(result.gasUsed),
    status: result.failure === undefined ? '0x1' : '0x0',
    ...errorJson(result),
  }
}

/** The fields of a withdrawal as they stand in a block (EIP-4895). */
export const withdrawalFields = ({ index, validatorIndex, address, amount }: Withdrawal): Uint8Array[] => [
  bigintToBytes(hexToBigint(index)),
  bigintToBytes(hexToBigint(validatorIndex)),
  hexToBytes(address),
  bigintToBytes(hexToBigint(amount)),
]

export interface SimulatedCalls {
  readonly outcomes: readonly SimulatedCall[]
  /**
   * The senders by `bytesToKey` of the hash of the transaction: the sender of equal calls is that of the last of them.
   */
  readonly senders: ReadonlyMap<string, Address>
}

/** A block of geth's with one member more, in the order of their names. */
export const simulatedBlockJson = (
  { outcomes, senders }: SimulatedCalls,
  header: Header,
  hash: Hash,
  withdrawals: readonly Withdrawal[],
  full: boolean,
): Json => {
  const blockHash: Hex = bytesToHex(hash)
  const transactions = outcomes.map(({ transaction }, index) => {
    if (!full) return bytesToHex(transaction.hash)
    const placement = { blockHash, height: header.number, index, baseFeePerGas: header.baseFeePerGas }
    const sender = senders.get(bytesToKey(transaction.hash)) ?? EMPTY_BYTES
    return callTransactionJson(transaction, sender, placement)
  })
  const raws = outcomes.map(({ transaction }) => transaction.raw)
  const sizeBytes = blockSizeBytes(encodeHeader(header), raws, withdrawals.map(withdrawalFields))
  const { baseFeePerGas, blobGasUsed, ...rest } = blockJson(header, hash, sizeBytes, transactions)
  const calls = outcomes.map((outcome, index) => callJson(outcome, index, header, hash))
  return { baseFeePerGas, blobGasUsed, calls, ...rest, withdrawals }
}

/** The fees that a transaction object leaves out, filled in and judged as by geth (setFeeDefaults). */
import { type Hex, hexToBigint, quantityToHex } from '../core/hex.ts'
import type { BlockEnvironment } from '../evm/engine.ts'
import { queryFailed } from '../app/errors.ts'
import type { CallRequest } from '../app/ports.ts'

const isZero = (quantity: Hex | undefined): boolean => quantity !== undefined && hexToBigint(quantity) === 0n

/** Twice the base fee on top of the tip: the transaction stays valid while the base fee rises. */
const dynamicFees = (call: CallRequest, suggestedTip: Hex, baseFeePerGas: bigint): CallRequest => {
  if (call.maxPriorityFeePerGas !== undefined && isZero(call.maxFeePerGas)) {
    throw queryFailed('maxFeePerGas must be non-zero')
  }
  const maxPriorityFeePerGas = call.maxPriorityFeePerGas ?? suggestedTip
  const tip = hexToBigint(maxPriorityFeePerGas)
  const maxFeePerGas = call.maxFeePerGas ?? quantityToHex(tip + 2n * baseFeePerGas)
  if (hexToBigint(maxFeePerGas) < tip) {
    throw queryFailed(`maxFeePerGas (${maxFeePerGas}) < maxPriorityFeePerGas (${maxPriorityFeePerGas})`)
  }
  return { ...call, maxFeePerGas, maxPriorityFeePerGas }
}

/** `block` is the one that the transaction follows. Throws query/1. */
export const withFeeDefaults = (
  call: CallRequest,
  suggestedTip: Hex,
  { baseFeePerGas, blobBaseFee }: Pick<BlockEnvironment, 'baseFeePerGas' | 'blobBaseFee'>,
): CallRequest => {
  if (isZero(call.maxFeePerBlobGas)) throw queryFailed('maxFeePerBlobGas, if specified, must be non-zero')
  const lacksBlobFee = call.blobVersionedHashes !== undefined && call.maxFeePerBlobGas === undefined
  const filled = lacksBlobFee ? { ...call, maxFeePerBlobGas: quantityToHex(2n * blobBaseFee) } : call
  if (call.gasPrice === undefined) return dynamicFees(filled, suggestedTip, baseFeePerGas)
  if (call.maxFeePerGas !== undefined || call.maxPriorityFeePerGas !== undefined) {
    throw queryFailed('both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified')
  }
  if (isZero(call.gasPrice)) throw queryFailed('gasPrice must be non-zero after london fork')
  return filled
}

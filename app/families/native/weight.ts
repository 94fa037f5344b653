/** What a native transaction weighs (evm/weight.ts): its signatures, and what its gas stands for. */
import { WEIGHT } from '../../../evm/weight.ts'
import { mayBeTypedData } from '../../native/verify-typed-data.ts'
import type { PreparedTransaction } from './prepare.ts'

/** Counts every key of a multisig that signs. */
const countSignatures = ({ transaction }: PreparedTransaction): number => {
  let count = 0
  for (const { mode } of transaction.signerInfos) count += mode.type === 'multi' ? mode.bits.filter(Boolean).length : 1
  return count
}

/** What it takes longer to find a signature over typed data: it is the last that is looked for. */
const typedDataWeight = ({ transaction }: PreparedTransaction): number =>
  WEIGHT.typedData + WEIGHT.typedDataByte * transaction.raw.length

/** The weight in nanoseconds. */
export const nativeWeight = (prepared: PreparedTransaction, gas: bigint, isTypedData: boolean): number =>
  WEIGHT.transaction +
  WEIGHT.nativeSignature * countSignatures(prepared) +
  WEIGHT.nativeGas * Number(gas) +
  (isTypedData ? typedDataWeight(prepared) : 0)

/**
 * The weight with all the gas that the transaction may use, and its signature of the dearest kind: it must fit into a
 * block before it runs.
 */
export const mostNativeWeight = (prepared: PreparedTransaction, gas = prepared.transaction.fee.gasLimit): number =>
  nativeWeight(prepared, gas, mayBeTypedData(prepared.transaction))

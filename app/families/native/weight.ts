/** What a native transaction weighs (evm/weight.ts): its signatures, and what its gas stands for. */
import { WEIGHT } from '../../../evm/weight.ts'
import type { PreparedTransaction } from './prepare.ts'

/** Of a multisig every key that signs. */
const countSignatures = ({ transaction }: PreparedTransaction): number => {
  let count = 0
  for (const { mode } of transaction.signerInfos) count += mode.type === 'multi' ? mode.bits.filter(Boolean).length : 1
  return count
}

/** In nanoseconds. */
export const nativeWeight = (prepared: PreparedTransaction, gas: bigint): number =>
  WEIGHT.transaction + WEIGHT.nativeSignature * countSignatures(prepared) + WEIGHT.nativeGas * Number(gas)

/** With all the gas that it may use: it must fit into a block before it runs. */
export const mostNativeWeight = (prepared: PreparedTransaction): number =>
  nativeWeight(prepared, prepared.transaction.fee.gasLimit)

/** Native transactions: a TxRaw of protobuf, whose messages the modules handle. */
import { sha256 } from '../../../core/hash.ts'
import { WEIGHT } from '../../../evm/weight.ts'
import type { Module } from '../../../modules/module.ts'
import { leastTransactionGas } from '../../native/gas.ts'
import { soleSignatureTask } from '../../native/verify-signatures.ts'
import type { ExaminedTransaction, PoolFamily } from '../../pool/family.ts'
import { admitNative } from './admit.ts'
import { createPrepare } from './prepare.ts'
import { NativeTransactionInBlock } from './transaction.ts'

/** Field 1, length-delimited: body_bytes of a TxRaw. */
const BODY_BYTES_TAG = 0x0a

export const createNativeFamily = (modules: readonly Module[]): PoolFamily => {
  const prepare = createPrepare(modules)
  return {
    name: 'native',
    isLeading: false,
    isInEthereumBlock: false,
    isShown: true,
    recognises: (firstByte) => firstByte === BODY_BYTES_TAG,
    hash: (raw) => sha256(raw),
    decode: (raw) => new NativeTransactionInBlock(prepare(raw)),
    leastGas: leastTransactionGas,
    leastWeight: WEIGHT.transaction,
    examine: (raw, origin, { nativeChainId }): ExaminedTransaction => {
      const prepared = prepare(raw)
      const { transaction, signers } = prepared
      return {
        signatureTask: () => soleSignatureTask(transaction, signers, nativeChainId),
        enter: (answer, now) => admitNative({ ...prepared, isVerified: answer !== undefined }, now, origin),
      }
    },
  }
}

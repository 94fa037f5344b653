/** A native transaction in a block: its messages run, and a result stands for it beside the Ethereum block. */
import { CodedError, isFault } from '../../../core/errors.ts'
import type { Hash } from '../../../core/hash.ts'
import { overWeight } from '../../../evm/weight.ts'
import {
  type AppliedTransaction,
  type BlockTransaction,
  type ExecutionHooks,
  invalid,
  type TransactionOutcome,
  type TransactionScope,
} from '../../block/transaction.ts'
import type { TransactionResult } from '../../ports.ts'
import { type ExecutedTransaction, executeNative, executeNativeAt } from './execute.ts'
import type { PreparedTransaction } from './prepare.ts'
import { mostNativeWeight } from './weight.ts'

class AppliedNative implements AppliedTransaction {
  readonly kind = 'applied'
  readonly ethereum = undefined
  readonly weight: number
  readonly workGas: bigint
  readonly #prepared: PreparedTransaction
  readonly #result: TransactionResult

  constructor(prepared: PreparedTransaction, { result, weight, workGas }: ExecutedTransaction) {
    this.#prepared = prepared
    this.#result = result
    this.weight = weight
    this.workGas = workGas
  }

  get gasUsed(): bigint {
    return this.#result.gasUsed
  }

  result(): TransactionResult {
    return this.#result
  }

  storedHash(): Hash {
    return this.#prepared.transaction.hash
  }
}

export class NativeTransactionInBlock implements BlockTransaction {
  readonly prepared: PreparedTransaction

  constructor(prepared: PreparedTransaction) {
    this.prepared = prepared
  }

  apply(scope: TransactionScope, { pace }: ExecutionHooks): TransactionOutcome | Promise<TransactionOutcome> {
    const { chain, content, overlay, environment, nativePrecompiles, gasLeft, weightLeft } = scope
    const { height, timeNs } = content
    try {
      if (mostNativeWeight(this.prepared) > weightLeft) throw overWeight()
      const context = {
        state: overlay,
        height,
        timeNs,
        chainId: chain.parameters.chainId,
        evmChainId: chain.parameters.evmChainId,
        baseFeePerGas: environment.baseFeePerGas,
        gasLeft,
        scene: { engine: chain.engine, environment, nativePrecompiles },
      }
      const executed =
        pace === undefined ? executeNative(this.prepared, context) : executeNativeAt(pace, this.prepared, context)
      if (!(executed instanceof Promise)) return new AppliedNative(this.prepared, executed)
      return executed.then((later) => new AppliedNative(this.prepared, later))
    } catch (error) {
      if (!(error instanceof CodedError) || isFault(error)) throw error
      return invalid(error)
    }
  }
}

/** An Ethereum transaction in a block: the engine executes it, and a receipt stands for it in the Ethereum block. */
import { type Hash, sha256 } from '../../../core/hash.ts'
import type { ExecutionOutcome, ExecutionResult } from '../../../evm/engine.ts'
import { typeNotSupported } from '../../../evm/errors.ts'
import type { SignedTransaction } from '../../../evm/transaction/transaction.ts'
import { toMessage } from '../../../evm/transaction/validity.ts'
import { noteBurntByEvm } from '../../../modules/bank/index.ts'
import { encodeEvents } from '../../../proto/encode-exec-tx-result.ts'
import type { Receipt } from '../../records/receipt.ts'
import {
  type AppliedTransaction,
  type BlockTransaction,
  type EthereumOutcome,
  type ExecutionHooks,
  invalid,
  type TransactionOutcome,
  type TransactionScope,
} from '../../block/transaction.ts'
import { appError, wrongChainText } from '../../errors.ts'
import type { TransactionResult } from '../../ports.ts'
import { ethereumResult } from './result.ts'

class AppliedEthereum implements AppliedTransaction {
  readonly kind = 'applied'
  readonly ethereum: EthereumOutcome
  /** Kept, because both index and pool ask for it. */
  #storedHash: Hash | undefined

  constructor(ethereum: EthereumOutcome) {
    this.ethereum = ethereum
  }

  get gasUsed(): bigint {
    return this.ethereum.result.gasUsed
  }

  get weight(): number {
    return this.ethereum.result.weight
  }

  get workGas(): bigint {
    return this.ethereum.result.gasBeforeRefund
  }

  result(ethereumIndex: number): TransactionResult {
    const { signed, receipt, result } = this.ethereum
    const { nativeEvents, failure } = result
    const shown = ethereumResult({ signed, receipt, failure: failure?.message, nativeEvents }, ethereumIndex)
    return { ...shown, events: encodeEvents(shown.events) }
  }

  /** Receipts say all about those that called no native precompile. */
  storedHash(): Hash | undefined {
    const { signed, result } = this.ethereum
    if (result.nativeEvents.length > 0) this.#storedHash ??= sha256(signed.raw)
    return this.#storedHash
  }
}

export class EthereumTransaction implements BlockTransaction {
  readonly signed: SignedTransaction

  constructor(signed: SignedTransaction) {
    this.signed = signed
  }

  apply(scope: TransactionScope, hooks: ExecutionHooks): TransactionOutcome | Promise<TransactionOutcome> {
    const { transaction } = this.signed
    const { environment, gasLeft, overlay } = scope
    const { chainId } = transaction
    if (chainId !== undefined && chainId !== environment.chainId) {
      return invalid(appError('invalidInBlock', wrongChainText(chainId, environment.chainId)))
    }
    if (transaction.type === 4 && environment.hardfork === 'cancun') return invalid(typeNotSupported())
    if (transaction.gasLimit > gasLeft) {
      const message = `gas limit reached: the block has ${gasLeft} gas left, the transaction asks for ${transaction.gasLimit}`
      return invalid(appError('outOfGas', message))
    }
    overlay.beginTransaction()
    const outcome = scope.chain.engine.execute(overlay, environment, toMessage(this.signed), {
      fees: 'collect',
      checks: 'transaction',
      nativePrecompiles: scope.nativePrecompiles,
      ...hooks,
      weightLimit: Math.min(scope.weightLeft, hooks.weightLimit ?? Number.POSITIVE_INFINITY),
    })
    return outcome instanceof Promise
      ? outcome.then((settled) => this.#finish(scope, settled))
      : this.#finish(scope, outcome)
  }

  #finish(scope: TransactionScope, outcome: ExecutionOutcome): TransactionOutcome {
    if (!outcome.valid) return invalid(outcome.error)
    const { result } = outcome
    noteBurntByEvm(scope.overlay, result.burntAnat)
    return new AppliedEthereum({ signed: this.signed, result, receipt: this.#receipt(scope, result) })
  }

  #receipt({ ethereumGasUsed, logCount }: TransactionScope, result: ExecutionResult): Receipt {
    const { type, to } = this.signed.transaction
    return {
      type,
      succeeded: result.failure === undefined,
      gasUsed: result.gasUsed,
      cumulativeGasUsed: ethereumGasUsed + result.gasUsed,
      effectiveGasPrice: result.effectiveGasPrice,
      contractAddress: to === undefined ? result.createdAddress : undefined,
      firstLogIndex: logCount,
      logs: result.logs,
    }
  }
}

/** Transactions of the order book: the batch of a block executes them, and their place in it only tells what came of them. */
import { type Hash, sha256 } from '../../../core/hash.ts'
import { CLOB_TX_BYTE } from '../../../modules/clob/index.ts'
import {
  type AppliedTransaction,
  type BlockTransaction,
  invalid,
  type TransactionOutcome,
  type TransactionScope,
} from '../../block/transaction.ts'
import { appError, poolError } from '../../errors.ts'
import type { PoolFamily } from '../../pool/family.ts'
import type { TransactionResult } from '../../ports.ts'

/** It counts no gas and no weight of the other families: the batch has limits of its own. */
class AppliedClob implements AppliedTransaction {
  readonly kind = 'applied'
  readonly gasUsed = 0n
  readonly weight = 0
  readonly workGas = 0n
  readonly ethereum = undefined
  readonly #raw: Uint8Array
  readonly #result: TransactionResult
  /** Indexes, results and both pools ask for it. */
  #hash: Hash | undefined

  constructor(raw: Uint8Array, result: TransactionResult) {
    this.#raw = raw
    this.#result = result
  }

  result(): TransactionResult {
    return this.#result
  }

  storedHash(): Hash {
    return (this.#hash ??= sha256(this.#raw))
  }
}

class ClobTransaction implements BlockTransaction {
  readonly #raw: Uint8Array

  constructor(raw: Uint8Array) {
    this.#raw = raw
  }

  apply(scope: TransactionScope): TransactionOutcome {
    const result = scope.batchResult()
    return result === undefined
      ? invalid(appError('invalidInBlock', 'transactions of the order book stand in the batch of a block alone'))
      : new AppliedClob(this.#raw, result)
  }
}

export const clobFamily: PoolFamily = {
  name: 'clob',
  isLeading: false,
  isBatched: true,
  isInEthereumBlock: false,
  isShown: false,
  recognises: (firstByte) => firstByte === CLOB_TX_BYTE,
  hash: (raw) => sha256(raw),
  decode: (raw) => new ClobTransaction(raw),
  leastGas: () => 0n,
  leastWeight: 0,
  examine: () => {
    throw poolError('familyNotSupported', 'transactions of the order book enter by clob_sendOrder or CometBFT')
  },
}

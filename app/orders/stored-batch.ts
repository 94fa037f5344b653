/** The batch of a stored block, for whoever executes the block once more without a book: what it wrote stands beside it. */
import type { KeyValueStore } from '../../store/store.ts'
import type { BatchOutcome, BatchScope, BatchStep } from '../block/batch.ts'
import type { FamilyTable } from '../block/family.ts'
import { NO_RESULT } from '../block/transaction.ts'
import { readBatchChanges } from '../index/block-outcome.ts'

export class StoredBatch implements BatchStep {
  readonly #store: KeyValueStore
  readonly #families: FamilyTable

  constructor(store: KeyValueStore, families: FamilyTable) {
    this.#store = store
    this.#families = families
  }

  /** Tells only that there are results: their words are stored elsewhere. */
  run({ content }: BatchScope, transactions: readonly Uint8Array[]): BatchOutcome {
    const results = new Map<number, typeof NO_RESULT>()
    for (const [index, raw] of transactions.entries()) {
      if (this.#families.of(raw).isBatched === true) results.set(index, NO_RESULT)
    }
    const changes = readBatchChanges(this.#store, content.height)
    return {
      fault: undefined,
      carried: undefined,
      isStopped: false,
      results,
      changes,
      book: undefined,
      told: undefined,
    }
  }
}

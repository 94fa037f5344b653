/** Transactions with terms that left the pool and were in no block: whoever waits for one learns when it cannot come any more. */
import { bytesToKey } from '../../core/bytes.ts'
import type { CodedError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { sdkError } from '../../modules/sdk-errors.ts'
import type { StateReader } from '../../store/state.ts'
import type { EntryTerms, PoolEntry } from './entry.ts'

/** The oldest are forgotten when there are more. */
const MAX_ENTRIES = 5_000
const MAX_BYTES = 8 * 1024 * 1024

/** A transaction that cannot be in a block any more. */
export interface FailedEntry {
  readonly raw: Uint8Array
  readonly error: CodedError
}

interface Departed extends EntryTerms {
  readonly raw: Uint8Array
}

const isTimedOut = ({ timeoutHeight }: Departed, height: number): boolean =>
  timeoutHeight > 0n && BigInt(height) > timeoutHeight

export class DepartedEntries {
  /** The entries by hash, oldest first. */
  readonly #entries = new Map<string, Departed>()
  #bytes = 0

  /** One without terms may come again for ever, and is not kept. */
  add({ raw, hash, terms }: PoolEntry): void {
    if (terms === undefined) return
    this.delete(bytesToKey(hash))
    // What it was decoded to is let go.
    this.#entries.set(bytesToKey(hash), { ...terms, raw })
    this.#bytes += raw.length
    for (const key of this.#entries.keys()) {
      if (this.#entries.size <= MAX_ENTRIES && this.#bytes <= MAX_BYTES) break
      this.delete(key)
    }
  }

  /** Deletes an entry by `bytesToKey` of its hash: a block holds it after all. */
  delete(hashKey: string): void {
    this.#bytes -= this.#entries.get(hashKey)?.raw.length ?? 0
    this.#entries.delete(hashKey)
  }

  clear(): void {
    this.#entries.clear()
    this.#bytes = 0
  }

  /**
   * Undefined for one that may still come: it was replaced or dropped here, but the sequence that it names is free, and
   * another node may hold it. `hash` is of one that no block holds; `height` is the next block's.
   */
  failure(hash: Hash, state: StateReader, height: number): FailedEntry | undefined {
    const departed = this.#entries.get(bytesToKey(hash))
    if (departed === undefined) return undefined
    for (const [address, sequence] of departed.sequences) {
      const expected = state.account(address)?.nonce ?? 0n
      if (expected <= sequence) continue
      const error = sdkError('wrongSequence', `account sequence mismatch, expected ${expected}, got ${sequence}`)
      return { raw: departed.raw, error }
    }
    if (!isTimedOut(departed, height)) return undefined
    const error = sdkError('timeoutHeight', `block height: ${height}, timeout height: ${departed.timeoutHeight}`)
    return { raw: departed.raw, error }
  }
}

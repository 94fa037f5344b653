/** Polling filters: they live in the application, so that any gateway can answer for them. */
import type { Hex } from '../../core/hex.ts'
import { limitExceeded, queryFailed } from '../errors.ts'
import type { LogCriteria } from '../ports.ts'

/** What one pending-transaction filter holds between two polls: hashes, or whole transactions. */
const MAX_PENDING_HASHES = 10_000
const MAX_PENDING_TRANSACTIONS = 1_000

export type Filter =
  /** `cursor` is the last height that was answered. */
  | { readonly kind: 'logs'; readonly criteria: LogCriteria; cursor: number; usedMs: number }
  | { readonly kind: 'blocks'; cursor: number; usedMs: number }
  /** JSON texts: hashes, or transactions in full. */
  | { readonly kind: 'pending'; readonly full: boolean; transactions: string[]; usedMs: number }

export class Filters {
  readonly #filters = new Map<Hex, Filter>()
  readonly #lifetimeMs: number
  readonly #most: number

  constructor(lifetimeMs: number, most: number) {
    this.#lifetimeMs = lifetimeMs
    this.#most = most
  }

  add(id: Hex, filter: Filter): Hex {
    this.#expire(filter.usedMs)
    if (this.#filters.size >= this.#most) throw limitExceeded(`too many filters: at most ${this.#most} at once`)
    this.#filters.set(id, filter)
    return id
  }

  /** Throws query/1 `filter not found`, also for one that was not polled for its lifetime. */
  use(id: Hex, nowMs: number): Filter {
    const filter = this.#filters.get(id)
    if (filter === undefined || nowMs - filter.usedMs > this.#lifetimeMs) {
      this.#filters.delete(id)
      throw queryFailed('filter not found')
    }
    filter.usedMs = nowMs
    return filter
  }

  remove(id: Hex): boolean {
    return this.#filters.delete(id)
  }

  /** `describe` gives a transaction in full while the pool has it. */
  notePending(hashes: readonly Hex[], describe: (hash: Hex) => string | undefined): void {
    for (const filter of this.#filters.values()) {
      if (filter.kind !== 'pending') continue
      const room = (filter.full ? MAX_PENDING_TRANSACTIONS : MAX_PENDING_HASHES) - filter.transactions.length
      for (const hash of hashes.slice(0, Math.max(room, 0))) {
        const shown = filter.full ? describe(hash) : `"${hash}"`
        if (shown !== undefined) filter.transactions.push(shown)
      }
    }
  }

  #expire(nowMs: number): void {
    for (const [id, filter] of this.#filters) if (nowMs - filter.usedMs > this.#lifetimeMs) this.#filters.delete(id)
  }
}

/** Keeps the journal of a pool: one write for all that enters in a turn of the event loop, and a new one when it is outdated. */
import { bytesToKey } from '../../core/bytes.ts'
import { type CodedError, errorText } from '../../core/errors.ts'
import type { Log, PoolJournal } from '../environment.ts'
import { poolError } from '../errors.ts'
import type { PoolEntry } from './entry.ts'
import type { Pool } from './pool.ts'

/** The journal is rewritten when most of it is outdated and it is at least this long. */
const MIN_ENTRIES = 10_000

/**
 * Orders entries by arrival, but those of an account by their nonces: a start takes them in one by one, and refuses a
 * native transaction before the ones that it follows. One that was replaced, or came late, arrived behind those.
 */
const inOrder = (entries: readonly PoolEntry[]): readonly PoolEntry[] => {
  const byAccount = new Map<string, PoolEntry[]>()
  for (const entry of entries) {
    const key = bytesToKey(entry.sender)
    const own = byAccount.get(key)
    if (own === undefined) byAccount.set(key, [entry])
    else own.push(entry)
  }
  const queues = new Map<string, Iterator<PoolEntry>>()
  for (const [key, own] of byAccount) {
    queues.set(key, own.sort((a, b) => (a.nonce < b.nonce ? -1 : Number(a.nonce > b.nonce))).values())
  }
  return entries.map((entry) => (queues.get(bytesToKey(entry.sender))?.next().value as PoolEntry | undefined) ?? entry)
}

/** A pool with its file. */
export interface JournaledPool<Entry> {
  /** The name in the log's lines. */
  readonly name: string
  readonly size: number
  append(entries: readonly Entry[]): void
  /** Replaces the file by all that the pool holds. */
  rewrite(): void
  /** What cannot be written leaves the pool. Returns what its sender is told. */
  refuse(entry: Entry): CodedError
}

export const journaledPool = (pool: Pool, journal: PoolJournal): JournaledPool<PoolEntry> => ({
  name: 'the pool',
  get size() {
    return pool.size
  },
  append: (entries) => journal.append(entries.map(({ raw }) => raw)),
  rewrite: () => journal.rewrite(inOrder([...pool.entries()]).map(({ raw }) => raw)),
  refuse: (entry) => {
    pool.remove(entry)
    return poolError('full', 'the transaction cannot be stored: the disk of the node does not take it')
  },
})

export class JournalWriter<Entry> {
  readonly #pool: JournaledPool<Entry>
  readonly #log: Log
  /** Entries that are in the pool, and neither in the journal nor answered yet. */
  #unwritten: { readonly entry: Entry; readonly written: PromiseWithResolvers<void> }[] = []
  /** Entries of the journal. */
  #count = 0
  /** A full disk: said once, until it is over. */
  #fails = false

  constructor(pool: JournaledPool<Entry>, log: Log) {
    this.#pool = pool
    this.#log = log
  }

  /**
   * Settles once an entry of the pool is in the journal, with all others of this turn of the event loop. Where it cannot
   * be written they leave the pool, and it throws what the pool says.
   */
  write(entry: Entry): Promise<void> {
    if (this.#unwritten.length === 0) queueMicrotask(() => this.#writeLot())
    const written = Promise.withResolvers<void>()
    this.#unwritten.push({ entry, written })
    return written.promise
  }

  #writeLot(): void {
    const lot = this.#unwritten
    this.#unwritten = []
    if (this.#append(lot.map(({ entry }) => entry))) {
      for (const { written } of lot) written.resolve()
      return
    }
    for (const { entry, written } of lot) written.reject(this.#pool.refuse(entry))
  }

  /**
   * Writes an entry of a peer: where it cannot be written the node goes on without it, for peers have what they sent.
   */
  tryWrite(entry: Entry): void {
    this.#append([entry])
  }

  #append(entries: readonly Entry[]): boolean {
    return this.#guard(() => {
      this.#pool.append(entries)
      this.#count += entries.length
    })
  }

  /** It holds what must not come again: it is rewritten when {@link rewriteIfOutdated} is asked the next time. */
  outdate(): void {
    this.#count = Number.POSITIVE_INFINITY
  }

  rewriteIfOutdated(): void {
    if (this.#count > 2 * this.#pool.size + MIN_ENTRIES) this.rewrite()
  }

  /** Leaves out what was included, replaced or evicted since the last time. */
  rewrite(): void {
    this.#guard(() => {
      this.#pool.rewrite()
      this.#count = this.#pool.size
    })
  }

  /** False when it failed. */
  #guard(write: () => void): boolean {
    try {
      write()
      this.#fails = false
      return true
    } catch (error) {
      const reason = errorText(error)
      if (!this.#fails) this.#log.error(`the journal of ${this.#pool.name} cannot be written`, { reason })
      this.#fails = true
      return false
    }
  }
}

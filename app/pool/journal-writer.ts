/** Keeps the pool's journal: one write for all that enters in a turn of the event loop, and a new one when it is outdated. */
import { bytesToKey } from '../../core/bytes.ts'
import { errorText } from '../../core/errors.ts'
import type { Environment } from '../environment.ts'
import { poolError } from '../errors.ts'
import type { PoolEntry } from './entry.ts'
import type { Pool } from './pool.ts'

/** The journal is rewritten when most of it is outdated and it is at least this long. */
const MIN_ENTRIES = 10_000

/**
 * By arrival, but the entries of an account by their nonces: a start takes them in one by one, and refuses a native
 * transaction before the ones that it follows. One that was replaced, or came late, arrived behind those.
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

export class JournalWriter {
  readonly #environment: Pick<Environment, 'journal' | 'log'>
  readonly #pool: Pool
  /** In the pool, and neither in the journal nor answered yet. */
  #unwritten: { readonly entry: PoolEntry; readonly written: PromiseWithResolvers<void> }[] = []
  /** Entries of the journal. */
  #count = 0
  /** A full disk: said once, until it is over. */
  #fails = false

  constructor(environment: Pick<Environment, 'journal' | 'log'>, pool: Pool) {
    this.#environment = environment
    this.#pool = pool
  }

  /**
   * Settles once an entry of the pool is in the journal, with all others of this turn of the event loop. Where it cannot
   * be written they leave the pool, and throw pool/full.
   */
  write(entry: PoolEntry): Promise<void> {
    if (this.#unwritten.length === 0) queueMicrotask(() => this.#writeLot())
    const written = Promise.withResolvers<void>()
    this.#unwritten.push({ entry, written })
    return written.promise
  }

  #writeLot(): void {
    const lot = this.#unwritten
    this.#unwritten = []
    if (this.#append(lot.map(({ entry }) => entry.raw))) {
      for (const { written } of lot) written.resolve()
      return
    }
    for (const { entry, written } of lot) {
      this.#pool.remove(entry)
      written.reject(poolError('full', 'the transaction cannot be stored: the disk of the node does not take it'))
    }
  }

  /** Of a peer: where it cannot be written the node goes on without it, for peers have what they sent. */
  tryWrite(entry: PoolEntry): void {
    this.#append([entry.raw])
  }

  #append(raws: readonly Uint8Array[]): boolean {
    return this.#guard(() => {
      this.#environment.journal.append(raws)
      this.#count += raws.length
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
      this.#environment.journal.rewrite(inOrder([...this.#pool.entries()]).map(({ raw }) => raw))
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
      if (!this.#fails) this.#environment.log.error('the journal of the pool cannot be written', { reason })
      this.#fails = true
      return false
    }
  }
}

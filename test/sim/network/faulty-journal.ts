/**
 * The file of the pool's journal on a machine that may fail: appended bytes reach the disk every 100 ms, and a power failure
 * leaves of the rest what it likes: nothing, a part with a torn record, zeros, or bytes of something else.
 */
import type { JournaledOrder } from '../../../app/environment.ts'
import { decodeOrders, encodeOrders } from '../../../bin/node/runtime/order-journal.ts'
import { decodeRecords, encodeRecords } from '../../../bin/node/runtime/pool-journal.ts'
import { concatBytes } from '../../../core/bytes.ts'
import type { Random } from '../random.ts'

/** The interval at which bin/node/runtime/pool-journal.ts flushes. */
export const FLUSH_INTERVAL_MS = 100

/** How the node writes its records. */
interface Codec<Item> {
  encode(items: readonly Item[]): Uint8Array
  decode(bytes: Uint8Array): readonly Item[]
}

export const TRANSACTIONS: Codec<Uint8Array> = { encode: encodeRecords, decode: decodeRecords }
export const ORDERS: Codec<JournaledOrder> = { encode: encodeOrders, decode: decodeOrders }

export class FaultyJournal<Item> {
  readonly #codec: Codec<Item>
  /** A disk that takes nothing and says nothing. */
  isLying = false
  #bytes: Uint8Array = new Uint8Array(0)
  #syncedBytes = 0
  /** When everything in it was on the disk the last time. */
  #flushedAtMs = 0

  constructor(codec: Codec<Item>) {
    this.#codec = codec
  }

  load(): readonly Item[] {
    const items = this.#codec.decode(this.#bytes)
    this.#bytes = this.#bytes.slice(0, this.#codec.encode(items).length)
    this.#syncedBytes = Math.min(this.#syncedBytes, this.#bytes.length)
    return items
  }

  append(items: readonly Item[]): void {
    if (!this.isLying) this.#bytes = concatBytes(this.#bytes, this.#codec.encode(items))
  }

  /** A new file is synced, then takes the name of the old one: a power failure leaves one of them, and whole. */
  rewrite(items: readonly Item[]): void {
    this.#bytes = this.isLying ? new Uint8Array(0) : this.#codec.encode(items)
    this.#syncedBytes = this.#bytes.length
  }

  /** The timer of the process. */
  flush(nowMs: number): void {
    this.#syncedBytes = this.#bytes.length
    this.#flushedAtMs = nowMs
  }

  /** What was answered up to then a power failure does not take. */
  get flushedAtMs(): number {
    return this.#flushedAtMs
  }

  loseUnsynced(random: Random): void {
    const unsynced = this.#bytes.length - this.#syncedBytes
    const written = random.below(unsynced + 1)
    const synced = this.#bytes.slice(0, this.#syncedBytes)
    const tail = this.#bytes.slice(this.#syncedBytes, this.#syncedBytes + written)
    const kind = random.below(4)
    if (kind === 0) tail.fill(0)
    if (kind === 1) for (let at = random.below(written + 1); at < written; at++) tail[at] = random.below(256)
    this.#bytes = concatBytes(synced, tail)
    this.#syncedBytes = this.#bytes.length
  }

  loseAll(): void {
    this.#bytes = new Uint8Array(0)
    this.#syncedBytes = 0
  }
}

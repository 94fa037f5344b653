/**
 * Items of a block under one key of the column `blocks`. They are one record as long as they are small together, and
 * pages of whole items otherwise: one transaction of a large block is read without the tens of megabytes around it.
 *
 * The record of pages is 0xffffffff(4), then for each page the number of items up to its end(4). Each page is a record
 * of items under the key and its number(4).
 */
import { concatBytes, EMPTY_BYTES, readUint32, uint32ToBytes } from '../../core/bytes.ts'
import { BoundedCache } from '../../store/cache.ts'
import type { Batch, KeyValueStore } from '../../store/store.ts'
import { encodeItems, itemAt, itemCount } from './records.ts'

/** A page is closed by the item that makes it so long. */
export const PAGE_BYTES = 128 * 1024
/** In place of a number of items: no block has so many. */
const PAGED = 0xffff_ffff

const pageKey = (key: Uint8Array, page: number): Uint8Array => concatBytes(key, uint32ToBytes(page))

const isPaged = (record: Uint8Array): boolean => record.length > 0 && readUint32(record) === PAGED
const pageCount = (record: Uint8Array): number => record.length / 4 - 1
/** Number of items in all pages up to `page`, which may be -1. */
const itemsThrough = (record: Uint8Array, page: number): number => (page < 0 ? 0 : readUint32(record, 4 + 4 * page))

/** The first items that fill a page, or all that are left. */
const endOfPage = (items: readonly Uint8Array[], from: number): number => {
  let bytes = 0
  let end = from
  while (end < items.length && bytes < PAGE_BYTES) bytes += items[end++]?.length ?? 0
  return end
}

export const putItems = (batch: Batch, key: Uint8Array, items: readonly Uint8Array[]): void => {
  const ends: number[] = []
  for (let from = 0; from < items.length; ) {
    from = endOfPage(items, from)
    ends.push(from)
  }
  if (ends.length <= 1) {
    batch.put('blocks', key, encodeItems(items))
    return
  }
  for (const [page, end] of ends.entries())
    batch.put('blocks', pageKey(key, page), encodeItems(items.slice(ends[page - 1] ?? 0, end)))
  batch.put('blocks', key, concatBytes(...[PAGED, ...ends].map(uint32ToBytes)))
}

/** The inverse of {@link putItems}; nothing where there is no record. */
export const deleteItems = (batch: Batch, store: KeyValueStore, key: Uint8Array): void => {
  const record = store.get('blocks', key) ?? EMPTY_BYTES
  if (isPaged(record)) for (let page = 0; page < pageCount(record); page++) batch.delete('blocks', pageKey(key, page))
  batch.delete('blocks', key)
}

/** All items under a key in order; none where there is no record. */
export function* readItems(store: KeyValueStore, key: Uint8Array): Generator<Uint8Array> {
  const record = store.get('blocks', key) ?? EMPTY_BYTES
  if (!isPaged(record)) yield* itemsOf(record)
  else
    for (let page = 0; page < pageCount(record); page++)
      yield* itemsOf(store.get('blocks', pageKey(key, page)) ?? EMPTY_BYTES)
}

function* itemsOf(record: Uint8Array): Generator<Uint8Array> {
  for (let index = 0; index < itemCount(record); index++) yield itemAt(record, index)
}

/** What is kept of records and pages together: a block is often read for every one of its transactions. */
const KEPT_BYTES = 8 * 1024 * 1024
const ENTRY_BYTES = 128

/** Reads single items by the height of their block. Items are views into what was read last, which is kept up to a bound. */
export class ItemsReader {
  readonly #store: KeyValueStore
  readonly #key: (height: number) => Uint8Array
  readonly #kept = new BoundedCache<Uint8Array>(KEPT_BYTES, (record) => record.length + ENTRY_BYTES)

  constructor(store: KeyValueStore, key: (height: number) => Uint8Array) {
    this.#store = store
    this.#key = key
  }

  /** Undefined where there is no such item. */
  at(height: number, index: number): Uint8Array | undefined {
    const record = this.#read(height)
    if (!isPaged(record)) return index < itemCount(record) ? itemAt(record, index) : undefined
    let [low, high] = [0, pageCount(record)]
    while (low < high) {
      const middle = (low + high) >> 1
      if (itemsThrough(record, middle) > index) high = middle
      else low = middle + 1
    }
    const at = index - itemsThrough(record, low - 1)
    // Another thread may have pruned the block since its first record was read.
    const page = low === pageCount(record) ? EMPTY_BYTES : this.#read(height, low)
    return at < itemCount(page) ? itemAt(page, at) : undefined
  }

  /** All of a block in order. They are not kept: those of a large block would take the place of all others. */
  all(height: number): Generator<Uint8Array> {
    return readItems(this.#store, this.#key(height))
  }

  /** Empty when there is none. A record is written once, with its block: what is kept stays true. */
  #read(height: number, page?: number): Uint8Array {
    const name = page === undefined ? String(height) : `${height}/${page}`
    const kept = this.#kept.get(name)
    if (kept !== undefined) return kept
    const key = this.#key(height)
    const bytes = this.#store.get('blocks', page === undefined ? key : pageKey(key, page))
    if (bytes === undefined) return EMPTY_BYTES
    this.#kept.set(name, bytes)
    return bytes
  }
}

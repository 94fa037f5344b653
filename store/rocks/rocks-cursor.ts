/** An iterator of RocksDB: it shows the column as it was when the cursor was made. */
import binding, { type ColumnHandle, type Context, type IteratorContext } from '@nxtedition/rocksdb/binding.js'
import { plainBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import type { Cursor, Entry, Range } from '../store.ts'

/** `next` reads ahead, twice as many each time up to this: a seek for one entry pays for one. */
const MAX_READ_AHEAD = 64

export class RocksCursor implements Cursor {
  readonly #toFault: (error: unknown) => Error
  readonly #registry: Set<RocksCursor>
  #iterator: IteratorContext | undefined
  #rows: Uint8Array[] = []
  #position = 0
  #finished = false
  #readAhead = 1

  /** A cursor without a range goes over the whole column. It stands in `open` until it is closed. */
  constructor(
    context: Context,
    column: ColumnHandle,
    toFault: (error: unknown) => Error,
    open: Set<RocksCursor>,
    range?: Range,
  ) {
    this.#toFault = toFault
    this.#registry = open
    this.#iterator = binding.iterator_init(context, {
      column,
      keyEncoding: 'buffer',
      valueEncoding: 'buffer',
      fillCache: true,
      asyncIO: false,
      adaptiveReadahead: false,
      ...(range?.gte === undefined ? {} : { gte: range.gte }),
      ...(range?.lt === undefined ? {} : { lt: range.lt }),
      ...(range?.reverse === undefined ? {} : { reverse: range.reverse }),
    })
    open.add(this)
  }

  seek(key: Uint8Array): Entry | undefined {
    const iterator = this.#open()
    try {
      binding.iterator_seek(iterator, key)
    } catch (error) {
      throw this.#toFault(error)
    }
    this.#rows = []
    this.#position = 0
    this.#finished = false
    this.#readAhead = 1
    return this.next()
  }

  next(): Entry | undefined {
    if (this.#position >= this.#rows.length) {
      if (this.#finished) return undefined
      this.#fetch(this.#readAhead)
      this.#readAhead = Math.min(this.#readAhead * 2, MAX_READ_AHEAD)
    }
    const key = this.#rows[this.#position++]
    const value = this.#rows[this.#position++]
    return key === undefined || value === undefined ? undefined : [plainBytes(key), plainBytes(value)]
  }

  /** The next `count` entries at once. */
  take(count: number): Entry[] {
    this.#fetch(count)
    const out: Entry[] = []
    for (let entry = this.next(); entry !== undefined; entry = out.length < count ? this.next() : undefined) {
      out.push(entry)
    }
    return out
  }

  close(): void {
    if (this.#iterator === undefined) return
    binding.iterator_close(this.#iterator)
    this.#iterator = undefined
    this.#registry.delete(this)
  }

  #fetch(count: number): void {
    const iterator = this.#open()
    try {
      const { rows, finished } = binding.iterator_nextv_sync(iterator, count)
      this.#rows = rows
      this.#finished = finished
      this.#position = 0
    } catch (error) {
      throw this.#toFault(error)
    }
  }

  #open(): IteratorContext {
    invariant(this.#iterator !== undefined, 'a closed cursor is used')
    return this.#iterator
  }
}

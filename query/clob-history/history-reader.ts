/** Reads the history: bounded scans of its column, the newest first. */
import { type Candle, decodeCandle } from '../../app/clob-history/candle.ts'
import { decodeFillEntry, type FillEntry } from '../../app/clob-history/fill-entry.ts'
import {
  candleKey,
  candlePrefix,
  clientIdKey,
  fillKey,
  fillPrefix,
  labelKey,
  orderKey,
  ownerFillPrefix,
  ownerPrefix,
  rejectionPrefix,
} from '../../app/clob-history/keys.ts'
import { decodeOrderEntry, type OrderEntry } from '../../app/clob-history/order-entry.ts'
import { decodeRejection, type RejectionEntry } from '../../app/clob-history/rejection-entry.ts'
import { HISTORY_COLUMN } from '../../app/clob-history/write-history.ts'
import type { Address } from '../../core/address.ts'
import { concatBytes, readUint32, readUint64 } from '../../core/bytes.ts'
import type { Entry, KeyValueStore } from '../../store/store.ts'

/** Places that are looked at for one answer, where only some of them are wanted. */
const MAX_LOOKED_AT = 5_000
/** Read at once where what was read before was not wanted: a scan costs as much as some dozens of its entries. */
const SCANNED_AT_ONCE = 64

export interface Page<T> {
  readonly items: readonly T[]
  /** What follows the prefix in the key of the last one that was looked at; undefined at the end. */
  readonly next: Uint8Array | undefined
}

/** Where a client's ID names one order. */
export interface Label {
  readonly market: number
  readonly subaccount: number
}

export interface PageRequest {
  /** {@link Page.next} of the page before. */
  readonly before: Uint8Array | undefined
  readonly limit: number
}

/** A part above every key that continues a prefix: no part behind one is longer. */
const ABOVE = new Uint8Array(32).fill(0xff)

export class HistoryReader {
  readonly #store: KeyValueStore
  readonly #interrupt: () => void

  /** `interrupt` is called between scans, and throws where the answer is not wanted any more, or takes too long. */
  constructor(store: KeyValueStore, interrupt: () => void = () => undefined) {
    this.#store = store
    this.#interrupt = interrupt
  }

  trades(market: number, page: PageRequest): Page<FillEntry> {
    return this.#page(fillPrefix(market), page, ([key, value], prefix) =>
      decodeFillEntry(market, readUint64(key, prefix), value),
    )
  }

  /** `market` 0 is all. */
  fills(owner: Address, market: number, page: PageRequest): Page<FillEntry> {
    return this.#page(ownerFillPrefix(owner), page, ([key], prefix) => {
      const [ofMarket, sequence] = [readUint32(key, prefix + 8), readUint64(key, prefix + 12)]
      if (market !== 0 && ofMarket !== market) return undefined
      const value = this.#store.get(HISTORY_COLUMN, fillKey(ofMarket, sequence))
      // Pruned since the scan.
      return value === undefined ? undefined : decodeFillEntry(ofMarket, sequence, value)
    })
  }

  /** `market` 0 is all. */
  orders(owner: Address, market: number, page: PageRequest, wanted: (order: OrderEntry) => boolean): Page<OrderEntry> {
    return this.#page(ownerPrefix(owner), page, ([key, value], prefix) => {
      const ofMarket = readUint32(value)
      if (market !== 0 && ofMarket !== market) return undefined
      const order = this.order(ofMarket, readUint64(key, prefix))
      return order !== undefined && wanted(order) ? order : undefined
    })
  }

  order(market: number, seq: number): OrderEntry | undefined {
    const value = this.#store.get(HISTORY_COLUMN, orderKey(market, seq))
    return value === undefined ? undefined : decodeOrderEntry(market, seq, value)
  }

  /** `label` leaves out those of other markets and subaccounts. */
  orderByClientId(owner: Address, clientId: Uint8Array, label?: Label): OrderEntry | undefined {
    const seq = label && this.#store.get(HISTORY_COLUMN, labelKey(owner, label.market, label.subaccount, clientId))
    if (label !== undefined && seq !== undefined) return this.order(label.market, readUint64(seq))
    const place = this.#store.get(HISTORY_COLUMN, clientIdKey(owner, clientId))
    const newest = place && this.order(readUint32(place), readUint64(place, 4))
    // An order from before there were keys with labels.
    const isThere = newest?.market === label?.market && newest?.subaccount === label?.subaccount
    return label === undefined || isThere ? newest : undefined
  }

  /** The newest placement with the id that failed, among the last 5,000; `label` leaves out those of other markets and subaccounts. */
  rejection(owner: Address, clientId: Uint8Array, label?: Label): RejectionEntry | undefined {
    const page = { before: undefined, limit: 1 }
    const { items } = this.#page(rejectionPrefix(owner, clientId), page, ([key, value], prefix) => {
      const entry = decodeRejection(owner, clientId, readUint64(key, prefix), value)
      const { market, subaccount } = label ?? entry
      return entry.market === market && entry.subaccount === subaccount ? entry : undefined
    })
    return items[0]
  }

  /** The candles from `fromS` on, or the newest where it is undefined, and below `toS`. They are ordered by time. */
  candles(
    market: number,
    resolutionS: number,
    range: { readonly fromS: number | undefined; readonly toS: number | undefined; readonly limit: number },
  ): readonly { readonly startS: number; readonly candle: Candle }[] {
    const { fromS, toS, limit } = range
    const prefix = candlePrefix(market, resolutionS)
    const entries = this.#store.scan(HISTORY_COLUMN, {
      gte: candleKey(market, resolutionS, fromS ?? 0),
      lt: toS === undefined ? concatBytes(prefix, ABOVE) : candleKey(market, resolutionS, toS),
      reverse: fromS === undefined,
      limit,
    })
    const found = entries.map(([key, value]) => ({
      startS: readUint64(key, prefix.length),
      candle: decodeCandle(value),
    }))
    return fromS === undefined ? found.toReversed() : found
  }

  /** Reads from the newest entry on; `read` gives undefined for what is not wanted. */
  #page<T>(
    prefix: Uint8Array,
    { before, limit }: PageRequest,
    read: (entry: Entry, prefixLength: number) => T | undefined,
  ): Page<T> {
    const items: T[] = []
    let upper = concatBytes(prefix, before ?? ABOVE)
    for (let left = MAX_LOOKED_AT, least = 0; left > 0; least = SCANNED_AT_ONCE) {
      this.#interrupt()
      const wanted = Math.min(Math.max(limit - items.length + 1, least), left)
      const entries = this.#store.scan(HISTORY_COLUMN, { gte: prefix, lt: upper, reverse: true, limit: wanted })
      for (const entry of entries) {
        if (items.length === limit) return { items, next: upper.slice(prefix.length) }
        const item = read(entry, prefix.length)
        if (item !== undefined) items.push(item)
        ;[upper] = entry
      }
      if (entries.length < wanted) return { items, next: undefined }
      left -= entries.length
    }
    return { items, next: upper.slice(prefix.length) }
  }
}

/** Puts what happened to orders in a block into the history: each of it once, for the cursor is in the same write. */
import {
  bytesToKey,
  concatBytes,
  EMPTY_BYTES,
  equalBytes,
  readUint32,
  readUint64,
  uint32ToBytes,
  uint64ToBytes,
} from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { type OpenOrder, SIDE_CODES, TIF_CODES } from '../../modules/clob/index.ts'
import type { Batch, KeyValueStore } from '../../store/store.ts'
import type { CommittedBlock } from '../feed/committed-block.ts'
import { type Candle, decodeCandle, encodeCandle, RESOLUTIONS_S, startOf, withFill } from './candle.ts'
import { encodeFillEntry, type FillEntry } from './fill-entry.ts'
import { happeningsOf } from './block-happenings.ts'
import type { Filled, Happening, Placed, Rejected, Removed } from './happenings.ts'
import {
  candleKey,
  clientIdKey,
  CURSOR_KEY,
  fillKey,
  heightKey,
  KEYS_A_PART,
  labelKey,
  namedBy,
  orderKey,
  ownerFillKey,
  ownerOrderKey,
  rejectionKey,
} from './keys.ts'
import { decodeOrderEntry, encodeOrderEntry, lotsLeft, type OrderEntry } from './order-entry.ts'
import { encodeRejection } from './rejection-entry.ts'

export const HISTORY_COLUMN = 'clob_history'
const COLUMN = HISTORY_COLUMN

/** How many happenings of orders one write holds: a write of a whole block would hold up the commit of another one. */
const HAPPENINGS_A_WRITE = 2_000
const CURSOR_BYTES = 52

/** The last block that is in the history. */
export interface Cursor {
  readonly height: number
  /** Milliseconds since 1970. */
  readonly timeMs: number
  readonly hash: Hash
  /** How many of its happenings are in here, where it is not whole yet; 0 where it is. */
  readonly taken: number
}

export const readCursor = (store: KeyValueStore): Cursor | undefined => {
  const value = store.get(COLUMN, CURSOR_KEY)
  if (value === undefined || value.length !== CURSOR_BYTES) return undefined
  return {
    height: readUint64(value),
    timeMs: readUint64(value, 8),
    taken: readUint32(value, 16),
    hash: value.slice(20),
  }
}

/** The newest block of which everything is in here. */
export const wholeHeight = ({ height, taken }: Cursor): number => (taken === 0 ? height : height - 1)

const millisecondsOf = ({ timeNs }: CommittedBlock): number => Number(timeNs / 1_000_000n)

/** An order as it was open before the block; undefined where it was not, or where nobody knows any more. */
export type OrderBefore = (market: number, seq: number) => OpenOrder | undefined

const NOBODY_KNOWS: OrderBefore = () => undefined

/** An order as it was open when the history began: what it had filled is one number, and its placement has no height. */
const entryOf = ({
  market,
  seq,
  owner,
  subaccount,
  side,
  tif,
  priceTicks,
  lots,
  left,
  clientId,
}: OpenOrder): OrderEntry => ({
  ...{ market, seq, owner, subaccount, side: SIDE_CODES[side], tif: TIF_CODES[tif], priceTicks, lots },
  ...{ clientId, txHash: EMPTY_BYTES, height: 0, timeMs: 0, filledLots: lots - left, filledTicks: 0n },
  ...{ cancelledLots: 0, reason: 0, changedHeight: 0, changedMs: 0 },
})

type NamedEntry = Pick<OrderEntry, 'market' | 'seq' | 'owner' | 'subaccount' | 'clientId'>

/** The keys by which orders are found, in one write. */
class NameWriter {
  readonly #store: KeyValueStore
  readonly #batch: Batch
  /** The order_seq of the newest order by the keys that this write has. */
  readonly #named = new Map<string, number>()

  constructor(store: KeyValueStore, batch: Batch) {
    this.#store = store
    this.#batch = batch
  }

  /** One that is older than the history takes no name from another, which is newer. */
  put({ market, seq, owner, subaccount, clientId }: NamedEntry, isOlder = false): void {
    this.#batch.put(COLUMN, ownerOrderKey(owner, seq), uint32ToBytes(market))
    if (clientId.length === 0) return
    const place = concatBytes(uint32ToBytes(market), uint64ToBytes(seq))
    this.#putName(clientIdKey(owner, clientId), place, seq, isOlder)
    this.#putName(labelKey(owner, market, subaccount, clientId), uint64ToBytes(seq), seq, isOlder)
  }

  #putName(key: Uint8Array, value: Uint8Array, seq: number, isOlder: boolean): void {
    const name = bytesToKey(key)
    if (isOlder && (this.#named.get(name) ?? this.#storedSeq(key)) > seq) return
    this.#named.set(name, seq)
    this.#batch.put(COLUMN, key, value)
  }

  #storedSeq(key: Uint8Array): number {
    const value = this.#store.get(COLUMN, key)
    return (value && namedBy(key, value)?.seq) ?? 0
  }
}

/** Puts orders into the history that were open when it begins, in one write. */
export const adoptOrders = (store: KeyValueStore, orders: readonly OpenOrder[]): void => {
  const batch = store.batch()
  const names = new NameWriter(store, batch)
  for (const order of orders) {
    batch.put(COLUMN, orderKey(order.market, order.seq), encodeOrderEntry(entryOf(order)))
    names.put(order, true)
  }
  store.write(batch, { sync: false })
}

/** A part of a block, in one write. Values that it has changed so far are read back from it. */
class PartWriter {
  readonly #store: KeyValueStore
  readonly #batch: Batch
  readonly #orderBefore: OrderBefore
  readonly #block: CommittedBlock
  readonly #height: number
  readonly #timeMs: number
  /** The first of its happenings. */
  readonly #from: number
  readonly #orders = new Map<string, OrderEntry>()
  readonly #candles = new Map<string, { readonly key: Uint8Array; candle: Candle }>()
  readonly #names: NameWriter
  /** What goes with the block when it is pruned. */
  readonly #prunable: Uint8Array[] = []

  constructor(store: KeyValueStore, block: CommittedBlock, from: number, orderBefore: OrderBefore) {
    this.#store = store
    this.#orderBefore = orderBefore
    this.#batch = store.batch()
    this.#names = new NameWriter(store, this.#batch)
    this.#block = block
    this.#from = from
    this.#height = block.height
    this.#timeMs = millisecondsOf(block)
  }

  /** `at` is its place in the block. */
  add(happening: Happening, txHash: Uint8Array, at: number): void {
    switch (happening.kind) {
      case 'placed':
        return this.#place(happening, txHash)
      case 'fill':
        return this.#fill(happening)
      case 'removed':
        return this.#remove(happening)
      case 'rejected':
        return this.#reject(happening, txHash, at)
    }
  }

  /** `taken` is that of the cursor behind it. */
  write(taken: number): void {
    for (const order of this.#orders.values()) {
      const key = orderKey(order.market, order.seq)
      this.#batch.put(COLUMN, key, encodeOrderEntry(order))
      if (lotsLeft(order) === 0) this.#prunable.push(key, ownerOrderKey(order.owner, order.seq))
    }
    for (const { key, candle } of this.#candles.values()) this.#batch.put(COLUMN, key, encodeCandle(candle))
    for (let at = 0; at < this.#prunable.length; at += KEYS_A_PART) {
      const keys = this.#prunable.slice(at, at + KEYS_A_PART)
      const value = concatBytes(...keys.flatMap((key) => [Uint8Array.of(key.length), key]))
      // Parts of one write are fewer than its happenings, each of which has a few keys.
      this.#batch.put(COLUMN, heightKey(this.#height, this.#from + at / KEYS_A_PART), value)
    }
    const cursor = [uint64ToBytes(this.#height), uint64ToBytes(this.#timeMs), uint32ToBytes(taken)]
    this.#batch.put(COLUMN, CURSOR_KEY, concatBytes(...cursor, this.#block.hash))
    this.#store.write(this.#batch, { sync: false })
  }

  /** The order; undefined for one that was placed before the history begins, where the state before the block is not kept. */
  #order(market: number, seq: number): OrderEntry | undefined {
    const known = this.#orders.get(`${market} ${seq}`)
    if (known !== undefined) return known
    const value = this.#store.get(COLUMN, orderKey(market, seq))
    return value === undefined ? this.#adopt(market, seq) : decodeOrderEntry(market, seq, value)
  }

  /** A history of an earlier version lacks orders that were open when it began: each gets its entry with the first that happens to it. */
  #adopt(market: number, seq: number): OrderEntry | undefined {
    const order = this.#orderBefore(market, seq)
    if (order === undefined) return undefined
    this.#names.put(order, true)
    return entryOf(order)
  }

  #change(order: OrderEntry, changes: Partial<OrderEntry>): void {
    const changed = { ...order, ...changes, changedHeight: this.#height, changedMs: this.#timeMs }
    this.#orders.set(`${order.market} ${order.seq}`, changed)
  }

  #place(placed: Placed, txHash: Uint8Array): void {
    const { market, seq, owner, clientId } = placed
    const { subaccount, side, tif, priceTicks, lots } = placed
    const [height, timeMs] = [this.#height, this.#timeMs]
    const order = { market, seq, owner, subaccount, side, tif, priceTicks, lots, clientId, txHash, height, timeMs }
    const changed = this.#orders.get(`${market} ${seq}`)
    // The order goes by its new id from now on; the old one is looked up until the block is pruned.
    if (changed !== undefined && changed.clientId.length > 0 && !equalBytes(changed.clientId, clientId))
      this.#prunable.push(clientIdKey(owner, changed.clientId), labelKey(owner, market, subaccount, changed.clientId))
    const nothing = { filledLots: 0, filledTicks: 0n, cancelledLots: 0, reason: 0 }
    this.#change({ ...order, ...nothing, changedHeight: height, changedMs: timeMs }, {})
    this.#names.put(placed)
  }

  #fill(filled: Filled): void {
    const { market, sequence, makerSeq, takerSeq, priceTicks, lots, makerFee, makerRebate, takerFee } = filled
    const [maker, taker] = [this.#order(market, makerSeq), this.#order(market, takerSeq)]
    for (const order of [maker, taker]) {
      if (order === undefined) continue
      const filledTicks = order.filledTicks + BigInt(priceTicks) * BigInt(lots)
      this.#change(order, { filledLots: order.filledLots + lots, filledTicks })
    }
    const [height, timeMs] = [this.#height, this.#timeMs]
    const owners = { maker: maker?.owner ?? EMPTY_BYTES, taker: taker?.owner ?? EMPTY_BYTES }
    const fees = { makerFee, makerRebate, takerFee }
    const takerSide = taker?.side ?? 0
    const fill = {
      market,
      sequence,
      height,
      timeMs,
      makerSeq,
      takerSeq,
      ...owners,
      takerSide,
      priceTicks,
      lots,
      ...fees,
    }
    const key = fillKey(market, sequence)
    this.#batch.put(COLUMN, key, encodeFillEntry(fill))
    this.#prunable.push(key)
    const isOneOwner = equalBytes(owners.maker, owners.taker)
    for (const owner of isOneOwner ? [owners.maker] : [owners.maker, owners.taker]) {
      if (owner.length === 0) continue
      const ofOwner = ownerFillKey(owner, height, market, sequence)
      this.#batch.put(COLUMN, ofOwner, EMPTY_BYTES)
      this.#prunable.push(ofOwner)
    }
    this.#addToCandles(fill)
  }

  #addToCandles(fill: FillEntry): void {
    for (const resolutionS of RESOLUTIONS_S) {
      const startS = startOf(fill.timeMs, resolutionS)
      const name = `${fill.market} ${resolutionS} ${startS}`
      const known = this.#candles.get(name)
      if (known !== undefined) {
        known.candle = withFill(known.candle, fill)
        continue
      }
      const key = candleKey(fill.market, resolutionS, startS)
      const value = this.#store.get(COLUMN, key)
      const candle = withFill(value === undefined ? undefined : decodeCandle(value), fill)
      this.#candles.set(name, { key, candle })
    }
  }

  #remove({ market, seq, lots, reason }: Removed): void {
    const order = this.#order(market, seq)
    if (order === undefined) return
    this.#change(order, { cancelledLots: order.cancelledLots + lots, reason })
  }

  #reject(rejected: Rejected, txHash: Uint8Array, at: number): void {
    const { owner, clientId } = rejected
    const key = rejectionKey(owner, clientId, this.#height, at)
    const [height, timeMs] = [this.#height, this.#timeMs]
    this.#batch.put(COLUMN, key, encodeRejection({ ...rejected, height, timeMs, txHash }))
    this.#prunable.push(key)
  }
}

/**
 * An order that is changed in its place is removed and placed again with its order_seq. Between the two it has ended, so that a write
 * between them would have it go with this block.
 */
const isChange = (removed: Happening | undefined, placed: Happening): boolean =>
  removed?.kind === 'removed' &&
  placed.kind === 'placed' &&
  removed.market === placed.market &&
  removed.seq === placed.seq

/** Takes a block in, or what is left of it: in writes of bounded size, each with the cursor behind it. */
export const writeHistory = (
  store: KeyValueStore,
  block: CommittedBlock,
  happeningsAWrite = HAPPENINGS_A_WRITE,
  orderBefore = NOBODY_KNOWS,
): void => {
  const cursor = readCursor(store)
  const already = cursor?.taken ?? 0
  const next = cursor === undefined ? block.height : wholeHeight(cursor) + 1
  invariant(next === block.height, 'the history takes one block after the other')
  let taken = 0
  let from = already
  let part = new PartWriter(store, block, from, orderBefore)
  let before: Happening | undefined
  for (const [happening, txHash] of happeningsOf(block)) {
    if (taken - from >= happeningsAWrite && !isChange(before, happening)) {
      part.write(taken)
      from = taken
      part = new PartWriter(store, block, from, orderBefore)
    }
    if (taken >= already) part.add(happening, txHash, taken)
    taken += 1
    before = happening
  }
  part.write(0)
}

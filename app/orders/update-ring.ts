/** What the last blocks have changed of the order book, for streams: a ring of blocks, bounded in bytes too. */
import {
  type BookDelta,
  type Books,
  changedLevels,
  type ClobRecord,
  type LevelChanges,
  type LevelTotal,
  listMarkets,
  marketOf,
  type OpenOrder,
  readRecord,
  type RefusedTransaction,
  type Rejection,
  type StepNews,
  totalOf,
} from '../../modules/clob/index.ts'
import type { StateReader } from '../../store/state.ts'

/** Blocks that a reader may fall behind. */
const MAX_BLOCKS = 64
/** The most bytes of all of them together; the newest block is kept whatever it takes. */
const MAX_BYTES = 64 * 1024 * 1024
/** Bytes, about, of an object in memory with what it refers to. */
const LEVEL_BYTES = 96
const RECORD_BYTES = 256
const MARKET_BYTES = 512

/** What every message of a market carries, as of the end of a block. */
export interface MarketStamp {
  /** Sequence of the market's records. */
  readonly sequence: number
  /** 0 before the first. */
  readonly blockPriceTicks: number
  readonly bid: LevelTotal | undefined
  readonly ask: LevelTotal | undefined
}

export interface MarketUpdate {
  readonly market: number
  readonly before: MarketStamp
  readonly after: MarketStamp
  readonly levels: LevelChanges
}

type PlacedOrder = Pick<
  OpenOrder,
  | 'market'
  | 'seq'
  | 'owner'
  | 'subaccount'
  | 'side'
  | 'tif'
  | 'priceTicks'
  | 'lots'
  | 'clientId'
  | 'expireS'
  | 'triggerTicks'
  | 'triggerKind'
>

/** `sequence` is the record's among those of its market. */
export type ToldRecord = { readonly sequence: number } & (
  | { readonly kind: 'placed'; readonly order: PlacedOrder }
  | Exclude<ClobRecord, { kind: 'placed' }>
)

export interface BlockUpdates {
  readonly height: number
  readonly timeMs: number
  /** Those in which something has changed. */
  readonly markets: readonly MarketUpdate[]
  /** The records of all markets, in their order. */
  readonly records: readonly ToldRecord[]
  readonly rejected: readonly Rejection[]
  readonly refused: readonly RefusedTransaction[]
}

interface Kept {
  readonly updates: BlockUpdates
  readonly bytes: number
}

/** The stamp of a market in which nothing has happened yet. */
const EMPTY_STAMP: MarketStamp = { sequence: 0, blockPriceTicks: 0, bid: undefined, ask: undefined }

/** An order of the book refers to its neighbours, which the ring must not keep. */
const copyOf = ({
  market,
  seq,
  owner,
  subaccount,
  side,
  tif,
  priceTicks,
  lots,
  clientId,
  expireS,
  triggerTicks,
  triggerKind,
}: PlacedOrder): PlacedOrder => ({
  ...{ market, seq, owner, subaccount, side, tif, priceTicks, lots, clientId, expireS, triggerTicks, triggerKind },
})

const stampOf = (books: Books, state: StateReader, id: number): MarketStamp => {
  const { sequence, blockPriceTicks } = readRecord(state, id) ?? EMPTY_STAMP
  const { bids, asks } = books.market(id)
  return { sequence, blockPriceTicks, bid: totalOf(bids.best), ask: totalOf(asks.best) }
}

const bytesOf = ({ markets, records, rejected, refused }: BlockUpdates): number => {
  let levels = 0
  for (const { levels: changed } of markets) levels += changed.bids.length + changed.asks.length + changed.died.length
  return (
    markets.length * MARKET_BYTES +
    levels * LEVEL_BYTES +
    (records.length + rejected.length + refused.length) * RECORD_BYTES
  )
}

export class UpdateRing {
  readonly #maxBytes: number
  /** The kept blocks without a gap, the oldest first. */
  #kept: Kept[] = []
  #bytes = 0
  /** The stamps as of the head, of markets in which something has happened. */
  readonly #stamps = new Map<number, MarketStamp>()
  #height = 0
  #timeMs = 0

  constructor(maxBytes = MAX_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** Height of the head. */
  get height(): number {
    return this.#height
  }

  /** Time of the head. */
  get timeMs(): number {
    return this.#timeMs
  }

  /** The chain stands at this height: what was before is not known. */
  begin(height: number, timeMs: number, books: Books, state: StateReader): void {
    this.#kept = []
    this.#bytes = 0
    this.#stamps.clear()
    this.#height = height
    this.#timeMs = timeMs
    for (let start = 1; ; ) {
      const page = listMarkets(state, start)
      for (const { id } of page) this.#stamps.set(id, stampOf(books, state, id))
      const last = page.at(-1)
      if (last === undefined) break
      start = last.id + 1
    }
  }

  /** A block is committed: books and state are those after it. */
  add(
    height: number,
    timeMs: number,
    step: { readonly book: BookDelta | undefined; readonly told: StepNews | undefined } | undefined,
    books: Books,
    state: StateReader,
  ): void {
    const { records = [], rejected = [], refused = [] } = step?.told ?? {}
    const changes = step?.book === undefined ? new Map<number, LevelChanges>() : changedLevels(books, step.book)
    const markets = this.#marketsOf(records, changes, books, state)
    const before = new Map(markets.map(({ market, before }) => [market, before.sequence]))
    const updates = { height, timeMs, markets, records: numbered(records, before), rejected, refused }
    const bytes = bytesOf(updates)
    this.#height = height
    this.#timeMs = timeMs
    this.#kept.push({ updates, bytes })
    this.#bytes += bytes
    while (this.#kept.length > MAX_BLOCKS || (this.#bytes > this.#maxBytes && this.#kept.length > 1)) {
      this.#bytes -= this.#kept.shift()?.bytes ?? 0
    }
  }

  /** The stamp as of the head, of a market that there is. */
  stampOf(market: number): MarketStamp {
    return this.#stamps.get(market) ?? EMPTY_STAMP
  }

  /** The lowest height from which on blocks are kept, or will be. */
  get oldest(): number {
    return this.#kept[0]?.updates.height ?? this.#height + 1
  }

  /** Undefined where it is not kept. */
  at(height: number): BlockUpdates | undefined {
    return this.#kept[height - (this.#kept[0]?.updates.height ?? 0)]?.updates
  }

  /**
   * The stamp of a market that there is, after a block that is kept or stands before a kept one; undefined for any
   * other block.
   */
  stampAt(market: number, height: number): MarketStamp | undefined {
    const first = this.oldest
    if (height < first - 1 || height > this.#height) return undefined
    for (const { updates } of this.#kept.slice(height + 1 - first)) {
      const found = updates.markets.find((each) => each.market === market)
      if (found !== undefined) return found.before
    }
    return this.stampOf(market)
  }

  #marketsOf(
    records: readonly ClobRecord[],
    changes: ReadonlyMap<number, LevelChanges>,
    books: Books,
    state: StateReader,
  ): readonly MarketUpdate[] {
    const ids = new Set(changes.keys())
    for (const record of records) ids.add(marketOf(record))
    return [...ids]
      .toSorted((a, b) => a - b)
      .map((market) => {
        const before = this.stampOf(market)
        const after = stampOf(books, state, market)
        this.#stamps.set(market, after)
        return { market, before, after, levels: changes.get(market) ?? { bids: [], asks: [], died: [] } }
      })
  }
}

/** `before` is the sequence of each market before the block. */
const numbered = (records: readonly ClobRecord[], before: Map<number, number>): readonly ToldRecord[] =>
  records.map((record) => {
    const market = marketOf(record)
    const sequence = (before.get(market) ?? 0) + 1
    before.set(market, sequence)
    return record.kind === 'placed'
      ? { kind: 'placed', sequence, order: copyOf(record.order) }
      : { ...record, sequence }
  })

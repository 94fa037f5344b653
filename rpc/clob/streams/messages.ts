/** Messages of streams: of a snapshot, and of a block. */
import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf'
import { hexToBytes } from '../../../core/hex.ts'
import type { ClobDepth, ClobLevel, ClobRecordView, ClobStamp, ClobUpdates } from '../../../app/ports.ts'
import { clob, clobStream } from '../../../proto/index.ts'
import type { OrdersSnapshot } from './orders-snapshot.ts'
import { keyOf, type MarketChannel, type StreamRequest } from './request.ts'
import { listOfMessages, messageOf, type MessageList, type StreamMessage } from './stream-message.ts'

/** What messages of a market say of it, as of the end of a block. */
export type Stamp = Pick<ClobStamp, 'sequence' | 'blockPriceTicks' | 'bid' | 'ask'>

const { BookUpdateSchema, OrdersUpdateSchema, TradesUpdateSchema, BestPricesUpdateSchema, OwnOrdersUpdateSchema } =
  clobStream
const { BookLevelSchema, OrderRecordSchema, TradeSchema } = clobStream

/** Open orders of a message of a snapshot: what is more comes in further ones. */
const ORDERS_A_MESSAGE = 20_000

const levelLists = ({ bids, asks }: { readonly bids: readonly ClobLevel[]; readonly asks: readonly ClobLevel[] }) => [
  listOfMessages('bids', bids, BookLevelSchema, (level) => level),
  listOfMessages('asks', asks, BookLevelSchema, (level) => level),
]

const recordList = (records: readonly ClobRecordView[]): MessageList =>
  listOfMessages('records', records, OrderRecordSchema, recordForm)

/**
 * The messages of a market's open orders. Each is made when it is its turn, because all of them together take much
 * memory; the first is kept, for those who join together.
 */
export const ordersSnapshot = (market: number, snapshot: OrdersSnapshot): readonly (() => StreamMessage)[] => {
  const { height, timeMs, sequence, orders, died } = snapshot
  const count = Math.max(1, Math.ceil(orders.length / ORDERS_A_MESSAGE))
  const parts = Array.from({ length: count }, (_, at) => () => {
    const isLast = at === count - 1
    const head = { market, height: BigInt(height), timeMs: BigInt(timeMs), sequence: BigInt(sequence) }
    const flags = { previousSequence: BigInt(sequence), isSnapshot: true, isContinued: !isLast }
    const part = orders.slice(at * ORDERS_A_MESSAGE, (at + 1) * ORDERS_A_MESSAGE)
    const list: MessageList = {
      ...listOfMessages('orders', part, clob.OpenOrderSchema, (bytes) => fromBinary(clob.OpenOrderSchema, bytes)),
      bytesAt: (at) => part[at] ?? new Uint8Array(0),
    }
    return messageOf(OrdersUpdateSchema, { ...head, ...flags, ...(isLast && { died: [...died] }) }, [list])
  })
  const [first, ...others] = parts
  if (first === undefined) return []
  const whole = first()
  return [() => whole, ...others]
}

const optionalLevel = (name: 'bid' | 'ask', level: ClobLevel | null) => (level === null ? {} : { [name]: level })

/** A snapshot is as of the depth of a market: that of channel `orders` is another question. */
export const snapshotOf = (
  channel: Exclude<MarketChannel, 'orders'>,
  market: number,
  depth: ClobDepth,
): StreamMessage => {
  const sequence = BigInt(depth.sequence)
  const head = {
    ...{ market, height: BigInt(depth.height), timeMs: BigInt(depth.timeMs) },
    ...{ sequence, previousSequence: sequence, isSnapshot: true },
  }
  switch (channel) {
    case 'book':
      return messageOf(BookUpdateSchema, head, levelLists(depth))
    case 'trades':
      return messageOf(TradesUpdateSchema, head)
    case 'bestPrices': {
      const { blockPriceTicks, bid, ask } = depth
      const best = { ...optionalLevel('bid', bid), ...optionalLevel('ask', ask) }
      return messageOf(BestPricesUpdateSchema, { ...head, ...best, blockPriceTicks })
    }
  }
}

const recordForm = (view: ClobRecordView): MessageInitShape<typeof clobStream.OrderRecordSchema> => {
  const { market, sequence } = view
  const head = { market, sequence: BigInt(sequence) }
  switch (view.kind) {
    case 'placed': {
      const { kind, orderSeq, lots, clientId, expireS, owner, subaccount, side, tif, priceTicks } = view
      const { triggerTicks, triggerKind } = view
      const numbers = { orderSeq: BigInt(orderSeq), lots: BigInt(lots), expireS: BigInt(expireS), triggerTicks }
      const value = {
        ...numbers,
        owner,
        subaccount,
        side,
        tif,
        priceTicks,
        triggerKind,
        clientId: hexToBytes(clientId),
      }
      return { ...head, record: { case: kind, value } }
    }
    case 'fill': {
      const { kind, makerSeq, takerSeq, lots, makerLotsLeft, takerLotsLeft, priceTicks, maker, taker } = view
      const { takerSide, makerFee, makerRebate, takerFee } = view
      const value = {
        ...{ makerSeq: BigInt(makerSeq), takerSeq: BigInt(takerSeq), lots: BigInt(lots), priceTicks, maker, taker },
        ...{ makerLotsLeft: BigInt(makerLotsLeft), takerLotsLeft: BigInt(takerLotsLeft), takerSide },
        ...{ makerFee, makerRebate, takerFee },
      }
      return { ...head, record: { case: kind, value } }
    }
    case 'removed': {
      const { kind, orderSeq, lots, lotsLeft, reason, owner } = view
      const numbers = { orderSeq: BigInt(orderSeq), lots: BigInt(lots), lotsLeft: BigInt(lotsLeft) }
      return { ...head, record: { case: kind, value: { ...numbers, reason, owner } } }
    }
  }
}

type FillView = Extract<ClobRecordView, { readonly kind: 'fill' }>

const tradeForm = ({
  sequence,
  priceTicks,
  lots,
  takerSide,
  makerSeq,
  takerSeq,
}: FillView): MessageInitShape<typeof TradeSchema> => {
  const numbers = { sequence: BigInt(sequence), lots: BigInt(lots), makerSeq: BigInt(makerSeq) }
  return { ...numbers, takerSeq: BigInt(takerSeq), priceTicks, takerSide }
}

const isFill = (record: ClobRecordView): record is FillView => record.kind === 'fill'

const ownersOf = (record: ClobRecordView): readonly string[] =>
  record.kind !== 'fill'
    ? [record.owner]
    : record.maker === record.taker
      ? [record.maker]
      : [record.maker, record.taker]

const addTo = <Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): void => {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [item])
  else group.push(item)
}

const seqsOf = (record: ClobRecordView): readonly number[] =>
  record.kind === 'fill' ? [record.makerSeq, record.takerSeq] : [record.orderSeq]

type MarketChanges = ClobUpdates['markets'][number]

type Failed = Pick<ClobUpdates, 'rejected' | 'refused'>

const failedForms = ({ rejected, refused }: Failed) => ({
  rejected: rejected.map(({ action, code, reason, hash }) => ({
    ...{ action, code, reason },
    ...(hash && { txHash: hexToBytes(hash) }),
  })),
  refused: refused.map(({ hash, code, reason, subaccount, nonceMs }) => ({
    ...{ txHash: hexToBytes(hash), code, reason, subaccount, nonceMs: BigInt(nonceMs) },
  })),
})

/** What a block changed, as messages. */
export class BlockMessages {
  readonly height: number
  readonly hasRecords: boolean
  /** Characters of what was asked for it, where they are known. */
  length = 0
  readonly #timeMs: number
  readonly #markets: ReadonlyMap<number, MarketChanges>
  readonly #made = new Map<string, StreamMessage>()
  readonly #byMarket = new Map<number, ClobRecordView[]>()
  readonly #byOwner = new Map<string, ClobRecordView[]>()
  readonly #rejected = new Map<string, Failed['rejected'][number][]>()
  readonly #refused = new Map<string, Failed['refused'][number][]>()
  /** order_seq of those that died. Found for all owners at once: a hundred thousand may die in a block, and thousands may watch. */
  #diedByOwner: ReadonlyMap<string, readonly bigint[]> | undefined

  /** `first` is the first page of what it changed: {@link take} wants those behind it. */
  constructor(first: ClobUpdates) {
    this.height = first.height
    this.hasRecords = first.records !== null
    this.#timeMs = first.timeMs
    this.#markets = new Map(first.markets.map((each) => [each.market, each]))
    this.take(first)
  }

  take({ records, rejected, refused }: ClobUpdates): void {
    for (const record of records ?? []) {
      addTo(this.#byMarket, record.market, record)
      for (const owner of ownersOf(record)) addTo(this.#byOwner, owner, record)
    }
    for (const each of rejected) addTo(this.#rejected, each.owner, each)
    for (const each of refused) addTo(this.#refused, each.owner, each)
  }

  /**
   * The stamp after this block of a market that stood at `before` after the block before; undefined where that is not
   * what this block followed.
   */
  stampAfter(market: number, before: Stamp): Stamp | undefined {
    const changes = this.#markets.get(market)
    if (changes === undefined) return before
    return changes.before.sequence === before.sequence ? changes.after : undefined
  }

  /** The changed levels of a market, as they are after this block. */
  levelsOf(market: number): { readonly bids: readonly ClobLevel[]; readonly asks: readonly ClobLevel[] } {
    return this.#markets.get(market) ?? { bids: [], asks: [] }
  }

  /** order_seq of those that were placed, filled or removed, or died. */
  changedOrders(market: number): readonly number[] {
    const died = this.#markets.get(market)?.died ?? []
    return [...this.#recordsOf(market).flatMap(seqsOf), ...died.map(({ orderSeq }) => orderSeq)]
  }

  /** `before` and `after` are those of its market. */
  messageOf(request: StreamRequest, before: Stamp | undefined, after: Stamp | undefined): StreamMessage {
    const key = keyOf(request)
    let made = this.#made.get(key)
    if (made === undefined) {
      made =
        'owner' in request
          ? this.#ofOwner(request.owner)
          : this.#ofMarket(request.channel, request.market, before, after)
      this.#made.set(key, made)
    }
    return made
  }

  #ofMarket(
    channel: MarketChannel,
    market: number,
    before: Stamp | undefined,
    after: Stamp | undefined,
  ): StreamMessage {
    const changes = this.#markets.get(market)
    const head = {
      ...{ market, height: BigInt(this.height), timeMs: BigInt(this.#timeMs), sequence: BigInt(after?.sequence ?? 0) },
      previousSequence: BigInt(before?.sequence ?? 0),
    }
    switch (channel) {
      case 'book':
        return messageOf(BookUpdateSchema, head, changes && levelLists(changes))
      case 'trades': {
        const list = listOfMessages('trades', this.#recordsOf(market).filter(isFill), TradeSchema, tradeForm)
        return messageOf(TradesUpdateSchema, head, [list])
      }
      case 'bestPrices': {
        const best = { ...optionalLevel('bid', after?.bid ?? null), ...optionalLevel('ask', after?.ask ?? null) }
        return messageOf(BestPricesUpdateSchema, { ...head, ...best, blockPriceTicks: after?.blockPriceTicks ?? 0 })
      }
      case 'orders': {
        const died = (changes?.died ?? []).map(({ orderSeq }) => BigInt(orderSeq))
        return messageOf(OrdersUpdateSchema, { ...head, died }, [recordList(this.#recordsOf(market))])
      }
    }
  }

  #ofOwner(owner: string): StreamMessage {
    const failed = { rejected: this.#rejected.get(owner) ?? [], refused: this.#refused.get(owner) ?? [] }
    const head = {
      ...{ owner, height: BigInt(this.height), timeMs: BigInt(this.#timeMs), previousHeight: BigInt(this.height - 1) },
      died: [...(this.#deaths.get(owner) ?? [])],
      ...failedForms(failed),
    }
    return messageOf(OwnOrdersUpdateSchema, head, [recordList(this.#byOwner.get(owner) ?? [])])
  }

  get #deaths(): ReadonlyMap<string, readonly bigint[]> {
    if (this.#diedByOwner !== undefined) return this.#diedByOwner
    const found = new Map<string, bigint[]>()
    for (const { died } of this.#markets.values())
      for (const { owner, orderSeq } of died) addTo(found, owner, BigInt(orderSeq))
    this.#diedByOwner = found
    return found
  }

  #recordsOf(market: number): readonly ClobRecordView[] {
    return this.#byMarket.get(market) ?? []
  }
}

/** Messages of streams: of a snapshot, and of a block. Each is encoded once, however many read it. */
import { create, type DescMessage, type Message, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { hexToBytes } from '../../../core/hex.ts'
import type { ClobDepth, ClobLevel, ClobRecordView, ClobStamp, ClobUpdates } from '../../../app/ports.ts'
import { clobStream } from '../../../proto/index.ts'
import { createMessagePrinter } from '../../native/print-message.ts'
import { createTypeRegistry } from '../../native/services.ts'
import { keyOf, type MarketChannel, type StreamRequest } from './request.ts'

/** What messages of a market say of it, as of the end of a block. */
export type Stamp = Pick<ClobStamp, 'sequence' | 'blockPriceTicks' | 'bid' | 'ask'>

const printer = createMessagePrinter(createTypeRegistry([clobStream.Stream]))

export class StreamMessage {
  readonly #schema: DescMessage
  readonly #message: Message
  #json: string | undefined
  #bytes: Uint8Array | undefined

  constructor(schema: DescMessage, message: Message) {
    this.#schema = schema
    this.#message = message
  }

  /** JSON of the proto message. */
  get json(): string {
    return (this.#json ??= printer.print(this.#schema, this.#message))
  }

  get bytes(): Uint8Array {
    return (this.#bytes ??= toBinary(this.#schema, this.#message))
  }
}

export const messageOf = <Schema extends DescMessage>(schema: Schema, init: MessageInitShape<Schema>): StreamMessage =>
  new StreamMessage(schema, create(schema, init))

const { BookUpdateSchema, OrdersUpdateSchema, TradesUpdateSchema, BestPricesUpdateSchema, OwnOrdersUpdateSchema } =
  clobStream

const optionalLevel = (name: 'bid' | 'ask', level: ClobLevel | null) => (level === null ? {} : { [name]: level })

/** As of the depth of a market: that of channel `orders` is another question. */
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
      return messageOf(BookUpdateSchema, { ...head, bids: [...depth.bids], asks: [...depth.asks] })
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

const tradesOf = (records: readonly ClobRecordView[]): MessageInitShape<typeof clobStream.TradeSchema>[] =>
  records.flatMap((record) => {
    if (record.kind !== 'fill') return []
    const { sequence, priceTicks, lots, takerSide, makerSeq, takerSeq } = record
    const numbers = { sequence: BigInt(sequence), lots: BigInt(lots), makerSeq: BigInt(makerSeq) }
    return [{ ...numbers, takerSeq: BigInt(takerSeq), priceTicks, takerSide }]
  })

const ownersOf = (record: ClobRecordView): readonly string[] =>
  record.kind !== 'fill'
    ? [record.owner]
    : record.maker === record.taker
      ? [record.maker]
      : [record.maker, record.taker]

const groupBy = <Key, Item>(items: readonly Item[], keysOf: (item: Item) => readonly Key[]): Map<Key, Item[]> => {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    for (const key of keysOf(item)) {
      const group = groups.get(key)
      if (group === undefined) groups.set(key, [item])
      else group.push(item)
    }
  }
  return groups
}

type MarketChanges = ClobUpdates['markets'][number]

/** What a block changed, as messages. */
export class BlockMessages {
  readonly height: number
  readonly #updates: ClobUpdates
  readonly #markets: ReadonlyMap<number, MarketChanges>
  readonly #made = new Map<string, StreamMessage>()
  #byMarket: Map<number, ClobRecordView[]> | undefined
  #byOwner: Map<string, ClobRecordView[]> | undefined

  constructor(updates: ClobUpdates) {
    this.height = updates.height
    this.#updates = updates
    this.#markets = new Map(updates.markets.map((each) => [each.market, each]))
  }

  get hasRecords(): boolean {
    return this.#updates.records !== null
  }

  /** Of a market that stood at `before` after the block before; undefined where that is not what this block followed. */
  stampAfter(market: number, before: Stamp): Stamp | undefined {
    const changes = this.#markets.get(market)
    if (changes === undefined) return before
    return changes.before.sequence === before.sequence ? changes.after : undefined
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
    const { height, timeMs } = this.#updates
    const head = {
      ...{ market, height: BigInt(height), timeMs: BigInt(timeMs), sequence: BigInt(after?.sequence ?? 0) },
      previousSequence: BigInt(before?.sequence ?? 0),
    }
    switch (channel) {
      case 'book':
        return messageOf(BookUpdateSchema, {
          ...head,
          bids: [...(changes?.bids ?? [])],
          asks: [...(changes?.asks ?? [])],
        })
      case 'trades':
        return messageOf(TradesUpdateSchema, { ...head, trades: tradesOf(this.#recordsOf(market)) })
      case 'bestPrices': {
        const best = { ...optionalLevel('bid', after?.bid ?? null), ...optionalLevel('ask', after?.ask ?? null) }
        return messageOf(BestPricesUpdateSchema, { ...head, ...best, blockPriceTicks: after?.blockPriceTicks ?? 0 })
      }
      case 'orders': {
        const died = (changes?.died ?? []).map(({ orderSeq }) => BigInt(orderSeq))
        return messageOf(OrdersUpdateSchema, { ...head, records: this.#recordsOf(market).map(recordForm), died })
      }
    }
  }

  #ofOwner(owner: string): StreamMessage {
    const { height, timeMs, records, markets, rejected } = this.#updates
    this.#byOwner ??= groupBy(records ?? [], ownersOf)
    const died = markets.flatMap((each) => each.died.filter((order) => order.owner === owner))
    return messageOf(OwnOrdersUpdateSchema, {
      ...{ owner, height: BigInt(height), timeMs: BigInt(timeMs), previousHeight: BigInt(height - 1) },
      records: (this.#byOwner.get(owner) ?? []).map(recordForm),
      died: died.map(({ orderSeq }) => BigInt(orderSeq)),
      rejected: rejected
        .filter((each) => each.owner === owner)
        .map(({ action, code, reason, hash }) => ({ action, code, reason, ...(hash && { txHash: hexToBytes(hash) }) })),
    })
  }

  #recordsOf(market: number): readonly ClobRecordView[] {
    this.#byMarket ??= groupBy(this.#updates.records ?? [], (record) => [record.market])
    return this.#byMarket.get(market) ?? []
  }
}

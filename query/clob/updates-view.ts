/** What a block changed of the order book, as gateways are told. */
import type { Address } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { bytesToHex } from '../../core/hex.ts'
import {
  codeOf,
  MATCHING_ENTRIES,
  marketOf,
  REMOVAL_REASONS,
  SIDE_CODES,
  TIF_CODES,
  TRIGGER_CODES,
} from '../../modules/clob/index.ts'
import type { BlockUpdates, ToldRecord } from '../../app/orders/update-ring.ts'
import type { ClobRecordView, ClobUpdates } from '../../app/ports.ts'
import { levelView, stampView } from './depth.ts'

type NameOf = (owner: Address) => string

/** An owner has many records in a block. */
const namesOf = (): NameOf => {
  const names = new Map<string, string>()
  return (owner) => {
    const key = bytesToKey(owner)
    let name = names.get(key)
    if (name === undefined) {
      name = encodeBech32(owner)
      names.set(key, name)
    }
    return name
  }
}

const recordView = (record: ToldRecord, nameOf: NameOf): ClobRecordView => {
  const { sequence } = record
  const market = marketOf(record as Parameters<typeof marketOf>[0])
  switch (record.kind) {
    case 'placed': {
      const { seq: orderSeq, owner, subaccount, side, tif, priceTicks, lots, clientId, expireS } = record.order
      const { triggerTicks, triggerKind } = record.order
      return {
        kind: 'placed',
        ...{ market, sequence, orderSeq, owner: nameOf(owner), subaccount },
        ...{ side: SIDE_CODES[side], tif: TIF_CODES[tif], priceTicks, lots, clientId: bytesToHex(clientId) },
        ...{ triggerTicks, triggerKind: TRIGGER_CODES[triggerKind], expireS },
      }
    }
    case 'fill': {
      const { makerSeq, takerSeq, priceTicks, lots, makerFee, makerRebate, takerFee } = record
      return {
        kind: 'fill',
        ...{ market, sequence, makerSeq, takerSeq, priceTicks, lots },
        ...{ makerFee: String(makerFee), makerRebate: String(makerRebate), takerFee: String(takerFee) },
        ...{ maker: nameOf(record.maker), taker: nameOf(record.taker), takerSide: SIDE_CODES[record.takerSide] },
        ...{ makerLotsLeft: record.makerLeft, takerLotsLeft: record.takerLeft },
      }
    }
    case 'removed': {
      const { orderSeq, lots, reason, owner, left: lotsLeft } = record
      const numbers = { orderSeq, lots, reason: REMOVAL_REASONS[reason], lotsLeft }
      return { kind: 'removed', market, sequence, ...numbers, owner: nameOf(owner) }
    }
  }
}

/** Some milliseconds of the thread that executes blocks. */
const RECORDS_A_PAGE = 2_000

export const updatesView = (
  { height, timeMs, markets, records, rejected, refused }: BlockUpdates,
  recordsFrom: number | undefined,
): ClobUpdates => {
  const nameOf = namesOf()
  const from = recordsFrom ?? 0
  const end = recordsFrom === undefined ? 0 : from + RECORDS_A_PAGE
  const isLast = recordsFrom === undefined || end >= Math.max(records.length, rejected.length, refused.length)
  return {
    height,
    timeMs,
    // A full block changes as many levels as it has records: they stand on the first page alone.
    markets: (from > 0 ? [] : markets).map(({ market, before, after, levels: { bids, asks, died } }) => ({
      market,
      before: { sequence: before.sequence },
      after: stampView(after),
      bids: bids.map(levelView),
      asks: asks.map(levelView),
      died: died.map(({ seq: orderSeq, owner }) => ({ orderSeq, owner: nameOf(owner) })),
    })),
    records: recordsFrom === undefined ? null : records.slice(from, end).map((record) => recordView(record, nameOf)),
    next: isLast ? null : end,
    rejected: rejected.slice(from, end).map(({ owner, action, error, hash }) => ({
      owner: nameOf(owner),
      action,
      code: codeOf(error),
      reason: MATCHING_ENTRIES[error].text,
      hash: hash === undefined ? null : bytesToHex(hash),
    })),
    refused: refused.slice(from, end).map(({ owner, hash, error, subaccount, nonceMs }) => ({
      ...{ owner: nameOf(owner), hash: bytesToHex(hash), code: codeOf(error), reason: MATCHING_ENTRIES[error].text },
      ...{ subaccount, nonceMs },
    })),
  }
}

/** What the last block left of a market: contracts and workers at old heights read it, never the book in memory. */
import { bigintToBytes } from '../../../core/bytes.ts'
import { encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { type MarketRecord, MAX_OPEN_ORDERS } from '../domain/market.ts'
import { CLOB_ACCOUNT, recordKey } from '../keys.ts'
import { MAX_UINT32, RlpReader } from './rlp-reader.ts'
import { uint } from './rlp-writer.ts'

const HASH_LENGTH = 32

/** Undefined where there is no such market. */
export const readRecord = (state: StateReader, market: number): MarketRecord | undefined => {
  const value = state.value(CLOB_ACCOUNT, recordKey(market))
  if (value === undefined) return undefined
  return RlpReader.list(value, 'record of a market').whole((fields) => ({
    sequence: fields.uint(Number.MAX_SAFE_INTEGER),
    blockPriceTicks: fields.uint(MAX_UINT32),
    priceMs: fields.bigint(),
    sinceMs: fields.uint(Number.MAX_SAFE_INTEGER),
    bestBidTicks: fields.uint(MAX_UINT32),
    bestAskTicks: fields.uint(MAX_UINT32),
    openOrders: fields.uint(MAX_OPEN_ORDERS),
    bookRoot: fields.bytes(HASH_LENGTH),
  }))
}

export const writeRecord = (state: StateWriter, market: number, record: MarketRecord): void =>
  state.setValue(
    CLOB_ACCOUNT,
    recordKey(market),
    encodeRlp([
      uint(record.sequence),
      uint(record.blockPriceTicks),
      bigintToBytes(record.priceMs),
      uint(record.sinceMs),
      uint(record.bestBidTicks),
      uint(record.bestAskTicks),
      uint(record.openOrders),
      record.bookRoot,
    ]),
  )

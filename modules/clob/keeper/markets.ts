/** Markets as governance made them. */
import { bigintToBytes, readUint32, utf8ToBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { MODE_CODES, namesOf, STATUS_CODES } from '../domain/codes.ts'
import { type FeeTier, type Market, MAX_OPEN_ORDERS } from '../domain/market.ts'
import { MAX_FEE_TIERS, MAX_MARKETS, PPM } from '../domain/market-rules.ts'
import { CLOB_ACCOUNT, MARKET_PREFIX, marketKey } from '../keys.ts'
import { MAX_UINT32, RlpReader } from './rlp-reader.ts'
import { uint } from './rlp-writer.ts'

const STATUS_NAMES = namesOf(STATUS_CODES)
const MODE_NAMES = namesOf(MODE_CODES)
const MAX_DENOM_BYTES = 128

/** RLP knows no integers below zero: the maker's fee and the maker's rebate stand apart, and one of them is 0. */
const tierItems = ({ volume, makerPpm, takerPpm }: FeeTier) => [
  bigintToBytes(volume),
  uint(Math.max(makerPpm, 0)),
  uint(Math.max(-makerPpm, 0)),
  uint(takerPpm),
]

const readTier = (fields: RlpReader): FeeTier => {
  const volume = fields.bigint()
  const feePpm = fields.uint(PPM)
  const rebatePpm = fields.uint(PPM)
  invariant(feePpm === 0 || rebatePpm === 0, 'a fee tier in state has a fee and a rebate of makers')
  return { volume, makerPpm: feePpm - rebatePpm, takerPpm: fields.uint(PPM) }
}

const encodeMarket = (market: Market): Uint8Array =>
  encodeRlp([
    utf8ToBytes(market.baseDenom),
    utf8ToBytes(market.quoteDenom),
    bigintToBytes(market.lotSize),
    bigintToBytes(market.factor),
    market.fees.map(tierItems),
    bigintToBytes(market.minNotional),
    uint(market.bandPpm),
    uint(market.maxOpenOrders),
    bigintToBytes(market.triggerNotional),
    bigintToBytes(market.minEquity),
    uint(STATUS_CODES[market.status]),
    uint(MODE_CODES[market.mode]),
  ])

const decodeMarket = (id: number, value: Uint8Array): Market =>
  RlpReader.list(value, 'market').whole((fields) => ({
    id,
    baseDenom: fields.text(MAX_DENOM_BYTES),
    quoteDenom: fields.text(MAX_DENOM_BYTES),
    lotSize: fields.bigint(),
    factor: fields.bigint(),
    fees: fields.list(MAX_FEE_TIERS, (tiers) => tiers.record(readTier)),
    minNotional: fields.bigint(),
    bandPpm: fields.uint(MAX_UINT32),
    maxOpenOrders: fields.uint(MAX_OPEN_ORDERS),
    triggerNotional: fields.bigint(),
    minEquity: fields.bigint(),
    status: fields.choice(STATUS_NAMES),
    mode: fields.choice(MODE_NAMES),
  }))

/** Undefined where there is none. */
export const readMarket = (state: StateReader, id: number): Market | undefined => {
  const value = state.value(CLOB_ACCOUNT, marketKey(id))
  return value === undefined ? undefined : decodeMarket(id, value)
}

export const writeMarket = (state: StateWriter, market: Market): void =>
  state.setValue(CLOB_ACCOUNT, marketKey(market.id), encodeMarket(market))

/** Lists at most `limit` markets by number, from `start` on. */
export const listMarkets = (state: StateReader, start = 1, limit = MAX_MARKETS): readonly Market[] =>
  state.values(CLOB_ACCOUNT, MARKET_PREFIX, limit, marketKey(start)).map(([key, value]) => {
    invariant(key.length === MARKET_PREFIX.length + 4, 'the key of a market in state is damaged')
    return decodeMarket(readUint32(key, MARKET_PREFIX.length), value)
  })

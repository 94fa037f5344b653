/** Markets, their records and the parameters as protobuf messages, and back. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { clob } from '../../../proto/index.ts'
import { clobError } from '../errors.ts'
import { MODE_CODES, namesOf, STATUS_CODES } from '../domain/codes.ts'
import type { FeeTier, Market, MarketRecord } from '../domain/market.ts'
import { type MarketSettings, MAX_AMOUNT, MAX_FEE_TIERS } from '../domain/market-rules.ts'
import type { ClobParameters } from '../domain/settings.ts'

const STATUS_NAMES = namesOf(STATUS_CODES)
const MODE_NAMES = namesOf(MODE_CODES)
const AMOUNT = /^(?:0|[1-9][0-9]{0,38})$/

/** Undefined for text that is no integer below 2^127. */
export const parseAmountText = (text: string): bigint | undefined => {
  const amount = AMOUNT.test(text) ? BigInt(text) : undefined
  return amount !== undefined && amount <= MAX_AMOUNT ? amount : undefined
}

const tierForm = ({ volume, makerPpm, takerPpm }: FeeTier) => ({ volume: volume.toString(), makerPpm, takerPpm })

export const settingsForm = (settings: MarketSettings): MessageInitShape<typeof clob.MarketSettingsSchema> => ({
  fees: settings.fees.map(tierForm),
  minNotional: settings.minNotional.toString(),
  bandPpm: settings.bandPpm,
  maxOpenOrders: settings.maxOpenOrders,
  triggerNotional: settings.triggerNotional.toString(),
  minEquity: settings.minEquity.toString(),
  status: STATUS_CODES[settings.status],
  mode: MODE_CODES[settings.mode],
})

export const marketForm = (market: Market): MessageInitShape<typeof clob.MarketSchema> => ({
  id: market.id,
  baseDenom: market.baseDenom,
  quoteDenom: market.quoteDenom,
  lotSize: market.lotSize.toString(),
  factor: market.factor.toString(),
  settings: settingsForm(market),
})

/** Throws clob/23. */
const parseSetting = (name: string, text: string): bigint => {
  const amount = parseAmountText(text)
  if (amount !== undefined) return amount
  throw clobError('marketSettings', `${name} must be from 0 to 2^127 - 1, not ${text.slice(0, 80)}`)
}

const parseTier = ({ volume: text, makerPpm, takerPpm }: clob.FeeTier): FeeTier => {
  const volume = parseAmountText(text)
  if (volume === undefined)
    throw clobError('marketFees', `fees: a volume must be below 2^127, not ${text.slice(0, 80)}`)
  return { volume, makerPpm, takerPpm }
}

/** Ranges are the business of `checkSettings`. Throws clob/22 and clob/23. */
export const parseSettings = (settings: clob.MarketSettings | undefined): MarketSettings => {
  if (settings === undefined) throw clobError('marketSettings', 'settings are missing')
  const status = STATUS_NAMES[settings.status]
  if (status === undefined) throw clobError('marketSettings', `${settings.status} is no status`)
  const mode = MODE_NAMES[settings.mode]
  if (mode === undefined) throw clobError('marketSettings', `${settings.mode} is no mode`)
  const { fees } = settings
  if (fees.length > MAX_FEE_TIERS) {
    throw clobError('marketFees', `fees: 1 to ${MAX_FEE_TIERS} tiers, not ${fees.length}`)
  }
  return {
    fees: fees.map(parseTier),
    minNotional: parseSetting('min_notional', settings.minNotional),
    bandPpm: settings.bandPpm,
    maxOpenOrders: settings.maxOpenOrders,
    triggerNotional: parseSetting('trigger_notional', settings.triggerNotional),
    minEquity: parseSetting('min_equity', settings.minEquity),
    status,
    mode,
  }
}

/** Throws clob/21. */
const parseSize = (name: string, text: string): bigint => {
  const size = parseAmountText(text)
  if (size !== undefined) return size
  throw clobError('marketSizes', `${name} must be an integer from 1 to 2^127 - 1, not ${text.slice(0, 80)}`)
}

type MarketMessage = Pick<clob.Market, 'baseDenom' | 'quoteDenom' | 'lotSize' | 'factor' | 'settings'>

/** Ranges are the business of `checkMarket`. Throws clob/21 to clob/23. */
export const parseMarket = (market: MarketMessage): Omit<Market, 'id'> => ({
  baseDenom: market.baseDenom,
  quoteDenom: market.quoteDenom,
  lotSize: parseSize('lot_size', market.lotSize),
  factor: parseSize('factor', market.factor),
  ...parseSettings(market.settings),
})

export const recordForm = (record: MarketRecord): MessageInitShape<typeof clob.MarketRecordSchema> => ({
  sequence: BigInt(record.sequence),
  blockPriceTicks: record.blockPriceTicks,
  priceMs: record.priceMs.toString(),
  sinceMs: BigInt(record.sinceMs),
  bestBidTicks: record.bestBidTicks,
  bestAskTicks: record.bestAskTicks,
  openOrders: record.openOrders,
  bookRoot: record.bookRoot,
})

/** Names and types are the same in both. */
export const parametersForm = (parameters: ClobParameters): MessageInitShape<typeof clob.ParamsSchema> => parameters

export const parseParameters = (params: clob.Params): ClobParameters => ({
  extensionBudgetBytes: params.extensionBudgetBytes,
  minAgeMs: params.minAgeMs,
  bucketMs: params.bucketMs,
  blockWeight: params.blockWeight,
  maxActions: params.maxActions,
  maxOpenOrders: params.maxOpenOrders,
  maxTriggers: params.maxTriggers,
  triggerWeight: params.triggerWeight,
  contractWeight: params.contractWeight,
  maxRemovals: params.maxRemovals,
})

/**
 * TradingView's Universal Data Feed (charting-library-docs, "UDF"): what its charts ask of a server, made of the history of the order
 * book. Prices and volumes are numbers in display units, as charts draw them: whoever counts money asks nat.clob.v1.
 */
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import type { Asker } from '../../app/ports.ts'
import { CodedError } from '../../core/errors.ts'
import { GRPC } from '../../core/grpc-status.ts'
import { bankQuery, clobHistory, clobQuery } from '../../proto/index.ts'
import type { NativeQueries } from '../native/native-queries.ts'
import { methodPath } from '../native/services.ts'

export const UDF_PATH = '/udf/'

/** In seconds. A map, because what a client names may be a member of every object. */
const RESOLUTIONS: ReadonlyMap<string, number> = new Map([
  ['1', 60],
  ['5', 300],
  ['15', 900],
  ['60', 3_600],
  ['240', 14_400],
  ['1D', 86_400],
  ['D', 86_400],
])
const SUPPORTED = ['1', '5', '15', '60', '240', '1D']
const EXCHANGE = 'nat'
/** The most bars of an answer: a chart asks again for what lies before. */
const MAX_BARS = 5_000
const BARS_A_PAGE = 500
const MAX_MARKETS = 500
const DEFAULT_FOUND = 30
const MAX_PLACES = 18
/** A bar in an answer, about. */
const BAR_BYTES = 80

/** What the client asked wrongly: charts show the text. */
class UdfError extends Error {}

interface Coin {
  readonly symbol: string
  readonly exponent: number
}

interface MarketSymbol {
  readonly id: number
  readonly name: string
  readonly description: string
  readonly base: Coin
  /** A tick is so many display units of quote for one of base: numerator and denominator. */
  readonly tick: readonly [bigint, bigint]
  readonly lotSize: bigint
}

/** What charts ask with, in the place of one of them. */
interface Asking {
  readonly ask: Ask
  symbols(): Promise<readonly MarketSymbol[]>
  takeTurn: UdfQuestion['takeTurn']
}

type Ask = <Input extends DescMessage, Output extends DescMessage>(
  method: DescMethodUnary<Input, Output>,
  request: MessageInitShape<Input>,
) => Promise<MessageShape<Output>>

/** How a price is written: a tick as `minmov` of the last place, 1 / `pricescale`. */
const scaleOf = ([above, below]: MarketSymbol['tick']): { readonly minmov: number; readonly pricescale: number } => {
  for (let places = 0; places <= MAX_PLACES; places++) {
    const scaled = above * 10n ** BigInt(places)
    if (scaled % below === 0n) return { minmov: Number(scaled / below), pricescale: 10 ** places }
  }
  return { minmov: 1, pricescale: 10 ** MAX_PLACES }
}

const countOf = (query: URLSearchParams, name: string, byDefault: number): number => {
  const text = query.get(name)
  if (text === null || text === '') return byDefault
  // Charts ask for times before 1970, too.
  if (!/^-?[0-9]{1,12}$/.test(text)) throw new UdfError(`${name} is no number`)
  return Math.max(0, Number(text))
}

/** One that nobody has described is counted in its smallest unit. */
const findCoin = async (ask: Ask, base: string): Promise<Coin> => {
  try {
    const { metadata } = await ask(bankQuery.Query.method.denomMetadata, { denom: base })
    const { symbol = '', display = '', denomUnits = [] } = metadata ?? {}
    const exponent = denomUnits.find(({ denom }) => denom === display)?.exponent ?? 0
    return { symbol: symbol === '' ? base : symbol, exponent }
  } catch (error) {
    if (error instanceof CodedError && error.codespace === 'grpc' && error.code === GRPC.notFound)
      return { symbol: base, exponent: 0 }
    throw error
  }
}

/** Denominations are asked for by their names: of all that there are, anybody may make more. */
const listSymbols = async (ask: Ask): Promise<readonly MarketSymbol[]> => {
  const { markets } = await ask(clobQuery.Query.method.markets, { pagination: { limit: BigInt(MAX_MARKETS) } })
  const denominations = [...new Set(markets.flatMap(({ baseDenom, quoteDenom }) => [baseDenom, quoteDenom]))]
  const found = await Promise.all(denominations.map(async (denom) => [denom, await findCoin(ask, denom)] as const))
  const coins = new Map(found)
  const coin = (denom: string): Coin => coins.get(denom) ?? { symbol: denom, exponent: 0 }
  return markets.map(({ id, baseDenom, quoteDenom, lotSize, factor }) => {
    const [base, quote] = [coin(baseDenom), coin(quoteDenom)]
    return {
      id,
      base,
      name: `${base.symbol}/${quote.symbol}`,
      description: `${baseDenom} in ${quoteDenom}`,
      tick: [BigInt(factor) * 10n ** BigInt(base.exponent), BigInt(lotSize) * 10n ** BigInt(quote.exponent)],
      lotSize: BigInt(lotSize),
    }
  })
}

/** Finds a symbol by the number of the market, by its name, and by both with the exchange before them. */
const findSymbol = async ({ symbols }: Asking, query: URLSearchParams): Promise<MarketSymbol> => {
  const text = (query.get('symbol') ?? '').replace(/^nat:/i, '')
  const found = (await symbols()).find(
    ({ id, name }) => text === String(id) || text.toUpperCase() === name.toUpperCase(),
  )
  if (found === undefined) throw new UdfError('unknown_symbol')
  return found
}

const symbolJson = (symbol: MarketSymbol) => ({
  ...{ name: symbol.name, ticker: String(symbol.id), description: symbol.description, type: 'crypto' },
  ...{ session: '24x7', timezone: 'Etc/UTC', exchange: EXCHANGE, listed_exchange: EXCHANGE, format: 'price' },
  ...scaleOf(symbol.tick),
  ...{ has_intraday: true, has_daily: true, has_weekly_and_monthly: false, supported_resolutions: SUPPORTED },
  ...{ intraday_multipliers: SUPPORTED.slice(0, -1), volume_precision: 3, data_status: 'streaming' },
})

/** The newest `wanted` bars below `to` and not below `from`, by time. */
const barsOf = async (
  ask: Ask,
  market: number,
  resolutionS: number,
  range: { from: number; to: number; wanted: number },
) => {
  const { from, wanted } = range
  let bars: clobHistory.Candle[] = []
  for (let { to } = range; bars.length < wanted && to > from; ) {
    const limit = Math.min(BARS_A_PAGE, wanted - bars.length)
    const asked = { market, resolutionS, toS: BigInt(to), limit }
    const { candles } = await ask(clobHistory.History.method.candles, asked)
    const inside = candles.filter(({ startS }) => Number(startS) >= from)
    bars = [...inside, ...bars]
    if (inside.length < limit) break
    to = Number(inside[0]?.startS ?? 0n)
  }
  return bars
}

const history = async (asking: Asking, query: URLSearchParams) => {
  const { ask } = asking
  const symbol = await findSymbol(asking, query)
  const resolutionS = RESOLUTIONS.get(query.get('resolution') ?? '')
  if (resolutionS === undefined) throw new UdfError('unknown_resolution')
  // Its end is inside, in seconds; a node of today has no bar behind it.
  const to = countOf(query, 'to', 10 ** 11) + 1
  const countback = countOf(query, 'countback', 0)
  const from = countback > 0 ? 0 : countOf(query, 'from', 0)
  const wanted = Math.min(MAX_BARS, countback > 0 ? countback : MAX_BARS)
  const bars = await barsOf(ask, symbol.id, resolutionS, { from, to, wanted })
  if (bars.length === 0) {
    const [before] = await barsOf(ask, symbol.id, resolutionS, { from: 0, to: Math.max(1, from), wanted: 1 })
    return { s: 'no_data', ...(before !== undefined && { nextTime: Number(before.startS) }) }
  }
  return await asking.takeTurn(bars.length * BAR_BYTES, () => chartOf(symbol, bars))
}

const chartOf = (symbol: MarketSymbol, bars: readonly clobHistory.Candle[]) => {
  const [above, below] = symbol.tick
  const price = (ticks: number): number => Number(BigInt(ticks) * above) / Number(below)
  const unit = 10 ** symbol.base.exponent
  return {
    s: 'ok',
    t: bars.map(({ startS }) => Number(startS)),
    o: bars.map(({ openTicks }) => price(openTicks)),
    h: bars.map(({ highTicks }) => price(highTicks)),
    l: bars.map(({ lowTicks }) => price(lowTicks)),
    c: bars.map(({ closeTicks }) => price(closeTicks)),
    v: bars.map(({ lots }) => Number(BigInt(lots) * symbol.lotSize) / unit),
  }
}

const search = async ({ symbols }: Asking, query: URLSearchParams) => {
  const text = (query.get('query') ?? '').toUpperCase()
  const limit = Math.min(countOf(query, 'limit', DEFAULT_FOUND), MAX_MARKETS)
  return (await symbols())
    .filter(({ name }) => name.toUpperCase().includes(text))
    .slice(0, limit)
    .map(({ id, name, description }) => ({
      ...{ symbol: name, full_name: `${EXCHANGE}:${name}`, description, exchange: EXCHANGE },
      ...{ ticker: String(id), type: 'crypto' },
    }))
}

const CONFIG = {
  ...{ supports_search: true, supports_group_request: false, supports_marks: false },
  ...{ supports_timescale_marks: false, supports_time: true, supported_resolutions: SUPPORTED },
  ...{
    exchanges: [{ value: EXCHANGE, name: EXCHANGE, desc: '' }],
    symbols_types: [{ name: 'crypto', value: 'crypto' }],
  },
} as const

export interface UdfAnswer {
  readonly status: number
  readonly text: string
}

export interface UdfQuestion {
  /** The part of the path behind {@link UDF_PATH}. */
  readonly name: string
  readonly query: string
  /** Time of the newest block, in seconds. */
  readonly timeS: number
  readonly asker: Asker
  /** The height of the newest block. */
  readonly height: number
  /** Does what takes long in the turn of its connection. */
  readonly takeTurn: <Result>(bytes: number, work: () => Result) => Promise<Result>
}

/**
 * The markets and their names are read once for a block: every page needs them. Gives answers as {@link UdfAnswer}; undefined where there is no
 * such page. What the client asked wrongly is an answer too; other errors are thrown.
 */
export const createUdf = (queries: NativeQueries) => {
  let listed: { readonly height: number; readonly symbols: Promise<readonly MarketSymbol[]> } | undefined

  const askAs =
    (asker: Asker): Ask =>
    async (method, request) => {
      const bytes = toBinary(method.input, create(method.input, request))
      const reply = await queries.ask(methodPath(method), bytes, undefined, asker)
      return fromBinary(method.output, reply.bytes)
    }

  const symbolsAt = async (ask: Ask, height: number): Promise<readonly MarketSymbol[]> => {
    if (listed?.height === height) {
      const symbols = await listed.symbols.catch(() => undefined)
      if (symbols !== undefined) return symbols
    }
    // Who asked first may have gone: then the next one does.
    const symbols = listSymbols(ask)
    listed = { height, symbols }
    return await symbols
  }

  return async ({ name, timeS, asker, height, takeTurn, ...question }: UdfQuestion): Promise<UdfAnswer | undefined> => {
    const query = new URLSearchParams(question.query)
    const ask = askAs(asker)
    const asking: Asking = { ask, symbols: () => symbolsAt(ask, height), takeTurn }
    const pages: Readonly<Record<string, () => unknown>> = {
      config: () => CONFIG,
      time: () => timeS,
      symbols: async () => symbolJson(await findSymbol(asking, query)),
      search: () => search(asking, query),
      history: () => history(asking, query),
    }
    const page = Object.hasOwn(pages, name) ? pages[name] : undefined
    if (page === undefined) return undefined
    try {
      return { status: 200, text: JSON.stringify(await page()) }
    } catch (error) {
      if (!(error instanceof UdfError) && !(error instanceof CodedError)) throw error
      return { status: 200, text: JSON.stringify({ s: 'error', errmsg: error.message }) }
    }
  }
}

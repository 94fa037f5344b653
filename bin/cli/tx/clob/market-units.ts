/** Prices and sizes as people write them, in the ticks and lots of a market. Nothing is rounded: what does not fit is refused. */
import { bankQuery, clobQuery } from '../../../../proto/index.ts'
import { cliError } from '../../../errors.ts'
import { type CometClient, QueryRefusal } from '../../client/comet-client.ts'

export interface MarketUnits {
  readonly market: number
  readonly base: DisplayUnit
  readonly quote: DisplayUnit
  /** Smallest units of base. */
  readonly lotSize: bigint
  /** Smallest units of quote that a tick is worth a lot. */
  readonly factor: bigint
}

export interface DisplayUnit {
  readonly symbol: string
  /** One of it is 10^exponent of the smallest unit. */
  readonly exponent: number
}

const MAX_PLACES = 60

/** A decimal number as its digits and how many of them stand behind the point. Throws cli/1. */
const readDecimal = (text: string, what: string): { readonly digits: bigint; readonly places: number } => {
  const [, whole, places = ''] = /^([0-9]{1,40})(?:\.([0-9]{1,40}))?$/.exec(text) ?? []
  if (whole === undefined) throw cliError('usage', `"${text}" is no ${what}: write a number such as 12 or 0.5`)
  return { digits: BigInt(whole + places), places: places.length }
}

const formatUnits = (value: bigint, places: number): string => {
  const digits = value.toString().padStart(places + 1, '0')
  const point = digits.length - places
  return places === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0+$/, '')
}

const divided = (above: bigint, below: bigint, refusal: () => string): bigint => {
  if (above % below !== 0n || above === 0n) throw cliError('usage', refusal())
  return above / below
}

/** `text` is in the display unit of base. Throws cli/1. */
export const toLots = (text: string, { base, lotSize }: MarketUnits): bigint => {
  const { digits, places } = readDecimal(text, 'size')
  return divided(
    digits * 10n ** BigInt(base.exponent),
    10n ** BigInt(places) * lotSize,
    () => `a size is a multiple of ${formatUnits(lotSize, base.exponent)} ${base.symbol}, and "${text}" is not`,
  )
}

/** `text` is in display units of quote for one of base. Throws cli/1. */
export const toTicks = (text: string, { base, quote, lotSize, factor }: MarketUnits): bigint => {
  const { digits, places } = readDecimal(text, 'price')
  const above = digits * 10n ** BigInt(quote.exponent) * lotSize
  const below = 10n ** BigInt(places) * factor * 10n ** BigInt(base.exponent)
  return divided(above, below, () => {
    // What one tick is worth, to as many places as anybody reads.
    const tick = (factor * 10n ** BigInt(base.exponent + MAX_PLACES)) / (lotSize * 10n ** BigInt(quote.exponent))
    return `a price is a multiple of ${formatUnits(tick, MAX_PLACES)} ${quote.symbol} for one ${base.symbol}, and "${text}" is not`
  })
}

const displayUnit = async (client: CometClient, denom: string): Promise<DisplayUnit> => {
  try {
    const { metadata } = await client.query(bankQuery.Query.method.denomMetadata, { denom })
    const unit = metadata?.denomUnits.find(({ denom: name }) => name === metadata.display)
    if (metadata !== undefined && unit !== undefined) return { symbol: metadata.symbol, exponent: unit.exponent }
  } catch (error) {
    if (!(error instanceof QueryRefusal)) throw error
  }
  return { symbol: denom, exponent: 0 }
}

/** Throws cli/1 for no market, cli/10 and cli/20. */
export const askMarket = async (client: CometClient, text: string): Promise<MarketUnits> => {
  if (!/^[1-9][0-9]{0,8}$/.test(text)) throw cliError('usage', `"${text}" is no market: write its number`)
  const market = Number(text)
  const { market: found } = await client.query(clobQuery.Query.method.market, { market })
  if (found === undefined) throw cliError('query', `there is no market ${market}`)
  return {
    market,
    base: await displayUnit(client, found.baseDenom),
    quote: await displayUnit(client, found.quoteDenom),
    lotSize: BigInt(found.lotSize),
    factor: BigInt(found.factor),
  }
}

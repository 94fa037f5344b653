/** The order book of a devnet: two markets of denominations that are worth nothing. */
import { DENOMINATION } from '../../../core/amounts.ts'
import type { GenesisDocument } from '../../node/genesis/document.ts'

const DOLLAR = 'utusd'
const BITCOIN = 'tsat'
/** What each account gets: 1,000,000 TUSD and 100 TBTC. */
export const TEST_COINS = `${10n ** 12n}${DOLLAR},${10n ** 10n}${BITCOIN}`

const metadata = (base: string, symbol: string, exponent: number, name: string) => ({
  description: `${name}, worth nothing`,
  denom_units: [
    { denom: base, exponent: 0, aliases: [] },
    { denom: symbol.toLowerCase(), exponent, aliases: [] },
  ],
  base,
  display: symbol.toLowerCase(),
  name,
  symbol,
})

const METADATA = [metadata(DOLLAR, 'TUSD', 6, 'Test dollar'), metadata(BITCOIN, 'TBTC', 8, 'Test bitcoin')]

/** Amounts are in 10^-6 TUSD. */
const SETTINGS = {
  fees: [
    { volume: '0', maker_ppm: 100, taker_ppm: 300 },
    // 1,000,000 TUSD in 30 days: makers get a rebate, which takers of any tier pay.
    { volume: '1000000000000', maker_ppm: -50, taker_ppm: 250 },
  ],
  // 1 TUSD.
  min_notional: '1000000',
  // 10%.
  band_ppm: 100_000,
  max_open_orders: 200,
  // 10 TUSD.
  trigger_notional: '10000000',
  // 10 TUSD, so that 40,000 names with dust do not fill the pools.
  min_equity: '10000000',
  status: 'MARKET_STATUS_ACTIVE',
  mode: 'MARKET_MODE_CONTINUOUS',
} as const

/** Lots of 0.001 NAT, ticks of 0.001 TUSD a NAT. */
const NAT_TUSD = { id: 1, base_denom: DENOMINATION, quote_denom: DOLLAR, lot_size: '1000000000000000', factor: '1' }
/** Lots of 0.00001 TBTC, ticks of 1 TUSD a TBTC. */
const TBTC_TUSD = { id: 2, base_denom: BITCOIN, quote_denom: DOLLAR, lot_size: '1000', factor: '10' }

/** The markets, and what clients show of their denominations. Whoever is to trade holds {@link TEST_COINS}. */
export const addTestMarkets = (document: GenesisDocument): GenesisDocument => {
  const { bank, clob } = document.app_state
  const markets = [NAT_TUSD, TBTC_TUSD].map((market) => ({ market: { ...market, settings: SETTINGS } }))
  return {
    ...document,
    app_state: {
      ...document.app_state,
      bank: { ...bank, denom_metadata: [...bank.denom_metadata, ...METADATA] },
      clob: { ...(clob as object | undefined), markets },
    },
  }
}

/** The order book of a simulated chain: two markets, one of each mode, and what their traders hold. */
import type { Address } from '../../../core/address.ts'
import { bytesToHex } from '../../../core/hex.ts'
import { type ClobParameters, DEFAULT_CLOB_PARAMETERS } from '../../../modules/clob/index.ts'
import { formatParameters } from '../../../modules/clob/index.ts'

export const DOLLAR = 'utusd'
export const BITCOIN = 'tsat'
/** Prices lie around it, in ticks of both markets. */
export const MID_TICKS = 2_000
const FUNDS = [
  { denom: 'anat', amount: (10n ** 22n).toString() },
  { denom: BITCOIN, amount: (10n ** 12n).toString() },
  { denom: DOLLAR, amount: (10n ** 14n).toString() },
]

const SETTINGS = {
  fees: [
    { volume: '0', maker_ppm: 100, taker_ppm: 300 },
    { volume: '1000000000', maker_ppm: -50, taker_ppm: 250 },
  ],
  min_notional: '1000',
  band_ppm: 200_000,
  max_open_orders: 200,
  trigger_notional: '1000',
  min_equity: '0',
  status: 'MARKET_STATUS_ACTIVE',
} as const

const MARKETS = [
  {
    ...{ id: 1, base_denom: 'anat', quote_denom: DOLLAR, lot_size: '1000000000000000', factor: '1' },
    settings: { ...SETTINGS, mode: 'MARKET_MODE_CONTINUOUS' },
  },
  {
    ...{ id: 2, base_denom: BITCOIN, quote_denom: DOLLAR, lot_size: '1000', factor: '10' },
    settings: { ...SETTINGS, mode: 'MARKET_MODE_UNIFORM' },
  },
]

interface BankState {
  readonly bank?: { readonly balances?: readonly unknown[] }
}

/** The same state with the markets in it, and funds of the traders. */
export const withMarkets = (
  appState: object,
  traders: readonly Address[],
  parameters: Partial<ClobParameters> = {},
): object => {
  const { bank } = appState as BankState
  const balances = traders.map((address) => ({ address: bytesToHex(address), coins: FUNDS }))
  return {
    ...appState,
    bank: { ...bank, balances: [...(bank?.balances ?? []), ...balances] },
    clob: {
      params: formatParameters({ ...DEFAULT_CLOB_PARAMETERS, ...parameters }),
      markets: MARKETS.map((market) => ({ market })),
    },
  }
}

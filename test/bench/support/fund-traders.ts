/** A genesis in which traders of a benchmark have coins, and markets hold what they place. */
import type { GenesisCoin, GenesisDocument } from '../../../bin/node/genesis/document.ts'
import { encodeBech32 } from '../../../core/bech32.ts'
import type { BookTrader } from './book-traders.ts'

const FUNDS: readonly GenesisCoin[] = [
  { denom: 'anat', amount: (10n ** 24n).toString() },
  { denom: 'utusd', amount: (10n ** 15n).toString() },
]

/** Markets without a band and with room for 5,000 orders of an owner; `changes` are of the parameters of the order book. */
export const fundTraders =
  (traders: readonly BookTrader[], changes: Readonly<Record<string, number>> = {}) =>
  (document: GenesisDocument): GenesisDocument => {
    const { bank, clob } = document.app_state
    const more = traders.map(({ address }) => ({ address: encodeBech32(address), coins: FUNDS }))
    const balances = [...bank.balances, ...more].toSorted((a, b) => (a.address < b.address ? -1 : 1))
    const sums = new Map<string, bigint>()
    for (const { denom, amount } of balances.flatMap(({ coins }) => coins)) {
      sums.set(denom, (sums.get(denom) ?? 0n) + BigInt(amount))
    }
    const supply = [...sums]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([denom, amount]) => ({ denom, amount: amount.toString() }))
    const { markets, ...rest } = clob as {
      readonly markets: readonly { readonly market: { readonly settings: object } }[]
      readonly params: object
    }
    const params = { ...rest.params, ...changes }
    const settings = { band_ppm: 0, min_notional: '0', max_open_orders: 5_000 }
    const open = markets.map(({ market }) => ({ market: { ...market, settings: { ...market.settings, ...settings } } }))
    return {
      ...document,
      app_state: {
        ...document.app_state,
        bank: { ...bank, balances, supply },
        clob: { ...rest, params, markets: open },
      },
    }
  }

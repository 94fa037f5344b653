/** What a node's REST says of the order book and of the funds in it, at one height. */
import { expect } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { moduleAddress } from '../../core/address.ts'
import type { TestNode } from './harness.ts'

/** More than any test makes: all of it is one page. */
const PAGE = 1_000
/** Where escrow lies. */
export const ESCROW = encodeBech32(moduleAddress('clob'))

/** Throws where the answer is an error. The newest height when none is named. */
export const askRest = async <T>(node: TestNode, path: string, height?: number): Promise<T> => {
  const headers = height === undefined ? {} : { 'x-cosmos-block-height': String(height) }
  const response = await fetch(`${node.urls.rest}${path}`, { headers })
  if (!response.ok) throw new TypeError(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

export interface Market {
  readonly base_denom: string
  readonly quote_denom: string
  readonly lot_size: string
  readonly factor: string
}

export const marketOf = async (node: TestNode, id = 1): Promise<Market> =>
  (await askRest<{ readonly market: Market }>(node, `/nat/clob/v1/markets/${id}`)).market

export interface RestOrder {
  readonly order_seq: string
  readonly owner: string
  readonly side: 'SIDE_BUY' | 'SIDE_SELL'
  readonly price_ticks: number
  readonly lots_left: string
  readonly locked_ppm: number
}

/** All open orders of a market, by order_seq. */
export const ordersOf = async (node: TestNode, height?: number, market = 1): Promise<readonly RestOrder[]> => {
  const path = `/nat/clob/v1/markets/${market}/orders?pagination.limit=${PAGE}`
  return (await askRest<{ readonly orders: readonly RestOrder[] }>(node, path, height)).orders
}

interface Holder {
  readonly address: string
  readonly balance: { readonly amount: string }
}

/** The balance of every account that has any of the denomination, by bech32 address. */
export const holdersOf = async (
  node: TestNode,
  denom: string,
  height: number,
): Promise<ReadonlyMap<string, bigint>> => {
  const path = `/cosmos/bank/v1beta1/denom_owners/${denom}?pagination.limit=${PAGE}`
  const { denom_owners: owners } = await askRest<{ readonly denom_owners: readonly Holder[] }>(node, path, height)
  return new Map(owners.map(({ address, balance }) => [address, BigInt(balance.amount)]))
}

export const supplyOf = async (node: TestNode, denom: string, height: number): Promise<bigint> => {
  const path = `/cosmos/bank/v1beta1/supply/by_denom?denom=${denom}`
  return BigInt((await askRest<{ readonly amount: Holder['balance'] }>(node, path, height)).amount.amount)
}

const PPM = 1_000_000n

/** What the open orders of a market lock, by denomination: docs/clob-spec.md, Funds. */
export const locksOf = (
  market: Market,
  orders: readonly RestOrder[],
): { readonly base: bigint; readonly quote: bigint } => {
  let [base, quote] = [0n, 0n]
  for (const { side, price_ticks: price, lots_left: left, locked_ppm: ppm } of orders) {
    if (side === 'SIDE_SELL') base += BigInt(left) * BigInt(market.lot_size)
    else {
      const notional = BigInt(price) * BigInt(left) * BigInt(market.factor)
      quote += notional + (notional * BigInt(ppm) + PPM - 1n) / PPM
    }
  }
  return { base, quote }
}

const sum = (amounts: Iterable<bigint>): bigint => [...amounts].reduce((total, amount) => total + amount, 0n)

/** Every coin of these markets, the first of which is market 1, has a holder; and the module's account holds what open orders lock, and nothing else. */
export const expectCoinsConserved = async (
  node: TestNode,
  markets: readonly Market[],
  height: number,
): Promise<void> => {
  const escrowed = new Map<string, bigint>()
  const add = (denom: string, amount: bigint): void => void escrowed.set(denom, (escrowed.get(denom) ?? 0n) + amount)
  for (const [index, market] of markets.entries()) {
    const locks = locksOf(market, await ordersOf(node, height, index + 1))
    add(market.base_denom, locks.base)
    add(market.quote_denom, locks.quote)
  }
  for (const [denom, locked] of escrowed) {
    const holders = await holdersOf(node, denom, height)
    expect(sum(holders.values()), `${denom} at ${height}`).toBe(await supplyOf(node, denom, height))
    expect(holders.get(ESCROW) ?? 0n, `escrow of ${denom} at ${height}`).toBe(locked)
  }
}

/** A market that is cleared at one price a block: what blocks say of it, and the rules of docs/clob-spec.md (Uniform) in their slowest form. */
import { expect } from 'vitest'
import type { GenesisDocument } from '../../bin/node/genesis/document.ts'
import type { TestNode } from './harness.ts'
import { until } from './harness.ts'

/** The second of the test markets: of two test denominations. */
export const UNIFORM = 2

interface GenesisMarket {
  readonly market: { readonly id: number; readonly settings: object }
}

export const withUniformMarket = (document: GenesisDocument): GenesisDocument => {
  const { clob, ...rest } = document.app_state
  const { markets, ...others } = clob as { readonly markets: readonly GenesisMarket[] }
  const changed = markets.map(({ market }) => {
    const mode = market.id === UNIFORM ? { mode: 'MARKET_MODE_UNIFORM' } : {}
    return { market: { ...market, settings: { ...market.settings, ...mode } } }
  })
  return { ...document, app_state: { ...rest, clob: { ...others, markets: changed } } }
}

export interface UniformOrder {
  readonly side: 'buy' | 'sell'
  readonly priceTicks: number
  readonly qtyLots: number
  readonly tif?: 'ioc'
}

export interface ClearedBlock {
  readonly height: number
  readonly fills: readonly {
    readonly makerSeq: number
    readonly takerSeq: number
    readonly priceTicks: number
    readonly lots: number
  }[]
}

interface BlockResults {
  /** null where there are none. */
  readonly finalize_block_events:
    | readonly {
        readonly type: string
        readonly attributes: readonly { readonly key: string; readonly value: string }[]
      }[]
    | null
}

/** The fills of a market by block, as CometBFT tells them: no transaction makes them. */
export const clearedBlocks = async (
  node: TestNode,
  market: number,
  first: number,
  last: number,
): Promise<readonly ClearedBlock[]> => {
  const blocks: ClearedBlock[] = []
  for (let height = first; height <= last; height++) {
    const route = `block_results?height=${height}`
    const { finalize_block_events: events } = await until(route, () => node.comet<BlockResults>(route))
    const fills = (events ?? []).flatMap(({ type, attributes }) => {
      const all = new Map(attributes.map(({ key, value }) => [key, value]))
      if (type !== 'fill' || all.get('market') !== String(market)) return []
      const number = (key: string): number => Number(all.get(key))
      return [
        {
          makerSeq: number('maker_seq'),
          takerSeq: number('taker_seq'),
          priceTicks: number('price_ticks'),
          lots: number('lots'),
        },
      ]
    })
    blocks.push({ height, fills })
  }
  return blocks
}

/**
 * Expects, of owners who stand on one side alone, in each block: one price, within every limit that it filled; as many
 * lots as any price could trade; and nothing left that crosses. `placed` is by order_seq, with the block that has the
 * order.
 */
export const expectUniform = (
  placed: ReadonlyMap<number, UniformOrder & { readonly height: number }>,
  blocks: readonly ClearedBlock[],
): void => {
  const left = new Map<number, number>()
  const open = (side: UniformOrder['side']) =>
    [...left].flatMap(([seq, lots]) => {
      const order = placed.get(seq)
      return order?.side === side && lots > 0 ? [{ ...order, lots }] : []
    })
  const sum = (list: readonly { readonly lots: number }[]): number => list.reduce((total, { lots }) => total + lots, 0)
  const volumeAt = (ticks: number): number =>
    Math.min(
      sum(open('buy').filter(({ priceTicks }) => priceTicks >= ticks)),
      sum(open('sell').filter(({ priceTicks }) => priceTicks <= ticks)),
    )
  for (const { height, fills } of blocks) {
    const entered = [...placed].filter(([, order]) => order.height === height)
    for (const [seq, { qtyLots }] of entered) left.set(seq, qtyLots)
    const prices = [...open('buy'), ...open('sell')].map(({ priceTicks }) => priceTicks)
    const most = entered.length === 0 ? 0 : Math.max(0, ...prices.map(volumeAt))
    expect(sum(fills), `lots of block ${height}`).toBe(most)
    expect(new Set(fills.map(({ priceTicks }) => priceTicks)).size).toBeLessThanOrEqual(1)
    for (const { makerSeq, takerSeq, priceTicks, lots } of fills) {
      for (const seq of [makerSeq, takerSeq]) {
        const order = placed.get(seq)
        if (order?.side === 'buy') expect(order.priceTicks).toBeGreaterThanOrEqual(priceTicks)
        else expect(order?.priceTicks).toBeLessThanOrEqual(priceTicks)
        left.set(seq, (left.get(seq) ?? 0) - lots)
      }
    }
    for (const [seq, { tif }] of entered) if (tif === 'ioc') left.delete(seq)
    for (const lots of left.values()) expect(lots).toBeGreaterThanOrEqual(0)
    expect(Math.max(0, ...prices.map(volumeAt)), `what still crosses after block ${height}`).toBe(0)
  }
}

/**
 * All levels of a market after one block. They are asked for in pages, between which blocks go on: what these have changed is known of each
 * level as it is after the block, so that all pages become those of the last one.
 */
import type { ClobDepth, ClobLevel, Questions } from '../../../app/ports.ts'
import { rpcError } from '../../errors.ts'
import type { BlockMessages } from './messages.ts'

export interface BookSource {
  ask(question: Questions['clobDepth']): string | Promise<string>
  block(height: number): Promise<BlockMessages>
}

export interface BookSnapshot {
  readonly depth: ClobDepth
  /** Characters of what was asked for it. */
  readonly length: number
}

type Levels = Map<number, ClobLevel>

const put = (levels: Levels, changed: readonly ClobLevel[]): void => {
  for (const level of changed) {
    if (level.lots === '0') levels.delete(level.priceTicks)
    else levels.set(level.priceTicks, level)
  }
}

const bestFirst = (levels: Levels, sign: 1 | -1): readonly ClobLevel[] =>
  [...levels.values()].toSorted((a, b) => (a.priceTicks - b.priceTicks) * sign)

/** Throws what the application says. */
export const gatherBook = async (market: number, source: BookSource): Promise<BookSnapshot> => {
  let length = 0
  const pageAt = async (from?: NonNullable<ClobDepth['next']>): Promise<ClobDepth> => {
    const text = await source.ask({ market, levels: 0, ...(from !== undefined && { from }) })
    length += text.length
    return JSON.parse(text) as ClobDepth
  }
  const first = await pageAt()
  let page = first
  if (page.next === null) return { depth: page, length }
  const [bids, asks]: readonly [Levels, Levels] = [new Map(), new Map()]
  for (;;) {
    put(bids, page.bids)
    put(asks, page.asks)
    if (page.next === null) break
    const { height } = page
    page = await pageAt(page.next)
    if (page.height < height) throw rpcError('failed', `the chain went back to block ${page.height}: begin anew`)
  }
  for (let height = first.height + 1; height <= page.height; height++) {
    const block = await source.block(height)
    length += block.length
    const changed = block.levelsOf(market)
    put(bids, changed.bids)
    put(asks, changed.asks)
  }
  return { depth: { ...page, bids: bestFirst(bids, -1), asks: bestFirst(asks, 1) }, length }
}

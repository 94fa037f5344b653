/** The ring against the live book: a book built of a snapshot and what the ring tells is the live one after every block. */
import { describe, expect, it } from 'vitest'
import { Random } from '../../test/sim/random.ts'
import { addressOf, buy, cancelSeq, MARKET, sell, type Sent, World } from '../../modules/clob/matching/testing/world.ts'
import { depthOf, type LevelTotal } from '../../modules/clob/index.ts'
import { type BlockUpdates, UpdateRing } from './update-ring.ts'

const MARKETS = [1, 2] as const
const OWNERS = ['ann', 'bob', 'cid', 'dan']

/** What a reader keeps of a market. */
class LocalBook {
  readonly levels = { bids: new Map<number, LevelTotal>(), asks: new Map<number, LevelTotal>() }
  /** Lots left of open orders by order_seq. */
  readonly orders = new Map<number, number>()
  readonly died = new Set<number>()
  sequence = 0

  apply(market: number, { markets, records }: BlockUpdates): void {
    const changes = markets.find((each) => each.market === market)
    for (const record of records) {
      if ((record.kind === 'placed' ? record.order.market : record.market) !== market) continue
      expect(record.sequence).toBe(++this.sequence)
      if (record.kind === 'placed') this.#set(record.order.seq, record.order.lots)
      else if (record.kind === 'removed') {
        expect(this.orders.get(record.orderSeq)).toBe(record.left + record.lots)
        this.#set(record.orderSeq, record.left)
      } else {
        for (const [seq, left] of [
          [record.makerSeq, record.makerLeft],
          [record.takerSeq, record.takerLeft],
        ] as const) {
          expect(this.orders.get(seq)).toBe(left + record.lots)
          this.#set(seq, left)
        }
      }
    }
    if (changes === undefined) return
    expect(changes.after.sequence).toBe(this.sequence)
    for (const side of ['bids', 'asks'] as const) {
      for (const level of changes.levels[side]) {
        if (level.orders === 0) this.levels[side].delete(level.priceTicks)
        else this.levels[side].set(level.priceTicks, level)
      }
    }
    for (const { seq } of changes.levels.died) if (this.orders.has(seq)) this.died.add(seq)
  }

  #set(seq: number, left: number): void {
    if (left > 0) this.orders.set(seq, left)
    else {
      this.orders.delete(seq)
      this.died.delete(seq)
    }
  }

  get depth(): { bids: readonly LevelTotal[]; asks: readonly LevelTotal[] } {
    return {
      bids: [...this.levels.bids.values()].toSorted((a, b) => b.priceTicks - a.priceTicks),
      asks: [...this.levels.asks.values()].toSorted((a, b) => a.priceTicks - b.priceTicks),
    }
  }
}

const newWorld = (): World => {
  const world = new World([
    { ...MARKET, id: 1 },
    { ...MARKET, id: 2, mode: 'uniform' },
  ])
  for (const owner of OWNERS) world.fund(owner, { base: 10n ** 12n, quote: 10n ** 12n })
  return world
}

const randomBlock = (world: World, random: Random): Sent[] =>
  Array.from({ length: random.below(8) }, (): Sent => {
    const from = OWNERS[random.below(OWNERS.length)] ?? ''
    const market = MARKETS[random.below(2)] ?? 1
    const side = random.below(2) === 0 ? buy : sell
    const kind = random.below(12)
    if (kind < 2) return { from, actions: [cancelSeq(1 + random.below(world.nextSeq()), market)] }
    if (kind === 2) return { from, actions: [{ kind: 'cancelAll', market, side: undefined }] }
    if (kind === 3) return { from, actions: [{ kind: 'scheduleCancel', atMs: world.timeMs + 1_500 }] }
    const expireS = random.below(3) === 0 ? Math.floor(world.timeMs / 1_000) + 1 + random.below(4) : 0
    const [lots, ticks] = [1 + random.below(9), 95 + random.below(10)]
    if (kind === 4) {
      const trigger = { triggerTicks: 95 + random.below(10), triggerKind: 'stop' as const }
      return { from, actions: [side(lots, ticks, { market: 1, ...trigger })] }
    }
    if (kind === 5) return { from, actions: [side(lots, ticks, { market, tif: 'ioc', stp: 'decrement' })] }
    return { from, actions: [side(lots, ticks, { market, expireS })] }
  })

const commit = (world: World, ring: UpdateRing, sent: readonly Sent[]): BlockUpdates => {
  const { height, timeMs } = world
  world.block(...sent)
  const { delta: book, told } = world.last ?? {}
  ring.add(height, timeMs, { book, told }, world.books, world.state)
  const updates = ring.at(height)
  if (updates === undefined) throw new Error('the newest block is kept')
  return updates
}

describe('the ring of updates', () => {
  it.each([1, 2, 3, 4])('tells enough to follow the live book block by block (seed %i)', (seed) => {
    const random = new Random(seed)
    const world = newWorld()
    const ring = new UpdateRing()
    ring.begin(0, 0, world.books, world.state)
    const local = new Map(MARKETS.map((market) => [market, new LocalBook()]))
    let deaths = 0
    for (let round = 0; round < 150; round++) {
      const before = new Map(MARKETS.map((market) => [market, ring.stampOf(market)]))
      const updates = commit(world, ring, randomBlock(world, random))
      for (const [market, book] of local) {
        const live = world.books.market(market)
        const changes = updates.markets.find((each) => each.market === market)
        if (changes !== undefined) expect(changes.before).toEqual(before.get(market))
        expect(ring.stampAt(market, updates.height - 1)).toEqual(before.get(market))
        book.apply(market, updates)
        expect(book.depth).toEqual(depthOf(live, Number.POSITIVE_INFINITY))
        expect(ring.stampOf(market)).toMatchObject({ bid: book.depth.bids[0], ask: book.depth.asks[0] })
        expect(Object.fromEntries(book.orders)).toEqual(world.open(market))
        const dead = [...live.orders.values()].filter(({ isDead }) => isDead).map(({ seq }) => seq)
        expect([...book.died].toSorted((a, b) => a - b)).toEqual(dead.toSorted((a, b) => a - b))
        deaths += changes?.levels.died.length ?? 0
      }
    }
    expect(deaths).toBeGreaterThan(0)
    expect(ring.stampOf(1).sequence).toBeGreaterThan(100)
  })

  it('keeps 64 blocks, also empty ones, and knows how a market stood before each', () => {
    const world = newWorld()
    const ring = new UpdateRing()
    ring.begin(0, 0, world.books, world.state)
    for (let height = 1; height <= 70; height++) {
      commit(world, ring, height % 10 === 0 ? [{ from: 'ann', actions: [buy(1, 90)] }] : [])
    }
    expect(ring.at(6)).toBeUndefined()
    expect(ring.at(7)).toMatchObject({ height: 7, markets: [], records: [] })
    expect(ring.at(71)).toBeUndefined()
    expect(ring.stampAt(1, 5)).toBeUndefined()
    expect([6, 9, 10, 69, 70].map((height) => ring.stampAt(1, height)?.sequence)).toEqual([0, 0, 1, 6, 7])
    expect(ring.stampAt(1, 71)).toBeUndefined()
    expect(ring.stampAt(2, 30)?.sequence).toBe(0)
  })

  it('is bounded in bytes, and keeps the newest block whatever it takes', () => {
    const world = newWorld()
    const ring = new UpdateRing(1)
    ring.begin(0, 0, world.books, world.state)
    for (let height = 1; height <= 3; height++) commit(world, ring, [{ from: 'ann', actions: [buy(1, 90)] }])
    expect(ring.at(2)).toBeUndefined()
    expect(ring.at(3)?.records).toHaveLength(1)
    expect(ring.at(3)?.records[0]).toMatchObject({ kind: 'placed', order: { owner: addressOf('ann') } })
  })

  it('tells what was refused, and whose it was', () => {
    const world = newWorld()
    const ring = new UpdateRing()
    ring.begin(0, 0, world.books, world.state)
    const { rejected, markets } = commit(world, ring, [{ from: 'bob', actions: [cancelSeq(9), buy(1, 90)] }])
    expect(rejected).toMatchObject([{ owner: addressOf('bob'), action: 0, error: 'orderNotFound' }])
    expect(markets.map(({ market }) => market)).toEqual([1])
  })

  it('goes on from a book that has orders already', () => {
    const world = newWorld()
    world.block({ from: 'ann', actions: [buy(5, 90)] })
    const ring = new UpdateRing()
    ring.begin(1, 0, world.books, world.state)
    expect(ring.stampOf(1)).toMatchObject({ sequence: 1, bid: { priceTicks: 90, lots: 5n, orders: 1 } })
    const updates = commit(world, ring, [{ from: 'bob', actions: [sell(2, 90)] }])
    expect(updates.markets[0]).toMatchObject({ before: { sequence: 1 }, after: { sequence: 3, bid: { lots: 3n } } })
  })
})

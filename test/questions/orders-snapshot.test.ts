/** The open orders of a market as a gateway gathers them while blocks go on, against the live book. */
import { create, fromBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { openWorld } from '../../app/orders/testing/world.ts'
import { UpdateRing } from '../../app/orders/update-ring.ts'
import type { ClobUpdates } from '../../app/ports.ts'
import { MARKET, buy, cancelSeq, sell, type Sent, World } from '../../modules/clob/matching/testing/world.ts'
import { orderForm } from '../../modules/clob/index.ts'
import { clob } from '../../proto/index.ts'
import { ClobQuestions } from '../../query/clob/clob-questions.ts'
import { BlockMessages } from '../../rpc/clob/streams/messages.ts'
import { gatherOrders } from '../../rpc/clob/streams/orders-snapshot.ts'
import { Random } from '../sim/random.ts'

const NAMES = ['ann', 'bob', 'cid', 'dan', 'eve', 'fay', 'gus', 'hal']

const begin = (orders: number) => {
  const world = new World([{ ...MARKET, maxOpenOrders: 1_000 }])
  for (const name of NAMES) world.fund(name, { base: 10n ** 12n, quote: 10n ** 12n })
  const updates = new UpdateRing()
  updates.begin(0, 0, world.books, world.state)
  const block = (...sent: Sent[]): void => {
    const { height, timeMs } = world
    world.block(...sent)
    updates.add(height, timeMs, { book: world.last?.delta, told: world.last?.told }, world.books, world.state)
  }
  for (let placed = 0; placed < orders; ) {
    const sent: Sent[] = []
    for (const from of NAMES) {
      sent.push({ from, actions: Array.from({ length: 50 }, () => buy(5, 50 + (placed++ % 40))) })
    }
    block(...sent)
  }
  const questions = new ClobQuestions(
    { books: () => world.books, updates, latest: () => world.state },
    openWorld().orders,
  )
  return { world, updates, block, questions }
}

const randomBlock = (world: World, random: Random): Sent[] =>
  Array.from({ length: 20 }, (): Sent => {
    const from = NAMES[random.below(NAMES.length)] ?? ''
    const kind = random.below(10)
    if (kind < 3) return { from, actions: [cancelSeq(1 + random.below(world.nextSeq()))] }
    if (kind === 3) return { from, actions: [{ kind: 'cancelAll', market: 1, side: undefined }] }
    if (kind < 6) return { from, actions: [sell(20, 40 + random.below(50), { tif: 'ioc' })] }
    const expireS = random.below(3) === 0 ? Math.floor(world.timeMs / 1_000) + 1 : 0
    return { from, actions: [buy(1 + random.below(9), 50 + random.below(40), { expireS })] }
  })

describe('the open orders of a market', () => {
  it.each([1, 2, 3])('are those of one block, whatever blocks do while they are gathered (seed %i)', async (seed) => {
    const random = new Random(seed)
    const { world, updates, block, questions } = begin(3_000)
    let blocks = 12
    const asked: number[] = []
    const found = await gatherOrders(1, {
      ask: (question) => {
        if (blocks > 0 && asked.length > 0 && (asked.length < 3 || random.below(3) > 0)) {
          blocks--
          block(...randomBlock(world, random))
        }
        asked.push(updates.height)
        return questions.orders(question)
      },
      block: (height) => Promise.resolve(new BlockMessages(wholeBlock(questions, height))),
    })
    expect(new Set(asked).size).toBeGreaterThan(2)
    const { orders } = world.books.market(1)
    const open = [...orders.values()].toSorted((a, b) => a.seq - b.seq)
    expect(found.height).toBe(updates.height)
    expect(found.sequence).toBe(updates.stampOf(1).sequence)
    expect(found.orders.map((bytes) => fromBinary(clob.OpenOrderSchema, bytes))).toEqual(
      open.map((order) => create(clob.OpenOrderSchema, orderForm(order))),
    )
    expect(found.died).toEqual(open.filter(({ isDead }) => isDead).map(({ seq }) => BigInt(seq)))
  })

  it('are gathered by one after the other in the same block, and by two at once', async () => {
    const { world, questions } = begin(4_500)
    const source = {
      ask: async (question: Parameters<ClobQuestions['orders']>[0]) => {
        await Promise.resolve()
        return questions.orders(question)
      },
      block: (height: number) => Promise.resolve(new BlockMessages(wholeBlock(questions, height))),
    }
    const first = await gatherOrders(1, source)
    expect(first.orders.length).toBe(world.books.market(1).orders.size)
    const [second, third] = await Promise.all([gatherOrders(1, source), gatherOrders(1, source)])
    for (const again of [second, third]) expect(again.orders).toEqual(first.orders)
  })

  it('are gathered while others begin with as many markets as they like, and never read on', async () => {
    const { world, block, questions } = begin(4_500)
    let begun = 0
    const source = {
      ask: (question: Parameters<ClobQuestions['orders']>[0]) => {
        const page = questions.orders(question)
        // Each of them is of another block, so that each is a list of its own.
        for (let others = 0; others < 6 && begun < 40; others++, begun++) {
          block({ from: 'ann', actions: [sell(1, 40, { tif: 'ioc' })] })
          questions.orders({ market: 1 })
        }
        return page
      },
      block: (height: number) => Promise.resolve(new BlockMessages(wholeBlock(questions, height))),
    }
    const found = await gatherOrders(1, source)
    expect(begun).toBeGreaterThan(10)
    expect(found.orders.length).toBe(world.books.market(1).orders.size)
  })

  it('are not gathered where blocks come faster', async () => {
    const { block, questions } = begin(3_000)
    const source = {
      ask: (question: Parameters<ClobQuestions['orders']>[0]) => {
        for (let blocks = 0; blocks < 40; blocks++) block({ from: 'ann', actions: [sell(1, 40, { tif: 'ioc' })] })
        return questions.orders(question)
      },
      block: (height: number) => Promise.resolve(new BlockMessages(wholeBlock(questions, height))),
    }
    await expect(gatherOrders(1, source)).rejects.toThrow('blocks come faster than this book can be read')
  })
})

const wholeBlock = (questions: ClobQuestions, height: number): ClobUpdates => {
  const pages: ClobUpdates[] = []
  for (let recordsFrom: number | null = 0; recordsFrom !== null; ) {
    const page = JSON.parse(questions.updates({ height, recordsFrom })) as ClobUpdates
    pages.push(page)
    recordsFrom = page.next
  }
  const [first] = pages
  if (first === undefined) throw new RangeError('a block has a page')
  return { ...first, records: pages.flatMap(({ records }) => records ?? []) }
}

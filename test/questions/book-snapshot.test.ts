/** All levels of a market as a gateway gathers them while blocks go on, against the live book. */
import { describe, expect, it } from 'vitest'
import { openWorld } from '../../app/orders/testing/world.ts'
import { UpdateRing } from '../../app/orders/update-ring.ts'
import type { ClobUpdates } from '../../app/ports.ts'
import { depthOf } from '../../modules/clob/index.ts'
import { buy, MARKET, sell, type Sent, World } from '../../modules/clob/matching/testing/world.ts'
import { ClobQuestions } from '../../query/clob/clob-questions.ts'
import { levelView } from '../../query/clob/depth.ts'
import { gatherBook } from '../../rpc/clob/streams/book-snapshot.ts'
import { BlockMessages } from '../../rpc/clob/streams/messages.ts'
import { Random } from '../sim/random.ts'

const NAMES = ['ann', 'bob', 'cid', 'dan']
const LEVELS = 7_000
const MIDDLE = 20_000

const begin = () => {
  const world = new World([{ ...MARKET, maxOpenOrders: 10_000 }])
  world.setParameters({ maxActions: 10_000, maxOpenOrders: 5_000 })
  for (const name of NAMES) world.fund(name, { base: 10n ** 15n, quote: 10n ** 15n })
  const updates = new UpdateRing()
  updates.begin(0, 0, world.books, world.state)
  const block = (sent: readonly Sent[]): void => {
    const { height, timeMs } = world
    world.block(...sent)
    updates.add(height, timeMs, { book: world.last?.delta, told: world.last?.told }, world.books, world.state)
  }
  const sent: Sent[] = []
  for (let at = 0; at < LEVELS; at += 25) {
    const from = NAMES[(at / 25) % NAMES.length] ?? ''
    const actions = Array.from({ length: 25 }, (_, more) => [
      buy(5, MIDDLE - 1 - at - more),
      sell(5, MIDDLE + 1 + at + more),
    ])
    sent.push({ from, actions: actions.flat() })
  }
  block(sent)
  const source = { books: () => world.books, updates, latest: () => world.state }
  return { world, updates, block, questions: new ClobQuestions(source, openWorld().orders) }
}

/** Changes levels all over the book, and its middle. */
const randomBlock = (random: Random): Sent[] =>
  Array.from({ length: 20 }, (): Sent => {
    const from = NAMES[random.below(NAMES.length)] ?? ''
    const away = 1 + random.below(LEVELS)
    const kind = random.below(4)
    if (kind === 0) return { from, actions: [sell(40, MIDDLE - 20, { tif: 'ioc' })] }
    if (kind === 1) return { from, actions: [buy(40, MIDDLE + 20, { tif: 'ioc' })] }
    return { from, actions: [buy(1 + random.below(9), MIDDLE - away), sell(2, MIDDLE + away + LEVELS)] }
  })

describe('the levels of a market', () => {
  it.each([1, 2, 3])('are those of one block, whatever blocks do while they are gathered (seed %i)', async (seed) => {
    const random = new Random(seed)
    const { world, updates, block, questions } = begin()
    const lengths: number[] = []
    const found = await gatherBook(1, {
      ask: (question) => {
        for (let blocks = lengths.length === 0 ? 0 : random.below(4); blocks > 0; blocks--) block(randomBlock(random))
        const text = questions.depth(question)
        lengths.push(text.length)
        return text
      },
      block: (height) => Promise.resolve(new BlockMessages(JSON.parse(questions.updates({ height })) as ClobUpdates)),
    })
    expect(lengths.length).toBe(3)
    expect(Math.max(...lengths)).toBeLessThan(300_000)
    const live = depthOf(world.books.market(1), Number.POSITIVE_INFINITY)
    const { sequence } = updates.stampOf(1)
    expect(found.depth).toMatchObject({ height: updates.height, sequence, bid: levelView(live.bids[0] ?? never()) })
    expect(found.depth.bids).toEqual(live.bids.map(levelView))
    expect(found.depth.asks).toEqual(live.asks.map(levelView))
  })

  it('are not told where the chain goes back meanwhile', async () => {
    const { updates, world, questions } = begin()
    let asked = 0
    const gathered = gatherBook(1, {
      ask: (question) => {
        if (asked++ === 1) updates.begin(0, 0, world.books, world.state)
        questions.forget()
        return questions.depth(question)
      },
      block: () => Promise.reject(new RangeError('no block is asked for')),
    })
    await expect(gathered).rejects.toThrow('the chain went back to block 0: begin anew')
  })
})

const never = (): never => {
  throw new RangeError('the side has a level')
}

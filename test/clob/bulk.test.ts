/**
 * A hundred thousand orders that could all do something at once: what a block does is bounded by its weight and its limits, not by
 * what rests in the book. Work is counted, not timed. CLOB_BULK is how many orders the great book has, up to 190,000.
 */
import { countWork } from './count-work.ts'
import { describe, expect, it } from 'vitest'
import { Books } from '../../modules/clob/book/books.ts'
import type { MarketMode } from '../../modules/clob/domain/market.ts'
import type { Action, ClobTx, Place } from '../../modules/clob/orders/clob-tx.ts'
import { mint } from '../../modules/bank/index.ts'
import * as keeper from '../../modules/clob/keeper/index.ts'
import type { Overlay } from '../../store/overlay.ts'
import { BULK_TIME_MS, bulkOrder, bulkOwner, bulkWorld, openBulkState } from './bulk.ts'
import { decodeClobResult } from '../../modules/clob/orders/index.ts'
import { stepOn, type StepOutcome } from './engine.ts'
import { phaseOf } from './model/checks.ts'
import type { ModelOrder } from './model/world.ts'
import { marketOfModel } from './state-of-world.ts'
import { addressOf, SOME_SIGNATURE, type TrafficTx } from './traffic.ts'

const GREAT = Number(process.env['CLOB_BULK'] ?? 100_000)
const SMALL = 10_000
const HEIGHT = 100
const EXPIRE_S = BULK_TIME_MS / 1_000 + 20_000
const BEFORE_MS = BULK_TIME_MS + 1_000
const AFTER_MS = EXPIRE_S * 1_000
const TAKER = bulkOwner(900_000)
const MANY = bulkOwner(900_001)
const BIDDER = bulkOwner(900_002)
const RICH = 10n ** 30n
const OWNERS = 50
/** The later an order was placed, the earlier it expires. */
const SECONDS = 10_000
/** Sorted lists are a little deeper in a greater book. */
const MOST_MORE_WORK = 1.2
/**
 * The work for each order of the book: the root hashes all that stands in the buckets that a block touches, at most
 * each order once; and each of 2,000 removals looks once at each 512 orders for the one with the lowest order_seq.
 */
const WORK_OF_AN_ORDER = 30
/** An order that dies is taken out of its level, once: by the step, which is undone. Half of the orders do, after AFTER_MS. */
const WORK_OF_A_DEATH = 500

interface Bulk {
  readonly state: Overlay
  readonly books: Books
}

/** A quarter each: one-lot asks, better ones that expire, asks under a switch, stops; and some of one owner, and bids that stops hit. */
const makeBulk = (size: number): Bulk => {
  const world = bulkWorld({ blockPrice: 1_000_000n })
  const part = size / 4
  const orders: ModelOrder[] = []
  const add = (count: number, patch: (at: number) => Partial<ModelOrder>, owner: (at: number) => string): void => {
    for (let at = 0; at < count; at++) orders.push(bulkOrder(orders.length + 1, owner(at), patch(at)))
  }
  const spread = (first: number) => (at: number) => bulkOwner(first + (at % OWNERS))
  add(part, () => ({}), spread(0))
  add(part, (at) => ({ price: BigInt(901 + (at % 50)), expireS: BigInt(EXPIRE_S - (at % SECONDS)) }), spread(100))
  add(part, (at) => ({ price: BigInt(1_100 + (at % 50)) }), spread(200))
  add(
    part,
    (at) => ({ price: 1n, tif: 'ioc', triggerKind: 'stop', triggerTicks: BigInt(800 + at), maxFills: 10 }),
    spread(300),
  )
  add(
    4_000,
    (at) => ({ price: BigInt(1_300 + (at % 50)) }),
    () => MANY,
  )
  add(
    6_000,
    () => ({ side: 'buy', price: 800n, lots: 1n }),
    () => BIDDER,
  )
  world.orders = orders
  world.nextSeq = BigInt(orders.length + 1)
  for (let at = 0; at < OWNERS; at++) {
    world.accounts.set(bulkOwner(200 + at), { switchMs: BigInt(AFTER_MS), floors: [] })
  }
  const state = openBulkState(world)
  for (const denom of ['ubtc', 'uusd']) mint(state, addressOf(TAKER), { denom, amount: RICH })
  return { state, books: Books.load(state) }
}

const place = (patch: Partial<Place>): Action => ({
  kind: 'place',
  place: {
    market: 1,
    side: 'buy',
    priceTicks: 1_000,
    qtyLots: 300,
    tif: 'ioc',
    stp: 'cancel_maker',
    clientId: new Uint8Array(0),
    expireS: 0,
    triggerTicks: 0,
    triggerKind: 'none',
    maxFills: 200,
    postOnlyMode: 'reject',
    ...patch,
  },
})

let nonce = 0
const txOf = (timeMs: number, owner: string, actions: readonly Action[]): TrafficTx => {
  const tx: ClobTx = {
    owner: addressOf(owner),
    subaccount: 0,
    nonceMs: timeMs - 50_000 + nonce++,
    goodTilBlock: HEIGHT + 1,
    actions,
    sigScheme: 1,
    signature: SOME_SIGNATURE,
    agent: undefined,
  }
  return { tx, listedPhase: phaseOf(tx), signer: owner }
}

interface Case {
  readonly name: string
  readonly timeMs: number
  readonly mode?: MarketMode
  readonly batch: (timeMs: number) => readonly TrafficTx[]
  /** What the block does, whatever the size of the book. */
  check(outcome: StepOutcome): void
}

const outcomesOf = (outcome: StepOutcome) => outcome.results.flatMap(({ data }) => decodeClobResult(data).results)
const filled = (outcome: StepOutcome): number =>
  outcomesOf(outcome).reduce((sum, { filledLots }) => sum + filledLots, 0)
const five = (patch: Partial<Place>): readonly Action[] => [1, 2, 3, 4, 5].map(() => place(patch))

const CASES: readonly Case[] = [
  {
    name: 'an empty block does nothing',
    timeMs: BEFORE_MS,
    batch: () => [],
    check: ({ after }) => expect(after).toHaveLength(0),
  },
  {
    name: 'all expire and all switches pass: 2,000 go',
    timeMs: AFTER_MS,
    batch: () => [],
    check: ({ after }) => expect(after).toHaveLength(2_000),
  },
  {
    name: 'a transaction of weight 1,000 meets one-lot orders',
    timeMs: BEFORE_MS,
    batch: (timeMs) => [txOf(timeMs, TAKER, five({}))],
    check: (outcome) => expect(filled(outcome)).toBe(1_000),
  },
  {
    name: 'a transaction of weight 1,000 fills whole behind all the orders that died before and beside what it meets',
    timeMs: AFTER_MS,
    batch: (timeMs) => [txOf(timeMs, TAKER, five({ priceTicks: 5_000 }))],
    check: (outcome) => expect(filled(outcome)).toBe(1_000),
  },
  {
    name: 'FOK orders look at 200',
    timeMs: AFTER_MS,
    batch: (timeMs) => [txOf(timeMs, TAKER, five({ tif: 'fok', qtyLots: 201 }))],
    check: (outcome) => expect(filled(outcome)).toBe(0),
  },
  {
    name: 'fifty cancel-alls of one owner remove a thousand, and leave a floor',
    timeMs: BEFORE_MS,
    batch: (timeMs) => [
      txOf(
        timeMs,
        MANY,
        Array.from({ length: 50 }, () => ({ kind: 'cancelAll', market: 1, side: undefined })),
      ),
    ],
    check: ({ after }) => expect(after.length).toBeLessThanOrEqual(2_000),
  },
  {
    name: 'all stops are reached: 500 fire',
    timeMs: BEFORE_MS,
    batch: (timeMs) => [txOf(timeMs, TAKER, [place({ side: 'sell', priceTicks: 800, qtyLots: 1 })])],
    check: ({ after }) => expect(after.length).toBeGreaterThanOrEqual(1_000),
  },
  {
    name: 'an auction meets one-lot orders',
    timeMs: BEFORE_MS,
    mode: 'uniform',
    batch: (timeMs) => [txOf(timeMs, TAKER, five({}))],
    check: ({ after }) => expect(after).toHaveLength(1_005),
  },
  {
    name: 'an auction does not see dead orders',
    timeMs: AFTER_MS,
    mode: 'uniform',
    batch: (timeMs) => [txOf(timeMs, TAKER, five({ priceTicks: 5_000 }))],
    check: ({ after }) => expect(after.length).toBeLessThanOrEqual(3_010),
  },
]

/** A step whose writes are taken back: the next case finds what this one did. */
const run = (
  { state, books }: Bulk,
  { timeMs, mode, batch }: Case,
): { readonly value: StepOutcome; readonly work: number } => {
  const txs = batch(timeMs)
  state.checkpoint()
  try {
    const [market] = bulkWorld().markets
    if (mode !== undefined && market !== undefined) keeper.writeMarket(state, marketOfModel({ ...market, mode }))
    return countWork(() => stepOn(books, state, { height: HEIGHT, timeMs }, txs))
  } finally {
    state.revert()
  }
}

describe(`a book of ${GREAT} orders`, () => {
  const [small, great] = [makeBulk(SMALL), makeBulk(GREAT)]
  it.each(CASES)('$name', (testCase) => {
    // What runs for the first time counts its compilation too.
    run(small, testCase)
    const [few, many] = [run(small, testCase), run(great, testCase)]
    testCase.check(many.value)
    testCase.check(few.value)
    console.log(`${testCase.name}: ${few.work} blocks of code with ${SMALL} orders, ${many.work} with ${GREAT}`)
    const dying = testCase.timeMs === AFTER_MS ? (GREAT / 2) * WORK_OF_A_DEATH : 0
    expect(many.work).toBeLessThan(few.work * MOST_MORE_WORK + GREAT * WORK_OF_AN_ORDER + dying)
  })
})

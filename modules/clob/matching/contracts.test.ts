/** Orders of contracts: queued while a block runs, and run by the next one behind its batch. */
import { describe, expect, it } from 'vitest'
import { utf8ToBytes } from '../../../core/bytes.ts'
import { CodedError, InvariantError } from '../../../core/errors.ts'
import type { Event } from '../../module.ts'
import { Books } from '../book/books.ts'
import { MAX_ACTION_BYTES } from '../domain/queue.ts'
import { collectQueued, readAfter, readMarks, readQueue, readQueuedTotals, writeQueue } from '../keeper/index.ts'
import type { Action, Place } from '../orders/clob-tx.ts'
import { decodeAction, encodeAction } from '../orders/index.ts'
import { queueAction, queueRoom } from '../queue-action.ts'
import { hashRecords } from './results.ts'
import { runClobStep } from './step.ts'
import { describeBooks } from './testing/describe-books.ts'
import { addressOf, buy, cancelId, cancelSeq, sell, type Sent, testLedger, World } from './testing/world.ts'
import { FEE_COLLECTOR_ADDRESS } from '../../../core/address.ts'

const fundedWorld = (...changes: ConstructorParameters<typeof World>): World => {
  const world = new World(...changes)
  for (const name of ['alice', 'bob', 'vault']) world.fund(name, { base: 1_000_000n, quote: 1_000_000n })
  // The time of a block is that of what it queues.
  world.block()
  return world
}

class Caller {
  readonly events: Event[] = []
  gas = 0n
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /** Asks as a precompile does in the running block. */
  ask(from: string, action: Action | Uint8Array, subaccount = 0): number {
    const { state, height, timeMs } = this.#world
    const context = {
      ...{ state, height, timeNs: BigInt(timeMs) * 1_000_000n, chainId: 'x' },
      emit: (event: Event): void => void this.events.push(event),
      consumeGas: (amount: bigint): void => void (this.gas += amount),
    }
    const bytes = action instanceof Uint8Array ? action : encodeAction(action)
    return queueAction(context, { owner: addressOf(from), subaccount, action: bytes })
  }
}

/** Queues all of it in one block, and ends that. */
const queue = (world: World, ...asked: readonly (readonly [from: string, action: Action])[]): void => {
  const caller = new Caller(world)
  for (const [from, action] of asked) caller.ask(from, action)
  collectQueued(world.state)
}

const refusalOf = (run: () => unknown): string => {
  try {
    run()
  } catch (error) {
    if (error instanceof CodedError) return `${error.codespace}/${error.code} ${error.message}`
    throw error
  }
  return 'nothing'
}

/** The next block, with what the step told of no transaction. */
const nextBlock = (world: World, ...sent: readonly Sent[]): readonly string[] => {
  const events: Event[] = []
  const { state, books, height, timeMs } = world
  const emit = (event: Event): void => void events.push(event)
  const context = { state, height, timeMs, ledger: testLedger, feeCollector: FEE_COLLECTOR_ADDRESS, emit }
  const outcome = runClobStep(
    books,
    context,
    sent.map((each) => world.item(each)),
  )
  books.apply(outcome.delta)
  world.last = outcome
  world.height++
  world.timeMs += 1_000
  return events.map(({ type, attributes }) => {
    const told = attributes.filter(({ key }) => key === 'order_seq' || key === 'reason' || key === 'action')
    return [type, ...told.map(({ value }) => value)].join(' ')
  })
}

describe('what a contract queues', () => {
  it('meets what rests, in the next block', () => {
    const world = fundedWorld()
    world.act('alice', sell(5, 100))
    queue(world, ['vault', buy(3, 110)])
    // Nothing is locked before it runs.
    expect([world.balance('vault', 'quote'), world.open()]).toEqual([1_000_000n, { 1: 5 }])
    expect(nextBlock(world)).toEqual(['order_placed 2', 'fill', 'market_updated'])
    expect([world.balance('vault', 'base'), world.balance('vault', 'quote')]).toEqual([1_000_030n, 999_700n])
    expect([world.open(), readQueue(world.state)]).toEqual([{ 1: 2 }, []])
    const { after = [] } = world.last ?? {}
    expect(after).toHaveLength(2)
    expect(readAfter(world.state)).toEqual(hashRecords(after))
  })

  it('comes behind the batch, in its own order, and before the clearing of a uniform market', () => {
    const world = fundedWorld()
    world.act('alice', sell(5, 100))
    queue(world, ['vault', buy(5, 100)], ['alice', sell(1, 101)])
    nextBlock(world, { from: 'bob', actions: [buy(4, 100)] })
    // Bob has four of the five: the vault's rest buys one, and what alice asks then meets nothing.
    expect([world.balance('bob', 'base'), world.balance('vault', 'base')]).toEqual([1_000_040n, 1_000_010n])
    expect(world.open()).toEqual({ 3: 4, 4: 1 })

    const uniform = fundedWorld([{ mode: 'uniform' }])
    queue(uniform, ['vault', buy(5, 100)])
    nextBlock(uniform, { from: 'alice', actions: [sell(5, 90)] })
    expect([uniform.open(), uniform.balance('vault', 'base')]).toEqual([{}, 1_000_050n])
  })

  it('cancels what rests, of its caller alone', () => {
    const world = fundedWorld()
    queue(
      world,
      ['vault', sell(5, 100, { clientId: utf8ToBytes('a') })],
      ['vault', sell(5, 101)],
      ['bob', sell(1, 102)],
    )
    nextBlock(world)
    queue(
      world,
      ['vault', cancelId('a')],
      ['bob', cancelSeq(2)],
      ['vault', { kind: 'cancelAll', market: 0, side: undefined }],
    )
    expect(nextBlock(world)).toEqual([
      'order_rejected 1 orderNotFound',
      'order_removed 1 cancelled',
      'order_removed 2 cancelledAll',
      'market_updated',
    ])
    expect(world.open()).toEqual({ 3: 1 })
  })

  it('fails with a code that an event tells, and changes nothing', () => {
    const world = fundedWorld()
    queue(world, ['nobody', buy(1, 100)], ['vault', buy(10_001, 100)], ['vault', sell(1, 100)])
    expect(nextBlock(world)).toEqual([
      'order_rejected 0 insufficientFunds',
      'order_rejected 1 insufficientFunds',
      'order_placed 1',
      'market_updated',
    ])
  })

  it('counts with the actions of its owner in the block, and is refused beyond them', () => {
    const world = fundedWorld()
    world.setParameters({ maxActions: 2 })
    queue(world, ['vault', sell(1, 100)], ['vault', sell(1, 100)])
    const told = nextBlock(world, { from: 'vault', actions: [sell(1, 99)] })
    expect(told).toContain('order_rejected 1 tooManyActions')
    expect(world.open()).toEqual({ 1: 1, 2: 1 })
  })

  it('has the time of the block that queued it as nonce: cancels that came later refuse it, and it leaves marks', () => {
    const world = fundedWorld()
    world.timeMs += 10_000
    nextBlock(world)
    const queuedAt = world.timeMs - 1_000
    queue(world, ['vault', sell(1, 100, { clientId: utf8ToBytes('a') })], ['vault', cancelId('b')])
    const told = nextBlock(world, { from: 'vault', actions: [cancelId('a')], changes: { nonceMs: queuedAt + 1 } })
    expect(told).toEqual(['order_rejected 0 marked', 'order_rejected 1 orderNotFound'])
    expect(
      readMarks(world.state, world.height - 1).map(({ nonceMs, goodTilBlock }) => [nonceMs, goodTilBlock]),
    ).toEqual([
      [queuedAt + 1, world.height - 1 + 10],
      [queuedAt, world.height - 1 + 40],
    ])
    const place = sell(1, 100, { clientId: utf8ToBytes('b') })
    expect(world.block({ from: 'vault', actions: [place], changes: { nonceMs: queuedAt - 1 } })[0]?.[0]?.code).toBe(
      'marked',
    )
    expect(world.block({ from: 'vault', actions: [place], changes: { nonceMs: queuedAt } })[0]?.[0]?.code).toBe('ok')
  })

  it('of an order is refused after a halt of the chain, and of a cancel is not', () => {
    for (const [haltMs, told] of [
      [60_000, ['order_placed 2', 'order_removed 1 cancelled', 'market_updated']],
      [60_001, ['order_rejected 0 nonceTime', 'order_removed 1 cancelled', 'market_updated']],
    ] as const) {
      const world = fundedWorld()
      world.act('vault', sell(1, 100))
      queue(world, ['vault', sell(2, 101)], ['vault', cancelSeq(1)])
      world.timeMs += haltMs - 1_000
      expect(nextBlock(world)).toEqual(told)
    }
  })

  it('turns a switch that has passed, as a transaction would', () => {
    const world = fundedWorld()
    world.act('vault', sell(1, 100), { kind: 'scheduleCancel', atMs: world.timeMs + 500 })
    queue(world, ['vault', sell(2, 101)])
    nextBlock(world)
    expect(world.open()).toEqual({ 2: 2 })
  })

  it('is undone with its candidate, and the books rebuilt from state are the same', () => {
    const world = fundedWorld()
    world.act('alice', sell(5, 100), buy(3, 90))
    queue(world, ['vault', buy(3, 110)], ['vault', sell(1, 120)], ['alice', cancelSeq(2)])
    const before = describeBooks(world.books)
    for (let candidate = 0; candidate < 3; candidate++) {
      world.state.checkpoint()
      world.run([], world.state)
      world.state.revert()
      expect(describeBooks(world.books)).toEqual(before)
    }
    expect(readQueue(world.state)).toHaveLength(3)
    nextBlock(world)
    expect(describeBooks(Books.load(world.state))).toEqual(describeBooks(world.books))
    expect(world.open()).toEqual({ 1: 2, 4: 1 })
  })

  it('of bytes that are no action halts the node', () => {
    const world = fundedWorld()
    writeQueue(world.state, [{ owner: addressOf('vault'), subaccount: 0, action: Uint8Array.of(0x0a, 0) }])
    expect(() => nextBlock(world)).toThrow(InvariantError)
  })
})

describe('the queue of a block', () => {
  it('has room for so much weight, and says so', () => {
    const world = fundedWorld()
    world.setParameters({ contractWeight: 41 })
    const caller = new Caller(world)
    expect([caller.ask('a', buy(1, 1)), caller.ask('b', sell(1, 1, { tif: 'post_only' }))]).toEqual([0, 1])
    expect(queueRoom(world.state)).toBe(20)
    const tooHeavy = buy(1, 1, { maxFills: 21 })
    expect(refusalOf(() => caller.ask('c', tooHeavy))).toBe(
      'clob/32 the queue of this block has room for a weight of 20, not of 21',
    )
    expect(caller.ask('c', { kind: 'cancelAll', market: 0, side: 'buy' })).toBe(2)
    expect(refusalOf(() => caller.ask('c', cancelSeq(1)))).toContain('room for a weight of 0, not of 1')
    collectQueued(world.state)
    expect(readQueue(world.state)).toHaveLength(3)
    // The next block has room again, also before its step has taken what stands there.
    expect([queueRoom(world.state), readQueuedTotals(world.state)]).toEqual([41, { count: 0, weight: 0 }])
  })

  it('runs whole, though governance has lowered what a block may queue since', () => {
    const world = fundedWorld()
    queue(world, ['vault', sell(1, 100)], ['vault', sell(1, 100)])
    world.setParameters({ contractWeight: 0 })
    nextBlock(world)
    expect(world.open()).toEqual({ 1: 1, 2: 1 })
    expect(refusalOf(() => new Caller(world).ask('vault', sell(1, 100)))).toContain('clob/32')
  })

  it('holds as many actions as weigh one, and no more', () => {
    const world = fundedWorld()
    const caller = new Caller(world)
    for (let place = 0; place < 5_000; place++) caller.ask('vault', cancelSeq(place + 1))
    expect(refusalOf(() => caller.ask('vault', cancelSeq(1)))).toContain('clob/32')
    collectQueued(world.state)
    expect(
      readQueue(world.state)
        .map(({ action }) => decodeAction(action))
        .slice(0, 2),
    ).toEqual([cancelSeq(1), cancelSeq(2)])
    expect(readQueue(world.state)).toHaveLength(5_000)
  })

  it('loses what a reverted frame queued, and its places', () => {
    const world = fundedWorld()
    const caller = new Caller(world)
    caller.ask('a', cancelSeq(1))
    world.state.checkpoint()
    caller.ask('b', cancelSeq(2))
    world.state.checkpoint()
    caller.ask('c', cancelSeq(3))
    world.state.commit()
    world.state.revert()
    expect(caller.ask('d', cancelSeq(4))).toBe(1)
    collectQueued(world.state)
    expect(readQueue(world.state).map(({ owner }) => owner)).toEqual([addressOf('a'), addressOf('d')])
  })

  it('takes gas by weight, before anything is read', () => {
    const world = fundedWorld()
    const gasOf = (action: Action): bigint => {
      const caller = new Caller(world)
      caller.ask('a', action)
      return caller.gas
    }
    expect(gasOf(cancelSeq(1))).toBe(35_000n)
    expect(gasOf(buy(1, 1))).toBe(320_000n)
    expect(gasOf(buy(1, 1, { maxFills: 200 }))).toBe(3_020_000n)
    expect(gasOf(buy(1, 1, { tif: 'post_only', maxFills: 200 }))).toBe(35_000n)
    const caller = new Caller(world)
    expect(refusalOf(() => caller.ask('a', buy(1, 1, { market: 9 })))).toBe('clob/25 there is no market 9')
    expect(caller.gas).toBe(320_000n)
    expect(caller.events).toEqual([])
  })

  it.each<readonly [string, Partial<Place>]>([
    ['clob/5', { qtyLots: 0 }],
    ['clob/5', { priceTicks: 2 ** 32 }],
    ['clob/5', { maxFills: 201 }],
    ['clob/9', { triggerTicks: 5 }],
    ['clob/10', { tif: 'ioc', expireS: 5 }],
    ['clob/12', { clientId: new Uint8Array(17) }],
  ])('refuses with %s what is not statically valid: %o', (code, changes) => {
    const caller = new Caller(fundedWorld())
    expect(refusalOf(() => caller.ask('a', buy(1, 1, changes)))).toContain(`${code} `)
    expect(caller.gas).toBe(0n)
  })

  it('has bytes enough for the longest action', () => {
    const largest: Partial<Place> = {
      ...{ market: 2 ** 32 - 1, priceTicks: 2 ** 32 - 1, qtyLots: 2 ** 53 - 1, expireS: 2 ** 53 - 1, maxFills: 200 },
      ...{ clientId: new Uint8Array(16), triggerTicks: 2 ** 32 - 1, triggerKind: 'stop', stp: 'decrement' },
      postOnlyMode: 'slide',
    }
    const placed = buy(1, 1, largest)
    if (placed.kind !== 'place') throw new RangeError('a place is a place')
    const target = { kind: 'client', clientId: new Uint8Array(16) } as const
    const bytes = encodeAction({ kind: 'replace', target, place: placed.place, keepPriority: true })
    expect(bytes.length).toBeLessThanOrEqual(MAX_ACTION_BYTES)
    expect(decodeAction(bytes)).toEqual({ kind: 'replace', target, place: placed.place, keepPriority: true })
  })
})

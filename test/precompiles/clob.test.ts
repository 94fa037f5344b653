/** The order book for contracts, in both engines: what is queued, what is not, and what is read. */
import { type Abi, decodeFunctionResult, encodeFunctionData, getAbiItem, type Hex } from 'viem'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Address, checksumAddress, parseAddress } from '../../core/address.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import type { Engine, ExecutionResult } from '../../evm/engine.ts'
import { code, load, op } from '../../evm/testing/assembler.ts'
import type { Market, OpenOrder } from '../../modules/clob/index.ts'
import { EMPTY_RECORD } from '../../modules/clob/domain/empty-record.ts'
import * as keeper from '../../modules/clob/keeper/index.ts'
import { decodeAction } from '../../modules/clob/orders/index.ts'
import { DEFAULT_CLOB_PARAMETERS } from '../../modules/clob/params.ts'
import { EMPTY_ACCOUNT } from '../../store/state.ts'
import { seeded } from '../sim/random.ts'
import { clobAbi, PRECOMPILE_ADDRESSES } from '../../packages/precompiles/index.ts'
import { account, ALICE, BOB, CONTRACT, engines, NAT, World } from './world.ts'

const [INTERPRETER, REFERENCE] = await engines()
const ENGINES = [
  ['the interpreter', INTERPRETER],
  ['the reference', REFERENCE],
] as const
const CLOB = parseAddress(PRECOMPILE_ADDRESSES.clob)

const MARKET: Market = {
  ...{ id: 1, baseDenom: 'anat', quoteDenom: 'uusd', lotSize: 10n ** 15n, factor: 7n, minNotional: 9n, bandPpm: 5 },
  fees: [
    { volume: 0n, makerPpm: -100, takerPpm: 900 },
    { volume: 5n, makerPpm: 950, takerPpm: 800 },
  ],
  ...{ maxOpenOrders: 8, triggerNotional: 3n, minEquity: 0n, status: 'post_only', mode: 'uniform' },
}

const ORDER: OpenOrder = {
  ...{ market: 1, seq: 77, owner: BOB, subaccount: 3, side: 'sell', tif: 'gtc', priceTicks: 105, lots: 9, left: 4 },
  ...{ lockedPpm: 0, clientId: Uint8Array.of(1, 2), expireS: 12, triggerTicks: 99, triggerKind: 'take_profit' },
  ...{ stp: 'decrement', maxFills: 30, postOnlyMode: 'slide' },
}

const makeWorld = (): World => {
  const world = new World()
  keeper.writeMarket(world.state, MARKET)
  keeper.writeRecord(world.state, 1, {
    ...EMPTY_RECORD,
    ...{ sequence: 40, blockPriceTicks: 103, priceMs: 10n ** 20n, sinceMs: Number(world.timeNs / 1_000_000n) - 5_000 },
    ...{ bestBidTicks: 101, bestAskTicks: 105, openOrders: 1 },
  })
  keeper.writeOrder(world.state, 1, 77, keeper.encodeOrder(ORDER))
  return world
}

const LIMIT = {
  ...{ market: 1, side: 1, priceTicks: 100, qtyLots: 5n, tif: 1, stp: 0, clientId: '0x' as Hex, expireS: 0n },
  ...{ triggerTicks: 0, triggerKind: 0, maxFills: 0, postOnlyMode: 0 },
}

/** What the end of the block would make of it. */
const queueOf = ({ state }: World) => {
  state.checkpoint()
  keeper.collectQueued(state)
  const queue = keeper.readQueue(state)
  state.revert()
  return queue.map(({ owner, subaccount, action }) => ({ owner, subaccount, ...decodeAction(action) }))
}

describe.each(ENGINES)('the order book in %s', (_, engine) => {
  it('queues orders and cancels of whoever calls', async () => {
    const world = makeWorld()
    const full = {
      ...{ market: 1, side: 2, priceTicks: 2 ** 32 - 1, qtyLots: 2n ** 53n - 1n, tif: 4, stp: 3, expireS: 99n },
      ...{ clientId: '0x00ff' as Hex, triggerTicks: 50, triggerKind: 2, maxFills: 200, postOnlyMode: 1 },
    }
    expect(await world.call(engine, 'clob', 'placeOrder', [0, LIMIT])).toMatchObject({ value: 0, logs: [] })
    expect(await world.call(engine, 'clob', 'placeOrder', [2 ** 32 - 1, full], { from: BOB })).toMatchObject({
      value: 1,
    })
    expect(await world.call(engine, 'clob', 'cancelOrder', [1, 77n], { through: 'CALL' })).toMatchObject({ value: 2 })
    expect(await world.call(engine, 'clob', 'cancelClientOrder', [6, 1, '0x0102'])).toMatchObject({ value: 3 })
    const { result, ...last } = await world.call(engine, 'clob', 'cancelAll', [6, 0, 2])
    expect(last).toMatchObject({ value: 4 })
    expect(result.nativeEvents).toEqual([
      {
        type: 'order_queued',
        attributes: expect.arrayContaining([
          { key: 'place', value: '4', index: false },
          { key: 'action', value: 'cancelAll', index: false },
        ]),
      },
    ])
    const limit = { ...LIMIT, clientId: new Uint8Array(0), side: 'buy', tif: 'gtc', stp: 'cancel_maker' }
    expect(queueOf(world)).toMatchObject([
      {
        ...{ owner: ALICE, subaccount: 0, kind: 'place' },
        place: { ...limit, qtyLots: 5, expireS: 0, triggerKind: 'none', postOnlyMode: 'reject' },
      },
      {
        ...{ owner: BOB, subaccount: 2 ** 32 - 1, kind: 'place' },
        place: {
          ...{ market: 1, side: 'sell', priceTicks: 2 ** 32 - 1, qtyLots: 2 ** 53 - 1, tif: 'post_only', expireS: 99 },
          ...{ stp: 'decrement', clientId: Uint8Array.of(0, 255), triggerTicks: 50, triggerKind: 'take_profit' },
          ...{ maxFills: 200, postOnlyMode: 'slide' },
        },
      },
      { owner: CONTRACT, subaccount: 0, kind: 'cancel', market: 1, target: { kind: 'seq', orderSeq: 77 } },
      { owner: ALICE, subaccount: 6, kind: 'cancel', target: { kind: 'client', clientId: Uint8Array.of(1, 2) } },
      { owner: ALICE, subaccount: 6, kind: 'cancelAll', market: 0, side: 'sell' },
    ])
  })

  it('pays by weight: a block has weight for what it makes the next one do', async () => {
    const world = makeWorld()
    const gasOf = async (maxFills: number, tif: number): Promise<bigint> => {
      const { result } = await world.call(engine, 'clob', 'placeOrder', [0, { ...LIMIT, maxFills, tif }])
      return result.gasUsed
    }
    const [one, twenty, most, postOnly] = [await gasOf(1, 1), await gasOf(0, 1), await gasOf(200, 1), await gasOf(0, 4)]
    // The calldata of both differs by some zeros.
    expect(Number(twenty - one)).toBeCloseTo(19 * 15_000, -3)
    expect(Number(most - one)).toBeCloseTo(199 * 15_000, -3)
    expect(Number(postOnly - one)).toBeCloseTo(0, -3)
  })

  it.each<readonly [string, Partial<typeof LIMIT>]>([
    ['side is missing: it is within 1 to 2', { side: 0 }],
    ['side is not within 0 to 2', { side: 3 }],
    ['tif is not within 0 to 4', { tif: 5 }],
    ['stp is not within 0 to 3', { stp: 255 }],
    ['qty_lots is not within 0 to 9007199254740991', { qtyLots: 2n ** 53n }],
    ['qty_lots is not within 0 to 9007199254740991', { qtyLots: 2n ** 64n - 1n }],
    ['price_ticks is missing: it is within 1 to 4294967295', { priceTicks: 0 }],
    ['max_fills is not within 0 to 200', { maxFills: 201 }],
    ['a client id has at most 16 bytes, not 17', { clientId: `0x${'01'.repeat(17)}` }],
    ['trigger_ticks stand with a trigger_kind, and a trigger_kind with trigger_ticks', { triggerKind: 1 }],
    ['expire_s stands with GTC and POST_ONLY only', { tif: 3, expireS: 1n }],
    ['there is no market 2', { market: 2 }],
    ['market is missing: it is within 1 to 4294967295', { market: 0 }],
  ])('refuses with "%s", and queues nothing', async (refusal, changes) => {
    const world = makeWorld()
    expect(await world.call(engine, 'clob', 'placeOrder', [0, { ...LIMIT, ...changes }])).toMatchObject({ refusal })
    expect(queueOf(world)).toEqual([])
  })

  it('refuses static calls, other people’s code, value, and targets that are none', async () => {
    const world = makeWorld()
    const args = [0, LIMIT] as const
    const refused = async (options: Parameters<World['call']>[4]) => {
      const outcome = await world.call(engine, 'clob', 'placeOrder', args, options)
      return 'refusal' in outcome ? outcome.refusal : 'nothing'
    }
    expect(await refused({ through: 'STATICCALL' })).toBe('write protection')
    expect(await refused({ through: 'DELEGATECALL' })).toBe('precompiles cannot be reached by delegatecall or callcode')
    expect(await refused({ value: 1n })).toBe('method placeOrder is not payable')
    const target = 'a target is a client id of 1 to 16 bytes or an order_seq from 1'
    expect(await world.call(engine, 'clob', 'cancelOrder', [1, 0n])).toMatchObject({ refusal: target })
    expect(await world.call(engine, 'clob', 'cancelClientOrder', [0, 1, '0x'])).toMatchObject({ refusal: target })
    expect(queueOf(world)).toEqual([])
  })

  it('reads the market, its record, the sum of its price, and open orders, from static calls too', async () => {
    const world = makeWorld()
    const read = { through: 'STATICCALL' } as const
    expect(await world.call(engine, 'clob', 'getMarket', [1], read)).toMatchObject({
      value: {
        ...{ baseDenom: 'anat', quoteDenom: 'uusd', lotSize: 10n ** 15n, factor: 7n, minNotional: 9n, bandPpm: 5 },
        ...{ maxOpenOrders: 8, triggerNotional: 3n, highestFeePpm: 950, status: 2, mode: 2 },
      },
    })
    const timeMs = world.timeNs / 1_000_000n
    expect(await world.call(engine, 'clob', 'getRecord', [1], read)).toMatchObject({
      value: {
        ...{ sequence: 40n, blockPriceTicks: 103, priceMs: 10n ** 20n, sinceMs: timeMs - 5_000n },
        ...{ bestBidTicks: 101, bestAskTicks: 105, openOrders: 1 },
      },
    })
    expect(await world.call(engine, 'clob', 'getPriceSum', [1], read)).toMatchObject({
      value: [10n ** 20n + 103n * 5_000n, timeMs],
    })
    expect(await world.call(engine, 'clob', 'getOrder', [1, 77n], read)).toMatchObject({
      value: {
        ...{ owner: checksumAddress(BOB), subaccount: 3, side: 2, tif: 1, priceTicks: 105, lots: 9n, lotsLeft: 4n },
        ...{ lockedPpm: 0, clientId: '0x0102', expireS: 12n, triggerTicks: 99, triggerKind: 2, stp: 3, maxFills: 30 },
        postOnlyMode: 1,
      },
    })
    expect(await world.call(engine, 'clob', 'getOrder', [1, 78n])).toMatchObject({
      refusal: 'rpc error: code = NotFound desc = order 78 is not open in market 1',
    })
    expect(await world.call(engine, 'clob', 'getOrder', [1, 2n ** 64n - 1n])).toMatchObject({
      refusal: expect.stringContaining('is not open'),
    })
    expect(await world.call(engine, 'clob', 'getRecord', [9])).toMatchObject({
      refusal: 'rpc error: code = NotFound desc = there is no market 9',
    })
    expect(await world.call(engine, 'clob', 'getQueueRoom', [], read)).toMatchObject({ value: 5_000 })
  })

  it('has room until the queue is full, and again in the next block', async () => {
    const world = makeWorld()
    keeper.writeParameters(world.state, { ...DEFAULT_CLOB_PARAMETERS, contractWeight: 25 })
    expect(await world.call(engine, 'clob', 'placeOrder', [0, LIMIT])).toMatchObject({ value: 0 })
    expect(await world.call(engine, 'clob', 'placeOrder', [0, LIMIT])).toMatchObject({
      refusal: 'the queue of this block has room for a weight of 5, not of 20',
    })
    expect(await world.call(engine, 'clob', 'getQueueRoom', [])).toMatchObject({ value: 5 })
    expect(queueOf(world)).toHaveLength(1)
    world.nextBlock()
    expect(keeper.readQueue(world.state)).toHaveLength(1)
    expect(await world.call(engine, 'clob', 'placeOrder', [0, LIMIT])).toMatchObject({ value: 0 })
  })

  it('queues nothing where its gas ends, at whichever unit', async () => {
    const world = makeWorld()
    const { result } = await world.call(engine, 'clob', 'placeOrder', [0, LIMIT])
    expect(queueOf(world)).toHaveLength(1)
    const base = 21_000n
    for (const gas of [result.gasUsed - 1n, result.gasUsed - 15_000n, base + 20_000n, base + 7_000n]) {
      const short = await world.call(engine, 'clob', 'placeOrder', [0, LIMIT], { gas })
      expect(short).toMatchObject({ refusal: 'out of gas' })
      expect(short.result.gasUsed).toBe(gas)
    }
    expect(queueOf(world)).toHaveLength(1)
  })
})

const TRADER = JSON.parse(readFileSync(join(import.meta.dirname, 'contracts/trader.json'), 'utf8')) as {
  abi: Abi
  bytecode: Hex
}

class Trader {
  readonly world = makeWorld()
  readonly #engine: Engine
  address: Address = ALICE

  constructor(engine: Engine) {
    this.#engine = engine
  }

  async create(): Promise<void> {
    const { createdAddress } = await this.world.execute(this.#engine, {
      ...{ to: undefined, value: NAT, data: hexToBytes(TRADER.bytecode) },
    })
    this.address = createdAddress ?? ALICE
  }

  send(functionName: string, args: readonly unknown[], gasLimit = 10_000_000n): Promise<ExecutionResult> {
    const data = hexToBytes(encodeFunctionData({ abi: TRADER.abi, functionName, args }))
    return this.world.execute(this.#engine, { to: this.address, data, gasLimit })
  }

  async reason(): Promise<unknown> {
    const { returnData } = await this.send('reason', [])
    return decodeFunctionResult({ abi: TRADER.abi, functionName: 'reason', data: bytesToHex(returnData) })
  }

  lots(): readonly unknown[] {
    return queueOf(this.world).map((queued) => (queued.kind === 'place' ? queued.place.qtyLots : queued.kind))
  }
}

describe.each(ENGINES)('a contract of solc that trades, in %s', (_, engine) => {
  const open = async (): Promise<Trader> => {
    const trader = new Trader(engine)
    await trader.create()
    return trader
  }

  it('takes the best price that it reads', async () => {
    const trader = await open()
    const { failure, logs } = await trader.send('takeBest', [1, 3n])
    expect([failure, logs]).toEqual([undefined, []])
    expect(queueOf(trader.world)).toMatchObject([{ owner: trader.address, place: { side: 'buy', priceTicks: 105 } }])
  })

  it('keeps what calls queued that did not revert, though they came back into it', async () => {
    const trader = await open()
    const result = await trader.send('tradeThrice', [1, 100, 5n])
    expect(result.failure).toBeUndefined()
    expect(await trader.reason()).toBe('changed my mind')
    expect(trader.lots()).toEqual([5, 15])
    const places = result.nativeEvents.map(({ attributes }) => attributes[0]?.value)
    expect(places).toEqual(['0', '1'])
    await trader.send('tradeAndRevert', [1, 100, 5n])
    expect(trader.lots()).toEqual([5, 15])
  })

  it('fills the queue, is told so, and leaves room for nobody until the next block', async () => {
    const trader = await open()
    keeper.writeParameters(trader.world.state, { ...DEFAULT_CLOB_PARAMETERS, contractWeight: 110 })
    expect((await trader.send('fill', [])).failure).toBeUndefined()
    expect(await trader.reason()).toBe('the queue of this block has room for a weight of 10, not of 20')
    expect(trader.lots()).toEqual([1, 1, 1, 1, 1])
    expect(await trader.world.call(engine, 'clob', 'placeOrder', [0, LIMIT], { from: BOB })).toMatchObject({
      refusal: 'the queue of this block has room for a weight of 10, not of 20',
    })
  })

  it('that queues without end runs out of gas, and leaves nothing', async () => {
    const trader = await open()
    // The queue has room for 250 of its orders: its gas ends within the sixth or seventh.
    const { failure, nativeEvents } = await trader.send('fill', [], 2_000_000n)
    expect(failure).toBeDefined()
    expect([trader.lots(), nativeEvents]).toEqual([[], []])
  })
})

const WORD = 32
const RANDOM_FRAMES = 60

interface Frame {
  readonly isReverted: boolean
  /** Lots of an order, or a frame within. */
  readonly steps: readonly (number | Frame)[]
}

const bytesOfPlace = (lots: number): Uint8Array =>
  hexToBytes(
    encodeFunctionData({
      abi: [getAbiItem({ abi: clobAbi, name: 'placeOrder' })],
      args: [0, { ...LIMIT, tif: 4, qtyLots: BigInt(lots) }],
    }),
  )

/** Installs a contract for each frame, which calls what is within, and reverts at its end where it should. */
const install = (world: World, frame: Frame, next: { address: number }): Address => {
  const { state } = world
  const address = account(next.address++)
  const parts = frame.steps.flatMap((step) => {
    if (typeof step === 'number') {
      const data = bytesOfPlace(step)
      return [...load(data), ...op('CALL', 200_000n, CLOB, 0n, 0n, BigInt(data.length), 0n, 0n), 'POP' as const]
    }
    return [...op('CALL', 5_000_000n, install(world, step, next), 0n, 0n, 0n, 0n, 0n), 'POP' as const]
  })
  const end = frame.isReverted ? op('REVERT', 0n, BigInt(WORD)) : op('RETURN', 0n, BigInt(WORD))
  state.setAccount(address, { ...EMPTY_ACCOUNT, nonce: 1n, codeHash: state.setCode(code(...parts, ...end)) })
  return address
}

const keptOf = ({ isReverted, steps }: Frame): readonly number[] =>
  isReverted ? [] : steps.flatMap((step) => (typeof step === 'number' ? [step] : keptOf(step)))

it(
  'frames within frames keep what none around them reverts, in both engines alike',
  seeded(9, async (random) => {
    let lots = 1
    const frameOf = (depth: number): Frame => ({
      isReverted: depth > 0 && random.chance(40),
      steps: Array.from({ length: 1 + random.below(3) }, () =>
        depth < 4 && random.chance(55) ? frameOf(depth + 1) : lots++,
      ),
    })
    for (let run = 0; run < RANDOM_FRAMES; run++) {
      const frame = frameOf(0)
      const queues = []
      for (const engine of [INTERPRETER, REFERENCE]) {
        const world = makeWorld()
        const to = install(world, frame, { address: 0x30 })
        const { failure, nativeEvents } = await world.execute(engine, { to, gasLimit: 16_000_000n })
        expect(failure).toBeUndefined()
        const queue = queueOf(world)
        expect(nativeEvents.map(({ attributes }) => attributes[0]?.value)).toEqual(queue.map((_, place) => `${place}`))
        queues.push(queue.map((queued) => (queued.kind === 'place' ? queued.place.qtyLots : 0)))
      }
      expect(queues).toEqual([keptOf(frame), keptOf(frame)])
    }
  }),
)

it('a transaction weighs at least 0.18 ms for each unit of weight that it queues', async () => {
  const weightOf = async (maxFills: number): Promise<number> => {
    const world = makeWorld()
    const data = hexToBytes(
      encodeFunctionData({ abi: clobAbi, functionName: 'placeOrder', args: [0, { ...LIMIT, maxFills }] }),
    )
    return (await world.weigh(INTERPRETER, { to: CLOB, data })).weight
  }
  const [one, most] = [await weightOf(1), await weightOf(200)]
  expect(most - one).toBeGreaterThanOrEqual(199 * 180_000)
})

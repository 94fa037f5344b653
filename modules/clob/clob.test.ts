import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { CodedError, InvariantError } from '../../core/errors.ts'
import { sha256 } from '../../core/hash.ts'
import { clob, clobMsg, clobQuery } from '../../proto/index.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { GOVERNANCE_ADDRESS } from '../authority.ts'
import { createLedger } from '../bank/index.ts'
import type { Event } from '../module.ts'
import { formatConsensusAddress } from '../validator-addresses.ts'
import { rotateCaps } from './caps.ts'
import { EMPTY_RECORD } from './domain/empty-record.ts'
import { lockOf } from './domain/lock.ts'
import type { Market } from './domain/market.ts'
import type { OpenOrder } from './domain/order.ts'
import * as keeper from './keeper/index.ts'
import { clobModule } from './module.ts'
import type { Action, Target } from './orders/clob-tx.ts'
import { encodeAction } from './orders/index.ts'
import { DEFAULT_CLOB_PARAMETERS } from './params.ts'

const AUTHORITY = encodeBech32(GOVERNANCE_ADDRESS)
const [ALICE, BOB, CAROL] = [1, 2, 3].map((byte) => new Uint8Array(20).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const INITIAL_HEIGHT = 5
const NOW_S = 1_800_000_000
const ledger = createLedger({ isBlockedReceiver: () => false })

interface WorldOptions {
  readonly genesis?: unknown
  readonly validators?: number
  readonly roomFault?: string
}

const makeWorld = ({ genesis, validators = 4, roomFault }: WorldOptions = {}) => {
  const state = new Overlay(new LatestState(openMemoryStore(), 1_000))
  const module = clobModule.create({
    ledger,
    validatorCount: () => validators,
    blockRoomFault: () => roomFault,
  })
  const events: Event[] = []
  let gas = 0n
  const context = {
    state,
    height: INITIAL_HEIGHT - 1,
    timeNs: BigInt(NOW_S) * 1_000_000_000n,
    chainId: 'x',
    emit: (event: Event) => void events.push(event),
    consumeGas: (amount: bigint) => void (gas += amount),
  }
  for (const denom of ['anat', 'uusd', 'ueur']) ledger.mint(context, ALICE, [{ denom, amount: 10n ** 30n }])
  events.length = 0
  module.initGenesis(context, genesis)
  const send = <Input extends DescMessage, Output extends DescMessage>(
    { input, output }: DescMethodUnary<Input, Output>,
    message: MessageInitShape<Input>,
  ): MessageShape<Output> => {
    const handler = module.messages.find(({ typeUrl }) => typeUrl === `/${input.typeName}`)
    if (handler === undefined) throw new RangeError(input.typeName)
    const prepared = handler.prepare(handler.decode(toBinary(input, create(input, message))))
    return fromBinary(output, handler.execute(context, prepared))
  }
  const ask = <Input extends DescMessage, Output extends DescMessage>(
    { input, output, name }: DescMethodUnary<Input, Output>,
    request: MessageInitShape<Input>,
  ): MessageShape<Output> => {
    const query = module.queries.find(({ path }) => path === `/nat.clob.v1.Query/${name}`)
    if (query === undefined) throw new RangeError(name)
    return fromBinary(output, query.query(context, toBinary(input, create(input, request))))
  }
  const values = () =>
    state
      .values(keeper.CLOB_ACCOUNT, new Uint8Array(0), 10_000)
      .map(([key, value]) => [Buffer.from(key).toString('latin1'), Buffer.from(value).toString('hex')])
  const faults = () => module.invariants.flatMap(({ check }) => check(context) ?? [])
  /** The genesis as the file has it. */
  const exported = (): unknown => JSON.parse(textOf(module.exportGenesis(context)))
  return { state, module, context, events, send, ask, values, faults, exported, gas: () => gas }
}

/** JSON with iterables as lists. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && Symbol.iterator in member
      ? [...(member as Iterable<unknown>)]
      : member,
  )

const refusal = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof CodedError) return `${error.codespace}/${error.code} ${error.message}`
    throw error
  }
  return 'accepted'
}

const { method } = clobMsg.Msg
const queries = clobQuery.Query.method

const SETTINGS = {
  fees: [
    { volume: '0', makerPpm: 100, takerPpm: 300 },
    { volume: '1000000', makerPpm: -50, takerPpm: 200 },
  ],
  minNotional: '1000',
  bandPpm: 100_000,
  maxOpenOrders: 100,
  triggerNotional: '10000',
  minEquity: '0',
  status: clob.MarketStatus.ACTIVE,
  mode: clob.MarketMode.CONTINUOUS,
}
const CREATE = {
  authority: AUTHORITY,
  baseDenom: 'anat',
  quoteDenom: 'uusd',
  lotSize: '1000',
  factor: '7',
  settings: SETTINGS,
}
const MARKET: Market = {
  id: 1,
  baseDenom: 'anat',
  quoteDenom: 'uusd',
  lotSize: 1_000n,
  factor: 7n,
  fees: [
    { volume: 0n, makerPpm: 100, takerPpm: 300 },
    { volume: 1_000_000n, makerPpm: -50, takerPpm: 200 },
  ],
  minNotional: 1_000n,
  bandPpm: 100_000,
  maxOpenOrders: 100,
  triggerNotional: 10_000n,
  minEquity: 0n,
  status: 'active',
  mode: 'continuous',
}

describe('markets of governance', () => {
  it('get numbers in order, an empty record and an event', () => {
    const { state, send, events, ask } = makeWorld()
    expect(send(method.createMarket, CREATE).market).toBe(1)
    expect(send(method.createMarket, { ...CREATE, baseDenom: 'ueur' }).market).toBe(2)
    expect(keeper.readMarket(state, 1)).toEqual(MARKET)
    expect(keeper.readRecord(state, 2)).toEqual(EMPTY_RECORD)
    expect(events.map(({ type, attributes }) => [type, attributes[0]?.value])).toEqual([
      ['market_updated', '1'],
      ['market_updated', '2'],
    ])
    expect(ask(queries.market, { market: 1 }).market).toMatchObject({ ...SETTINGS_OF_ANSWER, id: 1, lotSize: '1000' })
    expect(ask(queries.markets, {}).markets.map(({ id }) => id)).toEqual([1, 2])
    const page = ask(queries.markets, { pagination: { limit: 1n } })
    expect(
      ask(queries.markets, { pagination: { key: page.pagination?.nextKey ?? new Uint8Array(0) } }).markets.map(
        ({ id }) => id,
      ),
    ).toEqual([2])
    expect(refusal(() => ask(queries.market, { market: 3 }))).toContain('grpc/5')
  })

  const fees = (...tiers: readonly (readonly [string, number, number])[]) => ({
    settings: { ...SETTINGS, fees: tiers.map(([volume, makerPpm, takerPpm]) => ({ volume, makerPpm, takerPpm })) },
  })
  const setting = (change: object) => ({ settings: { ...SETTINGS, ...change } })

  it.each<readonly [string, object, string]>([
    ['another authority', { authority: encodeBech32(ALICE) }, 'sdk/4'],
    ['a malformed denomination', { baseDenom: '1x' }, 'clob/20 1x is no denomination'],
    ['one denomination', { quoteDenom: 'anat' }, 'clob/20 a market has two different denominations'],
    ['a denomination that nobody has', { quoteDenom: 'ugbp' }, 'clob/20 nobody has any ugbp'],
    ['no lot size', { lotSize: '0' }, 'clob/21 lot_size must be an integer from 1'],
    ['a lot of 2^100', { lotSize: (2n ** 100n).toString() }, 'clob/21 lot_size'],
    ['a factor that is no number', { factor: '1e3' }, 'clob/21 factor'],
    ['a factor of 2^80', { factor: (2n ** 80n).toString() }, 'clob/21 factor'],
    ['no settings', { settings: undefined }, 'clob/23 settings are missing'],
    ['no fees', fees(), 'clob/22 fees: 1 to 16 tiers, not 0'],
    ['a first tier with a volume', fees(['1', 1, 1]), 'clob/22 fees: the first tier has volume 0'],
    ['tiers that do not ascend', fees(['0', 1, 1], ['5', 1, 1], ['5', 1, 1]), 'clob/22 fees: the volumes'],
    ['a fee of 10%', fees(['0', 1, 100_000]), 'clob/22 fees: taker_ppm'],
    ['a maker fee of 10%', fees(['0', 100_000, 1]), 'clob/22 fees: maker_ppm'],
    ['a rebate of 10%', fees(['0', -100_000, 99_999]), 'clob/22 fees: maker_ppm'],
    ['a rebate as high as the fee', fees(['0', -10, 10]), 'clob/22 fees: a rebate of 10 ppm'],
    ['a rebate above the fee of another tier', fees(['0', -10, 20], ['1', 5, 10]), 'clob/22 fees: a rebate of 10 ppm'],
    [
      '17 tiers',
      fees(...Array.from({ length: 17 }, (_, at) => [at.toString(), 1, 1] as const)),
      'clob/22 fees: 1 to 16',
    ],
    ['an amount of 2^127', setting({ minNotional: (2n ** 127n).toString() }), 'clob/23 min_notional'],
    ['a band of more than ten times', setting({ bandPpm: 10_000_001 }), 'clob/23 band_ppm'],
    ['no open orders', setting({ maxOpenOrders: 0 }), 'clob/23 max_open_orders'],
    ['prices without fills', setting({ triggerNotional: '0' }), 'clob/23 trigger_notional'],
    ['a negative amount', setting({ minEquity: '-1' }), 'clob/23 min_equity'],
    ['no status', setting({ status: 0 }), 'clob/23 0 is no status'],
    ['an unknown status', setting({ status: 9 }), 'clob/23 9 is no status'],
    ['no mode', setting({ mode: 0 }), 'clob/23 0 is no mode'],
  ])('are refused with %s', (_, change, reason) => {
    const world = makeWorld()
    expect(refusal(() => world.send(method.createMarket, { ...CREATE, ...change }))).toContain(reason)
    expect(world.values().map(([key]) => key)).toEqual(['caps'])
  })

  it('are taken without fees, and with a rebate below every fee', () => {
    const world = makeWorld()
    expect(refusal(() => world.send(method.createMarket, { ...CREATE, ...fees(['0', 0, 0]) }))).toBe('accepted')
    expect(refusal(() => world.send(method.createMarket, { ...CREATE, ...fees(['0', -9, 10]) }))).toBe('accepted')
  })

  it('are 256 at most', () => {
    const { state, send } = makeWorld()
    for (let id = 1; id <= 255; id++) keeper.writeMarket(state, { ...MARKET, id })
    expect(send(method.createMarket, CREATE).market).toBe(256)
    expect(refusal(() => send(method.createMarket, CREATE))).toContain('clob/24')
  })

  it('change their settings, and their mode only while nothing is open', () => {
    const { state, send, events } = makeWorld()
    send(method.createMarket, CREATE)
    const update = (market: number, change: object) =>
      refusal(() => send(method.updateMarket, { authority: AUTHORITY, market, settings: { ...SETTINGS, ...change } }))
    expect(update(2, {})).toContain('clob/25 there is no market 2')
    expect(update(1, { status: 4, bandPpm: 0 })).toBe('accepted')
    expect(keeper.readMarket(state, 1)).toEqual({ ...MARKET, status: 'halted', bandPpm: 0 })
    keeper.writeRecord(state, 1, { ...EMPTY_RECORD, openOrders: 2, sequence: 9 })
    expect(update(1, { mode: 2 })).toContain('clob/26 the mode of market 1 cannot change while 2 orders are open')
    expect(update(1, { status: 2 })).toBe('accepted')
    expect(events.at(-1)?.attributes.map(({ key, value }) => [key, value])).toContainEqual(['sequence', '9'])
    keeper.writeRecord(state, 1, EMPTY_RECORD)
    expect(update(1, { mode: 2 })).toBe('accepted')
    expect(keeper.readMarket(state, 1)?.mode).toBe('uniform')
  })
})

const SETTINGS_OF_ANSWER = { baseDenom: 'anat', quoteDenom: 'uusd', factor: '7', settings: SETTINGS }

describe('parameters of governance', () => {
  const { extensionBudgetBytes: _, ...rest } = DEFAULT_CLOB_PARAMETERS

  it.each<readonly [string, object, string]>([
    ['accepted', { blockWeight: 4_000 }, 'accepted'],
    ['a budget of more than 1 MiB', { extensionBudgetBytes: 1_048_577 }, 'clob/27 extension_budget_bytes must be'],
    ['a weight below one that holds the heaviest', { blockWeight: 3_999 }, 'clob/27 block_weight must be between 4000'],
    ['a weight above what a block can take', { blockWeight: 40_001 }, 'clob/27 block_weight'],
    ['no bucket', { bucketMs: 0 }, 'clob/27 bucket_ms'],
    ['more triggers', { maxTriggers: 501 }, 'clob/27 max_triggers'],
  ])('%s', (_name, change, outcome) => {
    const { send, state } = makeWorld()
    const params = { ...DEFAULT_CLOB_PARAMETERS, ...change }
    expect(refusal(() => send(method.updateParams, { authority: AUTHORITY, params }))).toContain(outcome)
    expect(keeper.readParameters(state)).toEqual(outcome === 'accepted' ? params : DEFAULT_CLOB_PARAMETERS)
  })

  it('are refused where they are missing, from others, and where a block has no room for votes', () => {
    const params = DEFAULT_CLOB_PARAMETERS
    expect(refusal(() => makeWorld().send(method.updateParams, { authority: AUTHORITY }))).toContain('clob/27 params')
    expect(refusal(() => makeWorld().send(method.updateParams, { authority: AUTHORITY, params: rest }))).toContain(
      'clob/27',
    )
    expect(refusal(() => makeWorld().send(method.updateParams, { authority: encodeBech32(BOB), params }))).toContain(
      'sdk/4',
    )
    const small = makeWorld({ roomFault: 'block.max_bytes must be at least 5' })
    expect(refusal(() => small.send(method.updateParams, { authority: AUTHORITY, params }))).toBe(
      'clob/27 block.max_bytes must be at least 5',
    )
  })
})

describe('agents', () => {
  const agentOf = (owner: Uint8Array, agent: Uint8Array, change: object = {}) => ({
    owner: encodeBech32(owner),
    agent: encodeBech32(agent),
    name: 'bot',
    expireS: BigInt(NOW_S + 10),
    markets: [],
    ...change,
  })

  it('are set, changed and removed by their owner', () => {
    const { send, state, ask, events } = makeWorld()
    send(method.setAgent, agentOf(ALICE, BOB))
    send(method.setAgent, agentOf(ALICE, BOB, { name: 'ü', expireS: BigInt(NOW_S + 1) }))
    send(method.setAgent, agentOf(CAROL, BOB))
    expect(keeper.readAgent(state, ALICE, BOB)).toEqual({ name: 'ü', expireS: NOW_S + 1, markets: [] })
    expect(ask(queries.agents, { owner: encodeBech32(ALICE) }).agents).toMatchObject([
      { address: encodeBech32(BOB), name: 'ü' },
    ])
    send(method.setAgent, agentOf(ALICE, BOB, { expireS: 0n, name: '' }))
    expect(keeper.readAgent(state, ALICE, BOB)).toBeUndefined()
    expect(keeper.readAgent(state, CAROL, BOB)?.name).toBe('bot')
    expect(events.map(({ type }) => type)).toEqual(Array.from({ length: 4 }, () => 'set_agent'))
  })

  it.each<readonly [string, object, string]>([
    ['its owner', { agent: encodeBech32(ALICE) }, 'clob/28 an agent is neither'],
    ['the zero address', { agent: encodeBech32(new Uint8Array(20)) }, 'clob/28 an agent is neither'],
    ['no address', { agent: 'x' }, 'sdk/7'],
    ['a name of 33 bytes', { name: 'ü'.repeat(17) }, 'clob/28 the name'],
    ['markets that do not ascend', { markets: [2, 2] }, 'clob/28 the markets'],
    ['market 0', { markets: [0] }, 'clob/28 the markets'],
    ['65 markets', { markets: Array.from({ length: 65 }, (_, at) => at + 1) }, 'clob/28 the markets'],
    ['a market that does not exist', { markets: [1] }, 'clob/25 there is no market 1'],
    ['an end that is now', { expireS: BigInt(NOW_S) }, 'clob/29'],
    ['an end beyond 2^53', { expireS: 2n ** 53n }, 'clob/28 expire_s'],
    ['nothing to remove', { expireS: 0n, name: '' }, 'clob/31'],
    ['a removal with a name', { expireS: 0n }, 'clob/28 an agent that is removed'],
  ])('are refused with %s', (_, change, reason) => {
    expect(refusal(() => makeWorld().send(method.setAgent, agentOf(ALICE, BOB, change)))).toContain(reason)
  })

  it('are 16 at most, and pay for the markets that they name', () => {
    const { send, gas } = makeWorld()
    send(method.createMarket, CREATE)
    for (let at = 0; at < 16; at++) send(method.setAgent, agentOf(ALICE, new Uint8Array(20).fill(100 + at)))
    expect(refusal(() => send(method.setAgent, agentOf(ALICE, BOB)))).toContain('clob/30')
    expect(gas()).toBe(0n)
    send(method.setAgent, agentOf(ALICE, new Uint8Array(20).fill(100), { markets: [1] }))
    expect(gas()).toBe(2_100n)
    send(method.setAgent, agentOf(ALICE, new Uint8Array(20).fill(100), { expireS: 0n, name: '' }))
    expect(refusal(() => send(method.setAgent, agentOf(ALICE, BOB)))).toBe('accepted')
  })
})

const ORDER: OpenOrder = {
  market: 1,
  seq: 3,
  owner: ALICE,
  subaccount: 7,
  side: 'buy',
  tif: 'gtc',
  priceTicks: 100,
  lots: 50,
  left: 40,
  lockedPpm: 333,
  clientId: Uint8Array.of(1, 2, 3),
  expireS: 0,
  triggerTicks: 0,
  triggerKind: 'none',
  stp: 'decrement',
  maxFills: 20,
  postOnlyMode: 'slide',
}
const BY_SEQ: Target = { kind: 'seq', orderSeq: 2 ** 53 - 1 }
const PLACE: Action = {
  kind: 'place',
  place: {
    ...{ market: 1, side: 'sell', priceTicks: 2 ** 32 - 1, qtyLots: 2 ** 53 - 1, tif: 'gtc', stp: 'decrement' },
    ...{ clientId: new Uint8Array(16).fill(7), expireS: 2 ** 53 - 1, triggerTicks: 0, triggerKind: 'none' },
    ...{ maxFills: 0, postOnlyMode: 'slide' },
  },
}

const SELL: OpenOrder = {
  ...ORDER,
  ...{
    seq: 9,
    owner: BOB,
    side: 'sell',
    tif: 'ioc',
    triggerKind: 'stop',
    triggerTicks: 90,
    clientId: new Uint8Array(0),
  },
}

/** Something under every key. */
const fillState = (state: Overlay): void => {
  keeper.writeParameters(state, { ...DEFAULT_CLOB_PARAMETERS, minAgeMs: 77 })
  keeper.writeTimeMs(state, 1_700_000_000_123)
  keeper.writeNextSeq(state, 12)
  keeper.writeMarket(state, MARKET)
  keeper.writeMarket(state, { ...MARKET, id: 4, mode: 'uniform', status: 'cancel_only', lotSize: 2n ** 99n })
  keeper.writeRecord(state, 1, { ...EMPTY_RECORD, sequence: 3, openOrders: 2, priceMs: 10n ** 30n, bestBidTicks: 100 })
  keeper.writeRecord(state, 4, EMPTY_RECORD)
  for (const order of [ORDER, SELL]) keeper.writeOrder(state, 1, order.seq, keeper.encodeOrder(order))
  keeper.writeAccount(state, ALICE, {
    openOrders: 1,
    switchMs: 5,
    floors: [
      { subaccount: undefined, market: 0, side: 'sell', nextSeq: 2 },
      { subaccount: 0, market: 1, side: undefined, nextSeq: 1 },
    ],
  })
  keeper.writeAccount(state, BOB, { openOrders: 1, switchMs: 0, floors: [] })
  keeper.writeAgent(state, ALICE, CAROL, { name: 'ü', expireS: 9, markets: [1, 4] })
  keeper.writeNonces(state, 3, [
    { signer: CAROL, nonceMs: 5 },
    { signer: ALICE, nonceMs: 4 },
  ])
  keeper.writeMarks(state, 4, [
    { owner: BOB, subaccount: 0, market: 0, side: 'buy', clientId: new Uint8Array(0), nonceMs: 8, goodTilBlock: 40 },
    {
      owner: ALICE,
      subaccount: 1,
      market: 4,
      side: undefined,
      clientId: Uint8Array.of(9),
      nonceMs: 8,
      goodTilBlock: 40,
    },
  ])
  keeper.writeVolume(state, BOB, 'uusd', {
    lastDay: 20_000,
    sums: Array.from({ length: 31 }, (_, day) => BigInt(day) ** 20n),
  })
  const ids = [4, 2].map((byte) => bytesToKey(new Uint8Array(12).fill(byte)))
  keeper.writeCarried(state, [
    { id: ids[0] ?? '', phase: 2, salt: new Uint8Array(32).fill(1), age: 2, isWidelyAttested: true },
    { id: ids[1] ?? '', phase: 0, salt: new Uint8Array(32).fill(2), age: 1, isWidelyAttested: false },
  ])
  keeper.writeCaps(state, [
    { height: 4, capBytes: 9_999 },
    { height: 5, capBytes: 8_888 },
  ])
  keeper.writeProposer(state, CAROL, { stops: 3, missingButWidelyAttested: 2 })
  keeper.writeAfter(state, new Uint8Array(32).fill(8))
  keeper.writeQueue(state, [
    { owner: CAROL, subaccount: 2 ** 32 - 1, action: encodeAction(PLACE) },
    { owner: ALICE, subaccount: 0, action: encodeAction({ kind: 'cancelAll', market: 0, side: undefined }) },
    { owner: CAROL, subaccount: 0, action: encodeAction({ kind: 'cancel', market: 1, target: BY_SEQ }) },
  ])
}

const locks = (): readonly { readonly owner: Uint8Array; readonly denom: string; readonly amount: bigint }[] =>
  [ORDER, SELL].map((order) => ({ owner: ALICE, ...lockOf(MARKET, order) }))

type Json = Record<string, unknown>

/** A copy of an export of everything with one member made anew; one of undefined is taken out. */
const withMember = (path: string, change: (held: unknown) => unknown): Json => {
  const world = makeWorld()
  fillState(world.state)
  const file = world.exported() as Json
  const names = path.split('.')
  const last = names.pop() ?? ''
  const parent = names.reduce((at, name) => at[name] as Json, file)
  const value = change(parent[last])
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return file
}

/** 25 of the heaviest Places, and one that cannot take. */
const heavyQueue = (held: unknown): unknown => {
  const [first] = held as { action: { place: Json } }[]
  const place = { ...first?.action.place, max_fills: 200 }
  const light = { ...place, tif: 'TIF_POST_ONLY' }
  return Array.from({ length: 26 }, (_, at) => ({ ...first, action: { place: at === 25 ? light : place } }))
}

const reversed = (held: unknown): unknown => (held as unknown[]).toReversed()

describe('the genesis of the order book', () => {
  it('is empty but for the cap of the first height where nothing is said', () => {
    for (const genesis of [undefined, {}]) {
      const world = makeWorld({ genesis })
      expect(world.values().map(([key]) => key)).toEqual(['caps'])
      expect(keeper.readCaps(world.state)).toEqual([{ height: INITIAL_HEIGHT, capBytes: 131_072 }])
      expect(world.faults()).toEqual([])
      expect(makeWorld({ genesis: world.exported() }).values()).toEqual(world.values())
    }
  })

  it('has a cap of the first height by the number of validators', () => {
    expect(keeper.readCaps(makeWorld({ validators: 100 }).state)).toEqual([{ height: 5, capBytes: 5_242 }])
    const caps = [{ height: '77', cap_bytes: 3_000 }]
    expect(keeper.readCaps(makeWorld({ genesis: { caps }, validators: 1_000 }).state)).toEqual([
      { height: 5, capBytes: 2_048 },
    ])
  })

  it('is read as it was exported, key by key', () => {
    const world = makeWorld()
    fillState(world.state)
    expect(world.faults()).toEqual([expect.stringContaining('the account holds 0')])
    ledger.escrow(world.state, keeper.CLOB_ACCOUNT, locks())
    expect(world.faults()).toEqual([])
    const file = world.exported()
    const next = makeWorld({ genesis: file })
    expect(next.values()).toEqual(world.values())
    expect(next.exported()).toEqual(file)
    // Each of the keys that the module has.
    expect(new Set(world.values().map(([key]) => /^[a-z]+/.exec(key ?? '')?.[0]))).toEqual(
      new Set([
        'account',
        'after',
        'agent',
        'caps',
        'carried',
        'market',
        'marks',
        'next',
        'nonces',
        'order',
        'params',
        'proposer',
        'queue',
        'record',
        'time',
        'volume',
      ]),
    )
  })

  it.each<readonly [message: string, path: string, change: (held: unknown) => unknown]>([
    ['colour: unknown field', 'colour', () => 1],
    ['params: min_age_ms must be between', 'params.min_age_ms', () => 5_001],
    ['params: cannot decode', 'params.colour', () => 1],
    ['markets[1]: must stand behind', 'markets', reversed],
    ['markets[0]: fees: ', 'markets.0.market.settings.fees', () => []],
    ['markets[0].market: is missing', 'markets.0.market', () => undefined],
    ['markets[0].market.id: must be from 1', 'markets.0.market.id', () => 0],
    ['markets[0].record.book_root: must have 32', 'markets.0.record.book_root', () => ''],
    ['markets[0].record.price_ms: must be', 'markets.0.record.price_ms', () => '-1'],
    ['orders[1]: must stand behind', 'orders', reversed],
    ['orders[0].lots_left: must not be above', 'orders.0.lots_left', () => '51'],
    ['orders[0].lots_left: must be from 1', 'orders.0.lots_left', () => '0'],
    ['orders[0].lots: must not be above', 'orders.0.lots', () => '9007199254740992'],
    ['orders[0].tif: cannot rest', 'orders.0.tif', () => 'TIF_IOC'],
    ['orders[0].side: 0 is no choice', 'orders.0.side', () => 'SIDE_UNSPECIFIED'],
    ['orders[1].trigger_ticks', 'orders.1.trigger_ticks', () => 0],
    ['orders[0]: ', 'orders.0.owner', () => 'nobody'],
    ['accounts[0].account: says nothing', 'accounts.0.account', () => ({})],
    ['agents[0]: the markets', 'agents.0.agent.markets', reversed],
    ['nonces[0].nonces: must not be empty', 'nonces.0.nonces', () => []],
    ['marks[0].marks[0].client_id', 'marks.0.marks.0.client_id', () => 'A'.repeat(24)],
    ['volumes[0].sums: must be 31', 'volumes.0.sums', () => ['1']],
    ['carried[0].age: must be from 1 to 3', 'carried.0.age', () => 4],
    ['carried[1]: must stand behind', 'carried', reversed],
    ['caps[0].cap_bytes', 'caps.0.cap_bytes', () => 131_073],
    ['proposers[0].record.missing', 'proposers.0.record.stops', () => '1'],
    ['after: must have 32 bytes', 'after', () => 'AAAA'],
    ['queue[0].action: is missing', 'queue.0.action', () => undefined],
    ['queue[0]: side is missing', 'queue.0.action.place.side', () => undefined],
    ['queue[1]: an action is empty', 'queue.1.action', () => ({})],
    ['queue: weighs 5001, more than 5000', 'queue', heavyQueue],
  ])('is refused: %s', (message, path, change) => {
    const file = withMember(path, change)
    expect(refusal(() => clobModule.parseGenesis(file, { checkKey: () => undefined }))).toContain(
      `genesis/1 app_state.clob.${message}`,
    )
  })

  it('contradicts itself where its parts do', () => {
    const faultsOf = (change: (state: Overlay) => void): readonly string[] => {
      const { state, faults } = makeWorld()
      fillState(state)
      ledger.escrow(state, keeper.CLOB_ACCOUNT, locks())
      change(state)
      return faults()
    }
    expect(faultsOf(() => undefined)).toEqual([])
    expect(faultsOf((state) => keeper.writeNextSeq(state, 9))[0]).toContain(
      'order 9 of market 1 is open, but 9 is the next',
    )
    expect(faultsOf((state) => keeper.writeRecord(state, 4, { ...EMPTY_RECORD, openOrders: 1 }))[0]).toContain(
      'market 4 has 0 open',
    )
    expect(faultsOf((state) => keeper.writeAccount(state, BOB, keeper.EMPTY_CLOB_ACCOUNT))[0]).toContain(
      '1 owners of open orders',
    )
    expect(
      faultsOf((state) => keeper.writeAccount(state, CAROL, { openOrders: 1, switchMs: 0, floors: [] }))[0],
    ).toContain('has 0 open')
    expect(faultsOf((state) => keeper.writeOrder(state, 3, 1, keeper.encodeOrder(ORDER)))[0]).toContain(
      'in market 3, which',
    )
    const coin = (denom: string) => [{ owner: ALICE, denom, amount: 1n }]
    expect(faultsOf((state) => ledger.escrow(state, keeper.CLOB_ACCOUNT, coin('uusd')))[0]).toContain(
      'the account holds',
    )
    expect(faultsOf((state) => ledger.settle(state, keeper.CLOB_ACCOUNT, coin('uusd')))[0]).toContain(
      'the account holds',
    )
    expect(faultsOf((state) => ledger.settle(state, keeper.CLOB_ACCOUNT, coin('anat')))[0]).toContain(
      'the account holds',
    )
    expect(faultsOf((state) => ledger.escrow(state, keeper.CLOB_ACCOUNT, coin('anat')))).toEqual([])
    const entry = { owner: ALICE, subaccount: 0, action: encodeAction(PLACE) }
    expect(
      faultsOf((state) =>
        keeper.writeQueue(
          state,
          Array.from({ length: 251 }, () => entry),
        ),
      )[0],
    ).toBe('the queue weighs 5020, more than 5000')
    expect(faultsOf((state) => keeper.writeQueued(state, { count: 1, weight: 20 }, entry))[0]).toContain(
      'was not put into the queue',
    )
  })
})

describe('caps of vote extensions', () => {
  it('keep that of the height that was decided, whatever the block changed, and add the next one', () => {
    const { state } = makeWorld()
    const sizes = { validatorCount: (_: unknown, height: number) => height * 10 }
    rotateCaps(state, 5, sizes)
    expect(keeper.readCaps(state)).toEqual([
      { height: 5, capBytes: 131_072 },
      { height: 6, capBytes: 8_738 },
    ])
    keeper.writeParameters(state, { ...DEFAULT_CLOB_PARAMETERS, extensionBudgetBytes: 1_048_576 })
    rotateCaps(state, 6, sizes)
    expect(keeper.readCaps(state)).toEqual([
      { height: 6, capBytes: 8_738 },
      { height: 7, capBytes: 14_979 },
    ])
  })
})

describe('queries of the order book', () => {
  const world = makeWorld()
  fillState(world.state)
  const { ask } = world

  it('answer from state', () => {
    expect(ask(queries.params, {}).params).toMatchObject({ minAgeMs: 77, blockWeight: 40_000 })
    expect(ask(queries.record, { market: 1 }).record).toMatchObject({
      sequence: 3n,
      openOrders: 2,
      priceMs: (10n ** 30n).toString(),
    })
    expect(ask(queries.order, { market: 1, orderSeq: 9n }).order).toMatchObject({
      ...{
        owner: encodeBech32(BOB),
        side: 2,
        tif: 2,
        triggerKind: 1,
        triggerTicks: 90,
        lotsLeft: 40n,
        postOnlyMode: 1,
        stp: 3,
      },
    })
    expect(ask(queries.orders, { market: 1 }).orders.map(({ orderSeq }) => orderSeq)).toEqual([3n, 9n])
    expect(ask(queries.openOrders, { owner: encodeBech32(BOB) }).orders.map(({ orderSeq }) => orderSeq)).toEqual([9n])
    expect(ask(queries.openOrders, { owner: encodeBech32(CAROL) }).orders).toEqual([])
    expect(ask(queries.account, { owner: encodeBech32(ALICE) }).account?.floors).toMatchObject([
      { market: 0, side: 2, nextSeq: 2n },
      { subaccount: 0, market: 1, side: 0, nextSeq: 1n },
    ])
    expect(ask(queries.carried, {}).carried.map(({ age, ids }) => [age, ids.length])).toEqual([
      [2, 1],
      [1, 1],
    ])
    expect(ask(queries.caps, {}).caps.map(({ height, capBytes }) => [height, capBytes])).toEqual([
      [4n, 9_999],
      [5n, 8_888],
    ])
    expect(ask(queries.proposer, { address: formatConsensusAddress(CAROL) }).record).toMatchObject({ stops: 3n })
    const queue = ask(queries.queue, {}).actions
    expect(queue.map(({ owner, action }) => [owner, action?.action.case])).toEqual([
      [encodeBech32(CAROL), 'place'],
      [encodeBech32(ALICE), 'cancelAll'],
      [encodeBech32(CAROL), 'cancel'],
    ])
    const page = ask(queries.queue, { pagination: { limit: 2n } })
    const key = page.pagination?.nextKey ?? Uint8Array.of()
    const behind = ask(queries.queue, { pagination: { key } })
    expect([...page.actions, ...behind.actions]).toEqual(queue)
    expect([page.actions.length, behind.pagination?.nextKey.length]).toEqual([2, 0])
    const all = ask(queries.proposers, {}).proposers
    expect(all).toMatchObject([{ address: formatConsensusAddress(CAROL), record: { stops: 3n } }])
  })

  it('page through the orders of a market and of an owner', () => {
    const { state, ask: asks } = makeWorld()
    for (let id = 1; id <= 3; id++) {
      keeper.writeMarket(state, { ...MARKET, id })
      for (let seq = id; seq <= 60; seq += 3) {
        keeper.writeOrder(state, id, seq, keeper.encodeOrder({ ...ORDER, owner: seq % 2 === 0 ? ALICE : BOB }))
      }
    }
    keeper.writeAccount(state, ALICE, { openOrders: 30, switchMs: 0, floors: [] })
    const pages = (
      next: (key: Uint8Array) => {
        readonly orders: readonly { readonly orderSeq: bigint }[]
        readonly pagination?: { readonly nextKey: Uint8Array } | undefined
      },
    ) => {
      const seqs: number[] = []
      for (let key = new Uint8Array(0); ; ) {
        const { orders, pagination } = next(key)
        seqs.push(...orders.map(({ orderSeq }) => Number(orderSeq)))
        key = new Uint8Array(pagination?.nextKey ?? [])
        if (key.length === 0) return seqs
      }
    }
    const inMarket = (id: number) => Array.from({ length: 20 }, (_, at) => id + 3 * at)
    expect(pages((key) => asks(queries.orders, { market: 2, pagination: { key, limit: 7n } }))).toEqual(inMarket(2))
    expect(
      pages((key) => asks(queries.openOrders, { owner: encodeBech32(ALICE), pagination: { key, limit: 7n } })),
    ).toEqual([1, 2, 3].flatMap(inMarket).filter((seq) => seq % 2 === 0))
    // However many lie between them: a look at seven, of which some are the owner's.
    const bounds = { limit: 5, most: 7 }
    const found: number[] = []
    for (let next: keeper.OrderPlace | undefined = { market: 1, seq: 1 }; next !== undefined; ) {
      const page: ReturnType<typeof keeper.findOrdersOf> = keeper.findOrdersOf(state, ALICE, [1, 2, 3], next, bounds)
      expect(page.orders.length).toBeLessThanOrEqual(4)
      found.push(...page.orders.map(({ seq }) => seq))
      next = page.next
    }
    expect(found).toEqual([1, 2, 3].flatMap(inMarket).filter((seq) => seq % 2 === 0))
    const counted = asks(queries.openOrders, {
      owner: encodeBech32(ALICE),
      pagination: { countTotal: true, limit: 30n },
    })
    expect([counted.orders.length, counted.pagination?.total, counted.pagination?.nextKey.length]).toEqual([30, 30n, 0])
  })

  it.each<readonly [string, () => unknown, string]>([
    ['an unknown market', () => ask(queries.orders, { market: 9 }), 'grpc/5'],
    ['an unknown record', () => ask(queries.record, { market: 9 }), 'grpc/5'],
    ['an order that is not open', () => ask(queries.order, { market: 1, orderSeq: 4n }), 'grpc/5'],
    ['an order beyond all numbers', () => ask(queries.order, { market: 1, orderSeq: 2n ** 64n - 1n }), 'grpc/5'],
    ['no address', () => ask(queries.account, { owner: 'x' }), 'grpc/3'],
    ['a page key of another length', () => ask(queries.proposers, { pagination: { key: ALICE.slice(1) } }), 'grpc/3'],
    ['a page key of another list', () => ask(queries.queue, { pagination: { key: Uint8Array.of(1) } }), 'grpc/3'],
    ['no address of a proposer', () => ask(queries.proposer, { address: encodeBech32(ALICE) }), 'grpc/3'],
    [
      'a page key of another list',
      () => ask(queries.orders, { market: 1, pagination: { key: Uint8Array.of(1) } }),
      'grpc/3',
    ],
    [
      'a page key beyond all numbers, which would begin again',
      () => ask(queries.orders, { market: 1, pagination: { key: new Uint8Array(8).fill(255) } }),
      'grpc/3',
    ],
    [
      'a page key beyond all numbers',
      () => ask(queries.openOrders, { owner: encodeBech32(BOB), pagination: { key: new Uint8Array(12).fill(255) } }),
      'grpc/3',
    ],
    ['a page key of another list', () => ask(queries.markets, { pagination: { key: Uint8Array.of(1) } }), 'grpc/3'],
    [
      'a page key of another list',
      () => ask(queries.openOrders, { owner: encodeBech32(BOB), pagination: { key: Uint8Array.of(1) } }),
      'grpc/3',
    ],
    ...[{ offset: 1n }, { reverse: true }, { limit: 1_001n }, { limit: 2n ** 64n - 1n }].map(
      (pagination) =>
        [
          `a page of an owner's orders with ${Object.keys(pagination).join()}`,
          () => ask(queries.openOrders, { owner: encodeBech32(BOB), pagination }),
          'grpc/3',
        ] as const,
    ),
  ])('refuse %s', (_, act, outcome) => {
    expect(refusal(act)).toContain(outcome)
  })
})

describe('the record of a new market', () => {
  /** RFC 6962, section 2.1, as CometBFT hashes a list of byte strings. */
  const merkle = (items: readonly Uint8Array[]): Uint8Array => {
    if (items.length === 1) return sha256(Uint8Array.of(0), items[0] ?? new Uint8Array(0))
    const split = 2 ** Math.floor(Math.log2(items.length - 1))
    return sha256(Uint8Array.of(1), merkle(items.slice(0, split)), merkle(items.slice(split)))
  }
  it('has the root of 1,024 empty buckets', () => {
    const empty = sha256(new Uint8Array(0))
    expect(EMPTY_RECORD.bookRoot).toEqual(merkle(Array.from({ length: 1_024 }, () => empty)))
  })
})

it('a damaged value halts the node, whoever asks', () => {
  const { state, ask } = makeWorld()
  state.setValue(keeper.CLOB_ACCOUNT, Buffer.from('caps'), Uint8Array.of(1))
  expect(() => ask(queries.caps, {})).toThrow(InvariantError)
})

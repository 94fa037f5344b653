/** The messages of the module: markets and parameters of governance, and agents of owners. */
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { EMPTY_RECORD } from './domain/empty-record.ts'
import * as keeper from './keeper/index.ts'
import { DEFAULT_CLOB_PARAMETERS } from './params.ts'
import {
  ALICE,
  AUTHORITY,
  BOB,
  CAROL,
  CREATE,
  makeWorld,
  MARKET,
  method,
  NOW_S,
  queries,
  refusal,
  SETTINGS,
} from './testing/world.ts'

const SETTINGS_OF_ANSWER = { baseDenom: 'anat', quoteDenom: 'uusd', factor: '7', settings: SETTINGS }

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

describe('parameters of governance', () => {
  const { extensionBudgetBytes: _, ...rest } = DEFAULT_CLOB_PARAMETERS

  it.each<readonly [string, object, string]>([
    ['accepted', { blockWeight: 4_000 }, 'accepted'],
    ['a budget of more than 1 MiB', { extensionBudgetBytes: 1_048_577 }, 'clob/27 extension_budget_bytes must be'],
    [
      'a weight of triggers below that of the heaviest',
      { triggerWeight: 199 },
      'clob/27 trigger_weight must be between 200',
    ],
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

  it('are set without a look at those that their owner has removed', () => {
    const { send, state } = makeWorld()
    Object.assign(state, {
      values: () => {
        throw new RangeError('a range of state is read')
      },
    })
    send(method.setAgent, agentOf(ALICE, BOB))
    send(method.setAgent, agentOf(ALICE, BOB, { expireS: 0n, name: '' }))
    send(method.setAgent, agentOf(ALICE, CAROL))
    expect(keeper.readAgentAddresses(state, ALICE)).toEqual([CAROL])
  })
})

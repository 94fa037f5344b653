/** Figures of the Cosmos SDK's own tests (v0.54.4, x/mint), each named by its file and test. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { FEE_COLLECTOR_ADDRESS } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { bytesToUtf8 } from '../../core/bytes.ts'
import { type Decimal, divide, multiply, ONE, parseDecimal, toDecimal } from '../../core/decimal.ts'
import { CodedError } from '../../core/errors.ts'
import { mintQuery, mintTx } from '../../proto/index.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { GOVERNANCE_ADDRESS } from '../authority.ts'
import { createLedger } from '../bank/index.ts'
import type { Event } from '../module.ts'
import { mintModule, MINT_ADDRESS } from './index.ts'
import { readMinter, readParams } from './keeper.ts'
import { blockProvision, nextInflation } from './minter.ts'
import { DEFAULT_PARAMS, faultOfParams, type MintParams } from './params.ts'

const HOLDER = new Uint8Array(20).fill(1)
const dec = parseDecimal

/** types.DefaultParams of the SDK. */
const SDK_PARAMS: MintParams = {
  ...DEFAULT_PARAMS,
  inflationRateChange: dec('0.13'),
  inflationMax: dec('0.20'),
  inflationMin: dec('0.07'),
  blocksPerYear: 6_311_520n,
}

const makeWorld = (genesis: unknown = {}, supply = 1_000_000_000n, bondedRatio: Decimal = ONE / 2n) => {
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  const ledger = createLedger({ isBlockedReceiver: () => false })
  const module = mintModule.create({ ledger, bondedRatio: () => bondedRatio, feeCollector: FEE_COLLECTOR_ADDRESS })
  const events: Event[] = []
  const context = { state, height: 1, timeNs: 0n, chainId: 'test', emit: (event: Event) => void events.push(event) }
  ledger.mint({ state, emit: () => undefined }, HOLDER, [{ denom: 'anat', amount: supply }])
  module.initGenesis(context, genesis)
  return {
    state,
    module,
    events,
    context,
    collected: () => ledger.balance(state, FEE_COLLECTOR_ADDRESS, 'anat'),
    beginBlock: () =>
      module.hooks?.beginBlock?.run({
        ...context,
        proposerAddress: new Uint8Array(20),
        lastCommit: [],
        misbehavior: [],
      }),
    values: () => state.values(MINT_ADDRESS, new Uint8Array(0), 10),
  }
}

const SDK_GENESIS = {
  minter: { inflation: '0.130000000000000000', annual_provisions: '0.000000000000000000' },
  params: {
    mint_denom: 'anat',
    inflation_rate_change: '0.130000000000000000',
    inflation_max: '0.200000000000000000',
    inflation_min: '0.070000000000000000',
    goal_bonded: '0.670000000000000000',
    blocks_per_year: '6311520',
    max_supply: '0',
  },
}

describe('minter_test.go', () => {
  const perBlock = (change: Decimal): Decimal => divide(change, toDecimal(SDK_PARAMS.blocksPerYear))
  const changeAt = (ratio: string): Decimal =>
    perBlock(multiply(ONE - divide(dec(ratio), SDK_PARAMS.goalBonded), SDK_PARAMS.inflationRateChange))

  it.each([
    ['0', '0.07', perBlock(SDK_PARAMS.inflationRateChange)],
    ['1', '0.20', changeAt('1')],
    ['0.5', '0.10', changeAt('0.5')],
    ['1', '0.07', 0n],
    ['1', '0.0700000001', dec('-0.0000000001')],
    ['0', '0.20', 0n],
    ['0', '0.1999999999', dec('0.0000000001')],
    ['0.67', '0.15', 0n],
  ])(
    'TestNextInflation: with %s bonded an inflation of %s changes by %i parts of 10^-18',
    (ratio, inflation, change) => {
      expect(nextInflation(dec(inflation), SDK_PARAMS, dec(ratio)) - dec(inflation)).toBe(change)
    },
  )

  it.each([
    [6_311_520n, 1n],
    [6_311_521n, 1n],
    [12_623_040n, 2n],
    [3_155_760n, 0n],
  ])('TestBlockProvision: %i a year are %i a block', (annual, provision) => {
    expect(blockProvision(toDecimal(annual), SDK_PARAMS)).toBe(provision)
  })
})

describe('mint_test.go', () => {
  it('TestDefaultMintFn_Success: half of 1,000,000,000 bonded mints 20', () => {
    const world = makeWorld(SDK_GENESIS)
    world.beginBlock()
    const inflation = nextInflation(dec('0.13'), SDK_PARAMS, ONE / 2n)
    expect(readMinter(world.state)).toEqual({ inflation, annualProvisions: inflation * 1_000_000_000n })
    expect(world.collected()).toBe(20n)
    expect(world.events.map(({ type }) => type)).toEqual([
      'coin_received',
      'coinbase',
      'coin_spent',
      'coin_received',
      'transfer',
      'message',
      'mint',
    ])
    expect(world.events.at(-1)?.attributes.map(({ key, value }) => `${key}=${value}`)).toEqual([
      'bonded_ratio=0.500000000000000000',
      'inflation=0.130000005226169707',
      'annual_provisions=130000005.226169707000000000',
      'amount=20',
    ])
  })

  it('never mints more than the largest supply', () => {
    const limited = (max_supply: string) => makeWorld({ ...SDK_GENESIS, params: { ...SDK_GENESIS.params, max_supply } })
    const world = limited('1000000007')
    world.beginBlock()
    world.beginBlock()
    expect(world.collected()).toBe(7n)
    const above = limited('5')
    above.beginBlock()
    expect(above.collected()).toBe(0n)
  })
})

describe('without inflation', () => {
  it('nothing is written and nothing emitted', () => {
    const world = makeWorld()
    const before = world.values()
    expect(before.length).toBe(1)
    for (let block = 0; block < 3; block++) world.beginBlock()
    expect(world.values()).toEqual(before)
    expect([world.events, world.collected()]).toEqual([[], 0n])
  })

  it('what was minted before ends with one block that says so', () => {
    const { minter } = SDK_GENESIS
    const world = makeWorld({ minter })
    world.beginBlock()
    world.beginBlock()
    expect(world.events.map(({ type }) => type)).toEqual(['mint'])
    expect(world.values().length).toBe(1)
  })
})

describe('params_test.go', () => {
  it.each<readonly [string, Partial<MintParams>, string | undefined]>([
    ['valid typical config', {}, undefined],
    ['max supply positive', { maxSupply: 123n }, undefined],
    ['max supply negative', { maxSupply: -1n }, 'max supply must be positive'],
    ['max < min inflation', { inflationMax: dec('0.05') }, 'must be greater than or equal to min inflation'],
    ['invalid denom', { mintDenom: '' }, 'mint denom cannot be blank'],
    ['another denom, which distribution would not pay out', { mintDenom: 'uatom' }, 'mint denom must be anat'],
    ['goal bonded > 1', { goalBonded: dec('1.01') }, 'goal bonded too large'],
    ['goal bonded zero', { goalBonded: 0n }, 'goal bonded must be positive'],
    ['blocks per year zero', { blocksPerYear: 0n }, 'blocks per year must be positive'],
    ['blocks per year above 63 bits', { blocksPerYear: 2n ** 63n }, 'blocks per year too large'],
    ['negative rate change', { inflationRateChange: dec('-0.13') }, 'inflation rate change cannot be negative'],
    ['rate change > 1', { inflationRateChange: dec('1.1') }, 'inflation rate change too large'],
    ['max inflation > 1', { inflationMax: dec('1.1') }, 'max inflation too large'],
    ['negative min inflation', { inflationMin: dec('-0.1') }, 'min inflation cannot be negative'],
  ])('TestNewParams_Validate and the tests of its parts: %s', (_, change, fault) => {
    const found = faultOfParams({ ...SDK_PARAMS, ...change })
    if (fault === undefined) expect(found).toBeUndefined()
    else expect(found).toContain(fault)
  })
})

describe('MsgUpdateParams', () => {
  const update = (
    world: ReturnType<typeof makeWorld>,
    authority: string,
    change: Partial<mintTx.MsgUpdateParams['params']>,
  ) => {
    const params = {
      mintDenom: 'anat',
      inflationRateChange: dec('0.08').toString(),
      inflationMax: dec('0.20').toString(),
      inflationMin: dec('0.02').toString(),
      goalBonded: dec('0.37').toString(),
      blocksPerYear: 6_311_520n,
      maxSupply: '0',
    }
    const [handler] = world.module.messages
    const message = create(mintTx.MsgUpdateParamsSchema, { authority, params: { ...params, ...change } })
    try {
      const decoded = handler?.decode(toBinary(mintTx.MsgUpdateParamsSchema, message))
      const prepared = handler?.prepare(decoded)
      handler?.execute({ ...world.context, consumeGas: () => undefined }, prepared)
    } catch (error) {
      if (error instanceof CodedError) return [error.codespace, error.code]
      throw error
    }
    return ['', 0]
  }
  const authority = encodeBech32(GOVERNANCE_ADDRESS)

  it('TestUpdateParams and TestUpdateParamsAuthority (msg_server_test.go): all at once, by governance alone', () => {
    const world = makeWorld()
    expect(update(world, encodeBech32(HOLDER), {})).toEqual(['sdk', 4])
    expect(update(world, 'invalid', {})).toEqual(['sdk', 7])
    expect(update(world, authority, { inflationRateChange: dec('-0.13').toString() })).toEqual(['sdk', 18])
    expect(update(world, authority, { goalBonded: '' })).toEqual(['sdk', 18])
    expect(update(world, authority, { maxSupply: 'x' })).toEqual(['sdk', 18])
    expect(readParams(world.state)).toEqual(DEFAULT_PARAMS)
    expect(update(world, authority, {})).toEqual(['', 0])
    expect(readParams(world.state)).toMatchObject({ goalBonded: dec('0.37'), inflationMin: dec('0.02') })
    world.beginBlock()
    expect(readMinter(world.state).inflation).toBe(dec('0.02'))
  })
})

describe('queries and genesis', () => {
  it('decimals travel as integers, in two answers as bytes that hold their text', () => {
    const world = makeWorld(SDK_GENESIS)
    world.beginBlock()
    const ask = (index: number): Uint8Array =>
      world.module.queries[index]?.query(world.context, new Uint8Array(0)) ?? new Uint8Array(0)
    expect(fromBinary(mintQuery.QueryParamsResponseSchema, ask(0)).params).toMatchObject({
      mintDenom: 'anat',
      goalBonded: '670000000000000000',
      blocksPerYear: 6_311_520n,
    })
    const { inflation } = fromBinary(mintQuery.QueryInflationResponseSchema, ask(1))
    expect(bytesToUtf8(inflation)).toBe('130000005226169707')
    const { annualProvisions } = fromBinary(mintQuery.QueryAnnualProvisionsResponseSchema, ask(2))
    expect(bytesToUtf8(annualProvisions)).toBe('130000005226169707000000000')
    expect(world.module.invariants.flatMap(({ check }) => check(world.context) ?? [])).toEqual([])
  })

  it('an export begins a chain with equal values', () => {
    const world = makeWorld(SDK_GENESIS)
    for (let block = 0; block < 3; block++) world.beginBlock()
    const exported = JSON.parse(JSON.stringify(world.module.exportGenesis(world.context))) as unknown
    expect(makeWorld(exported).values()).toEqual(world.values())
    expect(world.values().length).toBe(2)
    expect(makeWorld(SDK_GENESIS).module.exportGenesis(makeWorld(SDK_GENESIS).context)).toEqual(SDK_GENESIS)
  })

  it('a wrong member is named', () => {
    const fault = (genesis: unknown): string => {
      try {
        makeWorld(genesis)
      } catch (error) {
        return (error as Error).message
      }
      return ''
    }
    expect(fault({ params: { inflation_max: '2' } })).toContain('app_state.mint.params')
    expect(fault({ minter: { inflation: '-1' } })).toContain('app_state.mint.minter.inflation')
    expect(fault({ mint: 1 })).toContain('app_state.mint.mint')
  })
})

it('mints no more than the EVM can hold, however much a block should bring', () => {
  const most = 2n ** 256n - 1n
  const one = '1.000000000000000000'
  const genesis = {
    minter: { inflation: one },
    params: { inflation_max: one, inflation_min: one, inflation_rate_change: one, blocks_per_year: '1' },
  }
  const supply = most / 3n
  const world = makeWorld(genesis, supply)
  for (let block = 0; block < 4; block++) world.beginBlock()
  expect(world.collected()).toBe(most - supply)
})

import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { CodedError } from '../../core/errors.ts'
import { feeMarketQuery, feeMarketTx } from '../../proto/index.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { GOVERNANCE_ADDRESS } from '../authority.ts'
import type { MessageHandler } from '../module.ts'
import { FEE_MARKET_ADDRESS, readFeeMarket } from './keeper.ts'
import { feeMarketModule } from './module.ts'
import { DEFAULT_FEE_MARKET_GENESIS } from './params.ts'

const module = feeMarketModule.create({})
const context = (state: Overlay) => ({ state, height: 1, timeNs: 0n, chainId: 'x', emit: () => undefined })

const makeState = (genesis: unknown = {}): Overlay => {
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  module.initGenesis(context(state), genesis)
  return state
}

type Params = Exclude<MessageInitShape<typeof feeMarketTx.MsgUpdateParamsSchema>['params'], undefined>

/** The number with 18 places, as decimals travel. */
const scaled = (anat: bigint): string => (anat * 10n ** 18n).toString()
const VALID: Params = {
  baseFeeChangeDenominator: 7,
  elasticityMultiplier: 3,
  baseFee: scaled(2_000_000_000n),
  minGasPrice: scaled(1_000_000_000n),
  minGasMultiplier: '0',
}

const update = (
  params: Params | undefined,
  state = makeState(),
  authority = encodeBech32(GOVERNANCE_ADDRESS),
): void => {
  const [handler] = module.messages as readonly [MessageHandler]
  const message = create(feeMarketTx.MsgUpdateParamsSchema, { authority, ...(params && { params }) })
  const decoded = handler.decode(toBinary(feeMarketTx.MsgUpdateParamsSchema, message))
  const prepared = handler.prepare(decoded)
  handler.execute({ ...context(state), consumeGas: () => undefined }, prepared)
}

const refusal = (act: () => unknown): string => {
  try {
    act()
  } catch (error) {
    if (error instanceof CodedError) return `${error.codespace}/${error.code} ${error.message}`
    throw error
  }
  return 'accepted'
}

/** Names of cosmos/evm x/feemarket/types/params_test.go, TestParamsValidate. */
describe('TestParamsValidate of x/feemarket', () => {
  it.each<readonly [string, Params | undefined, string]>([
    ['default', VALID, 'accepted'],
    ['empty', {}, 'sdk/18 base fee change denominator cannot be 0'],
    [
      'base fee change denominator is 0',
      { ...VALID, baseFeeChangeDenominator: 0 },
      'sdk/18 base fee change denominator',
    ],
    [
      'elasticity multiplier is zero',
      { ...VALID, elasticityMultiplier: 0 },
      'sdk/18 elasticity multiplier cannot be zero',
    ],
    ['enable height negative', { ...VALID, enableHeight: -10n }, 'sdk/18 enable_height must be 0'],
    ['base fee negative', { ...VALID, baseFee: scaled(-2_000_000_000n) }, 'sdk/18 base_fee cannot be negative'],
    ['min gas price negative', { ...VALID, minGasPrice: scaled(-1n) }, 'sdk/18 min_gas_price cannot be negative'],
    ['min gas multiplier zero', { ...VALID, minGasMultiplier: '' }, 'accepted'],
    ['min gas multiplier is negative', { ...VALID, minGasMultiplier: '-5' }, 'sdk/18 min_gas_multiplier must be 0'],
    ['min gas multiplier bigger than 1', { ...VALID, minGasMultiplier: scaled(2n) }, 'sdk/18 min_gas_multiplier must'],
    // What may be switched off or without a bound there.
    ['no base fee', { ...VALID, noBaseFee: true }, 'sdk/18 no_base_fee cannot be set'],
    ['no floor', { ...VALID, minGasPrice: '0' }, 'sdk/18 min_gas_price must be between 1 and'],
    ['a price that nobody pays', { ...VALID, minGasPrice: scaled(10n ** 18n + 1n) }, 'sdk/18 min_gas_price must be'],
    [
      'a price at which a vote costs more than most have',
      { ...VALID, minGasPrice: scaled(10n ** 15n + 1n) },
      'sdk/18 min_gas_price must be between 1 and 1000000000000000 anat',
    ],
    ['the highest price', { ...VALID, baseFee: scaled(10n ** 15n), minGasPrice: scaled(10n ** 15n) }, 'accepted'],
    ['a base fee above it', { ...VALID, baseFee: scaled(10n ** 15n + 1n) }, 'sdk/18 base_fee must be between'],
    ['a part of an anat', { ...VALID, baseFee: '1500000000000000000' }, 'sdk/18 base_fee must be a whole number'],
    ['a decimal with a point', { ...VALID, baseFee: '1.5' }, 'sdk/18 base_fee: invalid decimal 1.5'],
    ['elasticity above its bound', { ...VALID, elasticityMultiplier: 1_001 }, 'sdk/18 elasticity_multiplier must be'],
    [
      'a huge denominator',
      { ...VALID, baseFeeChangeDenominator: 1_000_001 },
      'sdk/18 base_fee_change_denominator must',
    ],
    ['none', undefined, 'sdk/18 all parameters must be present'],
  ])('%s', (_, params, outcome) => {
    const state = makeState()
    expect(refusal(() => update(params, state))).toContain(outcome)
    if (outcome !== 'accepted') expect(readFeeMarket(state)).toEqual(DEFAULT_FEE_MARKET_GENESIS)
  })
})

describe('an update of the fee market', () => {
  it('is in force from the next block on, is told by the queries, and comes back from an export', () => {
    const state = makeState()
    update(VALID, state)
    module.hooks?.endBlock?.run({
      gasLimit: 30_000_000n,
      ...context(state),
      pricedGas: 30_000_000n,
      proposerAddress: new Uint8Array(20),
      lastCommit: [],
      misbehavior: [],
    })
    // EIP-1559 with target 10,000,000: 2 gwei and (2 gwei * 20/10) / 7.
    const baseFeeAnat = 2_000_000_000n + 4_000_000_000n / 7n
    expect(readFeeMarket(state)).toEqual({
      baseFeeAnat,
      minBaseFeeAnat: 1_000_000_000n,
      elasticityMultiplier: 3,
      baseFeeChangeDenominator: 7,
    })
    const ask = (name: string): Uint8Array =>
      module.queries.find(({ path }) => path.endsWith(`/${name}`))?.query(context(state), new Uint8Array(0)) ??
      new Uint8Array(0)
    expect(fromBinary(feeMarketQuery.QueryParamsResponseSchema, ask('Params')).params).toMatchObject({
      ...VALID,
      noBaseFee: false,
      enableHeight: 0n,
      baseFee: scaled(baseFeeAnat),
    })
    expect(fromBinary(feeMarketQuery.QueryBaseFeeResponseSchema, ask('BaseFee')).baseFee).toBe(scaled(baseFeeAnat))
    expect(refusal(() => ask('BlockGas'))).toContain('grpc/12')
    const again = makeState(JSON.parse(JSON.stringify(module.exportGenesis(context(state)))))
    const all = (of: Overlay) => of.values(FEE_MARKET_ADDRESS, new Uint8Array(0), 10)
    expect(all(again)).toEqual(all(state))
  })

  it('raises the base fee to a new floor', () => {
    const state = makeState()
    update({ ...VALID, minGasPrice: scaled(5_000_000_000n) }, state)
    expect(readFeeMarket(state)).toMatchObject({ baseFeeAnat: 5_000_000_000n, minBaseFeeAnat: 5_000_000_000n })
    for (const { check } of module.invariants) expect(check(context(state))).toBeUndefined()
  })

  it('comes from governance alone', () => {
    const stranger = encodeBech32(new Uint8Array(20).fill(3))
    expect(refusal(() => update(VALID, makeState(), stranger))).toContain('sdk/4 invalid authority')
    expect(refusal(() => update(VALID, makeState(), 'cosmos1x'))).toContain('sdk/7 invalid authority address')
  })
})

import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { bytesToUtf8, utf8ToBytes } from '../../core/bytes.ts'
import { type Decimal, ONE, parseDecimal, toDecimal } from '../../core/decimal.ts'
import { CodedError } from '../../core/errors.ts'
import { slashingQuery, slashingTx } from '../../proto/index.ts'
import type { Overlay } from '../../store/overlay.ts'
import { GOVERNANCE_ADDRESS } from '../authority.ts'
import type { ValidatorView } from '../stake.ts'
import { formatConsensusAddress, formatOperator } from '../validator-addresses.ts'
import {
  readOverLimit,
  readParams,
  readSigningInfo,
  SLASHING_ADDRESS,
  writeSigningInfo,
} from './keeper/signing-info.ts'
import { createDoubleSignPunisher } from './double-sign.ts'
import { slashingModule } from './module.ts'
import { DEFAULT_PARAMS, maxMissed } from './params.ts'
import { FakeStake, makeValidator, operatorOf } from './testing/fake-stake.ts'
import {
  ask,
  beginBlock,
  brokenInvariants,
  dump,
  exportGenesis,
  initState,
  makeBlock,
  refusal,
  runMessage,
  shown,
  timeAt,
} from './testing/world.ts'

const { method } = slashingQuery.Query
const AUTHORITY = encodeBech32(GOVERNANCE_ADDRESS)
const HEIGHT = 100

const makeWorld = (genesis?: unknown) => {
  const stake = new FakeStake()
  const module = slashingModule.create({ stake, punisher: stake })
  const doubleSigns = createDoubleSignPunisher({ stake, punisher: stake })
  return { stake, module, doubleSigns, state: initState(module, genesis) }
}

describe('MsgUpdateParams', () => {
  const fraction = (text: string): Uint8Array => utf8ToBytes(parseDecimal(text).toString())
  const VALID = {
    signedBlocksWindow: 750n,
    minSignedPerWindow: fraction('0.60'),
    downtimeJailDuration: { seconds: 34_800n },
    slashFractionDoubleSign: fraction('0.022'),
    slashFractionDowntime: fraction('0.0089'),
  }
  const update = (state: Overlay, params: object | undefined, authority = AUTHORITY) => {
    const message = params === undefined ? { authority } : { authority, params }
    return runMessage(makeWorld().module, state, HEIGHT, slashingTx.MsgUpdateParamsSchema, message)
  }

  it('writes all parameters (x/slashing/keeper/msg_server_test.go, TestUpdateParams)', () => {
    const { state } = makeWorld()
    expect(update(state, VALID)).toEqual([])
    expect(readParams(state)).toEqual({
      signedBlocksWindow: 750,
      minSignedPerWindow: parseDecimal('0.6'),
      downtimeJailDurationNs: 34_800_000_000_000n,
      slashFractionDoubleSign: parseDecimal('0.022'),
      slashFractionDowntime: parseDecimal('0.0089'),
    })
  })

  it.each([
    ['signed blocks window must be positive', { signedBlocksWindow: 0n }],
    ['min signed per window cannot be negative', { minSignedPerWindow: fraction('-1') }],
    ['downtime jail duration must be positive', { downtimeJailDuration: { seconds: 0n } }],
    ['double sign slash fraction cannot be negative', { slashFractionDoubleSign: fraction('-1') }],
    ['downtime slash fraction cannot be negative', { slashFractionDowntime: fraction('-1') }],
    ['min signed per window too large', { minSignedPerWindow: fraction('1.000000000000000001') }],
    ['min signed per window cannot be nil', { minSignedPerWindow: new Uint8Array(0) }],
    ['downtime slash fraction: invalid decimal', { slashFractionDowntime: utf8ToBytes('0.5') }],
    ['signed blocks window too large', { signedBlocksWindow: 100_001n }],
    ['downtime jail duration too large', { downtimeJailDuration: { seconds: 2n ** 60n } }],
  ])('is refused: %s', (words, changes) => {
    const { state } = makeWorld()
    const [codespace, code, message] = refusal(() => update(state, { ...VALID, ...changes }))
    expect([codespace, code]).toEqual(['sdk', 18])
    expect(message).toContain(words)
    expect(readParams(state)).toEqual(DEFAULT_PARAMS)
  })

  it('is refused without parameters, and from anybody but governance', () => {
    const { state } = makeWorld()
    expect(refusal(() => update(state, undefined)).slice(0, 2)).toEqual(['sdk', 18])
    expect(refusal(() => update(state, VALID, 'foo'))[2]).toContain('invalid authority')
    expect(refusal(() => update(state, VALID, encodeBech32(operatorOf(1)))).slice(0, 2)).toEqual(['sdk', 4])
  })
})

describe('MsgUnjail', () => {
  const unjail = (
    {
      isOwn = true,
      ownShares = toDecimal(100n),
      time = 2_000n,
      ...changes
    }: Partial<ValidatorView> & {
      isOwn?: boolean
      ownShares?: Decimal
      time?: bigint
    },
    info: { readonly tombstoned: boolean; readonly jailedUntilNs: bigint } | undefined,
  ): FakeStake => {
    const { stake, module, state } = makeWorld()
    const validator = makeValidator(1, { isJailed: true, tokens: 1000n, shares: ONE, ...changes })
    if (isOwn) stake.put(validator, ownShares)
    else stake.putWithoutOwn(validator)
    if (info !== undefined) {
      writeSigningInfo(state, validator.consensusAddress, { startHeight: 4, missedBlocks: 0, ...info })
    }
    const validatorAddr = formatOperator(validator.operator)
    runMessage(module, state, HEIGHT, slashingTx.MsgUnjailSchema, { validatorAddr }, time)
    return stake
  }
  const free = { tombstoned: false, jailedUntilNs: 2_000n }

  it('brings a validator back when its time is over (TestUnjail, valid request)', () => {
    expect(unjail({}, free).validator(makeWorld().state, operatorOf(1))?.isJailed).toBe(false)
  })

  it('brings a validator back at any time when it was never bonded (TestUnJailNotBonded)', () => {
    expect(unjail({}, undefined).validator(makeWorld().state, operatorOf(1))?.isJailed).toBe(false)
  })

  it.each([
    ['not jailed', 5, 'validator not jailed', () => unjail({ isJailed: false }, free)],
    [
      'tombstoned',
      4,
      'validator still jailed; cannot be unjailed',
      () => unjail({}, { tombstoned: true, jailedUntilNs: 0n }),
    ],
    ['before its time', 4, 'validator still jailed; cannot be unjailed', () => unjail({ time: 1_999n }, free)],
    [
      'too little of its own',
      7,
      "99999 less than 100000: validator's self delegation less than minimum",
      () => unjail({ minSelfDelegation: 100_000n, ownShares: toDecimal(100n) - ONE / 1000n }, free),
    ],
  ])('is refused as in TestUnjail: %s', (_, code, words, run) => {
    const [codespace, given, message] = refusal(run)
    expect([codespace, given]).toEqual(['slashing', code])
    expect(message).toContain(words)
  })

  it('is refused without a delegation of its own, in the words of staking', () => {
    const [codespace, code, message] = refusal(() => unjail({ isOwn: false }, free))
    expect([codespace, code]).toEqual(['staking', 19])
    expect(message).toContain('no delegation for (address, validator) tuple')
  })

  it('is refused for an address that is none, and one of no validator', () => {
    const { module, state } = makeWorld()
    const run = (validatorAddr: string) => () =>
      runMessage(module, state, HEIGHT, slashingTx.MsgUnjailSchema, { validatorAddr })
    expect(refusal(run('invalid')).slice(0, 2)).toEqual(['sdk', 7])
    expect(refusal(run(encodeBech32(operatorOf(1)))).slice(0, 2)).toEqual(['sdk', 7])
    expect(refusal(run(formatOperator(operatorOf(1)))).slice(0, 2)).toEqual(['staking', 3])
  })
})

describe('queries', () => {
  const ADDRESSES = [1, 2].map((byte) => makeValidator(byte).consensusAddress)
  const withInfos = () => {
    const world = makeWorld()
    for (const address of ADDRESSES) {
      const info = { startHeight: 0, jailedUntilNs: 2_000_000_001n, tombstoned: false, missedBlocks: 0 }
      writeSigningInfo(world.state, address, info)
    }
    return world
  }

  it('give the parameters, fractions as the text of an integer (TestGRPCQueryParams)', () => {
    const { module, state } = makeWorld()
    const { params } = ask(module, state, HEIGHT, method.params, {})
    expect(params?.signedBlocksWindow).toBe(10_000n)
    expect(bytesToUtf8(params?.minSignedPerWindow ?? new Uint8Array(0))).toBe('500000000000000000')
    expect(bytesToUtf8(params?.slashFractionDoubleSign ?? new Uint8Array(0))).toBe('50000000000000000')
    expect(bytesToUtf8(params?.slashFractionDowntime ?? new Uint8Array(0))).toBe('10000000000000000')
    expect(params?.downtimeJailDuration).toMatchObject({ seconds: 600n, nanos: 0 })
  })

  it('give the signing info of a validator (TestGRPCSigningInfo)', () => {
    const { module, state } = withInfos()
    const of = (consAddress: string) => ask(module, state, HEIGHT, method.signingInfo, { consAddress })
    expect(refusal(() => of(''))).toEqual(['grpc', 3, 'invalid request'])
    expect(refusal(() => of('natvalcons1x')).slice(0, 2)).toEqual(['grpc', 3])
    const stranger = formatConsensusAddress(operatorOf(9))
    expect(refusal(() => of(stranger))).toEqual(['grpc', 5, `SigningInfo not found for validator ${stranger}`])
    const consAddress = formatConsensusAddress(ADDRESSES[0] ?? operatorOf(0))
    expect(of(consAddress).valSigningInfo).toMatchObject({
      address: consAddress,
      startHeight: 0n,
      indexOffset: BigInt(HEIGHT),
      jailedUntil: { seconds: 2n, nanos: 1 },
      tombstoned: false,
      missedBlocksCounter: 0n,
    })
  })

  it('list signing infos by pages (TestGRPCSigningInfos)', () => {
    const { module, state } = withInfos()
    const names = ADDRESSES.map(formatConsensusAddress)
    const all = ask(module, state, HEIGHT, method.signingInfos, {})
    expect(all.info.map(({ address }) => address).sort()).toEqual(names.sort())
    const page = ask(module, state, HEIGHT, method.signingInfos, { pagination: { limit: 1n, countTotal: true } })
    expect(page.info).toEqual([all.info[0]])
    expect(page.pagination?.total).toBe(2n)
    const key = page.pagination?.nextKey ?? new Uint8Array(0)
    expect(ask(module, state, HEIGHT, method.signingInfos, { pagination: { key } }).info).toEqual([all.info[1]])
  })
})

describe('a double sign', () => {
  it('is slashed and jailed with the SDK’s events, and tombstoned once (TestJailAndSlashWithInfractionReason)', () => {
    const { stake, module, doubleSigns, state } = makeWorld()
    const { consensusAddress: address, ...validator } = makeValidator(1)
    stake.put({ ...validator, consensusAddress: address })
    const [context, events] = makeBlock(state, HEIGHT)
    expect(doubleSigns.isTombstoned(state, address)).toBeUndefined()
    for (const call of [
      () => doubleSigns.tombstone(context, address),
      () => doubleSigns.jailUntil(context, address, 1n),
    ]) {
      expect(refusal(call).slice(0, 2)).toEqual(['slashing', 8])
    }
    module.hooks.staking.afterValidatorBonded?.(context, address, validator.operator)
    doubleSigns.slash(context, address, 98, 100n)
    doubleSigns.jail(context, address)
    doubleSigns.jailUntil(context, address, 77n)
    doubleSigns.tombstone(context, address)
    const name = formatConsensusAddress(address)
    expect(shown(events)).toEqual([
      `slash(address=${name}, power=100, reason=double_sign, burned_coins=${5n * ONE})`,
      `slash(jailed=${name})`,
    ])
    expect(stake.slashes).toEqual([
      { consensusAddress: address, infractionHeight: 98, power: 100n, fraction: ONE / 20n },
    ])
    expect(readSigningInfo(state, address)).toMatchObject({ tombstoned: true, jailedUntilNs: 77n })
    expect(refusal(() => doubleSigns.tombstone(context, address))).toEqual([
      'slashing',
      9,
      'cannot tombstone validator that is already tombstoned: validator already tombstoned',
    ])
    expect(brokenInvariants(module, state, HEIGHT)).toEqual([])
    stake.unjail(context, address)
    expect(brokenInvariants(module, state, HEIGHT)).toEqual([`${name} is tombstoned and not jailed`])
  })
})

describe('the limit', () => {
  it.each([
    // [window, least that must be signed, most that may be missed]: halves go to the even number.
    [100, '0.5', 50],
    [1000, '0.5', 500],
    [101, '0.5', 51],
    [103, '0.5', 51],
    [10_000, '0.05', 9_500],
    [1, '1', 0],
    [7, '0', 7],
  ])('of a window of %i and %s signed is %i missed', (signedBlocksWindow, text, most) => {
    expect(maxMissed({ ...DEFAULT_PARAMS, signedBlocksWindow, minSignedPerWindow: parseDecimal(text) })).toBe(most)
  })
})

describe('the genesis', () => {
  const [one, two, three] = [1, 2, 3].map((byte) => makeValidator(byte)) as [
    ValidatorView,
    ValidatorView,
    ValidatorView,
  ]

  /**
   * Makes a state with a validator that missed much, one that was in jail and misses again, and one that is tombstoned.
   */
  const makeFullState = () => {
    const world = makeWorld({ params: { signed_blocks_window: '2000', min_signed_per_window: '0.95' } })
    const { stake, module, doubleSigns, state } = world
    const bond = (validator: ValidatorView, height: number) => {
      stake.put(validator)
      const [context] = makeBlock(state, height)
      module.hooks.staking.afterValidatorBonded?.(context, validator.consensusAddress, validator.operator)
    }
    for (const validator of [one, two, three]) bond(validator, 0)
    const vote = ({ consensusAddress }: ValidatorView, absent: boolean) => ({
      validatorAddress: consensusAddress,
      power: 100n,
      flag: absent ? ('absent' as const) : ('commit' as const),
    })
    for (let height = 1; height < 2_150; height++) {
      if (height === 2_100) bond(two, height)
      const lastCommit = [vote(one, height >= 2_090), vote(two, height % 3 === 0), vote(three, false)]
      beginBlock(module, state, height, { lastCommit, timeNs: timeAt(height) + 123_456_789n })
    }
    const [context] = makeBlock(state, 2_150)
    doubleSigns.jail(context, three.consensusAddress)
    doubleSigns.jailUntil(context, three.consensusAddress, 253_402_300_799_000_000_000n)
    doubleSigns.tombstone(context, three.consensusAddress)
    return world
  }

  it('begins an equal state with an export', () => {
    const { module, state } = makeFullState()
    expect(readOverLimit(state)).toEqual([])
    const infos = [one, two].map(({ consensusAddress }) => readSigningInfo(state, consensusAddress))
    expect(infos.map((info) => info?.missedBlocks)).toEqual([60, 17])
    expect(infos[1]?.jailedUntilNs).toBe(timeAt(2_001 + 600) + 123_456_789n)
    runMessage(module, state, 2_150, slashingTx.MsgUpdateParamsSchema, {
      authority: AUTHORITY,
      params: {
        signedBlocksWindow: 1_999n,
        minSignedPerWindow: utf8ToBytes(parseDecimal('0.99').toString()),
        downtimeJailDuration: { seconds: 1n, nanos: 5 },
        slashFractionDoubleSign: utf8ToBytes('1'),
        slashFractionDowntime: utf8ToBytes(ONE.toString()),
      },
    })
    expect(readOverLimit(state)).toEqual([one.consensusAddress])
    const genesis = exportGenesis(module, state, 2_150)
    expect(dump(initState(module, genesis, 2_150), SLASHING_ADDRESS)).toEqual(dump(state, SLASHING_ADDRESS))
    expect(genesis).toMatchObject({
      params: {
        signed_blocks_window: '1999',
        min_signed_per_window: '0.990000000000000000',
        downtime_jail_duration: '1.000000005s',
        slash_fraction_double_sign: '0.000000000000000001',
        slash_fraction_downtime: '1.000000000000000000',
      },
    })
    expect(JSON.stringify(genesis)).toContain('"jailed_until":"9999-12-31T23:59:59Z","tombstoned":true')
  })

  it('is read in the SDK’s form (x/slashing/keeper/genesis_test.go, TestExportAndInitGenesis)', () => {
    const address = formatConsensusAddress(one.consensusAddress)
    const info = {
      address,
      start_height: '4',
      index_offset: '96',
      jailed_until: '2024-05-06T07:08:09.000000010Z',
      tombstoned: false,
      missed_blocks_counter: '10',
    }
    const genesis = {
      params: {
        signed_blocks_window: '1000',
        min_signed_per_window: '0.500000000000000000',
        downtime_jail_duration: '0.000003600s',
        slash_fraction_double_sign: '0.050000000000000000',
        slash_fraction_downtime: '0.010000000000000000',
      },
      signing_infos: [{ address, validator_signing_info: info }],
      missed_blocks: [
        { address, missed_blocks: Array.from({ length: 10 }, (_, index) => ({ index: String(index), missed: true })) },
      ],
    }
    const { module } = makeWorld()
    expect(exportGenesis(module, initState(module, genesis), 100)).toEqual(genesis)
  })

  it.each([
    ['params.signed_blocks_window', { params: { signed_blocks_window: 'many' } }],
    ['params: signed blocks window must be positive', { params: { signed_blocks_window: '0' } }],
    ['params.downtime_jail_duration', { params: { downtime_jail_duration: '10 minutes' } }],
    ['params.min_signed_per_window', { params: { min_signed_per_window: '.5' } }],
    ['params.window', { params: { window: '10' } }],
    ['signing_infos[0].address', { signing_infos: [{ address: 'x', validator_signing_info: {} }] }],
    [
      'signing_infos[0].validator_signing_info.missed_blocks_counter: must be 0',
      {
        signing_infos: [
          {
            address: formatConsensusAddress(one.consensusAddress),
            validator_signing_info: { missed_blocks_counter: '1' },
          },
        ],
      },
    ],
    [
      'missed_blocks[0].missed_blocks[0].index: must be below',
      {
        missed_blocks: [
          {
            address: formatConsensusAddress(one.consensusAddress),
            missed_blocks: [{ index: '10000', missed: true }],
          },
        ],
      },
    ],
    [
      'missed_blocks: has no signing info',
      { missed_blocks: [{ address: formatConsensusAddress(one.consensusAddress), missed_blocks: [] }] },
    ],
  ])('is refused with the member at fault: %s', (words, genesis) => {
    expect(() => makeWorld(genesis)).toThrow(CodedError)
    expect(() => makeWorld(genesis)).toThrow(`app_state.slashing.${words}`)
  })
})

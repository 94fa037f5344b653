import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { ONE } from '../../core/decimal.ts'
import { CodedError, InvariantError } from '../../core/errors.ts'
import { bytesToUnprefixedHex } from '../../core/hex.ts'
import { evidence, evidenceQuery, evidenceTx, slashingTx } from '../../proto/index.ts'
import type { Overlay } from '../../store/overlay.ts'
import type { Misbehavior } from '../module.ts'
import { createDoubleSignPunisher, readSigningInfo, slashingModule } from '../slashing/index.ts'
import { FakeStake, makeValidator, operatorOf } from '../slashing/testing/fake-stake.ts'
import {
  ask,
  beginBlock,
  brokenInvariants,
  dump,
  emptyState,
  exportGenesis,
  initState,
  makeBlock,
  refusal,
  runMessage,
  shown,
  timeAt,
} from '../slashing/testing/world.ts'
import { formatConsensusAddress, formatOperator } from '../validator-addresses.ts'
import { EQUIVOCATION_URL, encodeEquivocation, equivocationFault, hashEquivocation } from './equivocation.ts'
import { EVIDENCE_ADDRESS, listEvidence, writeEvidence } from './keeper.ts'
import { evidenceModule } from './module.ts'

const { method } = evidenceQuery.Query
const MAX_AGE = { blocks: 100_000, durationNs: 172_800_000_000_000n }
const VALIDATOR = makeValidator(1)
const { consensusAddress: ADDRESS } = VALIDATOR
const NAME = formatConsensusAddress(ADDRESS)

/** 2006-01-02T15:04:05Z. */
const SECONDS = 1_136_214_245n
interface Changes {
  readonly height?: bigint
  readonly time?: { readonly seconds: bigint; readonly nanos?: number }
  readonly power?: bigint
  readonly consensusAddress?: string
}

const makeEquivocation = (changes: Changes = {}) =>
  create(evidence.EquivocationSchema, {
    height: 100n,
    time: { seconds: SECONDS },
    power: 1_000_000n,
    consensusAddress: NAME,
    ...changes,
  })

const makeWorld = (validator = VALIDATOR) => {
  const stake = new FakeStake()
  stake.put(validator)
  const slashing = slashingModule.create({ stake, punisher: stake })
  const state = initState(slashing, undefined)
  const module = evidenceModule.create({
    stake,
    doubleSigns: createDoubleSignPunisher({ stake, punisher: stake }),
    evidenceMaxAge: () => MAX_AGE,
  })
  slashing.hooks.staking.afterValidatorBonded?.(makeBlock(state, 0)[0], ADDRESS, VALIDATOR.operator)
  return { stake, slashing, module, state }
}

const doubleSign = (changes: Partial<Misbehavior> = {}): Misbehavior => ({
  type: 'duplicate-vote',
  validatorAddress: ADDRESS,
  power: 100n,
  height: 40,
  timeNs: timeAt(40),
  totalPower: 100n,
  ...changes,
})

const isPunished = ({ stake, state }: ReturnType<typeof makeWorld>): boolean =>
  stake.slashes.length > 0 ||
  readSigningInfo(state, ADDRESS)?.tombstoned === true ||
  [...listEvidence(state)].length > 0

describe('a double sign', () => {
  it.each(['duplicate-vote', 'light-client-attack'] as const)(
    'by %s slashes, jails and tombstones once and for ever (TestHandleDoubleSign)',
    (type) => {
      const world = makeWorld()
      const { stake, slashing, module, state } = world
      const events = beginBlock(module, state, 42, { misbehavior: [doubleSign({ type })] })
      expect(shown(events)).toEqual([
        `slash(address=${NAME}, power=100, reason=double_sign, burned_coins=${5n * ONE})`,
        `slash(jailed=${NAME})`,
      ])
      expect(stake.slashes).toEqual([
        { consensusAddress: ADDRESS, infractionHeight: 39, power: 100n, fraction: ONE / 20n },
      ])
      expect(stake.validator(state, VALIDATOR.operator)).toMatchObject({ isJailed: true, tokens: 95n * ONE })
      expect(readSigningInfo(state, ADDRESS)).toMatchObject({
        tombstoned: true,
        jailedUntilNs: 253_402_300_799_000_000_000n,
      })
      // The same again, and another: the slash is capped.
      const misbehavior = [doubleSign({ type }), doubleSign({ height: 41 })]
      expect(beginBlock(module, state, 43, { misbehavior })).toEqual([])
      expect(stake.validator(state, VALIDATOR.operator)?.tokens).toBe(95n * ONE)
      expect([...listEvidence(state)]).toHaveLength(1)
      const unjail = () =>
        runMessage(
          slashing,
          state,
          1_000,
          slashingTx.MsgUnjailSchema,
          { validatorAddr: formatOperator(VALIDATOR.operator) },
          9_000_000_000_000_000_000n,
        )
      expect(refusal(unjail).slice(0, 2)).toEqual(['slashing', 4])
      expect(brokenInvariants(module, state, 43)).toEqual([])
    },
  )

  it('in jail is not jailed twice', () => {
    const { stake, module, state } = makeWorld({ ...VALIDATOR, isJailed: true, status: 'unbonding' })
    const events = beginBlock(module, state, 42, { misbehavior: [doubleSign()] })
    expect(events.map(({ attributes }) => attributes[0]?.key)).toEqual(['address'])
    expect(stake.validator(state, VALIDATOR.operator)?.tokens).toBe(95n * ONE)
    expect(readSigningInfo(state, ADDRESS)?.tombstoned).toBe(true)
  })

  it('that is too old has no consequence, when both limits are passed (TestHandleDoubleSign_TooOld)', () => {
    const [old, height] = [timeAt(40) + MAX_AGE.durationNs, 40 + MAX_AGE.blocks]
    for (const [blockHeight, timeNs, punished] of [
      [height + 1, old + 1n, false],
      [height, old + 1n, true],
      [height + 1, old, true],
    ] as const) {
      const world = makeWorld()
      beginBlock(world.module, world.state, blockHeight, { misbehavior: [doubleSign()], timeNs })
      expect(isPunished(world)).toBe(punished)
    }
  })

  it('of a validator that is unbonded or unknown, or of an unknown kind, has no consequence', () => {
    for (const [validator, changes] of [
      [{ ...VALIDATOR, status: 'unbonded' }, {}],
      [VALIDATOR, { validatorAddress: operatorOf(7) }],
      [VALIDATOR, { type: 'unknown' }],
    ] as const) {
      const world = makeWorld(validator)
      expect(beginBlock(world.module, world.state, 42, { misbehavior: [doubleSign(changes)] })).toEqual([])
      expect(isPunished(world)).toBe(false)
    }
  })

  it('of a validator without a signing info halts the node', () => {
    const { stake, module, state } = makeWorld()
    const other = makeValidator(2)
    stake.put(other)
    const misbehavior = [doubleSign({ validatorAddress: other.consensusAddress })]
    expect(() => beginBlock(module, state, 42, { misbehavior })).toThrow(InvariantError)
  })
})

describe('an equivocation', () => {
  it('has the SDK’s hash (x/evidence/types/evidence_test.go, TestEquivocation_Valid)', () => {
    const consensusAddress = 'cosmosvalcons1vehk7h6lta047h6lta047h6lta047h6l8m4r53'
    expect(bytesToUnprefixedHex(hashEquivocation(makeEquivocation({ consensusAddress }))).toUpperCase()).toBe(
      '1E10F9267BEA3A9A4AB5302C2C510CC1AFD7C54E232DA5B2E3360DFAFACF7A76',
    )
  })

  it.each([
    ['valid', {}, undefined],
    ['invalid time', { time: { seconds: -62_135_596_800n } }, 'invalid equivocation time'],
    ['invalid height', { height: 0n }, 'invalid equivocation height: 0'],
    ['invalid power', { power: 0n }, 'invalid equivocation validator power: 0'],
    ['invalid address', { consensusAddress: '' }, 'invalid equivocation validator consensus address: '],
  ])('is checked as in TestEquivocationValidateBasic: %s', (_, changes, fault) => {
    expect(equivocationFault(makeEquivocation(changes))).toBe(fault)
  })
})

describe('MsgSubmitEvidence', () => {
  const submitter = encodeBech32(operatorOf(3))
  const submit = (message: MessageInitShape<typeof evidenceTx.MsgSubmitEvidenceSchema>, state?: Overlay) => () => {
    const { module, state: own } = makeWorld()
    return runMessage(module, state ?? own, 1, evidenceTx.MsgSubmitEvidenceSchema, message)
  }
  const pack = (equivocation: evidence.Equivocation) => ({
    typeUrl: EQUIVOCATION_URL,
    value: toBinary(evidence.EquivocationSchema, equivocation),
  })

  it('is refused as in TestSubmitEvidence, and what is valid has no handler', () => {
    expect(refusal(submit({}))).toEqual([
      'sdk',
      7,
      'invalid submitter address: empty address string is not allowed: invalid address',
    ])
    expect(refusal(submit({ submitter }))).toEqual(['evidence', 3, 'missing evidence: invalid evidence'])
    expect(refusal(submit({ submitter, evidence: pack(makeEquivocation({ height: 0n })) }))).toEqual([
      'evidence',
      3,
      'failed basic validation: invalid equivocation height: 0: invalid evidence',
    ])
    expect(refusal(submit({ submitter, evidence: pack(makeEquivocation()) }))).toEqual([
      'evidence',
      2,
      'equivocation: unregistered handler for evidence type',
    ])
  })

  it('is refused when it is none, and when it is known', () => {
    const broken = { typeUrl: EQUIVOCATION_URL, value: Uint8Array.of(255) }
    expect(refusal(submit({ submitter, evidence: broken })).slice(0, 2)).toEqual(['evidence', 3])
    const other = { typeUrl: '/cosmos.bank.v1beta1.MsgSend', value: new Uint8Array(0) }
    expect(refusal(submit({ submitter, evidence: other })).slice(0, 2)).toEqual(['evidence', 2])
    const state = emptyState()
    const known = makeEquivocation()
    writeEvidence(state, hashEquivocation(known), encodeEquivocation(known))
    expect(refusal(submit({ submitter, evidence: pack(known) }, state))).toEqual([
      'evidence',
      5,
      `${bytesToUnprefixedHex(hashEquivocation(known)).toUpperCase()}: evidence already exists`,
    ])
  })
})

/** Does what populateEvidence of x/evidence/keeper/keeper_test.go does. */
const populate = (state: Overlay, count: number): readonly evidence.Equivocation[] =>
  Array.from({ length: count }, (_, index) => {
    const equivocation = makeEquivocation({ height: 11n, power: 100n, time: { seconds: SECONDS, nanos: index } })
    writeEvidence(state, hashEquivocation(equivocation), encodeEquivocation(equivocation))
    return equivocation
  })

describe('queries', () => {
  it('find evidence by its hash (x/evidence/keeper/grpc_query_test.go, TestQueryEvidence)', () => {
    const { module, state } = makeWorld()
    const find = (hash: string) => ask(module, state, 1, method.evidence, { hash })
    const absent = 'DF0C23E8634E480F84B9D5674A7CDC9816466DEC28A3358F73260F68D28D7660'
    expect(refusal(() => find(''))).toEqual(['grpc', 3, 'invalid request; hash is empty'])
    expect(refusal(() => find(absent))).toEqual(['grpc', 5, `evidence ${absent} not found`])
    expect(refusal(() => find('xyz')).slice(0, 2)).toEqual(['grpc', 3])
    expect(refusal(() => find('a'.repeat(1_000))).slice(0, 2)).toEqual(['grpc', 3])
    for (const equivocation of populate(state, 100)) {
      const { evidence: any } = find(bytesToUnprefixedHex(hashEquivocation(equivocation)).toUpperCase())
      expect(any?.typeUrl).toBe('/cosmos.evidence.v1beta1.Equivocation')
      expect(fromBinary(evidence.EquivocationSchema, any?.value ?? new Uint8Array(0))).toEqual(equivocation)
    }
  })

  it('list all evidence by pages (TestQueryAllEvidence)', () => {
    const { module, state } = makeWorld()
    const list = (limit: bigint, key = new Uint8Array(0)) =>
      ask(module, state, 1, method.allEvidence, { pagination: { key, limit } })
    expect(list(50n).evidence).toEqual([])
    populate(state, 100)
    const first = list(50n)
    expect(first.evidence).toHaveLength(50)
    const rest = list(100n, first.pagination?.nextKey.slice())
    expect(new Set([...first.evidence, ...rest.evidence].map(({ value }) => bytesToUnprefixedHex(value))).size).toBe(
      100,
    )
  })
})

describe('the genesis', () => {
  it('begins an equal state with an export', () => {
    const { module, state } = makeWorld()
    populate(state, 250)
    beginBlock(module, state, 42, { misbehavior: [doubleSign({ timeNs: timeAt(40) + 5n })] })
    const genesis = exportGenesis(module, state, 42) as { readonly evidence: readonly unknown[] }
    expect(genesis.evidence).toHaveLength(251)
    expect(genesis.evidence).toContainEqual({
      '@type': '/cosmos.evidence.v1beta1.Equivocation',
      height: '40',
      time: '1970-01-01T00:00:40.000000005Z',
      power: '100',
      consensus_address: NAME,
    })
    expect(dump(initState(module, genesis), EVIDENCE_ADDRESS)).toEqual(dump(state, EVIDENCE_ADDRESS))
  })

  it('is refused with the member at fault (x/evidence/types/genesis_test.go, TestGenesisStateValidate)', () => {
    const { module } = makeWorld()
    const valid = {
      '@type': EQUIVOCATION_URL,
      height: '1',
      time: '2006-01-02T15:04:05Z',
      power: '100',
      consensus_address: NAME,
    }
    expect(dump(initState(module, { evidence: [valid] }), EVIDENCE_ADDRESS)).toHaveLength(1)
    expect(dump(initState(module, undefined), EVIDENCE_ADDRESS)).toEqual([])
    for (const [words, list] of [
      ['evidence[0]: invalid equivocation height: 0', [{ ...valid, height: '0' }]],
      ['evidence[0].@type', [{}]],
      ['evidence[1]: is there twice', [valid, valid]],
      ['evidence[0]: ', [{ ...valid, time: 'yesterday' }]],
      ['evidence[0]: ', [{ ...valid, consensus_address: 'cosmosvalcons1vehk7h6lta047h6lta047h6lta047h6l8m4r53' }]],
      ['evidence[0].evil', [{ ...valid, evil: true }]],
    ] as const) {
      const init = () => initState(module, { evidence: list })
      expect(init).toThrow(CodedError)
      expect(init).toThrow(`app_state.evidence.${words}`)
    }
  })
})

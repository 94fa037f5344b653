import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { encodeBech32 } from '../../core/bech32.ts'
import { CodedError } from '../../core/errors.ts'
import { consensusQuery, consensusTx } from '../../proto/index.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { GOVERNANCE_ADDRESS } from '../authority.ts'
import type { Event, MessageHandler } from '../module.ts'
import { readConsensusParameters, writeConsensusParameters, writeValidatorSets } from './keeper.ts'
import { consensusModule } from './module.ts'
import { checkConsensusParameters, DEFAULT_CONSENSUS_PARAMETERS } from './params.ts'
import { checkExtensionsUpdate, checkUpdate } from './update.ts'

const DAY_SECONDS = 86_400n
const AUTHORITY = encodeBech32(GOVERNANCE_ADDRESS)
const HEIGHT = 5
const module = consensusModule.create({
  stake: { unbondingTimeNs: () => 21n * DAY_SECONDS * 1_000_000_000n, maxValidators: () => 100 },
})

type Init = Exclude<MessageInitShape<typeof consensusTx.MsgUpdateParamsSchema>, consensusTx.MsgUpdateParams>
const BLOCK = { maxBytes: 5_000_000n, maxGas: 500_000_000n }
const EVIDENCE = {
  maxAgeNumBlocks: 100n,
  maxAgeDuration: { seconds: 2n * DAY_SECONDS, nanos: 5 },
  maxBytes: 1_048_576n,
}
const VALID: Init = {
  authority: AUTHORITY,
  block: BLOCK,
  evidence: EVIDENCE,
  validator: { pubKeyTypes: ['ed25519'] },
}

const makeState = (voteExtensionsEnableHeight = 0): Overlay => {
  const state = new Overlay(new LatestState(openMemoryStore(), 100))
  writeConsensusParameters(state, { ...DEFAULT_CONSENSUS_PARAMETERS, abci: { voteExtensionsEnableHeight } })
  writeValidatorSets(state, [{ fromHeight: 1, validators: [{ publicKey: new Uint8Array(32), power: 1n }] }])
  return state
}

const update = (init: Init, state = makeState()): readonly Event[] => {
  const [handler] = module.messages as readonly [MessageHandler]
  const message = handler.decode(
    toBinary(consensusTx.MsgUpdateParamsSchema, create(consensusTx.MsgUpdateParamsSchema, init)),
  )
  const prepared = handler.prepare(message)
  const events: Event[] = []
  const emit = (event: Event): void => void events.push(event)
  handler.execute({ state, height: HEIGHT, timeNs: 0n, chainId: 'x', emit, consumeGas: () => undefined }, prepared)
  return events
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

/** Names and outcomes of cosmos-sdk x/consensus/keeper/keeper_test.go, whose block is of height 5 too. */
describe('TestUpdateParams of x/consensus', () => {
  const without = (name: 'block' | 'evidence' | 'validator'): Init => {
    const { [name]: _, ...rest } = VALID
    return rest
  }
  it.each<readonly [string, Init, string]>([
    ['valid params', VALID, 'accepted'],
    [
      'invalid params',
      { ...VALID, block: { maxGas: -10n, maxBytes: -10n } },
      'consensus/1 block.MaxBytes must be -1 or greater than 0. Got -10',
    ],
    ['invalid authority', { ...VALID, authority: 'invalid' }, 'sdk/7 invalid authority address'],
    ['nil evidence params', without('evidence'), 'consensus/1 all parameters must be present'],
    ['nil block params', without('block'), 'consensus/1 all parameters must be present'],
    ['nil validator params', without('validator'), 'consensus/1 all parameters must be present'],
    ['valid ABCI update', { ...VALID, abci: { voteExtensionsEnableHeight: 1_235n } }, 'accepted'],
    ['noop ABCI update', { ...VALID, abci: { voteExtensionsEnableHeight: 0n } }, 'accepted'],
    [
      'invalid ABCI update - current height',
      { ...VALID, abci: { voteExtensionsEnableHeight: 5n } },
      'consensus/1 vote extensions cannot be updated to a past or current height',
    ],
    [
      'invalid ABCI update - past height',
      { ...VALID, abci: { voteExtensionsEnableHeight: 4n } },
      'consensus/1 vote extensions cannot be updated to a past or current height',
    ],
    ['update authority to governance module address', { ...VALID, auth: { authority: AUTHORITY } }, 'accepted'],
    ['update authority to empty string (clear)', { ...VALID, auth: { authority: '' } }, 'accepted'],
    ['reject invalid authority address', { ...VALID, auth: { authority: 'not-a-valid-address' } }, 'consensus/1 auth.'],
  ])('%s', (_, init, outcome) => {
    expect(refusal(() => update(init))).toContain(outcome)
  })
})

/** The table of cometbft types/params_test.go, whose parameters are [block bytes, evidence age, evidence bytes, types]. */
describe('TestConsensusParamsValidation of CometBFT', () => {
  const MiB = 1_048_576
  const ED25519 = ['ed25519']
  it.each<readonly [number, number, number, readonly string[], string]>([
    [0, 2, 0, ED25519, 'block.MaxBytes must be -1 or greater than 0. Got 0'],
    [101 * MiB, 2, 0, ED25519, 'block.max_bytes must be between 1 and 8000000'],
    [1024 * MiB, 2, 0, ED25519, 'block.max_bytes must be between 1 and 8000000'],
    [1, 0, 0, ED25519, 'evidence.MaxAgeNumBlocks must be greater than 0. Got 0'],
    [1, 2, 2, ED25519, 'evidence.MaxBytesEvidence is greater than upper bound, 2 > 1'],
    [1, -1, 0, ED25519, 'evidence.MaxAgeNumBlocks must be greater than 0. Got -1'],
    [1, 2, 0, [], 'len(Validator.PubKeyTypes) must be greater than 0'],
    [1, 2, 0, ['potatoes make good pubkeys'], 'validator.pub_key_types must be ["ed25519"]'],
    [-2, 2, 0, ED25519, 'block.MaxBytes must be -1 or greater than 0. Got -2'],
    // Valid there, and not here: no block without a bound, and none that holds nothing.
    [-1, 2, 0, ED25519, 'block.max_bytes must be between 1 and 8000000'],
    [1, 2, 0, ED25519, 'block.max_bytes must be at least 3149817 with 0 bytes of evidence and 1 validators, not 1'],
    [4 * MiB, 2, MiB, ED25519, 'block.max_bytes must be at least 4198393'],
    [5 * MiB, 2, MiB, ED25519, 'accepted'],
  ])('%i bytes, age %i, evidence of %i, %j', (maxBytes, age, evidenceBytes, pubKeyTypes, outcome) => {
    const check = (): void =>
      checkUpdate({
        ...DEFAULT_CONSENSUS_PARAMETERS,
        block: { maxBytes, maxGas: 1_000_000 },
        evidence: { maxAgeNumBlocks: age, maxAgeDurationNs: BigInt(Math.sign(age)), maxBytes: evidenceBytes },
        validator: { pubKeyTypes },
      })
    expect(refusal(check)).toContain(outcome)
  })
})

/** Every case of the test of that name in cometbft types/params_test.go: [height, from, to, is refused]. */
describe('TestConsensusParamsUpdate_VoteExtensionsEnableHeight of CometBFT', () => {
  it.each([
    [3, 0, 0, false],
    [3, 100, 100, false],
    [100, 100, 100, false],
    [300, 100, 100, false],
    [3, 0, 5, false],
    [4, 0, 5, false],
    [5, 0, 5, true],
    [6, 0, 5, true],
    [50, 0, 5, true],
    // Allowed there: here what is promised is not turned off.
    [4, 5, 0, true],
    [5, 5, 0, true],
    [6, 5, 0, true],
    [10, 5, 0, true],
    [1, 10, 5, false],
    [4, 10, 5, false],
    [5, 10, 5, true],
    [6, 10, 5, true],
    [9, 10, 5, true],
    [10, 10, 5, true],
    [11, 10, 5, true],
    [100, 10, 5, true],
    [3, 10, 15, false],
    [9, 10, 15, false],
    [10, 10, 15, true],
    [11, 10, 15, true],
    [14, 10, 15, true],
    [15, 10, 15, true],
    [16, 10, 15, true],
    [100, 10, 15, true],
    [3, 0, -5, true],
  ])('at %i from %i to %i', (height, from, to, isRefused) => {
    expect(refusal(() => checkExtensionsUpdate(from, to, height)) !== 'accepted').toBe(isRefused)
  })
})

describe('an update of the consensus parameters', () => {
  it('replaces whole groups, keeps version and extensions, and says so in the words of the SDK', () => {
    const state = makeState(1)
    // The text that `ConsensusParams.String()` of CometBFT v0.38.25 prints.
    const text =
      'block:<max_bytes:5000000 max_gas:500000000 > evidence:<max_age_num_blocks:100 ' +
      'max_age_duration:<seconds:172800 nanos:5 > max_bytes:1048576 > validator:<pub_key_types:"ed25519" > version:<> '
    expect(update(VALID, state)).toEqual([
      {
        type: 'update_consensus_params',
        attributes: [
          { key: 'authority', value: AUTHORITY, index: true },
          { key: 'parameters', value: text, index: true },
        ],
      },
    ])
    const parameters = readConsensusParameters(state)
    expect(parameters).toEqual({
      block: { maxBytes: 5_000_000, maxGas: 500_000_000 },
      evidence: { maxAgeNumBlocks: 100, maxAgeDurationNs: 172_800_000_000_005n, maxBytes: 1_048_576 },
      validator: { pubKeyTypes: ['ed25519'] },
      version: { app: 1 },
      abci: { voteExtensionsEnableHeight: 1 },
    })
    checkConsensusParameters(parameters)
    const [query] = module.queries
    const answer = query?.query({ state, height: 1, chainId: 'x' }, new Uint8Array(0)) ?? new Uint8Array(0)
    expect(fromBinary(consensusQuery.QueryParamsResponseSchema, answer).params).toMatchObject({
      block: BLOCK,
      evidence: EVIDENCE,
      validator: { pubKeyTypes: ['ed25519'] },
      abci: { voteExtensionsEnableHeight: 1n },
    })
  })

  it('leaves a chain that began with more gas what it has', () => {
    const state = makeState(1)
    const { block } = readConsensusParameters(state)
    const began = 2_000_000_000
    writeConsensusParameters(state, { ...readConsensusParameters(state), block: { ...block, maxGas: began } })
    const set = (maxGas: bigint): string => refusal(() => update({ ...VALID, block: { ...BLOCK, maxGas } }, state))
    expect(set(2_000_000_001n)).toContain('block.max_gas must be at most 2000000000')
    expect(set(2_000_000_000n)).toBe('accepted')
    expect(set(1_050_000_000n)).toBe('accepted')
    expect(set(1_050_000_001n)).toContain('block.max_gas must be at most 1050000000')
  })

  it.each<readonly [string, Init, string]>([
    ['gas without a bound', { block: { ...BLOCK, maxGas: -1n } }, 'block.max_gas must be positive'],
    ['gas for nothing', { block: { ...BLOCK, maxGas: 999_999n } }, 'block.max_gas must be at least 1000000'],
    [
      'more than answers over gRPC have room for',
      { block: { ...BLOCK, maxGas: 1_050_000_001n } },
      'block.max_gas must be at most 1050000000',
    ],
    ['a number beyond 2^53', { block: { ...BLOCK, maxGas: 2n ** 62n } }, 'block.max_gas is out of range'],
    ['blocks without room', { block: { ...BLOCK, maxBytes: 4_530_834n } }, 'block.max_bytes must be at least 4530835'],
    ['secp256k1 keys', { validator: { pubKeyTypes: ['secp256k1'] } }, 'validator.pub_key_types must be ["ed25519"]'],
    [
      'evidence without an age',
      { evidence: { maxAgeNumBlocks: 1n } },
      'evidence.MaxAgeDuration must be greater than 0',
    ],
    [
      'evidence that outlives the stake',
      { evidence: { ...EVIDENCE, maxAgeDuration: { seconds: 21n * DAY_SECONDS, nanos: 1 } } },
      "evidence.max_age_duration must not pass staking's unbonding time",
    ],
    [
      'evidence of negative size',
      { evidence: { ...EVIDENCE, maxBytes: -1n } },
      'evidence.MaxBytes must be non negative',
    ],
    ['extensions turned off', { abci: { voteExtensionsEnableHeight: 0n } }, 'vote extensions cannot be disabled once'],
    [
      'negative extensions',
      { abci: { voteExtensionsEnableHeight: -1n } },
      'VoteExtensionsEnableHeight must be positive',
    ],
    [
      'extensions moved',
      { abci: { voteExtensionsEnableHeight: 9n } },
      'vote extensions cannot be modified once enabled',
    ],
    ['another account', { authority: encodeBech32(new Uint8Array(20).fill(1)) }, 'sdk/4 invalid authority'],
    [
      'another authority',
      { auth: { authority: encodeBech32(new Uint8Array(20)) } },
      'auth.authority cannot be changed',
    ],
  ])('refuses %s, and changes nothing', (_, init, outcome) => {
    const state = makeState(1)
    expect(refusal(() => update({ ...VALID, ...init }, state))).toContain(outcome)
    expect(readConsensusParameters(state)).toEqual(DEFAULT_CONSENSUS_PARAMETERS)
  })
})

/** CometBFT v0.40 panics in types/block.go, MaxDataBytes, where what it keeps back passes the block. */
describe('the room of a block', () => {
  const maxBytesFor = (validators: number): number => 3 * 1_048_576 + 1_048_576 + 11 + 626 + 94 + 3_358 * validators
  const sets = (count: number) => [
    { fromHeight: 1, validators: Array.from({ length: count }, () => ({ publicKey: new Uint8Array(32), power: 1n })) },
  ]
  const start = (maxBytes: number, count: number): void => {
    const state = makeState()
    writeConsensusParameters(state, {
      ...DEFAULT_CONSENSUS_PARAMETERS,
      block: { maxBytes, maxGas: 1_000_000 },
    })
    writeValidatorSets(state, sets(count))
    module.initGenesis({ state, height: 0, timeNs: 0n, chainId: 'x', emit: () => undefined }, undefined)
  }

  it('is for the validators that may come, in a genesis', () => {
    expect(refusal(() => start(maxBytesFor(100), 4))).toBe('accepted')
    expect(refusal(() => start(maxBytesFor(100) - 1, 4))).toContain('and 100 validators')
  })

  it('is for the larger set that is there still', () => {
    expect(refusal(() => start(maxBytesFor(250) - 1, 250))).toContain('and 250 validators')
    expect(refusal(() => start(maxBytesFor(250), 250))).toBe('accepted')
    const state = makeState()
    writeValidatorSets(state, sets(250))
    const block = { ...BLOCK, maxBytes: BigInt(maxBytesFor(250)) }
    expect(refusal(() => update({ ...VALID, block: { ...block, maxBytes: block.maxBytes - 1n } }, state))).toContain(
      'and 250 validators',
    )
    expect(refusal(() => update({ ...VALID, block }, state))).toBe('accepted')
  })

  it('of 8,000,000 bytes is enough for 1,000 validators', () => {
    expect(maxBytesFor(1_000)).toBeLessThan(8_000_000)
  })
})

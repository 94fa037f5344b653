import { describe, expect, it } from 'vitest'
import { CodedError } from '../../core/errors.ts'
import { formatConsensusGenesis, parseConsensusGenesis, sameValidators } from './genesis.ts'
import { setsAtStart, type ValidatorSetEntry } from './validator-sets.ts'

/** Encodings of points, so that they ascend with their first bytes; that of 2 is none. */
const key = (first: number): Uint8Array => new Uint8Array(32).fill(first)
const encoded = (first: number): string => Buffer.from(key(first)).toString('base64')
const set = (fromHeight: number, ...keys: readonly number[]): ValidatorSetEntry => ({
  fromHeight,
  validators: keys.map((first) => ({ publicKey: key(first), power: BigInt(first) * 10n })),
})
const validator = (first: number, power: unknown = '5') => ({ pub_key: encoded(first), power })
const sets = (...validators: readonly unknown[]) => ({ validator_sets: [{ from_height: '3', validators }] })

const refusal = (genesis: unknown): string => {
  try {
    parseConsensusGenesis(genesis)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    expect([error.codespace, error.code]).toEqual(['genesis', 1])
    return error.message
  }
  return 'accepted'
}

describe('the genesis of consensus', () => {
  it('is read as it was written', () => {
    for (const held of [[set(1, 3, 9)], [set(1, 1), set(7, 1, 3), set(9, 254)]]) {
      const written = JSON.parse(JSON.stringify(formatConsensusGenesis(held))) as unknown
      expect(parseConsensusGenesis(written)).toEqual({ validatorSets: held })
    }
    for (const nothing of [undefined, {}]) expect(parseConsensusGenesis(nothing)).toEqual({ validatorSets: undefined })
  })

  it.each([
    [{ validator_sets: [] }, 'app_state.consensus.validator_sets: must not be empty'],
    [{ params: {} }, 'app_state.consensus.params: unknown field; known are validator_sets'],
    [sets(), 'app_state.consensus.validator_sets[0].validators: must not be empty'],
    [sets(validator(1, '0')), 'app_state.consensus.validator_sets[0].validators[0].power: must be positive'],
    [sets(validator(1, 5)), /power: must be a non-negative integer in a decimal string/],
    [sets({ pub_key: 'AAAA', power: '1' }), /validators\[0\]\.pub_key: an ed25519 key has 32 bytes, not 3/],
    [sets(validator(2)), /validators\[0\]\.pub_key: no point of the curve of ed25519 has this encoding/],
    [sets(validator(0)), /validators\[0\]\.pub_key: the point of this ed25519 key has a small order/],
    [sets(validator(3), validator(1)), /validators\[1\]\.pub_key: the keys must ascend/],
    [sets(validator(3), validator(3)), /validators\[1\]\.pub_key: the keys must ascend/],
    [
      { validator_sets: [...sets(validator(1)).validator_sets, ...sets(validator(1)).validator_sets] },
      'app_state.consensus.validator_sets[1]: the heights must ascend',
    ],
  ])('refuses %j', (genesis, message) => {
    expect(refusal(genesis)).toMatch(message)
  })

  it('tells sets apart by keys, powers and order', () => {
    const { validators } = set(1, 1, 3)
    expect(sameValidators(validators, set(5, 1, 3).validators)).toBe(true)
    expect(sameValidators(validators, validators.toReversed())).toBe(false)
    expect(sameValidators(validators, validators.slice(1))).toBe(false)
    expect(sameValidators(validators, [{ publicKey: key(1), power: 11n }, ...validators.slice(1)])).toBe(false)
  })
})

describe('the sets after the first block', () => {
  it('are the newest alone, in force from that block on at the latest', () => {
    expect(setsAtStart([set(8, 1)], 8)).toEqual([set(8, 1)])
    expect(setsAtStart([set(2, 1)], 8)).toEqual([set(2, 1)])
    expect(setsAtStart([set(2, 1), set(8, 1, 3), set(9, 3)], 8)).toEqual([set(8, 3)])
  })
})

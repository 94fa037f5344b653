import { describe, expect, it } from 'vitest'
import type { Address } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { ONE, parseDecimal } from '../../core/decimal.ts'
import { seeded, type Random } from '../../test/sim/random.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { DEFAULT_PARAMS, type GovParams } from './params.ts'
import { type Ballots, tally } from './tally.ts'
import { account, FakeStake } from './testing/world.ts'
import { VoteOption, type WeightedOption } from './vote.ts'
import { addShares, type Count, NO_COUNT } from './keeper/votings.ts'

const state = new LatestState(openMemoryStore(), 1)
const { YES, ABSTAIN, NO, NO_WITH_VETO } = VoteOption
type Option = typeof YES | typeof ABSTAIN | typeof NO | typeof NO_WITH_VETO
type Cast = readonly [voter: number, option: Option]

const TOKENS = 10n ** 18n

const single = (voter: Address, option: Option) => ({
  voter,
  options: [{ option, weight: ONE }] as readonly WeightedOption[],
  metadata: '',
})

/** Validators are accounts 0, 1, ...; amounts are in units of power. */
const staked = (powers: readonly number[], delegations: readonly (readonly [number, number, number])[] = []) => {
  const stake = new FakeStake()
  for (const [index, power] of powers.entries()) stake.validator(account(index), BigInt(power) * TOKENS)
  for (const [delegator, operator, power] of delegations) {
    stake.delegate(account(delegator), account(operator), BigInt(power) * TOKENS)
  }
  return stake
}

const ballots = (stake: FakeStake, votes: readonly ReturnType<typeof single>[]): Ballots => {
  const counts = new Map<string, Count>()
  for (const { voter, options } of votes) {
    for (const { operator, shares } of stake.port.delegationsOf(state, voter)) {
      const key = bytesToKey(operator)
      counts.set(key, addShares(counts.get(key) ?? NO_COUNT, shares, options))
    }
  }
  const own = new Map(votes.map(({ voter, options }) => [bytesToKey(voter), options]))
  return {
    count: (operator) => counts.get(bytesToKey(operator)) ?? NO_COUNT,
    options: (operator) => own.get(bytesToKey(operator)),
  }
}

const count = (stake: FakeStake, votes: readonly Cast[], params: Partial<GovParams> = {}, expedited = false) =>
  tally(
    state,
    stake.port,
    ballots(
      stake,
      votes.map(([voter, option]) => single(account(voter), option)),
    ),
    { ...DEFAULT_PARAMS, ...params },
    expedited,
  )

describe('the tally gives what the SDK gives (tests/integration/gov/keeper/tally_test.go)', () => {
  const cases: readonly (readonly [string, FakeStake, readonly Cast[], passes: boolean, burns: boolean])[] = [
    ['TestTallyNoOneVotes', staked([5, 5, 5]), [], false, false],
    ['TestTallyNoQuorum', staked([2, 5, 0]), [[9, YES]], false, false],
    [
      'TestTallyOnlyValidatorsAllYes',
      staked([5, 5, 5]),
      [
        [0, YES],
        [1, YES],
        [2, YES],
      ],
      true,
      false,
    ],
    [
      'TestTallyOnlyValidators51No',
      staked([5, 6, 0]),
      [
        [0, YES],
        [1, NO],
      ],
      false,
      false,
    ],
    [
      'TestTallyOnlyValidators51Yes',
      staked([5, 6, 0]),
      [
        [0, NO],
        [1, YES],
      ],
      true,
      false,
    ],
    [
      'TestTallyOnlyValidatorsVetoed',
      staked([6, 6, 7]),
      [
        [0, YES],
        [1, YES],
        [2, NO_WITH_VETO],
      ],
      false,
      true,
    ],
    [
      'TestTallyOnlyValidatorsAbstainPasses',
      staked([6, 6, 7]),
      [
        [0, ABSTAIN],
        [1, NO],
        [2, YES],
      ],
      true,
      false,
    ],
    [
      'TestTallyOnlyValidatorsAbstainFails',
      staked([6, 6, 7]),
      [
        [0, ABSTAIN],
        [1, YES],
        [2, NO],
      ],
      false,
      false,
    ],
    [
      'TestTallyOnlyValidatorsNonVoter',
      staked([5, 6, 7]),
      [
        [0, YES],
        [1, NO],
      ],
      false,
      false,
    ],
    [
      'TestTallyDelgatorOverride',
      staked([5, 6, 7], [[4, 0, 30]]),
      [
        [1, YES],
        [2, YES],
        [3, YES],
        [4, NO],
      ],
      false,
      false,
    ],
    [
      'TestTallyDelgatorInherit',
      staked([5, 6, 7], [[3, 2, 30]]),
      [
        [0, NO],
        [1, NO],
        [2, YES],
      ],
      true,
      false,
    ],
    [
      'TestTallyDelgatorMultipleOverride',
      staked(
        [5, 6, 7],
        [
          [3, 0, 10],
          [3, 1, 10],
        ],
      ),
      [
        [0, YES],
        [1, YES],
        [2, YES],
        [3, NO],
      ],
      false,
      false,
    ],
    [
      'TestTallyDelgatorMultipleInherit',
      staked(
        [5, 6, 7, 25, 6, 7],
        [
          [3, 1, 10],
          [3, 2, 10],
        ],
      ),
      [
        [0, YES],
        [1, NO],
        [2, NO],
      ],
      false,
      false,
    ],
  ]

  it.each(cases)('%s', (_, stake, votes, passes, burns) => {
    const outcome = count(stake, votes)
    expect([outcome.passes, outcome.burnsDeposits]).toEqual([passes, burns])
  })

  it('TestTallyJailedValidator: its tokens and its vote do not count', () => {
    const stake = staked(
      [25, 6, 7],
      [
        [3, 1, 10],
        [3, 2, 10],
      ],
    )
    stake.change(account(1), { isJailed: true })
    const outcome = count(stake, [
      [0, YES],
      [1, NO],
      [2, NO],
    ])
    expect(outcome.passes).toBe(true)
    expect(outcome.result).toEqual({ yes: 25n * TOKENS, abstain: 0n, no: 17n * TOKENS, noWithVeto: 0n })
  })

  it('TestTallyValidatorMultipleDelegations: 30 yes, 10 no', () => {
    const outcome = count(staked([10, 10, 10], [[0, 1, 10]]), [
      [0, YES],
      [1, NO],
      [2, YES],
    ])
    expect(outcome.passes).toBe(true)
    expect(outcome.result).toEqual({ yes: 30n * TOKENS, abstain: 0n, no: 10n * TOKENS, noWithVeto: 0n })
  })
})

describe('the rules at their edges (x/gov/keeper/tally.go)', () => {
  it('a quorum of 0.334 is met by 334 of 1,000, and a missed one burns when the parameters say so', () => {
    expect(count(staked([334, 666]), [[0, YES]]).passes).toBe(true)
    expect(count(staked([333, 667]), [[0, YES]], { burnVoteQuorum: true })).toMatchObject({
      passes: false,
      burnsDeposits: true,
    })
  })

  it('half is not enough, and a threshold must be passed', () => {
    expect(
      count(staked([5, 5]), [
        [0, YES],
        [1, NO],
      ]).passes,
    ).toBe(false)
    expect(
      count(
        staked([667, 333]),
        [
          [0, YES],
          [1, NO],
        ],
        {},
        true,
      ).passes,
    ).toBe(false)
    expect(
      count(
        staked([668, 332]),
        [
          [0, YES],
          [1, NO],
        ],
        {},
        true,
      ).passes,
    ).toBe(true)
  })

  it('only abstentions reject without burning, vetoes are a part of all votes', () => {
    expect(
      count(staked([5, 5]), [
        [0, ABSTAIN],
        [1, ABSTAIN],
      ]),
    ).toMatchObject({ passes: false, burnsDeposits: false })
    expect(
      count(staked([334, 666]), [
        [0, NO_WITH_VETO],
        [1, YES],
      ]),
    ).toMatchObject({ passes: true })
    expect(
      count(staked([335, 665]), [
        [0, NO_WITH_VETO],
        [1, YES],
      ]),
    ).toMatchObject({ passes: false, burnsDeposits: true })
    expect(
      count(
        staked([335, 665]),
        [
          [0, NO_WITH_VETO],
          [1, YES],
        ],
        { burnVoteVeto: false },
      ).burnsDeposits,
    ).toBe(false)
  })

  it('nothing bonded rejects without burning', () => {
    const stake = staked([5])
    stake.change(account(0), { status: 'unbonding' })
    expect(count(stake, [[0, YES]], { burnVoteQuorum: true })).toMatchObject({ passes: false, burnsDeposits: false })
  })

  it('a split vote counts by its weights, of a slashed validator by what its shares are still worth', () => {
    const stake = staked([10], [[1, 0, 20]])
    stake.change(account(0), { tokens: 10n })
    const options = [
      { option: YES, weight: parseDecimal('0.6') },
      { option: NO, weight: parseDecimal('0.3') },
      { option: ABSTAIN, weight: parseDecimal('0.05') },
      { option: NO_WITH_VETO, weight: parseDecimal('0.05') },
    ] as const
    const outcome = tally(
      state,
      stake.port,
      ballots(stake, [{ voter: account(1), options, metadata: '' }]),
      DEFAULT_PARAMS,
      false,
    )
    // 20 of 30 units of shares are worth 6.666... of 10 tokens.
    expect(outcome.result).toEqual({ yes: 4n, abstain: 0n, no: 2n, noWithVeto: 0n })
  })
})

/** Every share of every delegator looks for its vote by itself, in fractions of 10^60 without the SDK's rounding. */
const slowTally = (stake: FakeStake, votes: ReadonlyMap<string, readonly WeightedOption[]>) => {
  const scale = 10n ** 60n
  const sums = [0n, 0n, 0n, 0n, 0n]
  for (const validator of stake.port.bondedValidators(state)) {
    for (const list of stake.delegations.values()) {
      for (const { delegator, operator, shares } of list) {
        if (bytesToKey(operator) !== bytesToKey(validator.operator)) continue
        const options = votes.get(bytesToKey(delegator)) ?? votes.get(bytesToKey(operator)) ?? []
        for (const { option, weight } of options) {
          sums[option] = (sums[option] ?? 0n) + (scale * shares * validator.tokens * weight) / (validator.shares * ONE)
        }
      }
    }
  }
  return sums.map((sum) => sum / (scale / 10n ** 6n))
}

const randomOptions = (random: Random): readonly WeightedOption[] => {
  const order = [YES, ABSTAIN, NO, NO_WITH_VETO] as const
  const first = random.pick(order)
  const second = random.pick(order)
  if (first === second) return [{ option: first, weight: ONE }]
  const weight = BigInt(1 + random.below(999_999)) * 10n ** 12n
  return [
    { option: first, weight },
    { option: second, weight: ONE - weight },
  ]
}

describe('the tally', () => {
  it(
    'agrees with a model that asks every delegation by itself',
    seeded(411, (random) => {
      for (let round = 0; round < 150; round++) {
        const stake = new FakeStake()
        const validators = 1 + random.below(6)
        for (let index = 0; index < validators; index++) {
          stake.validator(account(index), BigInt(1 + random.below(1_000_000)))
        }
        for (let index = 0; index < 20; index++) {
          stake.delegate(
            account(random.below(20)),
            account(random.below(validators)),
            BigInt(1 + random.below(100_000)),
          )
        }
        if (random.chance(30)) stake.change(account(0), { status: 'unbonding' })
        if (random.chance(50)) stake.change(account(validators - 1), { tokens: BigInt(1 + random.below(1_000_000)) })
        const votes = new Map<string, readonly WeightedOption[]>()
        const cast = Array.from({ length: 20 }, (_, index) => index)
          .filter(() => random.chance(50))
          .map((index) => ({ voter: account(index), options: randomOptions(random), metadata: '' }))
        for (const { voter, options } of cast) votes.set(bytesToKey(voter), options)
        const { result } = tally(state, stake.port, ballots(stake, cast), DEFAULT_PARAMS, false)
        const model = slowTally(stake, votes)
        const counts = [0n, result.yes, result.abstain, result.no, result.noWithVeto]
        for (const [option, counted] of counts.entries()) {
          // The model has six more places: rounding at the 18th place moves a count only at an integer's edge.
          const expected = model[option] ?? 0n
          expect(counted === expected / 10n ** 6n || counted === (expected + 1n) / 10n ** 6n).toBe(true)
        }
      }
    }),
  )
})

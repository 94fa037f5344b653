import { describe, expect, it } from 'vitest'
import { DEFAULT_STAKING_PARAMS, genesisValidator, parseStakingGenesis, STAKING_ADDRESS } from './index.ts'
import { BONDED_POOL_ADDRESS, NOT_BONDED_POOL_ADDRESS } from './keys.ts'
import { account, accountText, keyOf, NAT, operatorText, World } from './testing/world.ts'

/** Members of parsed JSON, of whatever shape. */
type Json = { [key: string]: Json }

const make = (number: number, power = 10n) =>
  genesisValidator({ operator: account(number), publicKey: keyOf(number), tokens: power * NAT, moniker: `v${number}` })

const genesisOf = (numbers: readonly number[]) => {
  const made = numbers.map((number) => make(number))
  return { validators: made.map(({ validator }) => validator), delegations: made.map(({ delegation }) => delegation) }
}

const printAll = (value: unknown): Json =>
  JSON.parse(
    JSON.stringify(value, (_, each: unknown) =>
      typeof each === 'object' && each !== null && Symbol.iterator in each ? [...(each as Iterable<unknown>)] : each,
    ),
  ) as Json

/** One byte, 32 times. */
const keyText = (byte: number): string => Buffer.alloc(32, byte).toString('base64')

describe('a new chain', () => {
  it('has the defaults of the SDK, and nothing else', () => {
    const world = new World()
    expect(world.module.initGenesis(world.context(), undefined)).toEqual([])
    expect(world.dump(STAKING_ADDRESS)).toHaveLength(1)
    expect(DEFAULT_STAKING_PARAMS).toMatchObject({ maxValidators: 100, maxEntries: 7, historicalEntries: 10_000 })
    expect(printAll(world.module.exportGenesis(world.queryContext()))['params']).toEqual({
      unbonding_time: '1814400s',
      max_validators: 100,
      max_entries: 7,
      historical_entries: 10_000,
      bond_denom: 'anat',
      min_commission_rate: '0.000000000000000000',
    })
  })

  it('begins with its bonded validators, and tells the modules of them', () => {
    const world = new World()
    world.fund(BONDED_POOL_ADDRESS, 20n * NAT)
    const updates = world.module.initGenesis(world.context(), genesisOf([0, 1]))
    expect(updates).toHaveLength(2)
    expect(updates).toEqual(expect.arrayContaining([0, 1].map((n) => ({ publicKey: keyOf(n), power: 10n }))))
    const names = world.hookCalls.map((call) => call.split(' ')[0])
    expect(names.filter((name) => name === 'afterValidatorCreated')).toHaveLength(2)
    expect(names.filter((name) => name === 'afterDelegationModified')).toHaveLength(2)
    expect(names.filter((name) => name === 'afterValidatorBonded')).toHaveLength(2)
    expect(world.endBlock()).toEqual([])
    expect(world.faults()).toEqual([])
  })

  it('leaves out who does not fit the set, and bonds who is not bonded yet', () => {
    const world = new World()
    world.fund(BONDED_POOL_ADDRESS, 10n * NAT)
    world.fund(NOT_BONDED_POOL_ADDRESS, 20n * NAT)
    const [weak, strong] = [make(0), make(1, 20n)]
    const updates = world.module.initGenesis(world.context(), {
      params: { max_validators: 1 },
      validators: [weak.validator, { ...strong.validator, status: 'BOND_STATUS_UNBONDED' }],
      delegations: [weak.delegation, strong.delegation],
    })
    expect(updates).toEqual([{ publicKey: keyOf(1), power: 20n }])
    expect(world.validator(0).status).toBe('unbonding')
    expect(world.pools).toEqual({ bonded: 20n * NAT, notBonded: 10n * NAT })
    expect(world.faults()).toEqual([])
  })

  it('refuses pools that hold less than the stake, and allows more', () => {
    const world = new World()
    world.fund(BONDED_POOL_ADDRESS, 10n * NAT - 1n)
    expect(() => world.module.initGenesis(world.context(), genesisOf([0]))).toThrow('bonded_tokens_pool holds')
    world.fund(BONDED_POOL_ADDRESS, 2n)
    world.module.initGenesis(world.context(), genesisOf([0]))
    expect(world.faults()).toEqual([])
    expect(world.stake.totalBondedTokens(world.state)).toBe(10n * NAT)
  })
})

describe('an export', () => {
  const busy = (): World => {
    const world = World.start([30n, 20n, 10n], { max_validators: 2 })
    for (const number of [5, 6]) world.fund(account(number), 50n * NAT)
    world.delegate(5, 0, 7n * NAT + 3n)
    world.endBlock()
    world.undelegate(5, 0, NAT)
    world.redelegate(5, 0, 1, NAT)
    world.redelegate(5, 0, 2, NAT)
    world.endBlock()
    world.undelegate(5, 1, 5n)
    world.cancel(5, 0, NAT, 2)
    world.stake.slash(world.context(), world.validator(0).consensusAddress, 1, 30n, NAT / 7n)
    world.stake.jail(world.context(), world.validator(0).consensusAddress)
    world.endBlock()
    return world
  }

  it('has everything: a chain that begins with it has the same values', () => {
    const world = busy()
    const exported = printAll(world.module.exportGenesis(world.queryContext()))
    expect(Object.entries(exported).filter(([, value]) => Array.isArray(value) && value.length === 0)).toEqual([])
    const next = new World()
    next.fund(BONDED_POOL_ADDRESS, world.pools.bonded)
    next.fund(NOT_BONDED_POOL_ADDRESS, world.pools.notBonded)
    const updates = next.module.initGenesis(next.context(), exported) ?? []
    expect(next.dump(STAKING_ADDRESS)).toEqual(world.dump(STAKING_ADDRESS))
    expect(updates.map(({ power }) => power).sort((a, b) => Number(a - b))).toEqual([10n, 20n])
    expect(printAll(next.module.exportGenesis(next.queryContext()))).toEqual(exported)
    for (const each of [world, next]) each.timeNs += 30n * 86_400n * 10n ** 9n
    next.height = world.height
    expect(next.endBlock()).toEqual(world.endBlock())
    expect(next.dump(STAKING_ADDRESS)).toEqual(world.dump(STAKING_ADDRESS))
  })

  it('that was edited by hand is applied in the next block', () => {
    const world = busy()
    const exported = printAll(world.module.exportGenesis(world.queryContext()))
    const next = new World()
    next.fund(BONDED_POOL_ADDRESS, world.pools.bonded)
    next.fund(NOT_BONDED_POOL_ADDRESS, world.pools.notBonded)
    next.module.initGenesis(next.context(), { ...exported, params: { ...exported['params'], max_validators: 1 } })
    expect(next.endBlock()).toEqual([expect.objectContaining({ power: 0n })])
    expect(next.faults()).toEqual([])
  })
})

describe('a genesis file is refused', () => {
  const base = () => JSON.parse(JSON.stringify(genesisOf([0, 1]))) as Json
  const other = { delegator_address: accountText(5), validator_address: operatorText(9), shares: '1.0' }
  const unbonding = (id: string) => ({
    delegator_address: accountText(5),
    validator_address: operatorText(0),
    entries: [
      {
        creation_height: '1',
        completion_time: '2026-01-01T00:00:00Z',
        initial_balance: '1',
        balance: '1',
        unbonding_id: id,
      },
    ],
  })
  const cases: readonly (readonly [string, (genesis: Json) => unknown, string])[] = [
    ['an unknown member', (g) => ({ ...g, more: 1 }), 'app_state.staking.more'],
    [
      'a wrong key',
      (g) => void Object.assign(g['validators']?.[0]?.['consensus_pubkey'] ?? {}, { key: 'AA==' }),
      'validators[0].consensus_pubkey.key',
    ],
    [
      'a key that is no point of the curve',
      (g) => void Object.assign(g['validators']?.[0]?.['consensus_pubkey'] ?? {}, { key: keyText(2) }),
      'validators[0].consensus_pubkey.key: no point of the curve of ed25519 has this encoding',
    ],
    [
      'a key for which anybody can sign',
      (g) => void Object.assign(g['validators']?.[0]?.['consensus_pubkey'] ?? {}, { key: keyText(0) }),
      'validators[0].consensus_pubkey.key: the point of this ed25519 key has a small order',
    ],
    [
      'a wrong status',
      (g) => void Object.assign(g['validators']?.[0] ?? {}, { status: 'BONDED' }),
      'validators[0].status',
    ],
    [
      'bonded and jailed',
      (g) => void Object.assign(g['validators']?.[0] ?? {}, { jailed: true }),
      'validators[0]: the validator is bonded and jailed',
    ],
    [
      'shares that do not sum',
      (g) => void Object.assign(g['validators']?.[1] ?? {}, { delegator_shares: '1.0' }),
      'is not the sum',
    ],
    [
      'the same validator twice',
      (g) => ({ ...g, validators: [...Object.values(g['validators'] ?? {}), g['validators']?.[0]] }),
      'duplicate operator',
    ],
    [
      'a delegation to nobody',
      (g) => ({ ...g, delegations: [...Object.values(g['delegations'] ?? {}), other] }),
      'delegations[2]',
    ],
    [
      'powers of no export',
      (g) => ({ ...g, last_validator_powers: [{ address: operatorText(0), power: '10' }] }),
      'last_validator_powers',
    ],
    ['bonded without a power', (g) => ({ ...g, exported: true }), 'must be bonded for those in last_validator_powers'],
    [
      'an unbonding delegation that grew',
      (g) => {
        const { entries, ...pair } = unbonding('1')
        return { ...g, unbonding_delegations: [{ ...pair, entries: entries.map((e) => ({ ...e, balance: '2' })) }] }
      },
      'unbonding_delegations[0].entries[0].balance: must not be above the initial balance',
    ],
    [
      'tokens without shares',
      (g) =>
        void Object.assign(g['validators']?.[0] ?? {}, { status: 'BOND_STATUS_UNBONDING', delegator_shares: '0.0' }),
      'validators[0].tokens: have no shares that they belong to',
    ],
    ['an unbonding id of zero', (g) => ({ ...g, unbonding_delegations: [unbonding('0')] }), 'unbonding id 0'],
    [
      'an id above the counter',
      (g) => ({ ...g, unbonding_delegations: [unbonding('5')], last_unbonding_id: '4' }),
      'last_unbonding_id',
    ],
    ['a wrong denomination', (g) => ({ ...g, params: { bond_denom: 'stake' } }), 'params: bond denom must be anat'],
    ['a wrong duration', (g) => ({ ...g, params: { unbonding_time: '3w' } }), 'params.unbonding_time'],
    [
      'a long moniker',
      (g) =>
        void Object.assign((g['validators']?.[0] ?? {})['description' as never] ?? {}, { moniker: 'm'.repeat(71) }),
      'invalid moniker length',
    ],
    [
      'a wrong time',
      (g) => void Object.assign(g['validators']?.[0] ?? {}, { unbonding_time: 'now' }),
      'validators[0].unbonding_time',
    ],
  ]
  it.each(cases)('with %s', (_, change, words) => {
    const genesis = base()
    const changed = change(genesis) ?? genesis
    expect(() => parseStakingGenesis(changed)).toThrow(words)
  })
  it('but not as it is', () => {
    expect(parseStakingGenesis(base()).validators).toHaveLength(2)
  })
})

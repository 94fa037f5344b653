import { describe, expect, it } from 'vitest'
import { stakingQuery } from '../../proto/index.ts'
import { historicalValidators } from './index.ts'
import { account, accountText, codeOf, NAT, operatorText, World } from './testing/world.ts'

const { method } = stakingQuery.Query

const makeWorld = (): World => {
  const world = World.start([30n, 20n, 10n], { max_validators: 2 })
  world.fund(account(5), 100n * NAT)
  for (const operator of [0, 1, 2]) world.delegate(5, operator, 10n * NAT)
  world.undelegate(5, 0, 4n * NAT)
  world.undelegate(5, 1, 4n * NAT)
  world.redelegate(5, 0, 1, NAT)
  world.redelegate(5, 0, 2, 2n * NAT)
  world.endBlock()
  return world
}

const world = makeWorld()
const byAddress = [0, 1, 2].sort((a, b) => Buffer.compare(account(a), account(b)))

describe('queries of validators', () => {
  it('list them in the order of operators, by status, in pages', () => {
    const { validators, pagination } = world.query(method.validators, {})
    expect(validators.map(({ operatorAddress }) => operatorAddress)).toEqual(byAddress.map(operatorText))
    expect(pagination?.total).toBe(3n)
    const bonded = world.query(method.validators, { status: 'BOND_STATUS_BONDED' }).validators
    expect(bonded.map(({ operatorAddress }) => operatorAddress)).toEqual(
      byAddress.filter((n) => n !== 2).map(operatorText),
    )
    expect(world.query(method.validators, { status: 'BOND_STATUS_UNBONDED' }).validators).toEqual([])
    expect(codeOf(() => world.query(method.validators, { status: 'bonded' }))).toBe('grpc/3')
    const first = world.query(method.validators, { pagination: { limit: 2n } })
    const second = world.query(method.validators, {
      pagination: { key: first.pagination?.nextKey ?? new Uint8Array(0) },
    })
    expect([...first.validators, ...second.validators]).toEqual(validators)
  })

  it('show one, with decimals of 18 places without a point', () => {
    const { validator } = world.query(method.validator, { validatorAddr: operatorText(0) })
    expect(validator).toMatchObject({
      operatorAddress: operatorText(0),
      jailed: false,
      status: 3,
      tokens: (33n * NAT).toString(),
      delegatorShares: (33n * NAT * NAT).toString(),
      description: { moniker: 'v0' },
      unbondingTime: { seconds: 0n, nanos: 0 },
      commission: { commissionRates: { rate: '100000000000000000' } },
      minSelfDelegation: '1',
    })
    expect(codeOf(() => world.query(method.validator, { validatorAddr: operatorText(9) }))).toBe('grpc/5')
    expect(codeOf(() => world.query(method.validator, { validatorAddr: accountText(0) }))).toBe('grpc/3')
    expect(codeOf(() => world.query(method.validator, {}))).toBe('grpc/3')
  })

  it('list who delegates to one, and who leaves it', () => {
    const { delegationResponses } = world.query(method.validatorDelegations, { validatorAddr: operatorText(0) })
    const people = [0, 5].sort((a, b) => Buffer.compare(account(a), account(b)))
    expect(delegationResponses.map(({ delegation }) => delegation?.delegatorAddress)).toEqual(people.map(accountText))
    expect(new Set(delegationResponses.map(({ balance }) => balance?.amount))).toEqual(
      new Set([30n * NAT, 3n * NAT].map(String)),
    )
    const { unbondingResponses } = world.query(method.validatorUnbondingDelegations, { validatorAddr: operatorText(1) })
    expect(unbondingResponses).toMatchObject([
      {
        delegatorAddress: accountText(5),
        entries: [{ creationHeight: 1n, balance: (4n * NAT).toString(), unbondingId: 3n }],
      },
    ])
  })

  it('give the set that a light client on another chain would trust', () => {
    const names = historicalValidators(world.state).map(({ operatorAddress }) => operatorAddress)
    expect(names).toEqual([0, 1].map(operatorText))
    expect(codeOf(() => world.query(method.historicalInfo, { height: 1n }))).toBe('grpc/12')
  })
})

describe('queries of a delegator', () => {
  const pair = { delegatorAddr: accountText(5), validatorAddr: operatorText(0) }

  it('show its delegations, and the validators that have them', () => {
    expect(world.query(method.delegation, pair).delegationResponse).toMatchObject({
      delegation: { shares: (3n * NAT * NAT).toString() },
      balance: { denom: 'anat', amount: (3n * NAT).toString() },
    })
    expect(codeOf(() => world.query(method.delegation, { ...pair, delegatorAddr: accountText(6) }))).toBe('grpc/5')
    expect(codeOf(() => world.query(method.delegation, { ...pair, delegatorAddr: '' }))).toBe('grpc/3')
    const all = world.query(method.delegatorDelegations, { delegatorAddr: accountText(5) })
    expect(all.delegationResponses).toHaveLength(3)
    const { validators } = world.query(method.delegatorValidators, { delegatorAddr: accountText(5) })
    expect(validators.map(({ operatorAddress }) => operatorAddress)).toEqual(byAddress.map(operatorText))
    expect(world.query(method.delegatorValidator, pair).validator?.operatorAddress).toBe(operatorText(0))
    expect(codeOf(() => world.query(method.delegatorValidator, { ...pair, delegatorAddr: accountText(6) }))).toBe(
      'grpc/5',
    )
  })

  it('show what leaves', () => {
    expect(world.query(method.unbondingDelegation, pair).unbond?.entries).toHaveLength(1)
    const none = { ...pair, validatorAddr: operatorText(2) }
    expect(codeOf(() => world.query(method.unbondingDelegation, none))).toBe('grpc/5')
    const { unbondingResponses } = world.query(method.delegatorUnbondingDelegations, { delegatorAddr: accountText(5) })
    expect(unbondingResponses).toHaveLength(2)
  })

  it('show what moved, by all three addresses, by the source, or all of it', () => {
    const delegatorAddr = accountText(5)
    const trio = { delegatorAddr, srcValidatorAddr: operatorText(0), dstValidatorAddr: operatorText(2) }
    const [one] = world.query(method.redelegations, trio).redelegationResponses
    expect(one).toMatchObject({
      redelegation: { validatorSrcAddress: operatorText(0), validatorDstAddress: operatorText(2), entries: [] },
      entries: [
        {
          balance: (2n * NAT).toString(),
          redelegationEntry: { creationHeight: 1n, sharesDst: (2n * NAT * NAT).toString() },
        },
      ],
    })
    const list = (request: object) => world.query(method.redelegations, request).redelegationResponses.length
    expect(list({ srcValidatorAddr: operatorText(0) })).toBe(2)
    expect(list({ delegatorAddr })).toBe(2)
    expect(list({ delegatorAddr: accountText(6) })).toBe(0)
    expect(codeOf(() => world.query(method.redelegations, {}))).toBe('grpc/3')
    expect(codeOf(() => world.query(method.redelegations, { ...trio, dstValidatorAddr: operatorText(9) }))).toBe(
      'grpc/5',
    )
    const first = world.query(method.redelegations, { delegatorAddr, pagination: { limit: 1n } })
    const key = first.pagination?.nextKey ?? new Uint8Array(0)
    expect(key).toHaveLength(40)
    expect(
      world.query(method.redelegations, { delegatorAddr, pagination: { key } }).redelegationResponses,
    ).toHaveLength(1)
  })
})

it('queries show the pools and the parameters', () => {
  expect(world.query(method.pool, {}).pool).toMatchObject({
    bondedTokens: world.pools.bonded.toString(),
    notBondedTokens: world.pools.notBonded.toString(),
  })
  expect(world.query(method.params, {}).params).toMatchObject({
    unbondingTime: { seconds: 1_814_400n, nanos: 0 },
    maxValidators: 2,
    bondDenom: 'anat',
    minCommissionRate: '0',
  })
})

it('every method of the service has an answer', () => {
  const served = world.module.queries.map(({ path }) => path.split('/').at(-1))
  expect(new Set(served)).toEqual(new Set(stakingQuery.Query.methods.map(({ name }) => name)))
})

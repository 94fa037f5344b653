/** Figures of the Cosmos SDK's own tests (v0.54.4, x/distribution), each named by its file and test. */
import { describe, expect, it } from 'vitest'
import type { Address } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { type Decimal, ONE, parseDecimal, toDecimal } from '../../core/decimal.ts'
import { distributionQuery, distributionTx } from '../../proto/index.ts'
import { formatOperator } from '../validator-addresses.ts'
import { decodeHistorical } from './codec.ts'
import { DISTRIBUTION_ADDRESS, readPool, scan } from './keeper.ts'
import { HISTORICAL_PREFIX } from './keys.ts'
import { delegatorOf, operatorOf } from './testing/fake-staking.ts'
import { GIVER, makeWorld, plainJson, vote, type World } from './testing/world.ts'

const HALF = ONE / 2n
const POWER = 1_000_000n
const { method: tx } = distributionTx.Msg
const { method: query } = distributionQuery.Query
const BOB = delegatorOf(1)

/** keeper.AllocateTokensToValidator. */
const allocate = (world: World, operator: Address, amount: bigint): void => {
  world.give(GIVER, amount)
  world.run(tx.depositValidatorRewardsPool, {
    depositor: encodeBech32(GIVER),
    validatorAddress: formatOperator(operator),
    amount: [{ denom: 'anat', amount: amount.toString() }],
  })
}

type Coins = readonly { readonly denom: string; readonly amount: string }[]
const anat = (coins: Coins | undefined): Decimal => {
  expect((coins ?? []).every(({ denom }) => denom === 'anat')).toBe(true)
  return BigInt(coins?.[0]?.amount ?? 0n)
}

const viewOf = (world: World, operator: Address) => {
  const validatorAddress = formatOperator(operator)
  return {
    outstanding: anat(world.ask(query.validatorOutstandingRewards, { validatorAddress }).rewards?.rewards),
    commission: anat(world.ask(query.validatorCommission, { validatorAddress }).commission?.commission),
    current: anat(world.ask(query.validatorCurrentRewards, { validatorAddress }).rewards?.rewards),
  }
}

/** IncrementValidatorPeriod and CalculateDelegationRewards. */
const rewardsOf = (world: World, delegator: Address, operator: Address): Decimal =>
  anat(
    world.ask(query.delegationRewards, {
      delegatorAddress: encodeBech32(delegator),
      validatorAddress: formatOperator(operator),
    }).rewards,
  )

const withdraw = (world: World, delegator: Address, operator: Address) =>
  world.run(tx.withdrawDelegatorReward, {
    delegatorAddress: encodeBech32(delegator),
    validatorAddress: formatOperator(operator),
  }).amount

const withdrawCommission = (world: World, operator: Address) =>
  world.run(tx.withdrawValidatorCommission, { validatorAddress: formatOperator(operator) }).amount

/** GetValidatorHistoricalReferenceCount. */
const references = (world: World): number => {
  let count = 0
  for (const [, value] of scan(world.state, HISTORICAL_PREFIX)) count += decodeHistorical(value).references
  return count
}

const began = (tokens: bigint, rate = HALF) => {
  const world = makeWorld()
  world.pass()
  return { world, operator: world.createValidator(0, tokens, rate) }
}

describe('allocation_test.go', () => {
  it('TestAllocateTokensToValidatorWithCommission: of 10 at 50%, 5 are commission and 5 rewards', () => {
    const { world, operator } = began(100n)
    allocate(world, operator, 10n)
    expect(viewOf(world, operator)).toEqual({
      outstanding: toDecimal(10n),
      commission: toDecimal(5n),
      current: toDecimal(5n),
    })
  })

  it('TestAllocateTokensToManyValidators: 100 of fees are 49 for each of two, and 2 for the community', () => {
    const { world, operator } = began(100n)
    const second = world.createValidator(1, 100n, 0n)
    world.beginBlock(100n, [vote(0, 100n), vote(1, 100n)])
    const [share, half] = [parseDecimal('49'), parseDecimal('24.5')]
    expect(viewOf(world, operator)).toEqual({ outstanding: share, commission: half, current: half })
    expect(viewOf(world, second)).toEqual({ outstanding: share, commission: 0n, current: share })
    expect(readPool(world.state, 'anat')).toBe(toDecimal(2n))
  })

  it('TestAllocateTokensTruncation: rewards that cannot be divided stay positive, and nothing is lost', () => {
    const { world } = began(100n, ONE / 10n)
    world.createValidator(1, 100n, ONE / 10n)
    world.createValidator(2, 100n, ONE / 10n)
    world.beginBlock(634_195_840n, [vote(0, 11n), vote(1, 10n), vote(2, 10n)])
    const shares = [0, 1, 2].map((number) => viewOf(world, operatorOf(number)).outstanding)
    expect(shares.every((share) => share > 0n)).toBe(true)
    const pool = readPool(world.state, 'anat')
    expect(shares.reduce((sum, share) => sum + share, pool)).toBe(toDecimal(634_195_840n))
  })
})

describe('abci_test.go', () => {
  it('TestBeginBlockNoOp: nothing to share, nothing written', () => {
    const { world } = began(100n)
    const before = world.values()
    world.beginBlock(0n, [vote(0, 100n)])
    expect(world.values()).toEqual(before)
    expect(world.events).toEqual([])
  })

  it('TestBeginBlockCommunityPoolCollectsDust: the SDK leaves 12683916.800000001243023848, we 30 parts of 10^-18', () => {
    const { world } = began(100n, ONE / 10n)
    world.createValidator(1, 100n, ONE / 10n)
    world.createValidator(2, 100n, ONE / 10n)
    world.beginBlock(634_195_840n, [vote(0, 11n), vote(1, 10n), vote(2, 10n)])
    const pool = readPool(world.state, 'anat')
    const tax = parseDecimal('12683916.8')
    expect(pool - tax).toBe(parseDecimal('621511923.2') % 31n)
    // The fraction of each power is cut at its 18th place there, so more is left.
    expect(pool).toBeLessThan(parseDecimal('12683916.800000001243023848'))
  })
})

describe('delegation_test.go', () => {
  it('TestCalculateRewardsBasic: half of 10 for the delegator, half commission, two references', () => {
    const { world, operator } = began(1_000n)
    world.pass()
    expect(references(world)).toBe(2)
    expect(rewardsOf(world, operator, operator)).toBe(0n)
    allocate(world, operator, 10n)
    expect(rewardsOf(world, operator, operator)).toBe(toDecimal(5n))
    expect(viewOf(world, operator).commission).toBe(toDecimal(5n))
    expect(references(world)).toBe(2)
  })

  it('TestCalculateRewardsAfterSlash: half of 10,000,000 after a slash of 50%', () => {
    const { world, operator } = began(100n * POWER)
    world.pass(4)
    expect(world.stake.slash(world.context, operator, HALF)).toBe(50n * POWER)
    world.pass(3)
    allocate(world, operator, 10n * POWER)
    expect(rewardsOf(world, operator, operator)).toBe(toDecimal(5n * POWER))
    expect(viewOf(world, operator).commission).toBe(toDecimal(5n * POWER))
  })

  it('TestCalculateRewardsAfterManySlashes: rewards between and after two slashes add up', () => {
    const { world, operator } = began(100n * POWER)
    world.pass(4)
    world.stake.slash(world.context, operator, HALF)
    world.pass(3)
    allocate(world, operator, 10n * POWER)
    world.stake.slash(world.context, operator, HALF)
    world.pass(3)
    allocate(world, operator, 10n * POWER)
    expect(rewardsOf(world, operator, operator)).toBe(toDecimal(10n * POWER))
    expect(viewOf(world, operator).commission).toBe(toDecimal(10n * POWER))
  })

  it('TestCalculateRewardsMultiDelegator: 3/4 and 1/4 of 20', () => {
    const { world, operator } = began(100n)
    world.pass()
    allocate(world, operator, 20n)
    world.stake.delegate(world.context, BOB, operator, 100n)
    world.pass()
    allocate(world, operator, 20n)
    expect(rewardsOf(world, operator, operator)).toBe(toDecimal(15n))
    expect(rewardsOf(world, BOB, operator)).toBe(toDecimal(5n))
    expect(viewOf(world, operator).commission).toBe(toDecimal(20n))
  })

  it('TestWithdrawDelegationRewardsBasic: 5,000,000 are paid twice, and the references stay two', () => {
    const { world, operator } = began(100n)
    world.pass()
    allocate(world, operator, 10n * POWER)
    expect(withdraw(world, operator, operator)).toMatchObject([{ denom: 'anat', amount: '5000000' }])
    expect(references(world)).toBe(2)
    expect(withdrawCommission(world, operator)).toMatchObject([{ denom: 'anat', amount: '5000000' }])
    expect(world.ledger.balance(world.state, operator, 'anat')).toBe(10n * POWER)
  })

  it('TestCalculateRewardsAfterManySlashesInSameBlock: two slashes of one block', () => {
    const { world, operator } = began(100n * POWER)
    world.pass(4)
    allocate(world, operator, 10n * POWER)
    world.stake.slash(world.context, operator, HALF)
    world.stake.slash(world.context, operator, HALF)
    world.pass(3)
    allocate(world, operator, 10n * POWER)
    expect(rewardsOf(world, operator, operator)).toBe(toDecimal(10n * POWER))
    expect(viewOf(world, operator).commission).toBe(toDecimal(10n * POWER))
  })

  it('TestCalculateRewardsMultiDelegatorMultiSlash: 2/3 and 1/3 of 30,000,000', () => {
    const { world, operator } = began(100n * POWER)
    world.pass()
    allocate(world, operator, 30n * POWER)
    world.pass(3)
    world.stake.slash(world.context, operator, HALF)
    world.pass(3)
    world.stake.delegate(world.context, BOB, operator, 100n * POWER)
    world.pass()
    allocate(world, operator, 30n * POWER)
    world.pass(3)
    world.stake.slash(world.context, operator, HALF)
    world.pass(3)
    expect(rewardsOf(world, operator, operator)).toBe(toDecimal(20n * POWER))
    expect(rewardsOf(world, BOB, operator)).toBe(toDecimal(10n * POWER))
    expect(viewOf(world, operator).commission).toBe(toDecimal(30n * POWER))
  })

  it('TestCalculateRewardsMultiDelegatorMultiWithdraw: withdrawals between allocations change nobody else', () => {
    const { world, operator } = began(100n)
    world.pass()
    allocate(world, operator, 20n)
    expect(references(world)).toBe(2)
    world.stake.delegate(world.context, BOB, operator, 100n)
    expect(references(world)).toBe(3)
    world.pass()
    allocate(world, operator, 20n)
    expect(withdraw(world, operator, operator)).toMatchObject([{ amount: '15' }])
    expect(withdraw(world, BOB, operator)).toMatchObject([{ amount: '5' }])
    expect(references(world)).toBe(3)
    expect(withdrawCommission(world, operator)).toMatchObject([{ amount: '20' }])
    expect([rewardsOf(world, operator, operator), rewardsOf(world, BOB, operator)]).toEqual([0n, 0n])
    expect(viewOf(world, operator).commission).toBe(0n)
    world.pass()
    allocate(world, operator, 20n)
    expect(withdraw(world, operator, operator)).toMatchObject([{ amount: '5' }])
    expect([rewardsOf(world, operator, operator), rewardsOf(world, BOB, operator)]).toEqual([0n, toDecimal(5n)])
    expect(viewOf(world, operator).commission).toBe(toDecimal(10n))
    world.pass()
    allocate(world, operator, 20n)
    expect(withdrawCommission(world, operator)).toMatchObject([{ amount: '20' }])
    expect(rewardsOf(world, operator, operator)).toBe(toDecimal(5n))
    expect(rewardsOf(world, BOB, operator)).toBe(toDecimal(10n))
    expect(viewOf(world, operator).commission).toBe(0n)
  })

  it('Test100PercentCommissionReward: nothing is due to the delegator', () => {
    const { world, operator } = began(100n, ONE)
    for (let block = 0; block < 4; block++) {
      world.pass()
      allocate(world, operator, 20n)
    }
    expect(withdraw(world, operator, operator)).toMatchObject([{ denom: 'anat', amount: '0' }])
    expect(world.events.at(-1)?.type).toBe('withdraw_rewards')
    expect(viewOf(world, operator).commission).toBe(toDecimal(80n))
  })
})

describe('keeper_test.go', () => {
  it('TestWithdrawValidatorCommission: of 1.25 and 1.5, one of each is paid and the rest stays', () => {
    const coins = [
      { denom: 'anat', amount: '1.5' },
      { denom: 'mytoken', amount: '1.25' },
    ]
    const { world, operator } = began(100n)
    const { module } = world
    const genesis = plainJson(module.exportGenesis(world.context)) as Record<string, unknown>
    const validator_address = formatOperator(operator)
    const again = makeWorld()
    for (const { denom } of coins) again.give(DISTRIBUTION_ADDRESS, 2n, denom)
    again.start({
      ...genesis,
      outstanding_rewards: [{ validator_address, outstanding_rewards: coins }],
      validator_accumulated_commissions: [{ validator_address, accumulated: { commission: coins } }],
      fee_pool: {
        community_pool: [
          { denom: 'anat', amount: '0.5' },
          { denom: 'mytoken', amount: '0.75' },
        ],
      },
    })
    expect(withdrawCommission(again, operator)).toMatchObject([
      { denom: 'anat', amount: '1' },
      { denom: 'mytoken', amount: '1' },
    ])
    const { validator_accumulated_commissions: left } = plainJson(module.exportGenesis(again.context)) as Record<
      string,
      unknown
    >
    expect(left).toEqual([
      {
        validator_address,
        accumulated: {
          commission: [
            { denom: 'anat', amount: '0.500000000000000000' },
            { denom: 'mytoken', amount: '0.250000000000000000' },
          ],
        },
      },
    ])
  })
})

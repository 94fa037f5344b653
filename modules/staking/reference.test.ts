/** Figures of the Cosmos SDK's own tests of x/staking; each case names its file and test. */
import { describe, expect, it } from 'vitest'
import { parseDecimal, toDecimal } from '../../core/decimal.ts'
import { DAY_NS, NS_PER_SECOND } from '../../core/time.ts'
import { checkCommissionRates, checkNewRate } from './commission.ts'
import { readDelegation, unbond, writeDelegation } from './keeper/delegations.ts'
import { NOT_BONDED_POOL_ADDRESS } from './keys.ts'
import { readPools, writePools } from './keeper/pools.ts'
import { redelegate, readRedelegationEntries, writeRedelegation } from './keeper/redelegations.ts'
import { slashRedelegation, slashUnbondings } from './slash-payers.ts'
import { account, codeOf, FIRST_TIME_NS, keyOf, NAT, World } from './testing/world.ts'
import { readUnbondingEntries, undelegate, writeUnbonding } from './keeper/unbonding.ts'
import { addTokens, removeShares, tokensFromShares, type Validator } from './validator.ts'
import { readValidator } from './keeper/validators.ts'
import { consensusAddressOf } from '../validator-addresses.ts'
import { createLedger } from '../bank/index.ts'

const PORTS = { ledger: createLedger({ isBlockedReceiver: () => false }), stakingHooks: () => [] }
const HALF = NAT / 2n
const UNBONDING_NS = 21n * DAY_NS

const plain = (tokens: bigint, shares: bigint): Validator => ({
  operator: account(0),
  publicKey: keyOf(0),
  consensusAddress: consensusAddressOf(keyOf(0)),
  status: 'bonded',
  isJailed: false,
  tokens,
  shares: toDecimal(shares),
  minSelfDelegation: 1n,
  description: { moniker: 'v', identity: '', website: '', securityContact: '', details: '' },
  commissionRate: 0n,
  maxCommissionRate: 0n,
  maxCommissionChangeRate: 0n,
  commissionTimeNs: 0n,
  unbondingHeight: 0,
  unbondingTimeNs: 0n,
  unbondingIds: [],
})

const decimals = (texts: string): readonly bigint[] => texts.split(' ').map(parseDecimal)

describe('x/staking/types', () => {
  it('validator_test.go TestShareTokens', () => {
    expect(tokensFromShares(plain(100n, 100n), toDecimal(50n))).toBe(toDecimal(50n))
    expect(tokensFromShares(plain(50n, 100n), toDecimal(50n))).toBe(toDecimal(25n))
    expect(tokensFromShares(plain(50n, 100n), toDecimal(10n))).toBe(toDecimal(5n))
  })

  it('validator_test.go TestRemoveDelShares', () => {
    const [left, amount] = removeShares(plain(100n, 100n), toDecimal(10n))
    expect([amount, left.shares, left.tokens]).toEqual([10n, toDecimal(90n), 90n])
    expect(removeShares(plain(5_102n, 115n), toDecimal(29n))[1]).toBe(1_286n)
  })

  it('validator_test.go TestAddTokensFromDel', () => {
    const [first, issued] = addTokens(plain(0n, 0n), 6n)
    expect([issued, first.shares, first.tokens]).toEqual([toDecimal(6n), toDecimal(6n), 6n])
    const [second, more] = addTokens(first, 3n)
    expect([more, second.shares, second.tokens]).toEqual([toDecimal(3n), toDecimal(9n), 9n])
  })

  it.each([
    ['0 -1 0', 'staking/9'],
    ['0 2 0', 'staking/10'],
    ['-1 0 0', 'staking/9'],
    ['0.75 0.5 0', 'staking/11'],
    ['1 1 -1', 'staking/13'],
    ['1 0.75 0.9', 'staking/11'],
    ['0.5 0.75 0.9', 'staking/14'],
    ['0.2 1 0.1', 'ok'],
  ])('commission_test.go TestCommissionValidate: rate, maximum, change %s gives %s', (texts, code) => {
    const [rate = 0n, maxRate = 0n, maxChangeRate = 0n] = decimals(texts)
    expect(codeOf(() => checkCommissionRates({ rate, maxRate, maxChangeRate }))).toBe(code)
  })

  it.each([
    ['0.5', 0n, 'staking/12'],
    ['-1', 48n, 'staking/9'],
    ['0.9', 48n, 'staking/11'],
    ['0.6', 48n, 'staking/15'],
    ['0.5', 48n, 'ok'],
    ['0.1', 48n, 'ok'],
    ['0.5', 24n, 'ok'],
  ])('commission_test.go TestCommissionValidateNewRate: %s after %i h gives %s', (rate, hours, code) => {
    const [commissionRate = 0n, maxCommissionRate = 0n, maxCommissionChangeRate = 0n] = decimals('0.4 0.8 0.1')
    const validator = { ...plain(1n, 1n), commissionRate, maxCommissionRate, maxCommissionChangeRate }
    const now = hours * 3_600n * NS_PER_SECOND
    expect(codeOf(() => checkNewRate(validator, parseDecimal(rate), now))).toBe(code)
  })
})

describe('x/staking/keeper/validator_test.go', () => {
  it('TestApplyAndReturnValidatorSetUpdatesPowerDecrease', () => {
    const world = World.start([100n, 100n])
    unbond(PORTS, world.context(), account(0), account(0), toDecimal(20n * NAT))
    unbond(PORTS, world.context(), account(1), account(1), toDecimal(30n * NAT))
    expect(world.endBlock()).toEqual([
      { publicKey: keyOf(0), power: 80n },
      { publicKey: keyOf(1), power: 70n },
    ])
  })

  it('TestUpdateValidatorByPowerIndex: half of the shares gone is half of the power', () => {
    const world = World.start([100n, 10n])
    const amount = unbond(PORTS, world.context(), account(0), account(0), toDecimal(50n * NAT))
    expect(amount).toBe(50n * NAT)
    expect(world.endBlock()).toEqual([{ publicKey: keyOf(0), power: 50n }])
  })
})

/** Two validators of power 10 and a delegator, account 5, with 10 NAT at the first. */
const withDelegator = (): World => {
  const world = World.start([10n, 10n])
  world.fund(account(5), 20n * NAT)
  world.delegate(5, 0, 10n * NAT)
  world.endBlock()
  return world
}

/** The world above, where the operator of the first has left it: height 10, 333 s. */
const withUnbonding = (): World => {
  const world = withDelegator()
  world.height = 10
  world.timeNs = FIRST_TIME_NS + 333n * NS_PER_SECOND
  expect(undelegate(PORTS, world.context(), account(0), account(0), toDecimal(10n * NAT)).amount).toBe(10n * NAT)
  expect(world.endBlock()).toHaveLength(1)
  expect(world.validator(0)).toMatchObject({
    status: 'unbonding',
    isJailed: true,
    unbondingHeight: 10,
    unbondingTimeNs: FIRST_TIME_NS + 333n * NS_PER_SECOND + UNBONDING_NS,
  })
  return world
}

describe('x/staking/keeper/delegation_test.go', () => {
  it('TestUnbondDelegation', () => {
    const world = withDelegator()
    expect(unbond(PORTS, world.context(), account(5), account(0), toDecimal(6n * NAT))).toBe(6n * NAT)
    expect(readDelegation(world.state, account(5), account(0))?.shares).toBe(toDecimal(4n * NAT))
    expect(world.validator(0).tokens).toBe(14n * NAT)
  })

  it('TestUndelegateSelfDelegationBelowMinSelfDelegation', () => {
    const world = World.start([10n])
    world.fund(account(1), 30n * NAT)
    world.createValidator(1, 10n * NAT, { minSelfDelegation: (10n * NAT).toString() })
    world.fund(account(5), 10n * NAT)
    world.delegate(5, 1, 10n * NAT)
    world.endBlock()
    undelegate(PORTS, world.context(), account(1), account(1), toDecimal(6n * NAT))
    expect(world.endBlock()).toEqual([{ publicKey: keyOf(1), power: 0n }])
    expect(world.validator(1)).toMatchObject({ tokens: 14n * NAT, status: 'unbonding', isJailed: true })
    expect(world.faults()).toEqual([])
  })

  it('TestUndelegateFromUnbondingValidator', () => {
    const world = withUnbonding()
    world.height = 20
    world.timeNs = FIRST_TIME_NS + 444n * NS_PER_SECOND
    expect(undelegate(PORTS, world.context(), account(5), account(0), toDecimal(6n)).amount).toBe(6n)
    expect(readUnbondingEntries(world.state, account(5), account(0))).toMatchObject([
      { balance: 6n, creationHeight: 20, completionTimeNs: world.timeNs + UNBONDING_NS },
    ])
  })

  it('TestUndelegateFromUnbondedValidator', () => {
    const world = withUnbonding()
    world.timeNs = world.validator(0).unbondingTimeNs
    world.endBlock()
    expect(world.validator(0).status).toBe('unbonded')
    expect(undelegate(PORTS, world.context(), account(5), account(0), toDecimal(6n * NAT)).amount).toBe(6n * NAT)
    expect(undelegate(PORTS, world.context(), account(5), account(0), toDecimal(4n * NAT)).amount).toBe(4n * NAT)
    expect(readValidator(world.state, account(0))).toBeUndefined()
  })

  it('TestUnbondingAllDelegationFromValidator', () => {
    const world = withUnbonding()
    expect(undelegate(PORTS, world.context(), account(5), account(0), toDecimal(10n * NAT)).amount).toBe(10n * NAT)
    expect(world.validator(0).status).toBe('unbonding')
    world.timeNs = world.validator(0).unbondingTimeNs
    world.endBlock()
    expect(readValidator(world.state, account(0))).toBeUndefined()
    expect(world.faults()).toEqual([])
  })

  it('TestRedelegationMaxEntries', () => {
    const world = World.start([10n, 10n])
    const trio = { delegator: account(0), source: account(0), destination: account(1) }
    const move = () => redelegate(PORTS, world.context(), trio, toDecimal(1n))
    for (let count = 0; count < 7; count++) move()
    expect(codeOf(move)).toBe('staking/33')
    world.timeNs += UNBONDING_NS
    world.endBlock()
    expect(codeOf(move)).toBe('ok')
  })

  it('TestRedelegateToSameValidator', () => {
    const world = World.start([10n])
    expect(codeOf(() => world.redelegate(0, 0, 0, 5n))).toBe('staking/29')
  })

  it('TestRedelegateSelfDelegation', () => {
    const world = withDelegator()
    world.redelegate(0, 0, 1, 10n * NAT)
    expect(world.endBlock()).toHaveLength(2)
    expect(world.validator(0)).toMatchObject({ tokens: 10n * NAT, status: 'unbonding' })
  })

  it('TestRedelegateFromUnbondingValidator', () => {
    const world = withUnbonding()
    const completion = world.validator(0).unbondingTimeNs
    world.height = 20
    world.redelegate(5, 0, 1, 6n * NAT)
    const trio = { delegator: account(5), source: account(0), destination: account(1) }
    expect(readRedelegationEntries(world.state, trio)).toMatchObject([
      { creationHeight: 10, completionTimeNs: completion },
    ])
  })

  it('TestRedelegateFromUnbondedValidator and TestRedelegateAllSharesFromUnbondedValidator', () => {
    const world = withUnbonding()
    world.timeNs = world.validator(0).unbondingTimeNs
    world.endBlock()
    const trio = { delegator: account(5), source: account(0), destination: account(1) }
    world.redelegate(5, 0, 1, 6n * NAT)
    expect(readRedelegationEntries(world.state, trio)).toEqual([])
    const { completionTime } = world.redelegate(5, 0, 1, 4n * NAT)
    // Go's zero time.
    expect(completionTime?.seconds).toBe(-62_135_596_800n)
    expect(readValidator(world.state, account(0))).toBeUndefined()
    expect(readDelegation(world.state, account(5), account(0))).toBeUndefined()
    expect(readDelegation(world.state, account(5), account(1))?.shares).toBe(toDecimal(10n * NAT))
    world.endBlock()
    expect(world.faults()).toEqual([])
  })

  it('TestUnbondingDelegationAddEntry: two of one block are one entry, ids have gaps', () => {
    const world = withDelegator()
    for (const amount of [10n, 5n]) world.undelegate(5, 0, amount)
    world.endBlock()
    world.undelegate(5, 0, 5n)
    expect(readUnbondingEntries(world.state, account(5), account(0))).toMatchObject([
      { balance: 15n, initialBalance: 15n, id: 1 },
      { balance: 5n, id: 3 },
    ])
  })
})

/** Three validators of power 10, at height 12; what left the first began at height 11. */
const slashWorld = (): World => {
  const world = World.start([10n, 10n, 10n])
  world.fund(account(5), 20n * NAT)
  world.height = 12
  return world
}

const CONSENSUS = consensusAddressOf(keyOf(0))
const entry = (amount: bigint, creationHeight: number, seconds: bigint, id: number) => ({
  creationHeight,
  completionTimeNs: FIRST_TIME_NS + seconds * NS_PER_SECOND,
  initialBalance: amount,
  balance: amount,
  id,
})

const addUnbonding = (world: World, amount: bigint, creationHeight = 11, seconds = 100n) => {
  world.fund(NOT_BONDED_POOL_ADDRESS, amount)
  const pools = readPools(world.state)
  writePools(world.state, { ...pools, notBonded: pools.notBonded + amount })
  const unbonding = {
    delegator: account(5),
    operator: account(0),
    entries: [entry(amount, creationHeight, seconds, 1)],
  }
  writeUnbonding(world.state, unbonding)
  return unbonding
}

/**
 * Adds a redelegation as the SDK's tests do it: a delegation to the second validator whose shares are not in its
 * record.
 */
const addRedelegation = (world: World, amount: bigint, creationHeight = 11, seconds = 100n) => {
  const { balance: _, ...rest } = entry(amount, creationHeight, seconds, 2)
  const redelegation = {
    delegator: account(5),
    source: account(0),
    destination: account(1),
    entries: [{ ...rest, sharesDestination: toDecimal(amount) }],
  }
  writeRedelegation(world.state, redelegation)
  writeDelegation(world.state, { delegator: account(5), operator: account(1), shares: toDecimal(amount) })
  return redelegation
}

describe('tests/integration/staking/keeper/slash_test.go', () => {
  it('TestSlashUnbondingDelegation', () => {
    const world = slashWorld()
    const unbonding = addUnbonding(world, 10n, 0, 5n)
    const { notBonded } = world.pools
    const [timeNs, late] = [world.timeNs, FIRST_TIME_NS + 10n * NS_PER_SECOND]
    expect(slashUnbondings(PORTS, world.context(), [unbonding], { height: 1, fraction: HALF, timeNs })).toBe(0n)
    expect(slashUnbondings(PORTS, world.context(), [unbonding], { height: 0, fraction: HALF, timeNs: late })).toBe(0n)
    expect(slashUnbondings(PORTS, world.context(), [unbonding], { height: 0, fraction: HALF, timeNs })).toBe(5n)
    const [after] = readUnbondingEntries(world.state, account(5), account(0))
    expect([after?.initialBalance, after?.balance, notBonded - world.pools.notBonded]).toEqual([10n, 5n, 5n])
  })

  it('TestSlashRedelegation', () => {
    const world = slashWorld()
    const redelegation = addRedelegation(world, 10n, 0, 5n)
    const { bonded } = world.pools
    const [timeNs, late] = [world.timeNs, FIRST_TIME_NS + 10n * NS_PER_SECOND]
    expect(slashRedelegation(PORTS, world.context(), redelegation, { height: 1, fraction: HALF, timeNs })).toBe(0n)
    expect(slashRedelegation(PORTS, world.context(), redelegation, { height: 0, fraction: HALF, timeNs: late })).toBe(
      0n,
    )
    expect(slashRedelegation(PORTS, world.context(), redelegation, { height: 0, fraction: HALF, timeNs })).toBe(5n)
    expect(readRedelegationEntries(world.state, redelegation)[0]?.initialBalance).toBe(10n)
    expect(readDelegation(world.state, account(5), account(1))?.shares).toBe(toDecimal(5n))
    expect(bonded - world.pools.bonded).toBe(5n)
    // Ten tokens less five of 10^19: the power is one less.
    expect(world.endBlock()).toHaveLength(1)
  })

  it.each([12, -2])('TestSlashValidatorAtCurrentHeight, TestSlashAtNegativeHeight and TestSlashAmount: at %i', (at) => {
    const world = slashWorld()
    expect(world.stake.slash(world.context(), CONSENSUS, at, 10n, HALF)).toBe(5n * NAT)
    expect(world.endBlock()).toEqual([{ publicKey: keyOf(0), power: 5n }])
    expect(world.pools.bonded).toBe(25n * NAT)
    expect(world.stake.slash(world.context(), new Uint8Array(20), at, 10n, HALF)).toBe(0n)
    expect(world.faults()).toEqual([])
  })

  it('keeper/slash_test.go TestSlashAtFutureHeight and TestRevocation', () => {
    const world = slashWorld()
    const { stake } = world
    expect(codeOf(() => stake.slash(world.context(), CONSENSUS, 13, 10n, HALF))).toBe('sdk/18')
    stake.jail(world.context(), CONSENSUS)
    expect(world.validator(0).isJailed).toBe(true)
    expect(codeOf(() => stake.jail(world.context(), CONSENSUS))).toBe('staking/7')
    stake.unjail(world.context(), CONSENSUS)
    expect(world.validator(0).isJailed).toBe(false)
    expect(world.endBlock()).toEqual([])
  })

  it('TestSlashWithUnbondingDelegation: 4 leave, four slashes of half of 10 leave 7, 4, 1 and 0', () => {
    const world = slashWorld()
    addUnbonding(world, 4n * NAT)
    const { bonded } = world.pools
    const figures = [10, 9, 9, 9].map((height) => {
      world.stake.slash(world.context(), CONSENSUS, height, 10n, HALF)
      const [left] = readUnbondingEntries(world.state, account(5), account(0))
      return [left?.balance, bonded - world.pools.bonded, world.validator(0).tokens].map((each) => (each ?? -1n) / NAT)
    })
    expect(figures).toEqual([
      [2n, 3n, 7n],
      [0n, 6n, 4n],
      [0n, 9n, 1n],
      [0n, 10n, 0n],
    ])
    expect(world.endBlock()).toEqual([{ publicKey: keyOf(0), power: 0n }])
    expect(world.validator(0).status).toBe('unbonding')
  })

  it('TestSlashWithRedelegation: 6 moved; slashes of a half and twice of all leave 8, 4 and 0', () => {
    const world = slashWorld()
    addRedelegation(world, 6n * NAT)
    const { notBonded } = world.pools
    const figures = [HALF, NAT, NAT].map((fraction) => {
      const { bonded } = world.pools
      world.stake.slash(world.context(), CONSENSUS, 10, 10n, fraction)
      return [(bonded - world.pools.bonded) / NAT, world.validator(0).tokens / NAT]
    })
    expect(figures).toEqual([
      [5n, 8n],
      [7n, 4n],
      [4n, 0n],
    ])
    world.endBlock()
    expect(world.validator(0).status).toBe('unbonding')
    const before = world.pools
    world.stake.slash(world.context(), CONSENSUS, 10, 10n, NAT)
    expect(world.pools).toEqual(before)
    expect(before.notBonded).toBe(notBonded)
  })

  it('TestSlashBoth: who left pays all of it, and the validator keeps its power', () => {
    const world = slashWorld()
    addRedelegation(world, 6n * NAT)
    addUnbonding(world, 4n * NAT)
    const before = world.pools
    world.stake.slash(world.context(), CONSENSUS, 10, 10n, HALF)
    expect(before.notBonded - world.pools.notBonded).toBe(2n * NAT)
    expect(before.bonded - world.pools.bonded).toBe(3n * NAT)
    expect(world.validator(0).tokens).toBe(10n * NAT)
  })
})

import { expect, it } from 'vitest'
import { DENOMINATION } from '../../core/amounts.ts'
import { bytesToHex } from '../../core/hex.ts'
import { type Random, seeded } from '../../test/sim/random.ts'
import { readSupply } from '../bank/index.ts'
import { consensusAddressOf } from '../validator-addresses.ts'
import { readAllDelegations } from './keeper/delegations.ts'
import { STAKING_ADDRESS } from './keys.ts'
import { readAllRedelegations } from './keeper/redelegations.ts'
import { MAX_ENTRIES, Model } from './testing/model.ts'
import { account, codeOf, freshState, keyOf, NAT, World } from './testing/world.ts'
import { BONDED_POOL_ADDRESS, NOT_BONDED_POOL_ADDRESS } from './index.ts'
import { readAllUnbondings } from './keeper/unbonding.ts'
import { readValidators } from './keeper/validators.ts'

const OPERATORS = [0, 1, 2, 3, 4, 5, 6, 7]
const PEOPLE = [...OPERATORS, 20, 21, 22, 23]
const NUMBERS = new Map(PEOPLE.map((number) => [bytesToHex(account(number)), number]))
const numberOf = (address: Uint8Array): number => NUMBERS.get(bytesToHex(address)) ?? -1
const FUNDS = 200n * NAT
const MAX_VALIDATORS = 4

const modelCode = (call: () => void): string => {
  try {
    call()
    return 'ok'
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return error.message
  }
}

const sorted = <Item>(items: Iterable<Item>): Item[] =>
  [...items].sort((a, b) => (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : 0))
const text = (item: unknown): string =>
  JSON.stringify(item, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))

const stateOfModule = (world: World) => ({
  validators: sorted(
    [...readValidators(world.state)].map((each) => ({
      number: numberOf(each.operator),
      status: each.status,
      isJailed: each.isJailed,
      tokens: each.tokens,
      shares: each.shares,
      minimum: each.minSelfDelegation,
      unbondingHeight: each.unbondingHeight,
      unbondingTimeNs: each.unbondingTimeNs,
    })),
  ),
  delegations: sorted(
    [...readAllDelegations(world.state)].map((each) => [
      `${numberOf(each.delegator)}/${numberOf(each.operator)}`,
      each.shares,
    ]),
  ),
  leaving: sorted(
    [...readAllUnbondings(world.state)].flatMap(({ delegator, operator, entries }) =>
      entries.map((entry) => ({
        delegator: numberOf(delegator),
        operator: numberOf(operator),
        height: entry.creationHeight,
        timeNs: entry.completionTimeNs,
        initial: entry.initialBalance,
        balance: entry.balance,
      })),
    ),
  ),
  moving: sorted(
    [...readAllRedelegations(world.state)].flatMap(({ delegator, source, destination, entries }) =>
      entries.map((entry) => ({
        delegator: numberOf(delegator),
        source: numberOf(source),
        destination: numberOf(destination),
        height: entry.creationHeight,
        timeNs: entry.completionTimeNs,
        initial: entry.initialBalance,
        shares: entry.sharesDestination,
      })),
    ),
  ),
  balances: PEOPLE.map((number) => world.balance(account(number))),
  pools: world.pools,
})

const stateOfModel = (model: Model) => ({
  validators: sorted(model.validators),
  delegations: sorted(model.delegations),
  leaving: sorted(model.leaving),
  moving: sorted(model.moving),
  balances: PEOPLE.map((number) => model.balances.get(number) ?? 0n),
  pools: model.pools,
})

/** Mostly uneven amounts, sometimes whole ones, dust, or far too much. */
const pickAmount = (random: Random): bigint => {
  const kind = random.below(10)
  if (kind === 0) return BigInt(1 + random.below(5))
  if (kind === 1) return 500n * NAT
  if (kind < 4) return BigInt(1 + random.below(10)) * NAT
  return BigInt(1 + random.below(8_000)) * (NAT / 997n) + BigInt(random.below(1_000_000))
}

const pickFraction = (random: Random): bigint => {
  if (random.chance(12)) return NAT
  return BigInt(random.below(random.chance(50) ? 1_000 : 500_000)) * (NAT / 1_000_003n) + BigInt(random.below(1_000))
}

/** One operation on both; returns its name and what both said of it. */
const operate = (
  random: Random,
  world: World,
  model: Model,
): readonly [name: string, code: string, expected: string] => {
  const [delegator, operator, other] = [random.pick(PEOPLE), random.pick(OPERATORS), random.pick(OPERATORS)]
  const amount = pickAmount(random)
  const both = (name: string, real: () => void, plain: () => void) => [name, codeOf(real), modelCode(plain)] as const
  const kind = random.below(100)
  if (kind < 8) {
    const minimum = random.chance(50) ? 1n : amount
    return both(
      'create',
      () => world.createValidator(operator, amount, { minSelfDelegation: minimum.toString() }),
      () => model.create(operator, amount, minimum),
    )
  }
  if (kind < 35) {
    const real = () => world.delegate(delegator, operator, amount)
    return both('delegate', real, () => model.delegate(delegator, operator, amount))
  }
  // Sometimes all of it, to the last share.
  const pair = random.chance(20) ? wholeDelegation(random, model) : againFrom(random, model, amount)
  if (kind < 60) {
    const [from, at, sum] = pair ?? [delegator, operator, amount]
    return both(
      'undelegate',
      () => world.undelegate(from, at, sum),
      () => model.undelegate(from, at, sum),
    )
  }
  if (kind < 78) {
    const [from, at, sum] = pair ?? [delegator, operator, amount]
    return both(
      'redelegate',
      () => world.redelegate(from, at, other, sum),
      () => model.redelegate(from, at, other, sum),
    )
  }
  if (kind < 86 && model.leaving.length > 0) {
    const entry = random.pick(model.leaving)
    const sum = random.chance(40) && entry.balance > 0n ? entry.balance : amount
    return both(
      'cancel',
      () => world.cancel(entry.delegator, entry.operator, sum, entry.height),
      () => model.cancel(entry.delegator, entry.operator, sum, entry.height),
    )
  }
  const validator = model.find(operator)
  if (validator === undefined) return ['none', '', '']
  const consensusAddress = consensusAddressOf(keyOf(operator))
  const { stake } = world
  if (kind < 93) {
    const height = Math.max(1, world.height - random.below(12))
    const power = random.chance(80) ? validator.tokens / NAT : BigInt(random.below(60))
    const fraction = pickFraction(random)
    return both(
      'slash',
      () => stake.slash(world.context(), consensusAddress, height, power, fraction),
      () => model.slash(operator, height, power, fraction),
    )
  }
  return both(
    validator.isJailed ? 'unjail' : 'jail',
    () => (validator.isJailed ? stake.unjail : stake.jail)(world.context(), consensusAddress),
    () => (validator.isJailed ? model.unjail(operator) : model.jail(operator)),
  )
}

/** A pair that has something on its way out already. */
const againFrom = (random: Random, model: Model, amount: bigint): readonly [number, number, bigint] | undefined => {
  if (model.leaving.length === 0 || random.chance(60)) return undefined
  const { delegator, operator } = random.pick(model.leaving)
  return [delegator, operator, (amount % NAT) + 1n]
}

const wholeDelegation = (random: Random, model: Model): readonly [number, number, bigint] | undefined => {
  const [key, shares] = random.pick([...model.delegations, ['', 0n] as const])
  if (shares === 0n) return undefined
  const [delegator = 0, operator = 0] = key.split('/').map(Number)
  const validator = model.get(operator)
  const worth = (shares * validator.tokens) / validator.shares
  return worth > 0n ? [delegator, operator, worth] : undefined
}

it(
  'agrees with a plain model over random operations, block by block, and its genesis comes back',
  seeded(41, (random) => {
    const seen = new Map<string, number>()
    for (let run = 0; run < 5; run++) {
      const powers = [30n, 20n, 10n]
      const world = World.start(powers, { max_validators: MAX_VALIDATORS, max_entries: MAX_ENTRIES })
      const model = new Model(powers, MAX_VALIDATORS)
      for (const number of PEOPLE) {
        world.fund(account(number), FUNDS)
        model.change(number, FUNDS)
      }
      const supply = readSupply(world.state, DENOMINATION)
      for (let block = 0; block < 120; block++) {
        for (let count = random.below(8); count > 0; count--) {
          const [name, code, expected] = operate(random, world, model)
          expect(code, name).toBe(expected)
          const label = `${name} ${code}`
          seen.set(label, (seen.get(label) ?? 0) + 1)
        }
        const seconds = random.chance(5) ? BigInt(random.below(22 * 86_400)) : 5n
        const updates = world.endBlock(seconds)
        const expected = model.endBlock(seconds)
        const named = updates.map(({ publicKey, power }) => [bytesToHex(publicKey), power] as const)
        expect(sorted(named)).toEqual(
          sorted([...expected].map(([number, power]) => [bytesToHex(keyOf(number)), power])),
        )
        expect(stateOfModule(world)).toEqual(stateOfModel(model))
        expect(world.faults()).toEqual([])
        expect(supply - readSupply(world.state, DENOMINATION)).toBe(model.burned)
        if (block % 15 === 14) expectRoundTrip(world)
      }
    }
    // Every operation was done and was refused in its ways.
    for (const label of [
      'create ok',
      'delegate ok',
      'undelegate ok',
      'redelegate ok',
      'cancel ok',
      'slash ok',
      'jail ok',
    ]) {
      expect(seen.get(label), label).toBeGreaterThan(20)
    }
    for (const code of [
      'staking/3',
      'staking/19',
      'staking/27',
      'staking/29',
      'staking/32',
      'staking/34',
      'sdk/5',
      'sdk/18',
    ]) {
      const count = [...seen].filter(([label]) => label.endsWith(` ${code}`)).length
      expect(count, code).toBeGreaterThan(0)
    }
  }),
)

/** A chain that begins with the export has the same keys and values. */
const expectRoundTrip = (world: World): void => {
  const exported = JSON.parse(toJson(world.module.exportGenesis(world.queryContext()))) as unknown
  const next = new World(freshState())
  next.fund(BONDED_POOL_ADDRESS, world.pools.bonded)
  next.fund(NOT_BONDED_POOL_ADDRESS, world.pools.notBonded)
  next.module.initGenesis(next.context(), exported)
  expect(next.dump(STAKING_ADDRESS)).toEqual(world.dump(STAKING_ADDRESS))
  expect(next.hookCalls).toEqual([])
  expect(next.faults()).toEqual([])
}

const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && Symbol.iterator in each ? [...(each as Iterable<unknown>)] : each,
  )

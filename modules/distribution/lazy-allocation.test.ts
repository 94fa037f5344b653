import { describe, expect, it } from 'vitest'
import { type Address, FEE_COLLECTOR_ADDRESS } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { type Decimal, divideRoundUp, multiply, ONE, toDecimal, truncate } from '../../core/decimal.ts'
import { distributionQuery, distributionTx } from '../../proto/index.ts'
import { Random } from '../../test/sim/random.ts'
import type { CommitVote } from '../module.ts'
import type { DelegationView, ValidatorView } from '../stake.ts'
import { formatOperator } from '../validator-addresses.ts'
import { OTHER_FEES_EVERY } from './accrual.ts'
import { DISTRIBUTION_ADDRESS, readParams, readPool } from './keeper.ts'
import { EagerRewards } from './testing/eager-rewards.ts'
import { consensusOf, delegatorOf, operatorOf } from './testing/fake-staking.ts'
import { GIVER, makeWorld, plainJson, vote, type World } from './testing/world.ts'

const { method: tx } = distributionTx.Msg
const { method: query } = distributionQuery.Query
const BLOCKS = 150
const STAKE = 1_000_000

/** Both models do the same; the eager ones are told before the lazy module is. */
class Run {
  readonly world: World = makeWorld()
  readonly eager = new EagerRewards((address) => this.world.stake.validatorByConsensusAddress(0, address), false)
  readonly everyBlock = new EagerRewards((address) => this.world.stake.validatorByConsensusAddress(0, address), true)
  readonly #random: Random
  #created = 0
  /** Powers as they are in CometBFT's set, by number. */
  readonly #powers = new Map<number, bigint>()
  /** Gone from staking, still voting. */
  readonly #leaving = new Map<number, bigint>()
  pushed = 0n

  constructor(random: Random) {
    this.#random = random
    this.world.pass()
    for (let number = 0; number < 4; number++) this.create()
  }

  get models(): readonly EagerRewards[] {
    return [this.eager, this.everyBlock]
  }

  validators(): readonly ValidatorView[] {
    return this.world.stake.validators()
  }

  create(): void {
    const number = this.#created++
    const { world } = this
    const rate = (BigInt(this.#random.below(101)) * ONE) / 100n
    const tokens = BigInt(1 + this.#random.below(STAKE))
    world.createValidator(number, tokens, rate)
    const validator = world.stake.validator(0, operatorOf(number)) as ValidatorView
    const delegation = world.stake.delegation(0, operatorOf(number), operatorOf(number)) as DelegationView
    for (const model of this.models) {
      model.create(validator)
      // Staking's hooks of the first delegation do so: period 1 ends without tokens.
      model.endPeriod({ ...validator, tokens: 0n })
      model.start(validator, delegation, world.context.height)
    }
    this.#powers.set(number, BigInt(1 + this.#random.below(100)))
  }

  delegate(delegator: Address, validator: ValidatorView): void {
    const { stake, context } = this.world
    const { operator } = validator
    if (validator.tokens === 0n) return
    const existing = stake.delegation(0, delegator, operator)
    for (const model of this.models) {
      if (existing === undefined) model.endPeriod(validator)
      else model.withdraw(validator, existing, context.height)
    }
    stake.delegate(context, delegator, operator, BigInt(1 + this.#random.below(STAKE)))
    this.#restart(delegator, operator)
  }

  #restart(delegator: Address, operator: Address): void {
    const { stake, context } = this.world
    const validator = stake.validator(0, operator) as ValidatorView
    const delegation = stake.delegation(0, delegator, operator)
    if (delegation === undefined) return
    for (const model of this.models) model.start(validator, delegation, context.height)
  }

  undelegate(validator: ValidatorView, { delegator, shares }: DelegationView): void {
    const { stake, context } = this.world
    const part = this.#random.chance(40) ? shares : (shares * BigInt(1 + this.#random.below(99))) / 100n
    if (part === 0n) return
    const { operator } = validator
    for (const model of this.models) {
      model.withdraw(validator, { delegator, operator, shares }, context.height)
      // x/staking calls the hook before it takes the tokens off the validator.
      if (part < shares) model.start(validator, { delegator, operator, shares: shares - part }, context.height)
    }
    stake.undelegate(context, delegator, operator, part)
  }

  withdraw(validator: ValidatorView, delegation: DelegationView): bigint {
    const { stake, context } = this.world
    const [paid = 0n] = this.models.map((model) => model.withdraw(validator, delegation, context.height))
    const { amount } = this.world.run(tx.withdrawDelegatorReward, {
      delegatorAddress: encodeBech32(delegation.delegator),
      validatorAddress: formatOperator(validator.operator),
    })
    expect(amount.map((coin) => BigInt(coin.amount))).toEqual([paid])
    expect(stake.delegation(0, delegation.delegator, validator.operator)).toBeDefined()
    this.#restart(delegation.delegator, validator.operator)
    return paid
  }

  withdrawCommission(validator: ValidatorView): void {
    const due = this.eager.view(validator).commission
    const paid = this.eager.withdrawCommission(validator)
    this.everyBlock.withdrawCommission(validator)
    if (due === 0n) return
    const { amount } = this.world.run(tx.withdrawValidatorCommission, {
      validatorAddress: formatOperator(validator.operator),
    })
    expect(amount.map((coin) => BigInt(coin.amount))).toEqual(paid === 0n ? [] : [paid])
  }

  slash(validator: ValidatorView): void {
    const { stake, context } = this.world
    const factor = (BigInt(this.#random.below(30)) * ONE) / 100n
    const burnt = truncate(multiply(toDecimal(validator.tokens), factor))
    for (const model of this.models) {
      model.touch(validator)
      if (burnt > 0n) {
        model.slash(validator, context.height, divideRoundUp(toDecimal(burnt), toDecimal(validator.tokens)))
      }
    }
    stake.slash(context, validator.operator, factor)
  }

  setCommission(validator: ValidatorView): void {
    for (const model of this.models) model.touch(validator)
    this.world.stake.setCommission(
      this.world.context,
      validator.operator,
      (BigInt(this.#random.below(101)) * ONE) / 100n,
    )
  }

  deposit(validator: ValidatorView): void {
    const amount = BigInt(1 + this.#random.below(1_000_000))
    this.world.give(GIVER, amount)
    for (const model of this.models) model.deposit(validator, amount)
    this.world.run(tx.depositValidatorRewardsPool, {
      depositor: encodeBech32(GIVER),
      validatorAddress: formatOperator(validator.operator),
      amount: [{ denom: 'anat', amount: amount.toString() }],
    })
  }

  /** Everybody leaves, and the validator is removed while it still votes. */
  remove(validator: ValidatorView): void {
    const { stake, context } = this.world
    for (const delegation of stake.delegationsTo(0, validator.operator)) {
      for (const model of this.models) model.withdraw(validator, delegation, context.height)
      stake.undelegate(context, delegation.delegator, validator.operator, delegation.shares)
    }
    for (const model of this.models) model.remove(validator)
    stake.remove(context, validator.operator)
    const number = [...this.#powers.keys()].find((each) =>
      consensusOf(each).every((byte, at) => byte === validator.consensusAddress[at]),
    )
    if (number === undefined) return
    this.#leaving.set(number, this.#powers.get(number) ?? 1n)
    this.#powers.delete(number)
  }

  votes(): readonly CommitVote[] {
    const random = this.#random
    if (random.chance(30)) {
      const number = random.pick([...this.#powers.keys()])
      this.#powers.set(number, BigInt(1 + random.below(100)))
    }
    const all = [...this.#powers, ...this.#leaving].filter(
      ([number]) => number % 5 !== 4 || this.world.context.height % 20 < 10,
    )
    if (random.chance(50)) this.#leaving.clear()
    const flags = ['commit', 'commit', 'commit', 'nil', 'absent'] as const
    return all.map(([number, power]) => vote(number, power, random.pick(flags)))
  }

  block(): void {
    const { world } = this
    const random = this.#random
    const fees = random.chance(30) ? 0n : BigInt(1 + random.below(2_000_000_000))
    const votes = this.votes()
    if (random.chance(10)) {
      this.pushed += 7n
      world.give(DISTRIBUTION_ADDRESS, 7n)
    }
    const swept = fees > 0n && votes.length > 0 ? this.pushed : 0n
    this.pushed -= swept
    for (const model of this.models) model.block(fees, votes, readParams(world.state).communityTax, swept)
    world.beginBlock(fees, votes)
    for (let operation = random.below(4); operation > 0; operation--) this.operate()
  }

  operate(): void {
    const random = this.#random
    const validator = random.pick(this.validators())
    const delegations = this.world.stake.delegationsTo(0, validator.operator)
    const kind = random.below(100)
    if (kind < 30) this.delegate(delegatorOf(random.below(8)), validator)
    else if (kind < 45 && delegations.length > 1) this.undelegate(validator, random.pick(delegations))
    else if (kind < 65 && delegations.length > 0) this.withdraw(validator, random.pick(delegations))
    else if (kind < 72) this.withdrawCommission(validator)
    else if (kind < 80 && validator.tokens > 100n) this.slash(validator)
    else if (kind < 88) this.setCommission(validator)
    else if (kind < 92) this.deposit(validator)
    else if (kind < 95 && this.validators().length > 2) this.remove(validator)
    else if (kind < 99 && this.validators().length < 9) this.create()
  }

  compare(): void {
    const { world, eager, everyBlock } = this
    const { height } = world.context
    for (const validator of this.validators()) {
      const validatorAddress = formatOperator(validator.operator)
      const expected = eager.view(validator)
      const shown = (coins: readonly { readonly amount: string }[] = []): Decimal => BigInt(coins[0]?.amount ?? 0n)
      expect({
        outstanding: shown(world.ask(query.validatorOutstandingRewards, { validatorAddress }).rewards?.rewards),
        commission: shown(world.ask(query.validatorCommission, { validatorAddress }).commission?.commission),
        current: shown(world.ask(query.validatorCurrentRewards, { validatorAddress }).rewards?.rewards),
      }).toEqual(expected)
      for (const delegation of world.stake.delegationsTo(0, validator.operator)) {
        const delegatorAddress = encodeBech32(delegation.delegator)
        const { rewards } = world.ask(query.delegationRewards, { delegatorAddress, validatorAddress })
        expect(shown(rewards)).toBe(eager.due(validator, delegation, height))
      }
      // Half a unit of the 18th place for every block that the SDK rounds in.
      const difference = everyBlock.view(validator).commission - expected.commission
      expect(difference < 0n ? -difference : difference).toBeLessThanOrEqual(BigInt(BLOCKS))
    }
    expect(readPool(world.state, 'anat')).toBe(eager.pool)
  }
}

describe('lazy allocation', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8])('gives the figures of allocation in every block, seed %i', (seed) => {
    const run = new Run(new Random(seed))
    for (let block = 0; block < BLOCKS; block++) {
      run.block()
      if (block % 4 === 0) run.compare()
      if (block % 15 === 0) expect(run.world.faults()).toEqual([])
    }
    run.compare()
    expect(run.world.faults()).toEqual([])
    expect(run.eager.pool).toBeGreaterThan(0n)
  })

  it.each([11, 12, 13])('an export begins a chain with equal values, seed %i', (seed) => {
    const run = new Run(new Random(seed))
    for (let block = 0; block < 60; block++) run.block()
    const { world } = run
    world.give(GIVER, 5n, 'zzz')
    const [validator] = run.validators()
    world.run(tx.depositValidatorRewardsPool, {
      depositor: encodeBech32(GIVER),
      validatorAddress: formatOperator((validator as ValidatorView).operator),
      amount: [{ denom: 'zzz', amount: '5' }],
    })
    world.run(tx.setWithdrawAddress, {
      delegatorAddress: encodeBech32(delegatorOf(0)),
      withdrawAddress: encodeBech32(delegatorOf(99)),
    })
    const exported = JSON.parse(JSON.stringify(plainJson(world.module.exportGenesis(world.context)))) as unknown
    const again = makeWorld()
    for (const denom of ['anat', 'zzz']) {
      again.give(DISTRIBUTION_ADDRESS, world.ledger.balance(world.state, DISTRIBUTION_ADDRESS, denom), denom)
    }
    again.start(exported)
    expect(again.values()).toEqual(world.values())
    // Every kind of key is there.
    expect(new Set(world.values().map(([key]) => key[0])).size).toBe(10)
  })

  it('a validator that signs writes nothing: only the totals and the pool change from block to block', () => {
    const world = makeWorld()
    world.pass()
    for (let number = 0; number < 3; number++) world.createValidator(number, 100n, 0n)
    const votes = [vote(0, 5n), vote(1, 3n), vote(2, 2n)]
    world.beginBlock(1_000n, votes)
    const before = new Map(world.values().map(([key, value]) => [String(key), value]))
    world.beginBlock(1_000n, votes)
    const changed = world.values().filter(([key, value]) => String(before.get(String(key))) !== String(value))
    expect(changed.map(([key]) => key[0])).toEqual([2, 5])
    world.beginBlock(1_000n, [vote(0, 5n), vote(1, 3n, 'absent'), vote(2, 2n)])
    const { rewards } = world.ask(query.validatorOutstandingRewards, {
      validatorAddress: formatOperator(operatorOf(1)),
    })
    expect(rewards?.rewards[0]?.amount).toBe(toDecimal(882n).toString())
  })

  it('a proposer earns the same whoever it includes, and who is left out earns no less', () => {
    const earn = (omitted: readonly number[]): readonly string[] => {
      const world = makeWorld()
      world.pass()
      const numbers = Array.from({ length: 10 }, (_, number) => number)
      for (const number of numbers) world.createValidator(number, 10n, 0n)
      for (let block = 0; block < 10; block++) {
        world.beginBlock(
          10n ** 20n,
          numbers.map((number) => vote(number, 10n, omitted.includes(number) ? 'absent' : 'commit')),
        )
      }
      return numbers.map((number) => {
        const validatorAddress = formatOperator(operatorOf(number))
        return world.ask(query.validatorOutstandingRewards, { validatorAddress }).rewards?.rewards[0]?.amount ?? '0'
      })
    }
    expect(earn([7, 8, 9])).toEqual(earn([]))
  })

  it('fees of the first block, which has no commit, wait for the second', () => {
    const world = makeWorld()
    world.pass()
    world.createValidator(0, 100n, 0n)
    world.beginBlock(1_000n, [])
    expect(readPool(world.state, 'anat')).toBe(0n)
    world.beginBlock(0n, [vote(0, 5n)])
    expect(readPool(world.state, 'anat')).toBe(toDecimal(20n))
  })

  it('a re-created validator with the key of one that was removed shares again', () => {
    const world = makeWorld()
    world.pass()
    world.createValidator(0, 100n, 0n)
    world.createValidator(1, 100n, 0n)
    const votes = [vote(0, 1n), vote(1, 1n)]
    world.beginBlock(1_000n, votes)
    const operator = operatorOf(1)
    world.stake.undelegate(world.context, operator, operator, toDecimal(100n))
    world.stake.remove(world.context, operator)
    world.beginBlock(1_000n, votes)
    // The tax of both blocks, and the part of a voter that staking does not know any more.
    expect(readPool(world.state, 'anat')).toBe(toDecimal(20n + 20n + 490n))
    world.createValidator(1, 100n, 0n)
    world.beginBlock(1_000n, votes)
    const { rewards } = world.ask(query.validatorOutstandingRewards, { validatorAddress: formatOperator(operator) })
    expect(rewards?.rewards[0]?.amount).toBe(toDecimal(490n).toString())
    expect(world.faults()).toEqual([])
  })
})

describe('fees of the order book', () => {
  it('go to the community pool where they are not in anat, once in so many blocks, also in one without other fees', () => {
    const world = makeWorld()
    world.pass()
    world.createValidator(0, 1_000n, 0n)
    const held = (denom: string): bigint => world.ledger.balance(world.state, FEE_COLLECTOR_ADDRESS, denom)
    for (const [round, fees] of [0n, 5_000n].entries()) {
      world.give(FEE_COLLECTOR_ADDRESS, 70n, 'erc20/0x1234')
      world.give(FEE_COLLECTOR_ADDRESS, 900n, 'uusd')
      world.pass(OTHER_FEES_EVERY - 2 - (round === 0 ? 1 : 0))
      world.beginBlock(0n, [vote(0, 10n)])
      expect([held('uusd'), held('erc20/0x1234')]).toEqual([900n, 70n])
      world.beginBlock(fees, [vote(0, 10n)])
      for (const denom of ['anat', 'erc20/0x1234', 'uusd']) expect(held(denom)).toBe(0n)
      expect([readPool(world.state, 'uusd'), readPool(world.state, 'erc20/0x1234')]).toEqual(
        [900n, 70n].map((each) => toDecimal(each * BigInt(round + 1))),
      )
      expect(world.faults()).toEqual([])
    }
  })
})

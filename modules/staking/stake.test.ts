import { expect, it } from 'vitest'
import { formatTime, NS_PER_SECOND } from '../../core/time.ts'
import { Overlay } from '../../store/overlay.ts'
import { BONDED_POOL_ADDRESS, genesisValidator, NOT_BONDED_POOL_ADDRESS } from './index.ts'
import { INDEX_CHANGED_KEY, STAKING_ADDRESS } from './keys.ts'
import { MAX_MATURE } from './keeper/queue.ts'
import { account, accountText, codeOf, freshState, keyOf, NAT, operatorText, World } from './testing/world.ts'
import { readAllUnbondings, readUnbondingEntries } from './keeper/unbonding.ts'

it('an idle block writes nothing, and a busy one leaves no marker', () => {
  const world = World.start([30n, 20n, 10n])
  const idle = new World(new Overlay(world.state))
  for (let block = 0; block < 3; block++) expect(idle.endBlock()).toEqual([])
  expect([...idle.state.changes().values.values()].every((written) => written.size === 0)).toBe(true)
  world.fund(account(5), NAT)
  world.delegate(5, 0, NAT)
  expect(world.state.value(STAKING_ADDRESS, INDEX_CHANGED_KEY)).toBeDefined()
  expect(world.endBlock()).toEqual([{ publicKey: keyOf(0), power: 31n }])
  expect(world.state.value(STAKING_ADDRESS, INDEX_CHANGED_KEY)).toBeUndefined()
})

it('stake below a unit of power changes no set', () => {
  const world = World.start([30n])
  world.fund(account(5), NAT)
  world.delegate(5, 0, NAT - 1n)
  expect(world.state.value(STAKING_ADDRESS, INDEX_CHANGED_KEY)).toBeUndefined()
  expect(world.endBlock()).toEqual([])
  world.delegate(5, 0, 1n)
  expect(world.endBlock()).toEqual([{ publicKey: keyOf(0), power: 31n }])
})

it('of equal power the first in the order of operators is bonded', () => {
  const world = World.start([10n, 10n, 10n, 10n], { max_validators: 2 })
  const bonded = [...world.stake.bondedValidators(world.state)].map(({ operator }) => operator)
  const expected = [0, 1, 2, 3].map(account).sort((a, b) => Buffer.compare(a, b))
  expect(bonded).toEqual(expected.slice(0, 2))
})

it('a jailed validator leaves the set, keeps its stake, and comes back', () => {
  const world = World.start([30n, 20n])
  const { consensusAddress } = world.validator(1)
  const { stake } = world
  stake.jail(world.context(), consensusAddress)
  expect(world.endBlock()).toEqual([{ publicKey: keyOf(1), power: 0n }])
  expect(world.validator(1)).toMatchObject({ status: 'unbonding', tokens: 20n * NAT, unbondingIds: [1] })
  expect(stake.totalBondedTokens(world.state)).toBe(30n * NAT)
  expect(codeOf(() => world.cancel(1, 1, 1n, 1))).toBe('staking/7')
  stake.unjail(world.context(), consensusAddress)
  expect(world.endBlock()).toEqual([{ publicKey: keyOf(1), power: 20n }])
  expect(world.validator(1)).toMatchObject({ status: 'bonded', unbondingIds: [] })
  world.timeNs += 22n * 86_400n * 10n ** 9n
  expect(world.endBlock()).toEqual([])
  expect(world.validator(1).status).toBe('bonded')
  expect(world.faults()).toEqual([])
})

it('hooks see a slash before it happens, with the part of the tokens that is really burned', () => {
  const world = World.start([30n])
  world.hookCalls.length = 0
  // A power of before the validator lost two thirds: all that is left is burned.
  expect(world.stake.slash(world.context(), world.validator(0).consensusAddress, 1, 90n, NAT / 3n)).toBe(
    30n * NAT - 30n,
  )
  const operator = Buffer.from(account(0).slice(0, 3)).toString('hex')
  expect(world.hookCalls).toEqual([
    `beforeValidatorModified ${operator}`,
    `beforeValidatorSlashed ${operator} ${NAT - 1n}`,
  ])
})

it('the part that hooks see is rounded up', () => {
  const world = World.start([30n])
  world.hookCalls.length = 0
  world.stake.slash(world.context(), world.validator(0).consensusAddress, 1, 10n, NAT)
  expect(world.hookCalls.at(-1)?.split(' ').at(-1)).toBe('333333333333333334')
})

it('what is over at the very time of a slash does not pay', () => {
  const world = World.start([30n])
  world.fund(account(5), NAT)
  world.delegate(5, 0, NAT)
  const { completionTime } = world.undelegate(5, 0, 100n)
  world.height++
  const slashAt = (timeNs: bigint): void => {
    const context = { ...world.context(), timeNs }
    world.stake.slash(context, world.validator(0).consensusAddress, 1, 30n, NAT / 2n)
  }
  const overNs = (completionTime?.seconds ?? 0n) * NS_PER_SECOND
  slashAt(overNs)
  expect(readUnbondingEntries(world.state, account(5), account(0))).toMatchObject([{ balance: 100n }])
  slashAt(overNs - 1n)
  expect(readUnbondingEntries(world.state, account(5), account(0))).toMatchObject([{ balance: 50n }])
})

it('an operator that keeps exactly its minimum is not jailed, one anat below it is', () => {
  const world = World.start([30n])
  world.fund(account(1), 10n * NAT)
  world.createValidator(1, 10n * NAT, { minSelfDelegation: (4n * NAT).toString() })
  world.undelegate(1, 1, 6n * NAT)
  expect(world.validator(1).isJailed).toBe(false)
  world.undelegate(1, 1, 1n)
  expect(world.validator(1).isJailed).toBe(true)
})

it('an unbonded validator cannot be slashed', () => {
  const world = World.start([30n, 20n])
  const { consensusAddress } = world.validator(1)
  world.stake.jail(world.context(), consensusAddress)
  world.endBlock(22n * 86_400n)
  world.endBlock()
  expect(world.validator(1).status).toBe('unbonded')
  expect(world.stake.slash(world.context(), consensusAddress, 1, 20n, NAT)).toBe(0n)
  expect(world.validator(1).tokens).toBe(20n * NAT)
})

it('at most so many entries mature in a block, the oldest first, and the rest in the next', () => {
  const world = new World()
  const count = MAX_MATURE + 3
  const { validator, delegation } = genesisValidator({
    operator: account(0),
    publicKey: keyOf(0),
    tokens: NAT,
    moniker: 'v0',
  })
  const unbonding = (index: number) => ({
    delegator_address: accountText(100 + index),
    validator_address: operatorText(0),
    entries: [
      {
        creation_height: '1',
        completion_time: formatTime(world.timeNs + (index < 3 ? 9n : 5n)),
        initial_balance: '2',
        balance: '2',
        unbonding_id: `${count - index}`,
      },
    ],
  })
  world.fund(BONDED_POOL_ADDRESS, NAT)
  world.fund(NOT_BONDED_POOL_ADDRESS, BigInt(2 * count))
  world.module.initGenesis(world.context(), {
    validators: [validator],
    delegations: [delegation],
    unbonding_delegations: Array.from({ length: count }, (_, index) => unbonding(index)),
  })
  world.timeNs += 10n
  const paid = (): readonly (string | undefined)[] => {
    world.events = []
    world.endBlock()
    const events = world.events.filter(({ type }) => type === 'complete_unbonding')
    return events.map(({ attributes }) => attributes.find(({ key }) => key === 'delegator')?.value)
  }
  const first = paid()
  expect(first).toHaveLength(MAX_MATURE)
  // The lower ids come first among those of one time.
  expect(first.slice(0, 2)).toEqual([count - 1, count - 2].map((index) => accountText(100 + index)))
  expect(world.faults()).toEqual([])
  expect(paid()).toEqual([2, 1, 0].map((index) => accountText(100 + index)))
  expect(paid()).toEqual([])
  expect([...readAllUnbondings(world.state)]).toEqual([])
  expect(world.pools.notBonded).toBe(0n)
  expect(world.faults()).toEqual([])
})

it.each([
  ['staking/module-accounts', 0x14, Uint8Array.of(0xc2, 1, 1)],
  ['staking/positive-delegation', 0x31, new Uint8Array(0)],
  ['staking/delegator-shares', 0x31, Uint8Array.of(1)],
  ['staking/power-index', 0x23, undefined],
  ['staking/validator-set', 0x11, Uint8Array.of(1)],
])('the invariant %s sees a broken value', (name, prefix, value) => {
  const world = World.start([30n, 20n], {})
  const [entry] = world.state.values(STAKING_ADDRESS, Uint8Array.of(prefix), 1)
  expect(world.faults()).toEqual([])
  world.state.setValue(STAKING_ADDRESS, entry?.[0] ?? new Uint8Array(0), value)
  expect(world.faults().some((fault) => fault.startsWith(name))).toBe(true)
})

it('the state of a test is empty at first', () => {
  expect(new World(freshState()).dump(STAKING_ADDRESS)).toEqual([])
})

/** A slash of a validator that very many have left: blocks go on with it, and what it takes is what one block would. */
import { describe, expect, it } from 'vitest'
import { ONE } from '../../core/decimal.ts'
import { readDelegation } from './keeper/delegations.ts'
import { STAKING_ADDRESS } from './keys.ts'
import { readRedelegationEntries } from './keeper/redelegations.ts'
import { RECORDS_AT_ONCE } from './slash.ts'
import { GAS_PER_BLOCK } from './continue-slashes.ts'
import { readTasks } from './keeper/slash-tasks.ts'
import { account, codeOf, keyOf, NAT, World } from './testing/world.ts'
import { readUnbondingEntries } from './keeper/unbonding.ts'
import { consensusAddressOf } from '../validator-addresses.ts'

const FRACTION = ONE / 20n
const UNIT = 1_000_003n
/** More than a block goes on with. */
const LEAVERS = 900
/** Enough for a task, which one block then finishes. */
const SOME = RECORDS_AT_ONCE + 2
const FIRST = 100

interface Start {
  readonly world: World
  /** Height of the fault: everyone left later. */
  readonly height: number
  readonly power: bigint
}

/** Half of the leavers withdraw from validator 0, half move to validator 1; `bystanders` stay. */
const leave = (leavers: number): Start => {
  const world = World.start([100n, 100n, 100n], { unbonding_time: '100s' })
  for (let index = 0; index < leavers; index++) {
    world.fund(account(FIRST + index), 3n * UNIT)
    world.delegate(FIRST + index, 0, 3n * UNIT)
  }
  world.endBlock()
  const { height } = world
  const power = 100n
  for (let index = 0; index < leavers; index++) {
    if (index % 2 === 0) world.undelegate(FIRST + index, 0, UNIT)
    else world.redelegate(FIRST + index, 0, 1, UNIT)
  }
  world.endBlock()
  return { world, height, power }
}

const slash = ({ world, height, power }: Start, fraction = FRACTION): bigint => {
  const address = consensusAddressOf(keyOf(0))
  const burned = world.stake.slash(world.context(), address, height, power, fraction)
  world.stake.jail(world.context(), address)
  return burned
}

const share = (UNIT * FRACTION) / ONE

const expectSlashed = (world: World, leavers: number, tokensBefore: bigint): void => {
  for (let index = 0; index < leavers; index++) {
    const delegator = account(FIRST + index)
    if (index % 2 === 0) {
      const [entry] = readUnbondingEntries(world.state, delegator, account(0))
      expect(entry?.balance).toBe(UNIT - share)
    } else {
      // The fraction of the shares is not cut to whole tokens.
      expect(readDelegation(world.state, delegator, account(1))?.shares).toBe(UNIT * ONE - UNIT * FRACTION)
    }
  }
  const amount = (100n * NAT * FRACTION) / ONE
  expect(world.validator(0).tokens).toBe(tokensBefore - (amount - BigInt(leavers) * share))
  expect(world.faults()).toEqual([])
}

describe('a slash of a validator that few have left', () => {
  it('is done at once', () => {
    const start = leave(RECORDS_AT_ONCE)
    const before = start.world.validator(0).tokens
    expect(slash(start)).toBeGreaterThan(0n)
    expect(readTasks(start.world.state)).toEqual([])
    start.world.endBlock()
    expectSlashed(start.world, RECORDS_AT_ONCE, before)
  })
})

describe('a slash of a validator that very many have left', () => {
  it('goes on in the ends of blocks, a bounded part in each, and takes what one block would', () => {
    const start = leave(LEAVERS)
    const { world } = start
    const before = world.validator(0).tokens
    const supply = world.pools.bonded + world.pools.notBonded
    expect(slash(start)).toBe(0n)
    expect(world.pools.bonded + world.pools.notBonded).toBe(supply)
    let blocks = 0
    for (; readTasks(world.state).length > 0; blocks++) {
      const { events } = world
      world.events = []
      world.endBlock()
      expect(world.faults()).toEqual([])
      expect(events.length).toBeLessThan(10 * LEAVERS)
    }
    // A record and its entry are 13,000 of gas.
    expect(blocks).toBe(Math.ceil((LEAVERS * 13_000) / Number(GAS_PER_BLOCK)))
    expectSlashed(world, LEAVERS, before)
    expect(world.events.map(({ type }) => type)).toContain('complete_slash')
  })

  it('lets no stake behind the validator move meanwhile, and everything afterwards', () => {
    const start = leave(SOME)
    const { world } = start
    slash(start)
    const { stake } = world
    const attempts = [
      () => world.undelegate(FIRST, 0, 1n),
      () => world.redelegate(FIRST, 0, 1, 10n),
      () => world.redelegate(FIRST, 2, 0, 1n),
      () => world.delegate(FIRST, 0, 1n),
      () => stake.unjail(world.context(), consensusAddressOf(keyOf(0))),
    ]
    world.fund(account(FIRST), 100n)
    world.delegate(FIRST, 2, 10n)
    expect(attempts.map(codeOf)).toEqual(attempts.map(() => 'staking/101'))
    while (readTasks(world.state).length > 0) world.endBlock()
    expect(attempts.map(codeOf)).toEqual(attempts.map(() => 'ok'))
    world.endBlock()
    expect(world.faults()).toEqual([])
  })

  it('takes of an entry that matures before its turn, once', () => {
    const start = leave(LEAVERS)
    const { world } = start
    slash(start)
    // All are due at once, and so are the first ones that the task has not come to.
    world.timeNs += 200n * 1_000_000_000n
    const late = account(FIRST + LEAVERS - 2)
    while (readUnbondingEntries(world.state, late, account(0)).length > 0) world.endBlock(0n)
    for (let index = 0; index < LEAVERS; index += 2) expect(world.balance(account(FIRST + index))).toBe(UNIT - share)
    while (readTasks(world.state).length > 0) world.endBlock()
    for (let index = 1; index < LEAVERS; index += 2) {
      const shares = readDelegation(world.state, account(FIRST + index), account(1))?.shares
      expect(shares).toBe(UNIT * ONE - UNIT * FRACTION)
    }
    expect(world.faults()).toEqual([])
  })

  it('takes of what a delegator withdraws from the destination meanwhile', () => {
    const start = leave(SOME)
    const { world } = start
    slash(start)
    const last = FIRST + SOME - 1
    world.undelegate(last, 1, UNIT)
    while (readTasks(world.state).length > 0) world.endBlock()
    expect(readUnbondingEntries(world.state, account(last), account(1))[0]?.balance).toBe(UNIT - share)
    expect(
      readRedelegationEntries(world.state, { delegator: account(last), source: account(0), destination: account(1) }),
    ).toHaveLength(1)
    expect(world.faults()).toEqual([])
  })

  it('goes on equally in a chain that begins with an export of the middle of it', () => {
    const start = leave(LEAVERS)
    const { world } = start
    slash(start)
    world.endBlock()
    expect(readTasks(world.state)).toHaveLength(1)
    const plain = (value: unknown): unknown =>
      JSON.parse(
        JSON.stringify(value, (_, each: unknown) =>
          typeof each === 'object' && each !== null && Symbol.iterator in each
            ? [...(each as Iterable<unknown>)]
            : each,
        ),
      )
    const again = new World()
    again.height = world.height - 1
    again.timeNs = world.timeNs
    again.fundPools(world.pools)
    again.module.initGenesis(again.context(), plain(world.module.exportGenesis(world.queryContext())))
    again.height = world.height
    expect(again.dump(STAKING_ADDRESS)).toEqual(world.dump(STAKING_ADDRESS))
    while (readTasks(world.state).length > 0) {
      world.endBlock()
      again.endBlock()
    }
    expect(again.dump(STAKING_ADDRESS)).toEqual(world.dump(STAKING_ADDRESS))
    expect([again.pools, again.faults()]).toEqual([world.pools, []])
  })

  it('waits behind another of the same validator', () => {
    const start = leave(SOME)
    const { world } = start
    slash(start)
    expect(world.stake.slash(world.context(), consensusAddressOf(keyOf(0)), start.height, 100n, FRACTION)).toBe(0n)
    expect(readTasks(world.state)).toHaveLength(2)
    while (readTasks(world.state).length > 0) world.endBlock()
    expect(readUnbondingEntries(world.state, account(FIRST), account(0))[0]?.balance).toBe(UNIT - 2n * share)
    expect(world.faults()).toEqual([])
  })
})

import { expect, it } from 'vitest'
import { account, keyOf, NAT, World } from './testing/world.ts'
import { BONDED_POOL_ADDRESS, NOT_BONDED_POOL_ADDRESS, STAKING_ADDRESS } from './index.ts'

/** Everyone leaves, or is in jail. */
const abandoned = (): World => {
  const world = World.start([30n, 20n])
  world.undelegate(0, 0, 30n * NAT)
  world.stake.jail(world.context(), world.validator(1).consensusAddress)
  expect(world.endBlock()).toEqual([])
  return world
}

it('the last set stays when nobody has power any more, with its old powers', () => {
  const world = abandoned()
  for (let block = 0; block < 3; block++) expect(world.endBlock(30n * 86_400n)).toEqual([])
  expect(world.validator(0)).toMatchObject({ status: 'bonded', tokens: 0n, shares: 0n })
  expect(world.validator(1)).toMatchObject({ status: 'bonded', isJailed: true })
  expect(world.balance(account(0))).toBe(30n * NAT)
  expect(world.faults()).toEqual([])
})

it('whoever gets power first takes the place of the others', () => {
  const world = abandoned()
  world.fund(account(2), 5n * NAT)
  world.createValidator(2, 5n * NAT)
  expect(world.endBlock()).toEqual([
    { publicKey: keyOf(2), power: 5n },
    ...[0, 1]
      .toSorted((a, b) => (accountHex(a) < accountHex(b) ? -1 : 1))
      .map((number) => ({ publicKey: keyOf(number), power: 0n })),
  ])
  expect(world.faults()).toEqual([])
  for (let block = 0; block < 2; block++) world.endBlock(30n * 86_400n)
  expect(world.stake.validator(world.state, account(0))).toBeUndefined()
  expect(world.validator(1).status).toBe('unbonded')
  expect(world.faults()).toEqual([])
})

it('who comes out of jail goes on with the power that it had, and the others leave', () => {
  const world = abandoned()
  world.stake.unjail(world.context(), world.validator(1).consensusAddress)
  expect(world.endBlock()).toEqual([{ publicKey: keyOf(0), power: 0n }])
  expect(world.faults()).toEqual([])
})

it('an export of such a chain begins with an equal state', () => {
  const world = abandoned()
  const plain = JSON.parse(
    JSON.stringify(world.module.exportGenesis(world.queryContext()), (_, each: unknown) =>
      typeof each === 'object' && each !== null && Symbol.iterator in each ? [...(each as Iterable<unknown>)] : each,
    ),
  ) as unknown
  const next = new World()
  next.fund(BONDED_POOL_ADDRESS, world.pools.bonded)
  next.fund(NOT_BONDED_POOL_ADDRESS, world.pools.notBonded)
  expect(next.module.initGenesis(next.context(), plain)).toHaveLength(2)
  expect(next.dump(STAKING_ADDRESS)).toEqual(world.dump(STAKING_ADDRESS))
})

const accountHex = (number: number): string => Buffer.from(account(number)).toString('hex')

it('a slash looks at those alone who left since the fault', () => {
  const world = World.start([30n, 20n])
  for (let number = 10; number < 40; number++) {
    world.fund(account(number), 2n * NAT)
    world.delegate(number, 0, 2n * NAT)
  }
  world.endBlock()
  for (let number = 10; number < 30; number++) {
    world.undelegate(number, 0, NAT)
    world.redelegate(number, 0, 1, NAT)
  }
  world.endBlock()
  const late = world.height
  world.undelegate(30, 0, NAT)
  world.redelegate(31, 0, 1, NAT)
  // A second entry of one who left before.
  world.fund(account(10), NAT)
  world.delegate(10, 0, NAT)
  world.undelegate(10, 0, NAT)
  world.endBlock()
  const read: string[] = []
  const { state } = world
  const watched = new Proxy(state, {
    get: (target, name) => {
      if (name === 'value') {
        return (system: Uint8Array, key: Uint8Array) => {
          if (key[0] === 0x32 || key[0] === 0x34) read.push(Buffer.from(key.slice(1, 21)).toString('hex'))
          return target.value(system, key)
        }
      }
      const member: unknown = Reflect.get(target, name, target)
      return typeof member === 'function' ? (member.bind(target) as unknown) : member
    },
  })
  const context = { ...world.context(), state: watched }
  const burned = world.stake.slash(context, world.validator(0).consensusAddress, late, 80n, NAT / 10n)
  expect(new Set(read)).toEqual(new Set([10, 30, 31].map(accountHex)))
  // A tenth of 80, less the part of the three that left.
  expect(burned).toBe(8n * NAT - (3n * NAT) / 10n)
  for (let block = 0; block < 3; block++) world.endBlock(30n * 86_400n)
  expect(world.faults()).toEqual([])
  const left = world.dump(STAKING_ADDRESS).filter(([key]) => key.startsWith('38') || key.startsWith('39'))
  expect(left).toEqual([])
})

/** The bounds of open orders, of a state that no step made: a genesis must not bring more than a step would leave. */
import { describe, expect, it } from 'vitest'
import { roomFault } from './invariants.ts'
import { buy, sell, World } from './matching/testing/world.ts'

const BOUNDS = { side: 2, all: 4 }

const worldOf = (buys: number, sells: number): World => {
  const world = new World([{}, { id: 2 }])
  world.fund('alice', { base: 1_000_000n, quote: 1_000_000n })
  world.setParameters({ maxRemovals: 0 })
  for (let at = 0; at < buys; at++) world.act('alice', buy(1, 10))
  for (let at = 0; at < sells; at++) world.act('alice', sell(1, 20))
  return world
}

describe('orders of a genesis', () => {
  it('have room up to the bound of a side, and of all', () => {
    expect(roomFault(worldOf(2, 2).state, BOUNDS)).toBeUndefined()
    expect(roomFault(worldOf(3, 0).state, BOUNDS)).toBe('market 1 has 3 orders to buy that are not dead, more than 2')
    expect(roomFault(worldOf(1, 3).state, BOUNDS)).toBe('market 1 has 3 orders to sell that are not dead, more than 2')
    const two = worldOf(2, 2)
    two.act('alice', buy(1, 10, { market: 2 }))
    expect(roomFault(two.state, BOUNDS)).toBe('5 orders are open, more than 4')
  })

  it('count among all and not on their side where they are dead, of whatever they died', () => {
    const cases: readonly ((world: World) => void)[] = [
      (world) => void world.act('alice', buy(1, 10, { expireS: Math.floor(world.timeMs / 1_000) + 1 })),
      (world) => {
        world.fund('bob', { quote: 1_000n })
        world.act('bob', buy(1, 10), { kind: 'scheduleCancel', atMs: world.timeMs + 500 })
      },
    ]
    for (const kill of cases) {
      const world = worldOf(2, 0)
      kill(world)
      expect(roomFault(world.state, BOUNDS)).toContain('3 orders to buy')
      world.block()
      expect(roomFault(world.state, BOUNDS)).toBeUndefined()
    }
    const floored = worldOf(0, 0)
    floored.act('alice', ...Array.from({ length: 24 }, () => buy(1, 10)), { kind: 'cancelAll', market: 1, side: 'buy' })
    expect(Object.keys(floored.open())).toHaveLength(4)
    expect(roomFault(floored.state, BOUNDS)).toBeUndefined()
    expect(roomFault(floored.state, { side: 2, all: 3 })).toBe('4 orders are open, more than 3')
  })
})

import { describe, expect, it } from 'vitest'
import { decodeClobBody } from '../../modules/clob/orders/index.ts'
import { idOf } from '../../modules/clob/plan/index.ts'
import { OrderIds } from './order-ids.ts'
import { OrderPool } from './pool.ts'
import { makeTrader } from './testing/world.ts'

const SALT = new Uint8Array(32).fill(9)

describe('bodies by their ids', () => {
  it('are found when they came after the ids were hashed, and no longer when they have left the pool', () => {
    const pool = new OrderPool()
    const ids = new OrderIds(pool)
    const trader = makeTrader(1)
    const add = () => {
      const body = decodeClobBody(trader.sign())
      const order = pool.add(body, 1, 1)
      if (order === undefined) throw new TypeError('the pool has room')
      return order
    }
    const first = add()
    expect(ids.find(SALT, idOf(SALT, first.hash))).toBe(first)
    const second = add()
    pool.delete(first)
    expect(ids.find(SALT, idOf(SALT, second.hash))).toBe(second)
    expect(ids.find(SALT, idOf(SALT, first.hash))).toBeUndefined()
    pool.delete(second)
    const third = add()
    // Both that have left are forgotten here, and those that are there are found.
    expect(ids.find(SALT, idOf(SALT, third.hash))).toBe(third)
    expect(ids.find(SALT, idOf(SALT, second.hash))).toBeUndefined()
  })
})

import { expect, it } from 'vitest'
import type { Asker } from '../../app/ports.ts'
import { UnsentBytes } from './unsent-bytes.ts'

const on = (connection: string, client = '192.0.2.1'): Asker => ({
  client,
  connection,
  onGone: () => () => undefined,
})

it('who has most loses what he asked last, as long as he has more than who asks', () => {
  const unsent = new UnsentBytes(1_000)
  const dropped: number[] = []
  const drop = (id: number): void => {
    dropped.push(id)
    unsent.end(id)
  }
  let id = 0
  const add = (connection: string, bytes: number): boolean => {
    if (!unsent.makeRoom(on(connection), bytes, drop)) return false
    unsent.add(on(connection), ++id, bytes)
    return true
  }
  for (let count = 0; count < 6; count++) expect(add('greedy', 100)).toBe(true)
  for (let count = 0; count < 4; count++) expect(add('other', 100)).toBe(true)
  expect(add('greedy', 100)).toBe(false)
  expect(add('new', 150)).toBe(true)
  expect(dropped).toEqual([6, 5])
  // All have 400 at most now: nobody has more than who would have 450.
  expect(add('new', 300)).toBe(false)
  expect(add('new', 100)).toBe(true)
  expect(dropped).toEqual([6, 5, 4])
  expect(unsent.bytes).toBe(950)
  for (let each = 1; each <= id; each++) unsent.end(each)
  expect(unsent.bytes).toBe(0)
  expect(add('new', 1_001)).toBe(false)
})

it('a client that has all of it by a thousand connections loses to one that asks one thing', () => {
  const unsent = new UnsentBytes(64_000)
  const drop = (id: number): void => unsent.end(id)
  for (let id = 1; id <= 1_000; id++) unsent.add(on(`c${id}`), id, 64)
  expect(unsent.makeRoom(on('c0', '192.0.2.2'), 200, drop)).toBe(true)
  unsent.add(on('c0', '192.0.2.2'), 1_001, 200)
  expect(unsent.bytes).toBeLessThanOrEqual(64_000)
  // Its own new connections have room as long as they have less than the others.
  expect(unsent.makeRoom(on('c1001'), 60, drop)).toBe(true)
  unsent.add(on('c1001'), 1_002, 60)
  expect(unsent.makeRoom(on('c1002'), 64, drop)).toBe(false)
})

it('agrees with a list of all that wait, whatever comes and ends', () => {
  for (let seed = 1; seed <= 20; seed++) {
    let state = seed
    const below = (most: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
      return state % most
    }
    const unsent = new UnsentBytes(5_000)
    let model: { readonly id: number; readonly who: string; readonly bytes: number }[] = []
    const sumOf = (isIt: (who: string) => boolean): number =>
      model.reduce((sum, each) => sum + (isIt(each.who) ? each.bytes : 0), 0)
    const clientOf = (who: string): string => `client ${Number(who.slice(1)) % 3}`
    const bytesOf = (who: string): number => sumOf((each) => each === who)
    const bytesOfClient = (who: string): number => sumOf((each) => clientOf(each) === clientOf(who))
    const asker = (who: string): Asker => on(who, clientOf(who))
    const end = (id: number): void => {
      unsent.end(id)
      model = model.filter((each) => each.id !== id)
    }
    for (let id = 1; id <= 3_000; id++) {
      const [who, bytes] = [`c${below(6) * below(6)}`, 1 + below(400)]
      const drop = (victim: number): void => {
        const { who: other } = model.find((each) => each.id === victim) ?? { who: '' }
        if (clientOf(other) === clientOf(who)) expect(bytesOf(other)).toBeGreaterThan(bytesOf(who) + bytes)
        else expect(bytesOfClient(other)).toBeGreaterThan(bytesOfClient(who) + bytes)
        expect(model.findLast((each) => each.who === other)?.id).toBe(victim)
        end(victim)
      }
      if (unsent.makeRoom(asker(who), bytes, drop)) {
        unsent.add(asker(who), id, bytes)
        model.push({ id, who, bytes })
      }
      for (let count = below(2); count > 0 && model.length > 0; count--) end(model[below(model.length)]?.id ?? 0)
      expect(unsent.bytes).toBe(model.reduce((sum, each) => sum + each.bytes, 0))
      expect(unsent.bytes).toBeLessThanOrEqual(5_000)
    }
  }
})

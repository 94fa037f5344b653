import { describe, expect, it } from 'vitest'
import { Lines } from './line.ts'

describe('a line of announcements', () => {
  it('begins the first at once and the others one after another, in order', async () => {
    const lines = new Lines(10)
    const order: string[] = []
    const ends: (() => void)[] = []
    const work = (name: string) => (): Promise<void> => {
      order.push(name)
      return new Promise((resolve) => ends.push(resolve))
    }
    for (const name of ['first', 'second', 'third']) expect(lines.add('a', work(name))).toBe(true)
    expect(order).toEqual(['first'])
    for (let count = 1; count <= 3; count++) {
      ends.shift()?.()
      await new Promise(setImmediate)
      expect(order).toHaveLength(Math.min(count + 1, 3))
    }
    expect(order).toEqual(['first', 'second', 'third'])
    expect(lines.add('a', work('fourth'))).toBe(true)
    expect(order.at(-1)).toBe('fourth')
  })

  it('takes no more than its bound, and again when one has been told', async () => {
    const lines = new Lines(2)
    let end = (): void => undefined
    expect(lines.add('a', () => new Promise((resolve) => (end = resolve)))).toBe(true)
    const told: number[] = []
    const tell = async (): Promise<void> => void told.push(1)
    expect(lines.add('a', tell)).toBe(true)
    expect(lines.add('a', tell)).toBe(false)
    end()
    await new Promise(setImmediate)
    expect(told).toEqual([1])
    expect(lines.add('a', tell)).toBe(true)
    expect(told).toEqual([1, 1])
  })

  it('wait for none of another line, and leave nothing behind', async () => {
    let idle = 0
    const lines = new Lines(1, () => idle++)
    let end = (): void => undefined
    expect(lines.add('a', () => new Promise((resolve) => (end = resolve)))).toBe(true)
    const told: string[] = []
    expect(lines.add('b', async () => void told.push('b'))).toBe(true)
    expect(told).toEqual(['b'])
    await new Promise(setImmediate)
    expect([lines.size, idle]).toEqual([1, 0])
    end()
    await new Promise(setImmediate)
    expect([lines.size, idle]).toEqual([0, 1])
  })
})

import { describe, expect, it } from 'vitest'
import { createLine } from './line.ts'

describe('a line of announcements', () => {
  it('begins the first at once and the others one after another, in order', async () => {
    const line = createLine(10)
    const order: string[] = []
    const ends: (() => void)[] = []
    const work = (name: string) => (): Promise<void> => {
      order.push(name)
      return new Promise((resolve) => ends.push(resolve))
    }
    for (const name of ['first', 'second', 'third']) expect(line.add(work(name))).toBe(true)
    expect(order).toEqual(['first'])
    for (let count = 1; count <= 3; count++) {
      ends.shift()?.()
      await new Promise(setImmediate)
      expect(order).toHaveLength(Math.min(count + 1, 3))
    }
    expect(order).toEqual(['first', 'second', 'third'])
    expect(line.add(work('fourth'))).toBe(true)
    expect(order.at(-1)).toBe('fourth')
  })

  it('takes no more than its bound, and again when one has been told', async () => {
    const line = createLine(2)
    let end = (): void => undefined
    expect(line.add(() => new Promise((resolve) => (end = resolve)))).toBe(true)
    const told: number[] = []
    const tell = async (): Promise<void> => void told.push(1)
    expect(line.add(tell)).toBe(true)
    expect(line.add(tell)).toBe(false)
    end()
    await new Promise(setImmediate)
    expect(told).toEqual([1])
    expect(line.add(tell)).toBe(true)
    expect(told).toEqual([1, 1])
  })
})

import { expect, test } from 'vitest'
import { FairLine } from './fair-line.ts'

const on = (name: string) => ({ client: name.charAt(0), connection: name })

const start = (names: readonly string[]) => {
  const line = new FairLine<string>()
  const counts = new Map<string, number>()
  for (const name of names) {
    const count = (counts.get(name) ?? 0) + 1
    counts.set(name, count)
    line.add(on(name), `${name}.${count}`)
  }
  return line
}

const takeAll = (line: FairLine<string>): readonly string[] => {
  const taken: string[] = []
  while (!line.isEmpty) {
    const next = line.peek()
    expect(line.take()).toBe(next)
    taken.push(next ?? '')
  }
  return taken
}

test('clients have turns, and of each its connections', () => {
  const line = start(['a1', 'a1', 'a1', 'a2', 'a2', 'b1', 'c1', 'c1'])
  expect(takeAll(line)).toEqual(['a1.1', 'b1.1', 'c1.1', 'a2.1', 'c1.2', 'a1.2', 'a2.2', 'a1.3'])
  expect(line.take()).toBeUndefined()
  expect(line.peek()).toBeUndefined()
})

test('one with many connections has the turns of one', () => {
  const names = Array.from({ length: 100 }, (_, index) => `a${index}`)
  const taken = takeAll(start([...names, 'b1', 'b1', 'b1']))
  expect(taken.filter((item) => item.startsWith('b'))).toEqual(['b1.1', 'b1.2', 'b1.3'])
  expect(taken.slice(0, 6).filter((item) => item.startsWith('b'))).toHaveLength(3)
})

test('who waits with one thing goes before connections that wait with many, which have every second turn', () => {
  const ahead = Array.from({ length: 100 }, (_, index) => [`a${index}`, `a${index}`]).flat()
  const taken = takeAll(start([...ahead, 'az', 'ay', 'ax']))
  expect(taken.slice(0, 7)).toEqual(['az.1', 'a0.1', 'ay.1', 'a1.1', 'ax.1', 'a2.1', 'a3.1'])
  expect(taken).toHaveLength(203)
})

test('a connection with one thing left of many is none that asks one at a time', () => {
  const line = start(['a1', 'a1', 'a2', 'a2'])
  expect(line.take()).toBe('a1.1')
  line.add(on('a3'), 'a3.1')
  line.add(on('a4'), 'a4.1')
  expect(takeAll(line)).toEqual(['a3.1', 'a2.1', 'a4.1', 'a1.2', 'a2.2'])
})

test('what is taken out is missing, and nothing else', () => {
  const line = start(['a1', 'a1', 'a2', 'b1'])
  expect(line.remove(on('a1'), (item) => item === 'a1.2')).toBe('a1.2')
  expect(line.remove(on('a1'), (item) => item === 'a1.2')).toBeUndefined()
  expect(line.remove(on('c1'), () => true)).toBeUndefined()
  expect(line.remove(on('b1'), () => true)).toBe('b1.1')
  expect(takeAll(line)).toEqual(['a2.1', 'a1.1'])
})

test('whoever may have no turn keeps its place', () => {
  const line = start(['a1', 'a2', 'b1'])
  const mayHaveTurn = (client: string): boolean => client !== 'a'
  expect(line.peek(mayHaveTurn)).toBe('b1.1')
  expect(line.take(mayHaveTurn)).toBe('b1.1')
  expect(line.take(mayHaveTurn)).toBeUndefined()
  expect(takeAll(line)).toEqual(['a1.1', 'a2.1'])
})

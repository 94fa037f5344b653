import { expect, it } from 'vitest'
import { AnswerLine } from './answer-line.ts'

it('long answers are sent in turns of the shortest and the oldest', () => {
  const line = new AnswerLine()
  const sent: string[] = []
  const add = (name: string, bytes: number) => line.add(new Uint8Array(bytes), () => sent.push(name))
  for (const [name, bytes] of [
    ['old', 900],
    ['longer', 800],
    ['long', 700],
    ['short', 100],
    ['shorter', 50],
  ] as const)
    add(name, bytes)
  while (!line.isEmpty) line.sendOne()
  line.sendOne()
  expect(sent).toEqual(['shorter', 'old', 'short', 'longer', 'long'])
})

it('bytes that are those of many answers are counted once, until the last of them is sent', () => {
  const line = new AnswerLine()
  const [shared, own] = [new Uint8Array(1_000), new Uint8Array(2_000)]
  for (const bytes of [shared, shared, own, shared]) line.add(bytes, () => undefined)
  expect(line.bytes).toBe(3_000)
  const counts: number[] = []
  while (!line.isEmpty) {
    line.sendOne()
    counts.push(line.bytes)
  }
  expect(counts.at(-1)).toBe(0)
  expect(counts).toHaveLength(4)
  line.add(own, () => undefined)
  line.clear()
  expect([line.bytes, line.isEmpty]).toEqual([0, true])
})

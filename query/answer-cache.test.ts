import { expect, test } from 'vitest'
import { AnswerCache } from './answer-cache.ts'

test('an answer is kept for heads that have its block, and for no lower one', () => {
  const cache = new AnswerCache()
  cache.set('receipt 0x01', 7, '{"status":"0x1"}')
  expect(cache.get('receipt 0x01', 6)).toBeUndefined()
  expect(cache.get('receipt 0x01', 7)).toBe('{"status":"0x1"}')
  expect(cache.get('receipt 0x01', 8)).toBe('{"status":"0x1"}')
  expect(cache.get('receipt 0x02', 8)).toBeUndefined()
})

test('many large answers push out the ones that were not asked for', () => {
  const cache = new AnswerCache()
  const large = 'x'.repeat(1024 * 1024)
  for (let height = 0; height < 100; height++) cache.set(`block ${height}`, height, large)
  const kept = Array.from({ length: 100 }, (_, height) => cache.get(`block ${height}`, 100) !== undefined)
  expect(kept.filter(Boolean).length).toBeLessThanOrEqual(32)
  expect(kept[0]).toBe(false)
  expect(kept[99]).toBe(true)
})

test('long answers have room of their own, of which one takes half at most', () => {
  const cache = new AnswerCache()
  const megabyte = 1024 * 1024
  cache.set('short', 1, 'x')
  for (let height = 0; height < 100; height++) cache.set(`block ${height}`, height, new Uint8Array(8 * megabyte))
  const kept = Array.from({ length: 100 }, (_, height) => cache.get(`block ${height}`, 100) !== undefined)
  expect(kept.filter(Boolean).length).toBeLessThanOrEqual(4)
  expect(kept[99]).toBe(true)
  cache.set('too long', 1, new Uint8Array(17 * megabyte))
  expect(cache.get('too long', 1)).toBeUndefined()
  expect(cache.get('short', 1)).toBe('x')
})

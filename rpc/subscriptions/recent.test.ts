import { expect, test } from 'vitest'
import { Recent } from './recent.ts'

test('what several ask for is made once, while it is among the last', async () => {
  const recent = new Recent<string>(2)
  let made = 0
  const get = (key: string): Promise<string> => recent.get(key, async () => `${key} ${++made}`)
  expect(await Promise.all([get('a'), get('a'), get('b')])).toEqual(['a 1', 'a 1', 'b 2'])
  expect(await get('c')).toBe('c 3')
  expect(await get('b')).toBe('b 2')
  expect(await get('a')).toBe('a 4')
})

test('what failed is made anew', async () => {
  const recent = new Recent<string>(2)
  await expect(recent.get('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(await recent.get('a', () => Promise.resolve('yes'))).toBe('yes')
})

import { expect, test } from 'vitest'
import { decodeCount } from './parameters/count.ts'
import { beginsTooDeep, hasValidId, isCall, parsePayload, type Payload } from './payload.ts'

const MAX_ITEMS = 1_000

const read = (text: string): Payload => {
  const payload = parsePayload(text, MAX_ITEMS)
  if (typeof payload === 'string') throw new TypeError(payload)
  return payload
}

test('a batch of values that are no calls is read once, however many there are', () => {
  for (const item of ['[]', '{}', '1', '"["']) {
    const { isBatch, messages } = read(`[${`${item},`.repeat(99_000)}${item}]`)
    expect(isBatch).toBe(true)
    expect(messages).toHaveLength(MAX_ITEMS + 1)
    expect(messages.some(isCall)).toBe(false)
  }
})

test('of a batch that is too long no more is read than tells so, calls or not', () => {
  const call = '{"jsonrpc":"2.0","id":7,"method":"eth_chainId"}'
  expect(read(`[${'[],'.repeat(5_000)}${call}${',[]'.repeat(90_000)}]`).messages).toHaveLength(MAX_ITEMS + 1)
  expect(read(`[${call}${',[]'.repeat(90_000)}]`).messages).toHaveLength(MAX_ITEMS + 1)
})

test('millions of brackets are refused as Go refuses them, before they are parsed', () => {
  expect(parsePayload('['.repeat(2_500_000) + ']'.repeat(2_500_000), MAX_ITEMS)).toBe('malformed')
  expect(parsePayload(`${'{"":'.repeat(1_000_000)}1${'}'.repeat(1_000_000)}`, MAX_ITEMS)).toBe('malformed')
})

test('brackets in strings, and behind the first value, nest nothing', () => {
  const method = '[{'.repeat(100_000)
  const [message] = read(`{"jsonrpc":"2.0","id":1,"method":"${method}"}`).messages
  expect(message?.method).toBe(method)
  const [first] = read(`{"jsonrpc":"2.0","id":1,"method":"a"}${'['.repeat(100_000)}`).messages
  expect(first?.method).toBe('a')
  const nesting = (levels: number): string => `{"method":"a","params":${'['.repeat(levels)}${']'.repeat(levels)}}`
  expect(read(nesting(9_999)).messages[0]?.method).toBe('a')
  expect(parsePayload(nesting(10_000), MAX_ITEMS) === 'malformed').toBe(true)
  expect(read(`[${nesting(9_998)}]`).messages[0]?.method).toBe('a')
  expect(parsePayload(`[${nesting(9_999)}]`, MAX_ITEMS) === 'malformed').toBe(true)
})

test('what nests too deep is known by its beginning, and nothing else is taken for it', () => {
  const begins = (text: string): boolean => beginsTooDeep(Buffer.from(text))
  for (const deep of ['['.repeat(10_001), '{"a":'.repeat(10_001), `{"a":"\\"]","b":${'[{"x":'.repeat(5_000)}[`])
    expect(begins(deep)).toBe(true)
  for (const text of [
    '['.repeat(10_000),
    `{"method":"${'[{'.repeat(20_000)}"`,
    `{"method":"a"}${'['.repeat(20_000)}`,
    `[${'[],'.repeat(20_000)}`,
    `"${'\\"['.repeat(20_000)}`,
    '',
  ]) {
    expect(begins(text)).toBe(false)
  }
})

test('an id of thousands of characters is not echoed', () => {
  const [long] = read(`{"jsonrpc":"2.0","id":"${'<'.repeat(10_000)}","method":"eth_chainId"}`).messages
  const [short] = read(`{"jsonrpc":"2.0","id":"${'<'.repeat(1_000)}","method":"eth_chainId"}`).messages
  expect(long === undefined || hasValidId(long)).toBe(false)
  expect(short?.id).toBe(`"${'\\u003c'.repeat(1_000)}"`)
})

test('a count of a million digits is refused without being computed', () => {
  expect(() => decodeCount('9'.repeat(4_000_000), '')).toThrow('invalid hex or decimal integer')
  expect(decodeCount(`0x${'0'.repeat(100)}9`, '')).toBe(9)
})

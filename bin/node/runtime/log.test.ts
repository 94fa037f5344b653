import { expect, test } from 'vitest'
import { createLog } from './log.ts'

const write = (message: string, fields: Readonly<Record<string, unknown>> = {}): string => {
  let text = ''
  createLog({ write: (line) => (text += line) }).warn(message, fields)
  return text.replace(/^\S+ /, '')
}

test('values without anything special stand as they are, others in quotes', () => {
  expect(write('a block', { height: 7, who: 'näme', amount: 5n })).toBe('warn  a block height=7 who=näme amount=5\n')
  expect(write('a block', { who: 'two words', is: 'a="b"' })).toBe('warn  a block who="two words" is="a=\\"b\\""\n')
})

test.each([
  ['\u001b[2J\u001b[31m', '"\\u001b[2J\\u001b[31m"'],
  ['\u001b]0;title\u0007', '"\\u001b]0;title\\u0007"'],
  ['\u009b31m', '"\\u009b31m"'],
  ['\u007f', '"\\u007f"'],
  ['a\nerror forged=1', '"a\\nerror forged=1"'],
  ['a\rb', '"a\\rb"'],
  ['abc\u202edef', '"abc\\u202edef"'],
  ['\u2028', '"\\u2028"'],
  ['\ud800', '"\\ud800"'],
  ['\u{e0041}', '"\\u{e0041}"'],
])('what a client sends does not reach the terminal of whoever reads the log: %j', (value, shown) => {
  expect(write('closed', { reason: value })).toBe(`warn  closed reason=${shown}\n`)
  expect(write('closed', { list: [value] }).slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028]/u)
})

test('messages keep their lines, and nothing else of that kind', () => {
  expect(write('failed: x\n    at y\u001b[1m')).toBe('warn  failed: x\n    at y\\u001b[1m\n')
})

import { expect, test } from 'vitest'
import { createLog } from './log.ts'
import { type LogLevels, logLevels, parseLogLevels } from './log-level.ts'

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

test('a message or a value is cut where it is as long as only others make them', () => {
  const long = 'x'.repeat(1_000_000)
  for (const line of [write(long), write('said', { long }), write('said', { deep: { list: [long] } })]) {
    expect(line.length).toBeLessThan(17_000)
    expect(line).toMatch(/xxx\.\.\. \(98\d+ characters more\)/)
  }
})

test('messages keep their lines, and nothing else of that kind', () => {
  expect(write('failed: x\n    at y\u001b[1m')).toBe('warn  failed: x\n    at y\\u001b[1m\n')
})

const lines = (write: (log: ReturnType<typeof createLog>) => void, format: 'json' | 'plain' = 'json') => {
  let text = ''
  const log = createLog({ write: (line) => (text += line), format })
  write(log)
  return text.split('\n').slice(0, -1)
}

test('is JSON for machines: an object a line, numbers of any size as texts, names of its own kept', () => {
  const [line = ''] = lines((log) => log.of('pool').warn('a %s', { amount: 2n ** 70n, time: 5, deep: { n: 1n } }))
  const { time, ...rest } = JSON.parse(line) as Record<string, unknown>
  expect(rest).toEqual({
    level: 'warn',
    module: 'pool',
    amount: '1180591620717411303424',
    time_: 5,
    deep: { n: '1' },
    msg: 'a %s',
  })
  expect(new Date(time as string).toISOString()).toBe(time)
})

test.each(['\u001b[2J', '\u009b31m', '\u007f', 'abc\u202edef', '\u2028', '\ud800', '\u{e0041}', 'a\nb'])(
  'JSON hides nothing either, and is read back as it was: %j',
  (value) => {
    const [line = '', ...others] = lines((log) => log.info(value, { value, list: [value] }))
    expect(others).toEqual([])
    expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028]/u)
    expect(JSON.parse(line)).toMatchObject({ msg: value, value, list: [value] })
  },
)

test('levels are those of the parts, and can be set later', () => {
  const written = lines((log) => {
    const pool = log.of('pool')
    pool.debug('1')
    log.configure({ levels: { all: 'error', parts: { pool: 'debug' } }, format: 'plain' })
    pool.debug('2')
    log.of('abci').warn('3')
    log.info('4')
    log.of('abci').error('5')
    expect([pool.isDebug, log.isDebug]).toEqual([true, false])
  })
  expect(written.map((line) => line.replace(/^\S+ /, ''))).toEqual(['debug 2 module=pool', 'error 5 module=abci'])
})

test.each([
  ['info', { all: 'info', parts: {} }],
  ['warn,consensus:debug, pool:error', { all: 'warn', parts: { consensus: 'debug', pool: 'error' } }],
  ['consensus:debug,*:error', { all: 'error', parts: { consensus: 'debug' } }],
  ['consensus:debug', { all: 'info', parts: { consensus: 'debug' } }],
  ['loud', undefined],
  ['nobody:debug', undefined],
  ['info,warn', undefined],
  ['pool:', undefined],
  ['', undefined],
])('levels are written as CometBFT writes them: %j', (text, levels) => {
  expect(parseLogLevels(text)).toEqual(levels)
  if (levels !== undefined)
    expect(parseLogLevels(JSON.parse(logLevels.toToml(levels as LogLevels)) as string)).toEqual(levels)
})

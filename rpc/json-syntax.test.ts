import { expect, test } from 'vitest'
import { describeSyntaxError, findValueEnd } from './json-syntax.ts'
import { parsePayload } from './payload.ts'

test('strings and nesting as long as a message may be are read without a stack of their size', () => {
  const long = 'x\\n'.repeat(10_000_000)
  expect(describeSyntaxError(`"${long}`)).toBeUndefined()
  expect(describeSyntaxError(`{"a":"${long}"x`)).toBe("invalid character 'x' after object key:value pair")
  expect(describeSyntaxError('['.repeat(1_000_000))).toBe("invalid character '[' exceeded max depth")
  expect(parsePayload('['.repeat(1_000_000), 1_000)).toBe('malformed')
  expect(parsePayload(`{"params":${'['.repeat(20_000)}${']'.repeat(20_000)}}`, 1_000)).toBe('malformed')
})

test('the end of a value is where JSON.parse agrees that it ends', () => {
  const values = ['{}', '[]', '{"a":[1,{"b":"}\\""}],"c":null}', '"\\u00e9é"', '-0.5e+10', 'true', '[[[1]],[]]', '0']
  for (const value of values) {
    for (const rest of ['', ' x', '{', ',']) {
      const end = findValueEnd(`\n ${value}${rest}`)
      expect(JSON.parse(`\n ${value}${rest}`.slice(0, end))).toEqual(JSON.parse(value))
    }
  }
})

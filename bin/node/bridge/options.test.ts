import { describe, expect, it } from 'vitest'
import { readBridgeOptions } from './options.ts'

describe('the flags of the bridge', () => {
  it('have defaults', () => {
    expect(readBridgeOptions(undefined, undefined)).toEqual({ endpoints: [], maxUnhealthySeconds: 300 })
  })

  it('name several endpoints', () => {
    expect(readBridgeOptions('http://a:1, https://b/key', '10').endpoints).toEqual(['http://a:1/', 'https://b/key'])
  })

  it('mean never by 4294967295', () => {
    expect(readBridgeOptions('http://a', '4294967295').maxUnhealthySeconds).toBeUndefined()
    expect(readBridgeOptions('http://a', '4294967294').maxUnhealthySeconds).toBe(4_294_967_294)
  })

  it.each(['0', '-1', '1.5', '4294967296', '99999999999', 'x', ''])('refuse %j seconds', (text) => {
    expect(() => readBridgeOptions(undefined, text)).toThrow(/must be 1 to 4294967295/)
  })

  it.each([
    ['ftp://a', /endpoint 1 is no URL/],
    ['http://a,secret', /^(?!.*secret).*endpoint 2 is no URL/],
    ['http://a,http://a/', /named twice/],
    [Array.from({ length: 17 }, (_, index) => `http://a${index}`).join(), /at most 16/],
  ])('refuse %j', (text, message) => {
    expect(() => readBridgeOptions(text, undefined)).toThrow(message)
  })
})

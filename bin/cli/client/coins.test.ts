import { describe, expect, it } from 'vitest'
import { parseCoin, parseCoins, parseGasPrice } from './coins.ts'

const usage = expect.objectContaining({ codespace: 'cli', code: 1 }) as Error

describe('an amount', () => {
  it.each([
    ['5nat', 'anat', '5000000000000000000'],
    ['5NAT', 'anat', '5000000000000000000'],
    ['0.5nat', 'anat', '500000000000000000'],
    ['1.000000000000000001nat', 'anat', '1000000000000000001'],
    ['5000anat', 'anat', '5000'],
    ['007uother', 'uother', '7'],
    [
      '1ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2',
      'ibc/27394FB092D2ECCD56123C74F36E4C1F926001CEADA9CA97EA622B25F41E5EB2',
      '1',
    ],
  ])('%s is of %s', (text, denom, amount) => {
    expect(parseCoin(text)).toEqual({ denom, amount })
  })

  it.each([
    '',
    '5',
    'nat',
    '-5nat',
    '5 nat',
    '0.5anat',
    '.5nat',
    '5.nat',
    '1.0000000000000000001nat',
    '5na',
    '5nat,6nat',
  ])('"%s" is refused', (text) => {
    expect(() => parseCoin(text)).toThrow(usage)
  })

  it('of several coins is sorted, and names each once', () => {
    expect(parseCoins('7uother,1anat', '2aaa')).toEqual([
      { denom: 'aaa', amount: '2' },
      { denom: 'anat', amount: '1' },
      { denom: 'uother', amount: '7' },
    ])
    expect(() => parseCoins('1nat', '2anat')).toThrow(usage)
  })
})

describe('a price of gas', () => {
  it.each([
    ['2000000000anat', 2_000_000_000n * 10n ** 18n],
    ['0.25anat', 25n * 10n ** 16n],
    ['0.000000002nat', 2_000_000_000n * 10n ** 18n],
  ])('%s is read to its last digit', (text, price) => {
    expect(parseGasPrice(text)).toBe(price)
  })

  it('of another coin is refused', () => {
    expect(() => parseGasPrice('1uother')).toThrow(usage)
  })
})

import { describe, expect, it } from 'vitest'
import { type MarketUnits, toLots, toTicks } from './market-units.ts'

/** NAT for TUSD as on a devnet: lots of 0.001 NAT, ticks of 0.001 TUSD a NAT. */
const UNITS: MarketUnits = {
  market: 1,
  base: { symbol: 'NAT', exponent: 18 },
  quote: { symbol: 'TUSD', exponent: 6 },
  lotSize: 10n ** 15n,
  factor: 1n,
}

describe('prices and sizes as people write them', () => {
  it('are ticks and lots, exactly', () => {
    expect([toTicks('25', UNITS), toTicks('0.001', UNITS), toTicks('25.0010', UNITS)]).toEqual([25_000n, 1n, 25_001n])
    expect([toLots('5', UNITS), toLots('0.001', UNITS)]).toEqual([5_000n, 1n])
  })

  it.each(['25.0005', '0', '0.0001', '0.0000'])('are refused off the tick: %s', (text) => {
    expect(() => toTicks(text, UNITS)).toThrow(`a price is a multiple of 0.001 TUSD for one NAT, and "${text}" is not`)
  })

  it.each(['0.0005', '0'])('are refused off the lot: %s', (text) => {
    expect(() => toLots(text, UNITS)).toThrow(`a size is a multiple of 0.001 NAT, and "${text}" is not`)
  })

  it.each(['', '-1', '1e3', '.5', '5.', ' 5', '0x5', '1,5', '9'.repeat(41)])(
    'are refused where they are no number: "%s"',
    (text) => {
      expect(() => toTicks(text, UNITS)).toThrow('is no price: write a number such as 12 or 0.5')
    },
  )
})

import { expect, test } from 'vitest'
import { excessWeight, pricedGas } from './priced-gas.ts'

test('an ordinary transaction is priced by its gas', () => {
  // A plain transfer, and one whose weight is just what its gas allows.
  expect(excessWeight({ workGas: 21_000n, weight: 187_000 })).toBe(0)
  expect(excessWeight({ workGas: 100_000n, weight: 1_900_000 })).toBe(0)
  expect(excessWeight({ workGas: 100_000n, weight: 1_900_001 })).toBe(1)
  expect(pricedGas(12_345n, 0, 1_000_000n, 1_800_000_000)).toBe(12_345n)
})

test('a block full of weight is as full as one full of gas, and none is fuller', () => {
  expect(pricedGas(0n, 900_000_000, 1_000_000n, 1_800_000_000)).toBe(500_000n)
  expect(pricedGas(20_000n, 450_000_000, 1_000_000n, 1_800_000_000)).toBe(270_000n)
  expect(pricedGas(900_000n, 900_000_000, 1_000_000n, 1_800_000_000)).toBe(1_000_000n)
})

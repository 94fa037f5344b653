import { describe, expect, it } from 'vitest'
import { seeded } from '../../test/sim/random.ts'
import { nextBaseFee } from './base-fee.ts'
import { DEFAULT_FEE_MARKET_GENESIS, MAX_PRICE_ANAT } from './params.ts'

/** `calc_base_fee` of EIP-1559's text, constant by constant. */
const reference = (parentBaseFee: bigint, parentGasUsed: bigint, parentGasLimit: bigint): bigint => {
  const ELASTICITY_MULTIPLIER = 2n
  const BASE_FEE_MAX_CHANGE_DENOMINATOR = 8n
  const parentGasTarget = parentGasLimit / ELASTICITY_MULTIPLIER
  if (parentGasUsed === parentGasTarget) return parentBaseFee
  if (parentGasUsed > parentGasTarget) {
    const delta =
      (parentBaseFee * (parentGasUsed - parentGasTarget)) / parentGasTarget / BASE_FEE_MAX_CHANGE_DENOMINATOR
    return parentBaseFee + (delta > 1n ? delta : 1n)
  }
  const delta = (parentBaseFee * (parentGasTarget - parentGasUsed)) / parentGasTarget / BASE_FEE_MAX_CHANGE_DENOMINATOR
  return parentBaseFee - delta
}

const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b)

const FREE = { ...DEFAULT_FEE_MARKET_GENESIS, minBaseFeeAnat: 0n }

describe('the next base fee', () => {
  // The cases of geth's TestCalcBaseFee: usage, target and limit of its own test.
  it.each([
    [1_000_000_000n, 20_000_000n, 10_000_000n, 1_000_000_000n],
    [1_000_000_000n, 20_000_000n, 9_000_000n, 987_500_000n],
    [1_000_000_000n, 20_000_000n, 11_000_000n, 1_012_500_000n],
  ])('is that of geth: base fee %d, limit %d, used %d gives %d', (baseFee, limit, used, expected) => {
    expect(nextBaseFee(baseFee, used, limit, FREE)).toBe(expected)
  })

  it(
    'is that of the EIP for any fee and usage, raised to the floor',
    seeded(81, (random) => {
      for (let round = 0; round < 3_000; round++) {
        const limit = BigInt(random.pick([2, 3, 1_000_000_000, 30_000_000, 2 + random.below(1_000)]))
        const used = random.chance(10) ? limit / 2n : (limit * BigInt(random.below(1_001))) / 1_000n
        const baseFee = random.pick([0n, 1n, 7n, 8n, 1_900_000_000n, BigInt(random.below(2 ** 31)) ** 3n])
        const expected = lesser(reference(baseFee, used, limit), MAX_PRICE_ANAT)
        expect(nextBaseFee(baseFee, used, limit, FREE)).toBe(expected)
        const floor = BigInt(random.below(2 ** 31))
        expect(nextBaseFee(baseFee, used, limit, { ...FREE, minBaseFeeAnat: floor })).toBe(
          expected > floor ? expected : floor,
        )
      }
    }),
  )

  it('never passes what is read as a price: full blocks could raise it for ever', () => {
    expect(nextBaseFee(MAX_PRICE_ANAT - 1n, 10n, 10n, FREE)).toBe(MAX_PRICE_ANAT)
    expect(nextBaseFee(MAX_PRICE_ANAT, 10n, 10n, FREE)).toBe(MAX_PRICE_ANAT)
  })

  it('stays where the limit leaves no target', () => {
    expect(nextBaseFee(5n, 1n, 1n, FREE)).toBe(5n)
  })
})

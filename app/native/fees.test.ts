import { describe, expect, it } from 'vitest'
import { CodedError } from '../../core/errors.ts'
import { checkFee, type GasPrices } from './fees.ts'

const PRICES: GasPrices = { baseFeePerGas: 10n, minimumGasPrice: 20n }
const fee = (gasLimit: bigint, ...coins: readonly (readonly [bigint, string])[]) => ({
  gasLimit,
  coins: coins.map(([amount, denom]) => ({ amount, denom })),
})

const refusal = (value: ReturnType<typeof fee>, prices = PRICES): string => {
  try {
    checkFee(value, prices)
  } catch (error) {
    if (error instanceof CodedError) return `${error.codespace}/${error.code} ${error.message}`
    throw error
  }
  return 'accepted'
}

describe('a fee', () => {
  it('is paid whole, and its price is rounded down', () => {
    expect(checkFee(fee(100n, [2_000n, 'anat']), PRICES)).toEqual({ feeAnat: 2_000n, gasPrice: 20n })
    expect(checkFee(fee(100n, [2_199n, 'anat']), PRICES)).toEqual({ feeAnat: 2_199n, gasPrice: 21n })
  })

  it('below both prices is told the one that will pass', () => {
    expect(refusal(fee(100n, [999n, 'anat']))).toContain('got: 9.990anat required: 20anat.')
  })

  it('need only reach the base fee where blocks are judged', () => {
    const judged = { baseFeePerGas: 10n, minimumGasPrice: 0n }
    expect(refusal(fee(100n, [1_000n, 'anat']), judged)).toBe('accepted')
    expect(refusal(fee(100n, [999n, 'anat']), judged)).toBe(
      'sdk/13 gas prices too low, got: 9.990anat required: 10anat. Please retry using a higher gas price or a higher fee: insufficient fee',
    )
  })

  it.each([
    ['missing', fee(100n), 'fee not provided. The minimum global fee for this tx is: 2000anat'],
    ['negative', fee(100n, [-1n, 'anat']), 'invalid fee provided: -1anat'],
    [
      'of two coins',
      fee(100n, [5_000n, 'anat'], [1n, 'x']),
      'expected only native token anat for fee, but got 5000anat,1x',
    ],
    ['of another coin', fee(100n, [5_000n, 'x']), 'expected only native token anat for fee, but got 5000x'],
    [
      'below the minimum',
      fee(100n, [1_999n, 'anat']),
      'provided fee < minimum global fee (1999anat < 2000anat). Please increase the gas price.',
    ],
  ])('that is %s is sdk/13', (_, value, text) => {
    expect(refusal(value)).toBe(`sdk/13 ${text}: insufficient fee`)
  })

  it('of zero is refused also where gas is free', () => {
    expect(refusal(fee(100n, [0n, 'anat']), { baseFeePerGas: 0n, minimumGasPrice: 0n })).toMatch(/^sdk\/13 /)
  })

  it('without a gas limit is sdk/18', () => {
    expect(refusal(fee(0n, [1n, 'anat']))).toBe('sdk/18 gas cannot be zero: invalid request')
  })
})

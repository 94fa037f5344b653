import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { bls12Precompiles } from './bls12.ts'
import { bn254Precompiles } from './bn254.ts'
import { CURVES, Mcl } from './mcl.ts'
import type { Precompile } from './precompile.ts'

afterEach(() => vi.restoreAllMocks())

describe.each([
  ['alt_bn128', CURVES.bn254, bn254Precompiles, 0x08, 192, [0, 1, 5]],
  ['BLS12-381', CURVES.bls12, bls12Precompiles, 0x0f, 384, [1, 5]],
] as const)('a product of pairings on %s', (_, curve, precompilesOf, number, pairBytes, counts) => {
  let mcl: Mcl
  let pairing: Precompile | undefined
  beforeAll(async () => {
    mcl = await Mcl.load(curve)
    pairing = new Map(precompilesOf(mcl)).get(number)
  })

  it.each(counts)('of %i pairs with infinity is one, and raised to nothing', (count) => {
    const raise = vi.spyOn(mcl.calls, '_mclBn_finalExp')
    const output = pairing?.run(new Uint8Array(count * pairBytes))
    expect(output).toEqual(new Uint8Array(32).with(31, 1))
    expect(raise).not.toHaveBeenCalled()
  })
})

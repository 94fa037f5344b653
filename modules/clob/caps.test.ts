import { describe, expect, it } from 'vitest'
import { rotateCaps } from './caps.ts'
import * as keeper from './keeper/index.ts'
import { DEFAULT_CLOB_PARAMETERS } from './params.ts'
import { makeWorld } from './testing/world.ts'

describe('caps of vote extensions', () => {
  it('keep that of the height that was decided, whatever the block changed, and add the next one', () => {
    const { state } = makeWorld()
    const sizes = { validatorCount: (_: unknown, height: number) => height * 10 }
    rotateCaps(state, 5, sizes)
    expect(keeper.readCaps(state)).toEqual([
      { height: 5, capBytes: 131_072 },
      { height: 6, capBytes: 8_738 },
    ])
    keeper.writeParameters(state, { ...DEFAULT_CLOB_PARAMETERS, extensionBudgetBytes: 1_048_576 })
    rotateCaps(state, 6, sizes)
    expect(keeper.readCaps(state)).toEqual([
      { height: 6, capBytes: 8_738 },
      { height: 7, capBytes: 14_979 },
    ])
  })
})

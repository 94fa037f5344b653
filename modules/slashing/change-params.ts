import { invariant } from '../../core/errors.ts'
import type { StateWriter } from '../../store/state.ts'
import { readParams, readSigningInfo, writeOverLimit, writeParams, writeSigningInfo } from './keeper/signing-info.ts'
import { listMissing, moveMissed } from './keeper/missed-blocks.ts'
import { maxMissed, type SlashingParams } from './params.ts'

/**
 * Replaces the parameters after the votes of block `height` are counted. Another window keeps what was missed in its
 * blocks, where the SDK leaves the bits at places that then mean other heights, or that no height reaches again. Who is
 * over a new limit is punished with the next block. The work is bounded by 100,000 bits for each validator with a
 * missed block.
 */
export const changeParams = (state: StateWriter, height: number, next: SlashingParams): void => {
  const { signedBlocksWindow: window } = readParams(state)
  writeParams(state, next)
  const overLimit: Uint8Array[] = []
  for (const address of listMissing(state)) {
    const info = readSigningInfo(state, address)
    invariant(info !== undefined, 'a validator that missed a block has a signing info')
    let { missedBlocks } = info
    if (window !== next.signedBlocksWindow) {
      missedBlocks = moveMissed(state, address, height, window, next.signedBlocksWindow)
      if (missedBlocks !== info.missedBlocks) writeSigningInfo(state, address, { ...info, missedBlocks })
    }
    if (missedBlocks > maxMissed(next)) overLimit.push(address)
  }
  writeOverLimit(state, overLimit)
}

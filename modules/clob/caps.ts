/** Caps of vote extensions in state: those of the height that was decided last and of the next one. */
import type { StateReader, StateWriter } from '../../store/state.ts'
import type { ClobDependencies } from './deps.ts'
import { type HeightCap, readCaps, readParameters, writeCaps } from './keeper/index.ts'
import { capBytes } from './plan/index.ts'

type SetSizes = Pick<ClobDependencies, 'validatorCount'>

/** The cap that the parameters and the sets in state give. */
const capAt = (state: StateReader, height: number, { validatorCount }: SetSizes): HeightCap => ({
  height,
  capBytes: capBytes(readParameters(state).extensionBudgetBytes, validatorCount(state, height)),
})

/**
 * Moves the caps on at the end of block `height`. That of `height` stays as its votes were judged, whatever governance
 * changed in the block; a state from before the order book has none.
 */
export const rotateCaps = (state: StateWriter, height: number, sizes: SetSizes): void => {
  const current = readCaps(state).find((cap) => cap.height === height) ?? capAt(state, height, sizes)
  writeCaps(state, [current, capAt(state, height + 1, sizes)])
}

/** Writes the caps of a genesis: those that an export brings for the first block on, or that of the first block. */
export const initCaps = (
  state: StateWriter,
  initialHeight: number,
  given: readonly HeightCap[],
  sizes: SetSizes,
): void => {
  const hasFirst = given.some(({ height }) => height === initialHeight)
  writeCaps(state, hasFirst ? given : [capAt(state, initialHeight, sizes)])
}

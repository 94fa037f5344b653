/** How long an extension may be. */
import { capBytes, readCaps, readParameters } from '../../modules/clob/index.ts'
import { readValidators } from '../../modules/consensus/index.ts'
import type { StateReader } from '../../store/state.ts'

/**
 * The most bytes of a vote extension for block `height`. State keeps the caps of its own height and of the next, each
 * written before the votes are given: a budget that a block lowers does not make votes too long that were given before.
 * Where none was written yet it is what the present parameters make of the set.
 */
export const extensionCapBytes = (state: StateReader, height: number): number =>
  readCaps(state).find((cap) => cap.height === height)?.capBytes ??
  capBytes(readParameters(state).extensionBudgetBytes, readValidators(state, height).length)

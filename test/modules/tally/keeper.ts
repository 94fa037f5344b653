/** The only code that touches the keys of tally. */
import { bytesToBigint, concatBytes, uint64ToBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { MAX_STEP_KEY, TALLY_ADDRESS, TOTAL_KEY } from './keys.ts'

export interface Total {
  readonly total: bigint
  /** That have ended since the chain began. */
  readonly blocks: bigint
}

const require = (value: Uint8Array | undefined): Uint8Array => {
  invariant(value !== undefined, 'tally has no values: the state has no genesis')
  return value
}

export const readMaxStep = (state: StateReader): bigint =>
  bytesToBigint(require(state.value(TALLY_ADDRESS, MAX_STEP_KEY)))

export const writeMaxStep = (state: StateWriter, maxStep: bigint): void =>
  state.setValue(TALLY_ADDRESS, MAX_STEP_KEY, uint64ToBytes(maxStep))

export const readTotal = (state: StateReader): Total => {
  const value = require(state.value(TALLY_ADDRESS, TOTAL_KEY))
  return { total: bytesToBigint(value.subarray(0, 8)), blocks: bytesToBigint(value.subarray(8)) }
}

export const writeTotal = (state: StateWriter, { total, blocks }: Total): void =>
  state.setValue(TALLY_ADDRESS, TOTAL_KEY, concatBytes(uint64ToBytes(total), uint64ToBytes(blocks)))

/** The only code that touches the keys of the weight module. */
import { readUint64, uint64ToBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import { MAX_BLOCK_WEIGHT_KEY, WEIGHT_ADDRESS } from './keys.ts'

/** Most that the transactions of a block may weigh together, in nanoseconds. */
export const readMaxBlockWeight = (state: StateReader): number => {
  const value = state.value(WEIGHT_ADDRESS, MAX_BLOCK_WEIGHT_KEY)
  invariant(value !== undefined, 'there is no limit of the weight of a block: the state has no genesis')
  return readUint64(value)
}

export const writeMaxBlockWeight = (state: StateWriter, weight: number): void =>
  state.setValue(WEIGHT_ADDRESS, MAX_BLOCK_WEIGHT_KEY, uint64ToBytes(weight))

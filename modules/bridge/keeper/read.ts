/** One value of the bridge's store. */
import type { StateReader } from '../../../store/state.ts'
import { BRIDGE_ADDRESS } from '../keys.ts'

export const read = <Value>(
  state: StateReader,
  key: Uint8Array,
  decode: (value: Uint8Array) => Value,
): Value | undefined => {
  const value = state.value(BRIDGE_ADDRESS, key)
  return value === undefined ? undefined : decode(value)
}

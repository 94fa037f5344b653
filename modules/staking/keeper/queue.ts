/** Queues in the order of time: what is due is handled at the end of a block, a bounded part at once. */
import { concatBytes, readUint64, uint64ToBytes } from '../../../core/bytes.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { STAKING_ADDRESS, UNBONDING_ID_KEY } from '../keys.ts'

/** Most entries of one queue in one block; the rest is due in the next, some milliseconds of work each. */
export const MAX_MATURE = 5_000
const CHUNK = 500

/** The same while a slash goes on, which each of them may have to pay for first. */
export const MAX_MATURE_WHILE_SLASHING = 500

/** Keys and values of a queue whose time is not after `timeNs`, the oldest first. Keys are prefix(1), time(8), ... */
export const readMature = (
  state: StateReader,
  prefix: Uint8Array,
  timeNs: bigint,
  most = MAX_MATURE,
): readonly (readonly [key: Uint8Array, value: Uint8Array])[] => {
  const mature: (readonly [Uint8Array, Uint8Array])[] = []
  // An idle block looks at one entry.
  for (let limit = 1, start = prefix; mature.length < most; limit = CHUNK) {
    const chunk = state.values(STAKING_ADDRESS, prefix, Math.min(limit, most - mature.length), start)
    for (const entry of chunk) {
      if (new DataView(entry[0].buffer, entry[0].byteOffset + 1, 8).getBigUint64(0) > timeNs) return mature
      mature.push(entry)
    }
    const last = chunk.at(-1)
    if (last === undefined) return mature
    start = concatBytes(last[0], Uint8Array.of(0))
  }
  return mature
}

export const readUnbondingId = (state: StateReader): number => {
  const value = state.value(STAKING_ADDRESS, UNBONDING_ID_KEY)
  return value === undefined ? 0 : readUint64(value)
}

export const writeUnbondingId = (state: StateWriter, id: number): void =>
  state.setValue(STAKING_ADDRESS, UNBONDING_ID_KEY, id === 0 ? undefined : uint64ToBytes(id))

/** A number for one operation of unbonding, never used again. */
export const nextUnbondingId = (state: StateWriter): number => {
  const id = readUnbondingId(state) + 1
  writeUnbondingId(state, id)
  return id
}

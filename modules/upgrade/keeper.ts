/**
 * The only code that touches the keys of upgrade: 0x00 is the plan, RLP [name, height, info]; 0x01 name is the height,
 * in 8 bytes, at which the plan of that name was applied.
 */
import { moduleAddress } from '../../core/address.ts'
import { bytesToUtf8, concatBytes, readUint64, uint64ToBytes, utf8ToBytes } from '../../core/bytes.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import { decodePlan, encodePlan, type Plan } from './plan.ts'

export const UPGRADE_ADDRESS = moduleAddress('upgrade')

const PLAN_KEY = Uint8Array.of(0)
const APPLIED = Uint8Array.of(1)
/** Values read at once. */
const CHUNK = 100

const appliedKey = (name: string): Uint8Array => concatBytes(APPLIED, utf8ToBytes(name))

export const readPlan = (state: StateReader): Plan | undefined => {
  const value = state.value(UPGRADE_ADDRESS, PLAN_KEY)
  return value === undefined ? undefined : decodePlan(value)
}

/** Undefined deletes it. */
export const writePlan = (state: StateWriter, plan: Plan | undefined): void =>
  state.setValue(UPGRADE_ADDRESS, PLAN_KEY, plan === undefined ? undefined : encodePlan(plan))

export const readAppliedHeight = (state: StateReader, name: string): number | undefined => {
  const value = state.value(UPGRADE_ADDRESS, appliedKey(name))
  return value === undefined ? undefined : readUint64(value)
}

export const writeApplied = (state: StateWriter, name: string, height: number): void =>
  state.setValue(UPGRADE_ADDRESS, appliedKey(name), uint64ToBytes(height))

/** Lists the applied plans in the order of names. */
export function* listApplied(state: StateReader): Generator<{ readonly name: string; readonly height: number }, void> {
  for (let from: Uint8Array = APPLIED; ; ) {
    const entries = state.values(UPGRADE_ADDRESS, APPLIED, CHUNK, from)
    for (const [key, value] of entries) {
      yield { name: bytesToUtf8(key.subarray(APPLIED.length)), height: readUint64(value) }
    }
    const last = entries.at(-1)
    if (last === undefined || entries.length < CHUNK) return
    from = concatBytes(last[0], Uint8Array.of(0))
  }
}

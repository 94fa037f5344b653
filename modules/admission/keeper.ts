/** Who may create a validator: the only code that touches the keys. */
import type { Address } from '../../core/address.ts'
import { concatBytes } from '../../core/bytes.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import { ADMISSION_ADDRESS, APPROVAL_REQUIRED_KEY, OPERATOR_PREFIX, operatorKey } from './keys.ts'

const PRESENT = Uint8Array.of(1)
/** Operators read at once. */
const CHUNK = 500

export const isApprovalRequired = (state: StateReader): boolean =>
  state.value(ADMISSION_ADDRESS, APPROVAL_REQUIRED_KEY) !== undefined

export const setApprovalRequired = (state: StateWriter, required: boolean): void =>
  state.setValue(ADMISSION_ADDRESS, APPROVAL_REQUIRED_KEY, required ? PRESENT : undefined)

export const isApproved = (state: StateReader, operator: Address): boolean =>
  state.value(ADMISSION_ADDRESS, operatorKey(operator)) !== undefined

export const setApproved = (state: StateWriter, operator: Address, approved: boolean): void =>
  state.setValue(ADMISSION_ADDRESS, operatorKey(operator), approved ? PRESENT : undefined)

/** Whether a validator of this operator may be created now. */
export const mayCreateValidator = (state: StateReader, operator: Address): boolean =>
  !isApprovalRequired(state) || isApproved(state, operator)

/** Approved operators in the order of their addresses, from `start` (inclusive) on. */
export function* readOperators(state: StateReader, start?: Address): Generator<Address, void> {
  for (let next = start === undefined ? OPERATOR_PREFIX : operatorKey(start); ; ) {
    const chunk = state.values(ADMISSION_ADDRESS, OPERATOR_PREFIX, CHUNK, next)
    for (const [key] of chunk) yield key.slice(OPERATOR_PREFIX.length)
    const last = chunk.at(-1)
    if (last === undefined || chunk.length < CHUNK) return
    next = concatBytes(last[0], Uint8Array.of(0))
  }
}

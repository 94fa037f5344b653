/** How an instruction ends: numbers, for the loop compares one after most instructions. */

export const CONTINUE = 0
/** The frame ended well. */
export const DONE = 1
/** REVERT: what is left of the gas comes back. */
export const REVERTED = 2
/** The machine's request is a frame to enter. */
export const ENTER = 3

// Failures: they take all gas of the frame.
export const OUT_OF_GAS = 10
export const STACK_BOUNDS = 11
export const GAS_OVERFLOW = 12
export const MEMORY_OVERFLOW = 13
export const BELOW_SENTRY = 14
export const COLD_TARGET = 15
export const INIT_CODE_SIZE = 16
export const INVALID_JUMP = 17
export const INVALID_OPCODE = 18
export const WRITE_PROTECTION = 19
export const RETURN_DATA_BOUNDS = 20
export const CODE_SIZE = 21
export const CODE_PREFIX = 22
export const DEPOSIT = 23
export const COLLISION = 24

// Refusals: the frame never begins, and its gas comes back.
export const DEPTH = 30
export const BALANCE = 31
export const NONCE = 32

export type Signal = number

/** Failures found before the instruction has a price: only the constant part of its gas counts. */
export const isUnpriced = (signal: Signal): boolean => signal >= STACK_BOUNDS && signal <= INIT_CODE_SIZE

/** Failures found before the instruction does anything: those that geth shows in its step. */
export const isBeforeRunning = (signal: Signal): boolean => signal >= OUT_OF_GAS && signal <= INIT_CODE_SIZE

/** How an instruction ends, and with it a frame. */

/** The frame ended by itself: well, or by REVERT, which gives back what is left of the gas. */
export type Ending = 'done' | 'reverted'

/** The instruction could not run: that takes all gas of the frame. */
export type Failure =
  | Unpriced
  | 'outOfGas'
  | 'invalidJump'
  | 'invalidOpcode'
  | 'writeProtection'
  | 'returnDataBounds'
  | 'codeSize'
  | 'codePrefix'
  | 'deposit'
  | 'collision'

/** Failures that are found before the instruction has a price: only the constant part of its gas counts. */
type Unpriced = 'stackBounds' | 'gasOverflow' | 'memoryOverflow' | 'belowSentry' | 'coldTarget' | 'initCodeSize'

/** The frame never begins, and its gas comes back. */
export type Refusal = 'depth' | 'balance' | 'nonce'

/**
 * `continue` goes on with the next instruction; `enter` says that the machine's request is a frame to enter; `paused` that
 * the frame can go on later where it is.
 */
export type Signal = 'continue' | 'enter' | 'paused' | Ending | Failure | Refusal

const UNPRICED: ReadonlySet<Signal> = new Set<Unpriced>([
  'stackBounds',
  'gasOverflow',
  'memoryOverflow',
  'belowSentry',
  'coldTarget',
  'initCodeSize',
])

export const isUnpriced = (signal: Signal): boolean => UNPRICED.has(signal)

/** Failures found before the instruction does anything: those that geth shows in its step. */
export const isBeforeRunning = (signal: Signal): boolean => signal === 'outOfGas' || UNPRICED.has(signal)

/** Expected failures carry a codespace and a stable code; a broken invariant halts the node. */

/**
 * A failure that a caller can act on.
 *
 * `codespace` names the part of the node that speaks (`evm`, `bank`, `rpc`, ...), `code` is stable within it and
 * never reused, `message` says what to do, `data` holds details for machines.
 */
export class CodedError extends Error {
  override readonly name = 'CodedError'
  readonly codespace: string
  readonly code: number
  readonly data: unknown

  constructor(codespace: string, code: number, message: string, data?: unknown) {
    super(message)
    this.codespace = codespace
    this.code = code
    this.data = data
  }
}

/**
 * A failure of the node itself, which nobody who asks can act on: it is logged in full, and told as an internal error.
 * Those of the database (codespace `store`) have codes, for the operator.
 */
export const isFault = (error: unknown): boolean => !(error instanceof CodedError) || error.codespace === 'store'

/** Codespace `core`. */
const CORE_CODES = {
  hex: 1,
  addressLength: 2,
  /** A native binding did not load. */
  binding: 3,
  signature: 4,
  bech32: 5,
  decimal: 6,
  time: 7,
  publicKey: 8,
  typedData: 9,
} as const

export const coreError = (code: keyof typeof CORE_CODES, message: string): CodedError =>
  new CodedError('core', CORE_CODES[code], message)

/** The text of anything thrown. */
export const errorText = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Thrown by {@link invariant}: the node must stop, for its state can no longer be trusted. */
export class InvariantError extends Error {
  override readonly name = 'InvariantError'
}

/** Halts the node with a message when `condition` does not hold. Never used for input from outside. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new InvariantError(`invariant broken: ${message}`)
}

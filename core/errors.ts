/** Expected failures carry a codespace and a stable code; a broken invariant halts the node. */
import { errorTable } from './error-table.ts'

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

export const CORE_ERRORS = errorTable(
  'core',
  'Values that are not what they should be: addresses, numbers, times, signatures. Usually the part that was asked ' +
    'puts the text into an error of its own.',
  {
    hex: {
      code: 1,
      text: 'invalid hex data: ... | invalid hex quantity: ...',
      cause: 'The text is not `0x` and hexadecimal digits, or data has an odd number of digits.',
      action: 'Write `0x` and hexadecimal digits, two for each byte of data.',
    },
    addressLength: {
      code: 2,
      text: 'an address has 20 bytes, not ...',
      cause: 'The address is too short or too long.',
      action: 'Write an address of 20 bytes.',
    },
    binding: {
      code: 3,
      text: 'the native secp256k1 binding did not load (...); run "make setup" on this machine',
      cause: 'The installed packages were built for another machine or another version of Node.',
      action: 'Run `make setup` on this machine.',
    },
    signature: {
      code: 4,
      text: 'invalid signature values | recovery failed',
      cause: 'The values of a signature are out of range, or no public key belongs to it.',
      action: 'Sign again.',
    },
    bech32: {
      code: 5,
      text: 'invalid bech32 address ...: ...',
      cause: 'The checksum, a character or the prefix of the address is wrong.',
      action: 'Copy the address again. Accounts begin with `nat1`, operators with `natvaloper1`.',
    },
    decimal: {
      code: 6,
      text: 'invalid decimal ...: ...',
      cause: 'The text is not a decimal number with at most 18 places, or the number is out of range.',
      action: 'Write digits, and at most 18 of them after a point.',
    },
    time: {
      code: 7,
      text: 'invalid time ...: ... | invalid duration ...: ...',
      cause: 'The text is not a time of RFC 3339 in UTC, or not a duration in seconds.',
      action: 'Write a time such as `2026-01-02T03:04:05.6Z`, a duration such as `1814400s`.',
    },
    publicKey: {
      code: 8,
      text: 'not a compressed secp256k1 public key',
      cause: 'The bytes are not the 33 bytes of a compressed public key.',
      action: 'Give the compressed form of the key.',
    },
    typedData: {
      code: 9,
      text: 'typed data cannot hold ...',
      cause: 'The messages of a transaction cannot be written as typed data (EIP-712).',
      action: 'Sign in another mode, such as SIGN_MODE_DIRECT.',
    },
  },
)

export const coreError = (code: keyof typeof CORE_ERRORS.codes, message: string): CodedError =>
  new CodedError('core', CORE_ERRORS.codes[code], message)

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

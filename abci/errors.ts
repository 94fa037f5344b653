/** Failures of the peer on the ABCI wire. The application's own failures never carry this codespace. */
import { CodedError } from '../core/errors.ts'

export const ABCI_CODESPACE = 'abci'

/** Stable codes; never reused. */
export const ABCI_CODES = {
  frameTooLarge: 1,
  malformedLength: 2,
  undecodable: 3,
  unknownMethod: 4,
  missingField: 5,
  outOfRange: 6,
  unsupportedKeyType: 7,
  outputBackedUp: 8,
  replaced: 9,
  unsupportedMethod: 10,
  invalidAddress: 11,
  addressInUse: 12,
  replyTooLarge: 13,
  unavailable: 14,
} as const

export const protocolError = (code: keyof typeof ABCI_CODES, message: string): CodedError =>
  new CodedError(ABCI_CODESPACE, ABCI_CODES[code], message)

/** True for what the peer did wrong: its connection is closed, and the node goes on. */
export const isProtocolError = (error: unknown): error is CodedError =>
  error instanceof CodedError && error.codespace === ABCI_CODESPACE

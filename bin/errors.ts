/** What the command line refuses. The message says what to do; the exit status is 1, or 2 for wrong usage. */
import { CodedError } from '../core/errors.ts'

/** Codespace `cli`. */
export const CLI_CODES = {
  usage: 1,
  homeMissing: 2,
  homeExists: 3,
  settings: 4,
  genesis: 5,
  portInUse: 6,
  wrongChain: 7,
  cometbft: 8,
  childFailed: 9,
  unreachable: 10,
  homeInUse: 11,
  /** `verify-proof`: not proven, or no reply that could prove anything. */
  proof: 12,
  /** A rollback that is not possible, or one that was cut short and must be run again. */
  rollback: 14,
  /** `verify`: the database is not what its headers commit to. */
  damaged: 15,
  permission: 16,
  /** A snapshot or an archive that cannot be made or restored. */
  snapshot: 17,
  /** A key that is not there or cannot be opened, or a wrong password. */
  keyring: 18,
  /** A transaction that cannot be made, or that the chain refused. */
  transaction: 19,
  /** A question that the chain refused. */
  query: 20,
} as const

export const cliError = (code: keyof typeof CLI_CODES, message: string, data?: unknown): CodedError =>
  new CodedError('cli', CLI_CODES[code], message, data)

export { errorText } from '../core/errors.ts'

/** Reading JSON of unknown shape at the edges: every failure names the member at fault. */
import { errorTable } from './error-table.ts'
import { CodedError } from './errors.ts'

export const GENESIS_ERRORS = errorTable(
  'genesis',
  'A genesis file that cannot be used. Seen when a node starts a chain, and by `chain genesis`.',
  {
    member: {
      code: 1,
      text: '<member>: ...',
      cause: 'The named member of the file is missing, unknown, or has a value that is not allowed.',
      action: 'Correct the member, then run `chain genesis validate`.',
    },
    syntax: {
      code: 2,
      text: 'app_state is not valid JSON: ...',
      cause: 'The file is damaged or was cut short.',
      action: 'Fetch the file again, and compare its hash with the one that the network publishes.',
    },
  },
)

export type JsonObject = { readonly [key: string]: unknown }

/** Throws genesis/1: `path` is the member, as app_state.bank.balances[3].address. */
export const failAt = (path: string, message: string): never => {
  throw new CodedError('genesis', GENESIS_ERRORS.codes.member, `${path}: ${message}`)
}

/** An object whose members are all in `known`; unknown ones are refused by name. */
export const parseObject = (value: unknown, path: string, known: readonly string[]): JsonObject => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return failAt(path, 'must be an object')
  for (const key of Object.keys(value)) {
    if (!known.includes(key)) {
      failAt(`${path}.${key}`, `unknown field; known are ${known.length === 0 ? 'none' : known.join(', ')}`)
    }
  }
  return value as JsonObject
}

export const parseArray = (value: unknown, path: string, maxLength: number): readonly unknown[] => {
  if (value === undefined) return []
  if (!Array.isArray(value)) return failAt(path, 'must be an array')
  if (value.length > maxLength) failAt(path, `has ${value.length} entries, at most ${maxLength} are allowed`)
  return value as readonly unknown[]
}

export const parseString = (value: unknown, path: string): string =>
  typeof value === 'string' ? value : failAt(path, 'must be a string')

/** A non-negative integer as a decimal string, as protobuf-JSON writes 64-bit and larger numbers. */
export const parseAmount = (value: unknown, path: string): bigint =>
  typeof value === 'string' && /^(0|[1-9][0-9]{0,77})$/.test(value)
    ? BigInt(value)
    : failAt(path, 'must be a non-negative integer in a decimal string')

/** A safe non-negative integer, as a number or a decimal string. */
export const parseInteger = (value: unknown, path: string): number => {
  const number = typeof value === 'string' && /^(0|[1-9][0-9]{0,15})$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) && number >= 0
    ? number
    : failAt(path, 'must be a non-negative integer')
}

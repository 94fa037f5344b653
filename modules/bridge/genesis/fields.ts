/** Fields of the genesis that deposits and the way back share. */
import { CodedError } from '../../../core/errors.ts'
import { hexToBytes } from '../../../core/hex.ts'
import { failAt, parseAmount, parseInteger, parseString } from '../../../core/parse.ts'
import type { BridgeContract } from '../../../core/bridge-event.ts'

const HEX = /^0x([0-9a-f]{2})*$/

/** What is thrown for a value says at which member it stands. */
export const at = <Value>(path: string, read: () => Value): Value => {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CodedError) || error.codespace === 'genesis') throw error
    return failAt(path, error.message)
  }
}

export const flagAt = (value: unknown, path: string): boolean =>
  typeof value === 'boolean' ? value : value === undefined ? false : failAt(path, 'must be true or false')

export const idAt = (value: unknown, path: string): number => {
  const id = parseInteger(value, path)
  return id < 2 ** 32 ? id : failAt(path, 'must be below 2^32')
}

export const bytesAt = (value: unknown, path: string, length: number): Uint8Array => {
  const text = parseString(value, path)
  const bytes = HEX.test(text) ? hexToBytes(text) : failAt(path, 'must be 0x and hexadecimal digits')
  return bytes.length === length ? bytes : failAt(path, `must have ${length} bytes`)
}

/** Parses the members `chain_id` and `contract`. */
export const contractAt = (object: Readonly<Record<string, unknown>>, path: string): BridgeContract => {
  const chainId = parseAmount(object['chain_id'], `${path}.chain_id`)
  if (chainId >= 1n << 64n) failAt(`${path}.chain_id`, 'must be below 2^64')
  return { chainId, address: bytesAt(object['contract'], `${path}.contract`, 20) }
}

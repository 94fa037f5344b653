/** JSON texts as Go writes them. */
import { bytesToHex, type Hex } from '../../core/hex.ts'

const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
}

/** Go escapes these, which stand in strings only. */
export const escapeText = (json: string): string =>
  json.replace(/[<>&\u2028\u2029]/g, (character) => ESCAPES[character] ?? character)

export const jsonText = (value: unknown): string => escapeText(JSON.stringify(value))

/** An object of texts, its members in the order of their names, as Go writes maps. */
export const mapText = (members: Iterable<readonly [name: string, text: string]>): string =>
  `{${[...members]
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}`

/** Prints 32 bytes from a value without leading zeros. */
export const wordHex = (trimmed: Uint8Array): Hex => `0x${bytesToHex(trimmed).slice(2).padStart(64, '0')}`

export const bigWordHex = (value: bigint): Hex => `0x${value.toString(16).padStart(64, '0')}`

/** Counts as a number, a decimal or hexadecimal text (geth's math.HexOrDecimal64). */
import { goJson } from '../errors.ts'
import { invalidValue, type Decode } from './go-json.ts'
import { digitsOf } from './number-literal.ts'

const MAX_UINT64 = 0xffff_ffff_ffff_ffffn
/** The most digits, with leading zeros; the time that BigInt takes grows faster than the length of a text. */
const MAX_DIGITS = 1_024

const parseUint64 = (text: string): bigint | undefined => {
  if (text === '') return 0n
  if (!/^(?:0[xX][0-9a-fA-F]+|[0-9]+)$/.test(text)) return undefined
  if (text.length > MAX_DIGITS) return undefined
  const value = BigInt(text)
  return value > MAX_UINT64 ? undefined : value
}

/** Counts above 2^53 are above every limit. */
export const decodeCount: Decode<number> = (value) => {
  const text = typeof value === 'string' ? value : (digitsOf(value) ?? JSON.stringify(value))
  const count = parseUint64(text)
  if (count === undefined) throw invalidValue(`invalid hex or decimal integer ${goJson(text)}`)
  return Math.min(Number(count), Number.MAX_SAFE_INTEGER)
}

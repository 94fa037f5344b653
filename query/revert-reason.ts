/** A revert in words: Error(string) and Panic(uint256) of Solidity, as geth prints them. */
import { bytesToBigint, bytesToUtf8 } from '../core/bytes.ts'
import { bytesToHex } from '../core/hex.ts'

const REVERTED = 'execution reverted'
const ERROR_SELECTOR = '0x08c379a0'
const PANIC_SELECTOR = '0x4e487b71'

const PANICS: ReadonlyMap<bigint, string> = new Map([
  [0x00n, 'generic panic'],
  [0x01n, 'assert(false)'],
  [0x11n, 'arithmetic underflow or overflow'],
  [0x12n, 'division or modulo by zero'],
  [0x21n, 'enum overflow'],
  [0x22n, 'invalid encoded storage byte array accessed'],
  [0x31n, 'out-of-bounds array access; popping on an empty array'],
  [0x32n, 'out-of-bounds access of an array or bytesN'],
  [0x41n, 'out of memory'],
  [0x51n, 'uninitialized function'],
])

/** The string of Error(string), or undefined when the data is not well formed. */
const decodeString = (body: Uint8Array): string | undefined => {
  if (body.length < 64) return undefined
  const offset = bytesToBigint(body.subarray(0, 32))
  if (offset + 32n > BigInt(body.length)) return undefined
  const start = Number(offset) + 32
  const length = bytesToBigint(body.subarray(Number(offset), start))
  return BigInt(start) + length > BigInt(body.length)
    ? undefined
    : bytesToUtf8(body.subarray(start, start + Number(length)))
}

/** What Error(string) or Panic(uint256) say, or undefined when the data is neither. */
export const decodeRevert = (data: Uint8Array): string | undefined => {
  if (data.length < 4) return undefined
  const selector = bytesToHex(data.subarray(0, 4))
  const body = data.subarray(4)
  if (selector === ERROR_SELECTOR) return decodeString(body)
  if (selector !== PANIC_SELECTOR || body.length < 32) return undefined
  const code = bytesToBigint(body.subarray(0, 32))
  return PANICS.get(code) ?? `unknown panic code: 0x${code.toString(16)}`
}

/** The message of JSON-RPC error 3. An empty reason leaves a colon and a space, as in geth. */
export const revertReason = (data: Uint8Array): string => {
  const reason = decodeRevert(data)
  return reason === undefined ? REVERTED : `${REVERTED}: ${reason}`
}

/** Hexadecimal parameters: data, fixed-size data and quantities, as geth's hexutil and common read them. */
import type { Hex } from '../../core/hex.ts'
import { rpcError } from '../errors.ts'
import { invalidValue, unmarshalError, type Decode } from './go-json.ts'

const HEX_DIGITS = /^[0-9a-fA-F]*$/
const SLOT_DIGITS = 64
const LOWER_ADDRESS = /^0x[0-9a-f]{40}$/
const LOWER_DATA = /^0x(?:[0-9a-f]{2})*$/

export const has0xPrefix = (text: string): boolean =>
  text.charCodeAt(0) === 0x30 && (text.charCodeAt(1) | 0x20) === 0x78

export const HEX_TEXTS = {
  empty: 'empty hex string',
  syntax: 'invalid hex string',
  missingPrefix: 'hex string without 0x prefix',
  oddLength: 'hex string of odd length',
  emptyNumber: 'hex string "0x"',
  leadingZero: 'hex number with leading zero digits',
} as const

/** The text behind 0x in lower case: what the application works with. */
const normalize = (digits: string): Hex => `0x${digits.toLowerCase()}`

const checkString = (value: unknown, place: string, type: string): string => {
  if (typeof value !== 'string') throw unmarshalError('non-string', place, type)
  return value
}

/** Digits of an even number behind 0x; an empty text is allowed and has none. */
const evenDigits = (text: string, place: string, type: string): string => {
  if (text === '') return ''
  if (!has0xPrefix(text)) throw unmarshalError(HEX_TEXTS.missingPrefix, place, type)
  if (text.length % 2 !== 0) throw unmarshalError(HEX_TEXTS.oddLength, place, type)
  return text.slice(2)
}

export const fixedDecoder =
  (type: string, bytes: number): Decode<Hex> =>
  (value, place) => {
    const digits = evenDigits(checkString(value, place, type), place, type)
    if (digits.length !== bytes * 2) {
      throw invalidValue(`hex string has length ${digits.length}, want ${bytes * 2} for ${type}`)
    }
    if (!HEX_DIGITS.test(digits)) throw unmarshalError(HEX_TEXTS.syntax, place, type)
    return normalize(digits)
  }

const decodeAnyAddress = fixedDecoder('common.Address', 20)

/** The usual spelling takes one test. */
export const decodeAddress: Decode<Hex> = (value, place) =>
  typeof value === 'string' && LOWER_ADDRESS.test(value) ? (value as Hex) : decodeAnyAddress(value, place)

export const decodeHash: Decode<Hex> = fixedDecoder('common.Hash', 32)

/** The usual spelling is passed on as it is: megabytes of data are not copied. */
export const decodeData: Decode<Hex> = (value, place) => {
  if (typeof value === 'string' && LOWER_DATA.test(value)) return value as Hex
  const digits = evenDigits(checkString(value, place, 'hexutil.Bytes'), place, 'hexutil.Bytes')
  if (!HEX_DIGITS.test(digits)) throw unmarshalError(HEX_TEXTS.syntax, place, 'hexutil.Bytes')
  return normalize(digits)
}

const quantityDecoder =
  (type: string, bits: number): Decode<Hex> =>
  (value, place) => {
    const text = checkString(value, place, type)
    // Accepted by geth, and zero.
    if (text === '') return '0x0'
    if (!has0xPrefix(text)) throw unmarshalError(HEX_TEXTS.missingPrefix, place, type)
    const digits = text.slice(2)
    if (digits === '') throw unmarshalError(HEX_TEXTS.emptyNumber, place, type)
    if (digits.length > 1 && digits.startsWith('0')) throw unmarshalError(HEX_TEXTS.leadingZero, place, type)
    if (digits.length > bits / 4) throw unmarshalError(`hex number > ${bits} bits`, place, type)
    if (!HEX_DIGITS.test(digits)) throw unmarshalError(HEX_TEXTS.syntax, place, type)
    return normalize(digits)
  }

export const decodeUint64: Decode<Hex> = quantityDecoder('hexutil.Uint64', 64)
export const decodeBig: Decode<Hex> = quantityDecoder('*hexutil.Big', 256)
export const decodeU256: Decode<Hex> = quantityDecoder('*uint256.Int', 256)

const decodeUint = quantityDecoder('hexutil.Uint', 64)

/** An index in a block; numbers beyond what JavaScript holds exactly are beyond every block. */
export const decodeIndex: Decode<number> = (value, place) =>
  Math.min(Number(decodeUint(value, place)), Number.MAX_SAFE_INTEGER)

/** Why a text is no storage slot, in geth's words; 0x is optional, an odd length allowed. */
const slotFault = (digits: string): string | undefined => {
  if (digits.length > SLOT_DIGITS) return 'hex string too long, want at most 32 bytes'
  return HEX_DIGITS.test(digits) ? undefined : 'hex string invalid'
}

const slotDigits = (text: string): string => (has0xPrefix(text) ? text.slice(2) : text)
const toSlot = (digits: string): Hex => `0x${digits.toLowerCase().padStart(SLOT_DIGITS, '0')}`

/** Throws rpc/failed as eth_getStorageAt does. */
export const parseSlot = (text: string): Hex => {
  const digits = slotDigits(text)
  const fault = slotFault(digits)
  if (fault !== undefined) throw rpcError('failed', `unable to decode storage key: ${fault}`)
  return toSlot(digits)
}

/** Reads a slot as eth_getProof does, and tells how it is shown: 32 bytes as they are, fewer as a quantity. Throws rpc/failed. */
export const parseProofSlot = (text: string): { readonly slot: Hex; readonly shown: Hex } => {
  const digits = slotDigits(text)
  const fault = slotFault(digits)
  if (fault !== undefined) throw rpcError('failed', fault)
  const slot = toSlot(digits)
  const isWhole = digits.length >= SLOT_DIGITS - 1
  return { slot, shown: isWhole ? slot : `0x${digits.toLowerCase().replace(/^0+/, '') || '0'}` }
}

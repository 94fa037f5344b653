/** Members of what CometBFT's RPC answers. */
import { create } from '@bufbuild/protobuf'
import { type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { plainBytes } from '../core/bytes.ts'

/** JSON of CometBFT's RPC, read without trust in its shape: what is missing is empty. */
export type Node = { readonly [key: string]: unknown }

export const node = (value: unknown, key: string): Node => {
  const child = (value as Node | undefined)?.[key]
  return typeof child === 'object' && child !== null ? (child as Node) : {}
}
export const text = (value: unknown, key: string): string => {
  const child = (value as Node | undefined)?.[key]
  return typeof child === 'string' ? child : ''
}
export const list = (value: unknown, key: string): readonly unknown[] => {
  const child = (value as Node | undefined)?.[key]
  return Array.isArray(child) ? child : []
}
export const hex = (value: unknown, key: string): Uint8Array => plainBytes(Buffer.from(text(value, key), 'hex'))
export const base64 = (value: string): Uint8Array => plainBytes(Buffer.from(value, 'base64'))
export const big = (value: unknown, key: string): bigint => {
  const digits = text(value, key)
  return /^-?[0-9]+$/.test(digits) ? BigInt(digits) : 0n
}
export const int = (value: unknown, key: string): number => {
  const child = (value as Node | undefined)?.[key]
  return typeof child === 'number' && Number.isSafeInteger(child) ? child : 0
}

/** Days from 1970-01-01 to a date of the Gregorian calendar. */
const daysFromCivil = (year: number, month: number, day: number): number => {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}

/** RFC 3339 in UTC with up to nine decimals, as CometBFT writes times. */
export const timestamp = (value: unknown, key: string): Timestamp => {
  const match = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?Z$/.exec(text(value, key))
  if (match === null) return create(TimestampSchema)
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  return create(TimestampSchema, {
    seconds: BigInt(daysFromCivil(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second),
    nanos: Number((match[7] ?? '').padEnd(9, '0')),
  })
}

/** Fields of the RLP lists in the bridge's store: big-endian numbers, bytes and texts. */
import { bigintToBytes, bytesToBigint, bytesToUtf8 } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import type { RlpItem } from '../../core/rlp.ts'

const MALFORMED = 'a value of the bridge is malformed'

export const number = (value: number | bigint): Uint8Array => bigintToBytes(BigInt(value))
export const flag = (value: boolean): Uint8Array => number(value ? 1 : 0)

export const listOf = (item: RlpItem | undefined): readonly RlpItem[] => {
  invariant(Array.isArray(item), MALFORMED)
  return item
}
export const bytesOf = (item: RlpItem | undefined): Uint8Array => {
  invariant(item instanceof Uint8Array, MALFORMED)
  return item
}
export const bigintOf = (item: RlpItem | undefined): bigint => bytesToBigint(bytesOf(item))
export const numberOf = (item: RlpItem | undefined): number => Number(bigintOf(item))
export const textOf = (item: RlpItem | undefined): string => bytesToUtf8(bytesOf(item))
export const isSet = (item: RlpItem | undefined): boolean => bigintOf(item) === 1n

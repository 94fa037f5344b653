/** Reads members of the genesis of the order book, whose form is protobuf's JSON of proto/own/nat/clob/v1/genesis.proto. */
import { type DescMessage, fromJson, type JsonValue, type MessageShape } from '@bufbuild/protobuf'
import { bytesToKey } from '../../../core/bytes.ts'
import { CodedError, errorText } from '../../../core/errors.ts'
import { failAt, GENESIS_ERRORS, parseArray } from '../../../core/parse.ts'

/** Names the member where what is wrong with it is said in other words. */
export const located = <T>(path: string, parse: () => T): T => {
  try {
    return parse()
  } catch (error) {
    if (error instanceof CodedError && error.codespace === GENESIS_ERRORS.codespace) throw error
    return failAt(path, errorText(error))
  }
}

/** A member as its message. Throws genesis/1. */
export const parseMessage = <Desc extends DescMessage>(
  schema: Desc,
  value: unknown,
  path: string,
): MessageShape<Desc> => located(path, () => fromJson(schema, value as JsonValue))

/** Throws genesis/1 for one beyond 2^53. */
export const toNumber = (value: bigint, path: string, most: number = Number.MAX_SAFE_INTEGER): number =>
  value <= BigInt(most) ? Number(value) : failAt(path, `must not be above ${most}, but is ${value}`)

/** Throws genesis/1. */
export const checkRange = (value: number, path: string, least: number, most: number): number =>
  value >= least && value <= most ? value : failAt(path, `must be from ${least} to ${most}, not ${value}`)

/** Throws genesis/1. */
export const checkLength = (bytes: Uint8Array, path: string, least: number, most: number = least): Uint8Array =>
  bytes.length >= least && bytes.length <= most
    ? bytes
    : failAt(path, `must have ${least === most ? least : `${least} to ${most}`} bytes, not ${bytes.length}`)

export interface ListForm<Desc extends DescMessage, Item> {
  readonly schema: Desc
  readonly most: number
  parse(message: MessageShape<Desc>, path: string): Item
  /** Items must ascend by it: as the keys of the state do. */
  keyOf?(item: Item): Uint8Array
}

/** A list of the genesis. Throws genesis/1 with the member at fault. */
export const parseList = <Desc extends DescMessage, Item>(
  value: unknown,
  path: string,
  { schema, most, parse, keyOf }: ListForm<Desc, Item>,
): readonly Item[] => {
  let last = ''
  return parseArray(value, path, most).map((entry, index) => {
    const at = `${path}[${index}]`
    const item = located(at, () => parse(parseMessage(schema, entry, at), at))
    if (keyOf !== undefined) {
      const key = bytesToKey(keyOf(item))
      if (key <= last) failAt(at, 'must stand behind the one before it, and once')
      last = key
    }
    return item
  })
}

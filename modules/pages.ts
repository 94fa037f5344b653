/** Pages of native lists, with the rules of the Cosmos SDK's types/query. */
import { create } from '@bufbuild/protobuf'
import { EMPTY_BYTES, equalBytes } from '../core/bytes.ts'
import {
  type PageRequest,
  type PageResponse,
  PageResponseSchema,
} from '../proto/gen/cosmos/base/query/v1beta1/pagination_pb.ts'
import { queryRefusal } from './sdk-errors.ts'

const DEFAULT_LIMIT = 100
/** Most items of a page, and most that are passed over before it. */
const MAX_ITEMS = 1_000
/** Most items that are counted for the total: counting must not hold a block up. */
const MAX_COUNTED = 10_000

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly pagination: PageResponse
}

type List<Item> = (start: Uint8Array | undefined) => Iterable<Item>

/**
 * The list backwards, from the item whose key is given (inclusive) or from the last. Lists of the state go one way only,
 * so that what stands before is collected first: throws grpc/3 where that is more than MAX_COUNTED items.
 */
const listBackwards = <Item>(key: Uint8Array, list: List<Item>, keyOf: (item: Item) => Uint8Array): readonly Item[] => {
  // An item that is gone meanwhile gives its place to the next one, as in the SDK's prefix stores.
  const [first] = key.length === 0 ? [] : list(key)
  const last = first === undefined ? undefined : keyOf(first)
  const items: Item[] = []
  for (const item of list(undefined)) {
    if (items.length === MAX_COUNTED) {
      throw queryRefusal('invalidArgument', `more than ${MAX_COUNTED} entries cannot be listed in reverse`)
    }
    items.push(item)
    if (last !== undefined && equalBytes(keyOf(item), last)) break
  }
  return items.reverse()
}

/**
 * One page of an ordered list. `list` begins at the item whose key is given (inclusive), or with the first; `keyOf`
 * gives the key that a next page begins with, in either direction. Throws grpc/3 for bounds.
 */
export const takePage = <Item>(
  page: PageRequest | undefined,
  list: List<Item>,
  keyOf: (item: Item) => Uint8Array,
): Page<Item> => {
  const key = page?.key ?? EMPTY_BYTES
  const offset = page?.offset ?? 0n
  if (offset > 0n && key.length > 0) {
    throw queryRefusal('invalidArgument', 'invalid request, either offset or key is expected, got both')
  }
  const wanted = page === undefined || page.limit === 0n ? BigInt(DEFAULT_LIMIT) : page.limit
  if (wanted > MAX_ITEMS || offset > MAX_ITEMS) {
    throw queryRefusal('invalidArgument', `a page has at most ${MAX_ITEMS} entries`)
  }
  const [first, end] = [Number(offset), Number(offset + wanted)]
  // Counts as the SDK does: without a limit, or when asked, and never from a key on.
  const counts = key.length === 0 && (page === undefined || page.limit === 0n || page.countTotal)
  const all = page?.reverse === true ? listBackwards(key, list, keyOf) : list(key.length === 0 ? undefined : key)
  const items: Item[] = []
  let nextKey: Uint8Array = EMPTY_BYTES
  let seen = 0
  for (const item of all) {
    if (seen >= first && seen < end) items.push(item)
    else if (seen === end) nextKey = keyOf(item)
    seen++
    if (seen > end && (!counts || seen >= MAX_COUNTED)) break
  }
  return { items, pagination: create(PageResponseSchema, { nextKey, total: counts ? BigInt(seen) : 0n }) }
}

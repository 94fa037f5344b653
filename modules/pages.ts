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
/** Most items of a page. Clients ask for 2^64-1 to get all: they get so many, and the key of the next page. */
export const MAX_PAGE_ITEMS = 1_000
/** Most items that are passed over, or counted for the total: neither must hold a block up. */
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

/** The items that a page may have. */
export const limitOf = (page: PageRequest | undefined): number =>
  page === undefined || page.limit === 0n
    ? DEFAULT_LIMIT
    : Number(page.limit < MAX_PAGE_ITEMS ? page.limit : BigInt(MAX_PAGE_ITEMS))

/** Where nobody asked for a total in so many words, 0 is what every page says that was not counted. */
const totalBeyond = (page: PageRequest | undefined): bigint => {
  if (page?.countTotal !== true) return 0n
  throw queryRefusal('invalidArgument', `more than ${MAX_COUNTED} entries are not counted: ask without count_total`)
}

/**
 * One page of an ordered list. `list` begins at the item whose key is given (inclusive), or with the first; `keyOf`
 * gives the key that a next page begins with, in either direction; `total` is of lists whose length state keeps.
 * Throws grpc/3 for bounds.
 */
export const takePage = <Item>(
  page: PageRequest | undefined,
  list: List<Item>,
  keyOf: (item: Item) => Uint8Array,
  total?: () => number,
): Page<Item> => {
  const key = page?.key ?? EMPTY_BYTES
  const offset = page?.offset ?? 0n
  if (offset > 0n && key.length > 0) {
    throw queryRefusal('invalidArgument', 'invalid request, either offset or key is expected, got both')
  }
  if (offset > MAX_COUNTED) {
    throw queryRefusal('invalidArgument', `at most ${MAX_COUNTED} entries are passed over: begin with a next_key`)
  }
  const first = Number(offset)
  const end = first + limitOf(page)
  // Counts as the SDK does: without a limit, or when asked, and never from a key on.
  const counts = key.length === 0 && (page === undefined || page.limit === 0n || page.countTotal)
  const listed = page?.reverse === true ? listBackwards(key, list, keyOf) : list(key.length === 0 ? undefined : key)
  const items: Item[] = []
  let nextKey: Uint8Array = EMPTY_BYTES
  let seen = 0
  for (const item of listed) {
    if (seen >= first && seen < end) items.push(item)
    else if (seen === end) nextKey = keyOf(item)
    seen++
    if (seen > end && (!counts || total !== undefined || seen > MAX_COUNTED)) break
  }
  const counted = seen > MAX_COUNTED ? totalBeyond : () => BigInt(seen)
  const all = total === undefined ? counted : () => BigInt(total())
  return { items, pagination: create(PageResponseSchema, { nextKey, total: counts ? all(page) : 0n }) }
}

/**
 * Searches by height alone. CometBFT's index has the vote extensions of every block too, and pages over them: here the
 * pages are of what is shown, from this node's own records.
 */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { CodedError, invariant } from '../core/errors.ts'
import { MAX_STREAM_FRAME_BYTES } from '../core/limits.ts'
import { decodeRequest } from '../modules/handlers.ts'
import { queryRefusal } from '../modules/sdk-errors.ts'
import { txService } from '../proto/index.ts'
import { answerTooLarge, prunedHistory } from '../app/errors.ts'
import { readShownCount, type ShownCount, shownTransactions } from '../app/index/shown-transactions.ts'
import { placeEthereum, placeNative, type ShownPlaced } from './placed-transactions.ts'
import { txResponse } from './cosmos-tx.ts'
import { firstHeight, type ChainView } from './chain-view.ts'

export type SearchResponse = MessageInitShape<typeof txService.GetTxsEventResponseSchema>

const MAX_PAGE = 100
/** The transactions that one answer shows have at most so many bytes, for each stands in it twice. */
const MAX_SHOWN_BYTES = MAX_STREAM_FRAME_BYTES / 4

/** CometBFT takes no longer query (rpc/core/env.go): a longer one is not looked at, on whichever thread. */
const MAX_QUERY_LENGTH = 512

/** Heights, both of them included. */
export interface HeightRange {
  readonly from: number
  readonly to: number
}

const CONDITION = /^tx\.height\s*(=|<=|>=|<|>)\s*('?)(\d{1,15})\2$/

const rangeOf = (condition: string): HeightRange => {
  const [, operator, , digits] = CONDITION.exec(condition) ?? []
  const height = Number(digits)
  switch (operator) {
    case '=':
      return { from: height, to: height }
    case '<':
      return { from: 0, to: height - 1 }
    case '<=':
      return { from: 0, to: height }
    case '>':
      return { from: height + 1, to: Number.MAX_SAFE_INTEGER }
    case '>=':
      return { from: height, to: Number.MAX_SAFE_INTEGER }
    default:
      throw queryRefusal(
        'invalidArgument',
        `failed to search for txs: "${condition.slice(0, 80)}": a search by height alone takes =, <, <=, > and >= ` +
          'with whole numbers',
      )
  }
}

export const queryOf = ({ query, events }: txService.GetTxsEventRequest): string =>
  query === '' ? events.join(' AND ') : query

/**
 * The heights that a query asks for which says nothing else; undefined for any other one, which finds by events, and so
 * nothing that has none. Throws grpc/3.
 */
export const heightsOf = (query: string): HeightRange | undefined => {
  if (query.length > MAX_QUERY_LENGTH) return undefined
  // CometBFT's language joins all conditions by AND. One with quotes around that word is none of these in any case.
  const conditions = query.split(/\sAND\s/).map((text) => text.trim())
  if (!conditions.every((text) => /^tx\.height(?![\w.])/.test(text))) return undefined
  return conditions
    .map(rangeOf)
    .reduce((all, one) => ({ from: Math.max(all.from, one.from), to: Math.min(all.to, one.to) }))
}

const { getTxsEvent: METHOD } = txService.Service.method
const PATH = `/${METHOD.parent.typeName}/${METHOD.name}`

/** Tells whether a worker answers it: the blocks of a page may be large. Throws nothing. */
export const isHeightSearch = (path: string, request: Uint8Array): boolean => {
  if (path !== PATH) return false
  try {
    return heightsOf(queryOf(decodeRequest(METHOD.input, request))) !== undefined
  } catch (error) {
    if (error instanceof CodedError) return false
    throw error
  }
}

export interface SearchPage {
  /** Number of the page, from 1. */
  readonly page: number
  readonly limit: number
  readonly isDescending: boolean
}

/** Reads the page with CometBFT's and the SDK's defaults. Throws grpc/3. */
export const readSearchPage = ({ page, limit, orderBy }: txService.GetTxsEventRequest): SearchPage => {
  return {
    page: Number(page) || 1,
    // As CometBFT does with a longer page.
    limit: limit > MAX_PAGE ? MAX_PAGE : Number(limit) || MAX_PAGE,
    isDescending: orderBy === txService.OrderBy.DESC,
  }
}

/** Places among all that this node shows, the end not included. */
interface Places {
  readonly start: number
  readonly end: number
}

const requireCount = (view: ChainView, height: number): ShownCount => {
  const count = readShownCount(view.reader.store, height)
  // Only pruning takes one away, from below.
  if (count === undefined) throw prunedHistory()
  return count
}

/** The block that holds a place, which lies in one of the range. */
const heightOfPlace = (view: ChainView, place: number, { from, to }: HeightRange): number => {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (requireCount(view, middle).through > place) high = middle
    else low = middle + 1
  }
  return low
}

/** Collects in the order of the chain. Throws query/7. */
const collect = (view: ChainView, range: HeightRange, { start, end }: Places): readonly ShownPlaced[] => {
  const found: ShownPlaced[] = []
  let bytes = 0
  for (let place = start, height = range.from; place < end; height++) {
    height = heightOfPlace(view, place, { from: height, to: range.to })
    const { before, through } = requireCount(view, height)
    const transactions = shownTransactions(view.reader, height)
    if (transactions === undefined) throw prunedHistory()
    for (const { raw, index, ethereumIndex } of transactions.slice(place - before, end - before)) {
      view.interrupt()
      bytes += raw.length
      if (bytes > MAX_SHOWN_BYTES) throw answerTooLarge(MAX_SHOWN_BYTES)
      const shown =
        ethereumIndex === undefined
          ? placeNative(view, { height, index }, raw)
          : placeEthereum(view, { height, index: ethereumIndex })
      invariant(shown !== undefined, `block ${height} has a result for each transaction that it shows`)
      found.push(shown)
    }
    place = through
  }
  return found
}

/**
 * Cuts a range to the blocks of the chain. Undefined where there are none. Throws grpc/3 where blocks of it are not here any more, or never
 * were: what is left out would look as if nothing had been there.
 */
const keptRange = (view: ChainView, { from, to }: HeightRange): HeightRange | undefined => {
  const { store } = view.reader
  const { initialHeight } = view.parameters
  const first = Math.max(initialHeight, firstHeight(view))
  // The block of a snapshot came without those that are not in the Ethereum block.
  const lowest = readShownCount(store, first) === undefined ? first + 1 : first
  const range = { from: Math.max(from, initialHeight), to: Math.min(to, view.head) }
  if (range.from > range.to) return undefined
  if (range.from >= lowest) return range
  const text = `height ${range.from} is not available, lowest height is ${lowest}: ask for tx.height>=${lowest}`
  throw queryRefusal('invalidArgument', `failed to search for txs: ${text}`)
}

/** Bounds pages as CometBFT does. */
const requirePage = (page: number, total: number, limit: number): void => {
  const pages = Math.max(1, Math.ceil(total / limit))
  if (page >= 1 && page <= pages) return
  const text = `failed to search for txs: page should be within [1, ${pages}] range, given ${page}`
  throw queryRefusal('invalidArgument', text)
}

/**
 * The transactions by height, and within a block in its order. Throws grpc/3, and query/7 for a page that is too large.
 */
export const searchHeights = (view: ChainView, wanted: HeightRange, search: SearchPage): SearchResponse => {
  const { page, limit, isDescending } = search
  const range = keptRange(view, wanted)
  const first = range === undefined ? 0 : requireCount(view, range.from).before
  const last = range === undefined ? 0 : requireCount(view, range.to).through
  const total = last - first
  requirePage(page, total, limit)
  const passed = (page - 1) * limit
  const places = isDescending
    ? { start: Math.max(first, last - passed - limit), end: last - passed }
    : { start: first + passed, end: Math.min(last, first + passed + limit) }
  const found = range === undefined ? [] : collect(view, range, places)
  const ordered = isDescending ? found.toReversed() : found
  return {
    txs: ordered.map(({ shown }) => shown),
    txResponses: ordered.map(({ placed, shown }) => {
      view.interrupt()
      return txResponse(placed, shown)
    }),
    total: BigInt(total),
  }
}

/** Transactions by event, for cosmos.tx.v1beta1: CometBFT has the index. */
import { plainBytes } from '../core/bytes.ts'
import { CodedError } from '../core/errors.ts'
import { queryRefusal } from '../modules/sdk-errors.ts'
import type { tx, txService } from '../proto/index.ts'
import type { Consensus } from '../app/environment.ts'
import { familyOf } from '../app/families/index.ts'
import type { ShownResult } from '../app/ports.ts'
import {
  heightsOf,
  queryOf,
  readSearchPage,
  searchHeights,
  type SearchPage,
  type SearchResponse,
} from './height-search.ts'
import { anyTx, type PlacedTransaction, txResponse, type TxResponseInit, upperHex } from './cosmos-tx.ts'
import type { ChainView } from './chain-view.ts'

/** JSON of CometBFT's RPC. */
interface FoundTransaction {
  readonly height: string
  readonly tx: string
  readonly tx_result: {
    readonly code?: number
    readonly codespace?: string
    readonly log?: string
    readonly data?: string | null
    readonly gas_wanted?: string
    readonly gas_used?: string
    readonly events?: ShownResult['events']
  }
}

const base64 = (text: string): Uint8Array => plainBytes(Buffer.from(text, 'base64'))

const foundResult = ({ tx_result: found }: FoundTransaction): ShownResult => ({
  code: found.code ?? 0,
  codespace: found.codespace ?? '',
  log: found.log ?? '',
  data: base64(found.data ?? ''),
  gasWanted: BigInt(found.gas_wanted ?? 0),
  gasUsed: BigInt(found.gas_used ?? 0),
  events: (found.events ?? []).map(({ type, attributes }) => ({
    type,
    attributes: (attributes ?? []).map(({ key, value, index }) => ({ key, value, index: index ?? false })),
  })),
})

/** Undefined for what no client could read: a decided block may hold bytes that are no transaction. */
const readTx = (raw: Uint8Array): tx.Tx | undefined => {
  try {
    return anyTx(raw)
  } catch (error) {
    if (error instanceof CodedError) return undefined
    throw error
  }
}

const isShown = (raw: Uint8Array): boolean => familyOf(raw).isShown

const placeFound = (view: ChainView, found: FoundTransaction): PlacedTransaction => {
  const height = Number(found.height)
  const timeNs = view.reader.header(height)?.timeNs ?? 0n
  return { raw: base64(found.tx), height, timeNs, result: foundResult(found) }
}

/**
 * Finds a transaction by its sha256 in CometBFT's index. Undefined when it is not there, or when CometBFT does not
 * answer.
 */
export const findByCometHash = async (
  environment: Consensus,
  view: ChainView,
  hash: Uint8Array,
): Promise<PlacedTransaction | undefined> => {
  try {
    const found = (await environment.consensusRpc(`tx?hash=0x${upperHex(hash)}`)) as FoundTransaction
    const placed = placeFound(view, found)
    return isShown(placed.raw) && placed.height <= view.head ? placed : undefined
  } catch {
    return undefined
  }
}

const searchRoute = (query: string, { page, limit, isDescending }: SearchPage): string => {
  const quoted = encodeURIComponent(JSON.stringify(query))
  const order = isDescending ? 'desc' : 'asc'
  return `tx_search?query=${quoted}&page=${page}&per_page=${limit}&order_by=%22${order}%22`
}

/** What CometBFT says of a query that it refuses; where it listens is nobody's business. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && !error.message.includes('://') ? error.message : 'CometBFT does not answer'

/**
 * Searches by CometBFT's index of events, or by height alone. Who has no events, as the vote extensions have none, is
 * found by its hash at most: all that an answer leaves out is one where it would be the only one.
 */
export const searchTransactions = async (
  environment: Consensus,
  view: ChainView,
  request: txService.GetTxsEventRequest,
): Promise<SearchResponse> => {
  const query = queryOf(request)
  if (query === '') throw queryRefusal('invalidArgument', 'query cannot be empty')
  const search = readSearchPage(request)
  const heights = heightsOf(query)
  if (heights !== undefined) return searchHeights(view, heights, search)
  let answer: { readonly txs?: readonly FoundTransaction[]; readonly total_count?: string }
  try {
    answer = (await environment.consensusRpc(searchRoute(query, search))) as typeof answer
  } catch (error) {
    throw queryRefusal('invalidArgument', `failed to search for txs: ${reasonOf(error)}`)
  }
  const txs: tx.Tx[] = []
  const txResponses: TxResponseInit[] = []
  const all = answer.txs ?? []
  for (const found of all) {
    view.interrupt()
    const placed = placeFound(view, found)
    const shown = isShown(placed.raw) ? readTx(placed.raw) : undefined
    if (shown === undefined) continue
    txs.push(shown)
    txResponses.push(txResponse(placed, shown))
  }
  return { txs, txResponses, total: BigInt(answer.total_count ?? 0) - BigInt(all.length - txs.length) }
}

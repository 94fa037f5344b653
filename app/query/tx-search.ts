/** Transactions by event and by height, for cosmos.tx.v1beta1: CometBFT has the index of events and the blocks. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { plainBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { queryRefusal } from '../../modules/sdk-errors.ts'
import { type tx, txService } from '../../proto/index.ts'
import type { Consensus } from '../environment.ts'
import { familyOf } from '../families/index.ts'
import type { ShownResult } from '../ports.ts'
import { blockResponse } from './tendermint-service.ts'
import { anyTx, type PlacedTransaction, txResponse, type TxResponseInit, upperHex } from './tx-views.ts'
import type { View } from './view.ts'

const MAX_PAGE = 100

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

const placeFound = (view: View, found: FoundTransaction): PlacedTransaction => {
  const height = Number(found.height)
  const timeNs = view.reader.header(height)?.timeNs ?? 0n
  return { raw: base64(found.tx), height, timeNs, result: foundResult(found) }
}

/** By sha256, in CometBFT's index. Undefined when it is not there, or when CometBFT does not answer. */
export const findByCometHash = async (
  environment: Consensus,
  view: View,
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

const searchRoute = (request: txService.GetTxsEventRequest): string => {
  const query = request.query === '' ? request.events.join(' AND ') : request.query
  if (query === '') throw queryRefusal('invalidArgument', 'query cannot be empty')
  const page = request.page === 0n ? 1n : request.page
  const limit = request.limit === 0n ? BigInt(MAX_PAGE) : request.limit
  if (limit > MAX_PAGE) throw queryRefusal('invalidArgument', `a page has at most ${MAX_PAGE} transactions`)
  const order = request.orderBy === txService.OrderBy.DESC ? 'desc' : 'asc'
  const quoted = encodeURIComponent(JSON.stringify(query))
  return `tx_search?query=${quoted}&page=${page}&per_page=${limit}&order_by=%22${order}%22`
}

/** What CometBFT says of a query that it refuses; where it listens is nobody's business. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && !error.message.includes('://') ? error.message : 'CometBFT does not answer'

/** By CometBFT's index of events. */
export const searchTransactions = async (
  environment: Consensus,
  view: View,
  request: txService.GetTxsEventRequest,
): Promise<MessageInitShape<typeof txService.GetTxsEventResponseSchema>> => {
  let answer: { readonly txs?: readonly FoundTransaction[]; readonly total_count?: string }
  const route = searchRoute(request)
  try {
    answer = (await environment.consensusRpc(route)) as typeof answer
  } catch (error) {
    throw queryRefusal('invalidArgument', `failed to search for txs: ${reasonOf(error)}`)
  }
  const txs: tx.Tx[] = []
  const txResponses: TxResponseInit[] = []
  for (const found of answer.txs ?? []) {
    const placed = placeFound(view, found)
    const shown = isShown(placed.raw) ? readTx(placed.raw) : undefined
    if (shown === undefined) continue
    txs.push(shown)
    txResponses.push(txResponse(placed, shown))
  }
  return { txs, txResponses, total: BigInt(answer.total_count ?? 0) }
}

/** Of a block those that clients know, a page of them. */
export const blockTransactions = async (
  environment: Consensus,
  view: View,
  { height, pagination }: txService.GetBlockWithTxsRequest,
): Promise<MessageInitShape<typeof txService.GetBlockWithTxsResponseSchema>> => {
  if (height < 1n || height > view.head) {
    throw queryRefusal(
      'invalidArgument',
      `requested height ${height} but height must not be less than 1 or greater than the current height ${view.head}`,
    )
  }
  const { blockId, block } = blockResponse(await environment.consensusRpc(`block?height=${height}`))
  const raws = (block.data?.txs ?? []).filter(isShown)
  const offset = Number(pagination?.offset ?? 0n)
  const limit = Number(pagination?.limit ?? 0n) || MAX_PAGE
  if (limit > MAX_PAGE) throw queryRefusal('invalidArgument', `a page has at most ${MAX_PAGE} transactions`)
  const txs = raws.slice(offset, offset + limit).flatMap((raw) => readTx(raw) ?? [])
  return { txs, blockId, block, pagination: { total: BigInt(raws.length) } }
}

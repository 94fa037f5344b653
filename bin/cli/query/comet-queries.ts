/**
 * Queries that the application does not answer while CometBFT waits for it: blocks, validator sets and searches come
 * from the consensus RPC itself.
 */
import { create, type Message } from '@bufbuild/protobuf'
import * as z from 'zod'
import { familyOf } from '../../../app/families/index.ts'
import { heightsOf } from '../../../query/height-search.ts'
import { anyTx, txResponse } from '../../../query/cosmos-tx.ts'
import { plainBytes } from '../../../core/bytes.ts'
import { bytesToUnprefixedHex } from '../../../core/hex.ts'
import { baseAbci, cometQuery, txService } from '../../../proto/index.ts'
import { methodPath } from '../../../rpc/native/services.ts'
import { cliError } from '../../errors.ts'
import { type CometClient, QueryRefusal } from '../client/comet-client.ts'
import { toJson } from '../client/messages-json.ts'

const base64 = z.string().transform((text) => plainBytes(Buffer.from(text, 'base64')))
const attribute = z.object({ key: z.string(), value: z.string(), index: z.boolean().default(false) })
const foundTransaction = z.object({
  height: z.string().transform(Number),
  tx: base64,
  tx_result: z.object({
    code: z.int().default(0),
    codespace: z.string().default(''),
    log: z.string().default(''),
    data: z.string().nullish(),
    gas_wanted: z.string().default('0'),
    gas_used: z.string().default('0'),
    events: z.array(z.object({ type: z.string(), attributes: z.array(attribute).nullish() })).nullish(),
  }),
})
const foundTransactions = z.object({ txs: z.array(foundTransaction), total_count: z.string() })
const header = z.object({ header: z.object({ time: z.iso.datetime() }) })

type FoundTransaction = z.infer<typeof foundTransaction>

const NS_PER_MS = 1_000_000n
export const MAX_PAGE = 100

const blockTime = async (client: CometClient, height: number): Promise<bigint> => {
  const { time } = header.parse(await client.call('header', { height: String(height) })).header
  return BigInt(Date.parse(time)) * NS_PER_MS
}

const toResponse = (found: FoundTransaction, timeNs: bigint): baseAbci.TxResponse => {
  const { tx_result: result, tx: raw, height } = found
  const placed = {
    raw,
    height,
    timeNs,
    result: {
      code: result.code,
      codespace: result.codespace,
      log: result.log,
      data: plainBytes(Buffer.from(result.data ?? '', 'base64')),
      gasWanted: BigInt(result.gas_wanted),
      gasUsed: BigInt(result.gas_used),
      events: (result.events ?? []).map(({ type, attributes }) => ({ type, attributes: attributes ?? [] })),
    },
  }
  return create(baseAbci.TxResponseSchema, txResponse(placed, anyTx(raw)))
}

export interface TxSearch {
  /** Such as `transfer.sender='nat1...' AND tx.height>5`. */
  readonly query: string
  readonly page: number
  readonly limit: number
  readonly isDescending: boolean
}

const searchResult = ({ page, limit }: TxSearch, total: bigint, txs: baseAbci.TxResponse[]): baseAbci.SearchTxsResult =>
  create(baseAbci.SearchTxsResultSchema, {
    totalCount: total,
    count: BigInt(txs.length),
    pageNumber: BigInt(page),
    pageTotal: (total + BigInt(limit) - 1n) / BigInt(limit),
    limit: BigInt(limit),
    txs,
  })

/** CometBFT's index of heights has the vote extensions too, and pages over them: the application does not. */
const searchHeights = async (client: CometClient, search: TxSearch): Promise<baseAbci.SearchTxsResult> => {
  const { query, page, limit, isDescending } = search
  const { txResponses, total } = await client.query(txService.Service.method.getTxsEvent, {
    query,
    page: BigInt(page),
    limit: BigInt(limit),
    orderBy: isDescending ? txService.OrderBy.DESC : txService.OrderBy.ASC,
  })
  return searchResult(search, total, txResponses)
}

/** Transactions by their events, a page of them, as the SDK's `query txs` prints them. */
export const searchTransactions = async (client: CometClient, search: TxSearch): Promise<baseAbci.SearchTxsResult> => {
  const { query, page, limit, isDescending } = search
  if (heightsOf(query) !== undefined) return await searchHeights(client, search)
  const params = {
    query,
    prove: false,
    page: String(page),
    per_page: String(limit),
    order_by: isDescending ? 'desc' : 'asc',
  }
  const { txs, total_count } = foundTransactions.parse(await client.call('tx_search', params))
  const times = new Map<number, bigint>()
  const responses: baseAbci.TxResponse[] = []
  for (const found of txs) {
    // Blocks hold what validators put there, too, which is no transaction of anybody.
    if (!familyOf(found.tx).isShown) continue
    const timeNs = times.get(found.height) ?? (await blockTime(client, found.height))
    times.set(found.height, timeNs)
    responses.push(toResponse(found, timeNs))
  }
  // It is found by its hash at most, and is the only one then: it has no events.
  const hidden = BigInt(txs.length - responses.length)
  return searchResult(search, BigInt(total_count) - hidden, responses)
}

/** A transaction by its hash: native ones by sha256, those of Ethereum by keccak256 or sha256. Throws cli/20. */
export const findTransaction = async (client: CometClient, text: string): Promise<baseAbci.TxResponse> => {
  const hash = text.replace(/^0x/i, '')
  if (!/^[0-9a-fA-F]{64}$/.test(hash)) throw cliError('usage', `"${text}" is no hash: 64 hexadecimal digits`)
  try {
    const { txResponse: response } = await client.query(txService.Service.method.getTx, { hash })
    if (response !== undefined) return response
  } catch (error) {
    if (!(error instanceof QueryRefusal)) throw error
  }
  const params = { hash: Buffer.from(hash, 'hex').toString('base64'), prove: false }
  const found = foundTransaction.parse(await client.call('tx', params))
  return toResponse(found, await blockTime(client, found.height))
}

type Answer = (client: CometClient, request: Message) => Promise<unknown>

const { method: comet } = cometQuery.Service
const { method: tx } = txService.Service

/** The height of a request that has one. */
const heightOf = (request: Message): { readonly height?: string } => {
  const { height } = request as Message & { readonly height?: bigint }
  return height === undefined ? {} : { height: height.toString() }
}

const route =
  (name: string): Answer =>
  (client, request) =>
    client.call(name, heightOf(request))

const member =
  (name: string, key: string): Answer =>
  async (client) =>
    ((await client.call(name)) as Readonly<Record<string, unknown>>)[key]

const search: Answer = async (client, request) => {
  const { query, events, page, limit, orderBy } = request as txService.GetTxsEventRequest
  const found = await searchTransactions(client, {
    query: query === '' ? events.join(' AND ') : query,
    page: Number(page) || 1,
    limit: Number(limit) || MAX_PAGE,
    isDescending: orderBy === txService.OrderBy.DESC,
  })
  return toJson(baseAbci.SearchTxsResultSchema, found)
}

const blockTransactions: Answer = async (client, request) => {
  const { height, pagination } = request as txService.GetBlockWithTxsRequest
  const limit = Number(pagination?.limit ?? 0n) || MAX_PAGE
  const page = Math.floor(Number(pagination?.offset ?? 0n) / limit) + 1
  const found = await searchTransactions(client, { query: `tx.height=${height}`, page, limit, isDescending: false })
  return toJson(baseAbci.SearchTxsResultSchema, found)
}

const abciQuery: Answer = async (client, request) => {
  const { path, data, height, prove } = request as cometQuery.ABCIQueryRequest
  return await client.call('abci_query', { path, data: bytesToUnprefixedHex(data), height: height.toString(), prove })
}

const broadcastTx: Answer = async (client, request) => {
  const { txBytes, mode } = request as txService.BroadcastTxRequest
  return await client.broadcast(txBytes, mode === txService.BroadcastMode.ASYNC ? 'async' : 'sync')
}

/** The answers by the path of the method. */
export const COMET_QUERIES: ReadonlyMap<string, Answer> = new Map([
  [methodPath(comet.getNodeInfo), member('status', 'node_info')],
  [methodPath(comet.getSyncing), member('status', 'sync_info')],
  [methodPath(comet.getLatestBlock), route('block')],
  [methodPath(comet.getBlockByHeight), route('block')],
  [methodPath(comet.getLatestValidatorSet), route('validators')],
  [methodPath(comet.getValidatorSetByHeight), route('validators')],
  [methodPath(comet.getLatestBlockResults), route('block_results')],
  [methodPath(comet.getBlockResults), route('block_results')],
  [methodPath(comet.aBCIQuery), abciQuery],
  [methodPath(tx.getTxsEvent), search],
  [methodPath(tx.getBlockWithTxs), blockTransactions],
  [methodPath(tx.broadcastTx), broadcastTx],
])

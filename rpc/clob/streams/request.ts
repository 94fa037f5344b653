/** What a stream of the order book is about: its channel, with the request of the gRPC method of the same name. */
import type { DescMessage } from '@bufbuild/protobuf'
import { encodeBech32, parseAccountAddress } from '../../../core/bech32.ts'
import { CodedError, errorText } from '../../../core/errors.ts'
import { clobStream } from '../../../proto/index.ts'
import { rpcError } from '../../errors.ts'
import { readJson } from '../../native/read-json.ts'
import { invalidValue } from '../../parameters/go-json.ts'

export type MarketChannel = 'book' | 'orders' | 'trades' | 'bestPrices'

export type StreamRequest =
  | { readonly channel: MarketChannel; readonly market: number; readonly fromHeight: number }
  | { readonly channel: 'ownOrders'; readonly owner: string; readonly fromHeight: number }

/** A request for what no block holds yet. */
export interface OptimisticRequest {
  readonly channel: 'optimistic'
  /** 0 is any. */
  readonly market: number
  /** Bech32; undefined is any. */
  readonly owner: string | undefined
}

export type AnyRequest = StreamRequest | OptimisticRequest
export type StreamChannel = AnyRequest['channel']

/** Whose messages are the same. */
export const keyOf = (request: AnyRequest): string => {
  if (request.channel === 'optimistic') return `optimistic ${request.market} ${request.owner ?? ''}`
  return 'owner' in request ? `ownOrders ${request.owner}` : `${request.channel} ${request.market}`
}

const SCHEMAS: Readonly<Record<StreamChannel, DescMessage>> = {
  book: clobStream.WatchBookRequestSchema,
  orders: clobStream.WatchOrdersRequestSchema,
  trades: clobStream.WatchTradesRequestSchema,
  bestPrices: clobStream.WatchBestPricesRequestSchema,
  ownOrders: clobStream.WatchOwnOrdersRequestSchema,
  optimistic: clobStream.WatchOptimisticRequestSchema,
}

const isChannel = (name: unknown): name is StreamChannel => typeof name === 'string' && Object.hasOwn(SCHEMAS, name)

/** Bech32. Throws rpc/4. */
const ownerOf = (text: string): string => {
  try {
    return encodeBech32(parseAccountAddress(text))
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw invalidValue(`invalid owner address: ${error.message}`)
  }
}

interface RequestForm {
  readonly market?: number
  readonly owner?: string
  readonly fromHeight?: bigint
}

/** Throws rpc/4. */
export const toStreamRequest = (channel: StreamChannel, message: RequestForm): AnyRequest => {
  const { market = 0, owner = '', fromHeight = 0n } = message
  if (fromHeight > BigInt(Number.MAX_SAFE_INTEGER)) throw invalidValue('from_height is too large')
  if (channel === 'ownOrders') return { channel, owner: ownerOf(owner), fromHeight: Number(fromHeight) }
  if (channel !== 'optimistic') return { channel, market, fromHeight: Number(fromHeight) }
  if (market === 0 && owner === '') throw invalidValue('name a market, or an owner, or both')
  return { channel, market, owner: owner === '' ? undefined : ownerOf(owner) }
}

/**
 * Reads the parameters of clob_subscribe: `["book", {"market": 1}]`. Throws rpc/4, and rpc/3 for an unknown channel.
 */
export const parseStreamRequest = (params: unknown): AnyRequest => {
  if (!Array.isArray(params)) throw invalidValue('non-array args')
  const [name, value = {}, ...rest] = params as readonly unknown[]
  if (typeof name !== 'string') throw invalidValue('expected subscription name as first argument')
  if (!isChannel(name)) throw rpcError('methodNotFound', `no ${JSON.stringify(name)} subscription in clob namespace`)
  if (rest.length > 0) throw invalidValue('too many arguments, want at most 2')
  return toStreamRequest(name, readRequest(SCHEMAS[name], value) as RequestForm)
}

const readRequest = (schema: DescMessage, value: unknown): unknown => {
  try {
    return readJson(schema, value)
  } catch (error) {
    throw invalidValue(`invalid argument 1: ${errorText(error)}`)
  }
}

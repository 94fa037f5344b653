/** The order book as an extension of a viem client. */
import type { Account, Address, Chain, Client, Hex, Transport } from 'viem'
import { getBlock, getChainId } from 'viem/actions'
import {
  type CancelAllArguments,
  type CancelArguments,
  cancelAction,
  cancelAllAction,
  integer,
  type PlaceArguments,
  placeAction,
  type ReplaceArguments,
  replaceAction,
  scheduleCancelAction,
} from './actions.ts'
import { ClobClientError } from './errors.ts'
import { historyReads } from './history.ts'
import {
  type Depth,
  type Market,
  type OpenOrder,
  type OrderTransaction,
  readDepth,
  readMarket,
  readOpenOrder,
  readOrderTransaction,
} from './messages.ts'
import { NonceSource } from './nonces.ts'
import { readList, readMessage, readText } from './read-json.ts'
import { type ClobSigner, signClobTx } from './sign.ts'
import type { ClobAction } from './typed-data.ts'
import {
  type MarketWatcher,
  type OptimisticWatcher,
  type OwnerWatcher,
  watchBestPrices,
  watchBook,
  watchOptimistic,
  watchOrders,
  watchOwnOrders,
  watchTrades,
} from './watch.ts'
import type { BestPricesUpdate, BookUpdate, OrdersUpdate, TradesUpdate } from './messages.ts'

export interface ClobOptions {
  /** CometBFT's name of the chain, such as `nat-2517-1`: signatures are for it alone. */
  readonly nativeChainId: string
  /** Who signs where a call names nobody: the client's account if it is left out. In a page, the wallet's client. */
  readonly signer?: ClobSigner | undefined
  /** How many blocks may still have an order, after the newest: 20 if it is left out; the chain allows 40. */
  readonly goodForBlocks?: number | undefined
}

export interface SendOptions {
  readonly signer?: ClobSigner | undefined
  /** Whose orders these are, where the signer is an agent. */
  readonly owner?: Address | undefined
  /** A label of orders, not a purse. */
  readonly subaccount?: number | undefined
  /** The newest block that the caller knows, such as that of a stream's last message: else the node is asked for it. */
  readonly head?: { readonly height: number; readonly timeMs: number } | undefined
}

/** The node has it. What became of it, streams and the transaction's result tell. */
export interface SentOrder {
  /** SHA-256 of the wire form. */
  readonly hash: Hex
  readonly nonceMs: number
  /** No block after it has the order. */
  readonly goodTilBlock: number
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Key of the next page; empty at the end. */
  readonly nextKey: string
}

export interface PageArguments {
  readonly limit?: number | undefined
  /** `nextKey` of the page before. */
  readonly key?: string | undefined
}

const GOOD_FOR_BLOCKS = 20
const MOST_BLOCKS = 40n

type Request = (
  args: { readonly method: string; readonly params: readonly unknown[] },
  options?: { readonly retryCount: number },
) => Promise<unknown>

const requestOf = (client: Client): Request => client.request as Request

const isSigner = (client: Client): client is Client<Transport, Chain | undefined, Account> =>
  client.account !== undefined

/** Signs and sends, with nonces of its own for each signer. */
const createSender = (
  client: Client,
  { nativeChainId, signer: usual, goodForBlocks = GOOD_FOR_BLOCKS }: ClobOptions,
) => {
  const blocks = Number(integer('goodForBlocks', goodForBlocks, 1n, MOST_BLOCKS))
  const nonces = new Map<string, NonceSource>()
  let evmChainId = client.chain?.id

  const noncesOf = (signer: ClobSigner): NonceSource => {
    const address = ('account' in signer ? signer.account : signer).address.toLowerCase()
    const known = nonces.get(address) ?? new NonceSource()
    nonces.set(address, known)
    return known
  }
  const headOf = async () => {
    const { number, timestamp } = await getBlock(client, { blockTag: 'latest' })
    return { height: Number(number), timeMs: Number(timestamp) * 1_000 }
  }
  return async (actions: readonly ClobAction[], options: SendOptions = {}): Promise<SentOrder> => {
    const signer = options.signer ?? usual ?? (isSigner(client) ? client : undefined)
    if (signer === undefined) throw new ClobClientError('account', 'neither the call nor the client has who signs')
    const { height, timeMs } = options.head ?? (await headOf())
    evmChainId ??= await getChainId(client)
    const nonceMs = noncesOf(signer).next(timeMs)
    const goodTilBlock = height + blocks
    const { owner, subaccount } = options
    const tx = { actions, nonceMs, goodTilBlock, owner, subaccount }
    const order = await signClobTx(signer, tx, { nativeChainId, evmChainId })
    // Sent again by the transport it would be refused as known, and look as if it had failed.
    const hash = await requestOf(client)({ method: 'clob_sendOrder', params: [order] }, { retryCount: 0 })
    return { hash: hash as Hex, nonceMs, goodTilBlock }
  }
}

const readPageKey = readMessage({ nextKey: readText })
const pageOf = <Item>(name: string, value: unknown, read: (item: unknown, name: string) => Item): Page<Item> => {
  const { [name]: items, pagination } = value as Readonly<Record<string, unknown>>
  return { items: readList(read)(items, name), nextKey: readPageKey(pagination ?? {}, 'pagination').nextKey }
}
const pagination = ({ limit, key }: PageArguments) => ({
  pagination: { ...(limit !== undefined && { limit: `${limit}` }), ...(key !== undefined && { key }) },
})

/** `createWalletClient(...).extend(clobActions({ nativeChainId }))`. Streams need the transport `webSocket`. */
export const clobActions = (options: ClobOptions) => (client: Client) => {
  const send = createSender(client, options)
  /** Any question that the node has: `clob_get<name>`, with proto JSON of its request and answer. */
  const askClob = (name: string, request: object = {}): Promise<unknown> =>
    requestOf(client)({ method: `clob_get${name}`, params: [request] })
  return {
    /** Up to 50 actions in one transaction, in their order. */
    sendActions: send,
    placeOrder: (order: PlaceArguments & SendOptions) => send([placeAction(order)], order),
    replaceOrder: (order: ReplaceArguments & SendOptions) => send([replaceAction(order)], order),
    cancelOrder: (target: CancelArguments & SendOptions) => send([cancelAction(target)], target),
    cancelAll: (target: CancelAllArguments & SendOptions = {}) => send([cancelAllAction(target)], target),
    /** The dead man's switch: in milliseconds since 1970; 0 clears it. */
    scheduleCancel: ({ atMs, ...more }: { readonly atMs: number } & SendOptions) =>
      send([scheduleCancelAction(atMs)], more),
    askClob,
    getMarkets: async (page: PageArguments = {}): Promise<Page<Market>> =>
      pageOf('markets', await askClob('Markets', pagination(page)), readMarket),
    /** The levels of a market, of each side at most `levels` from the best on: 50 if it is left out. */
    getDepth: async ({ market, levels = 0 }: { readonly market: number; readonly levels?: number }): Promise<Depth> =>
      readDepth(await askClob('Depth', { market, levels }), 'the depth'),
    /** The open orders of all markets; the owner is 0x... or nat1... A page may hold fewer than its limit. */
    getOpenOrders: async ({ owner, ...page }: PageArguments & { readonly owner: string }): Promise<Page<OpenOrder>> =>
      pageOf('orders', await askClob('OpenOrders', { owner, ...pagination(page) }), readOpenOrder),
    /** How far a transaction has come before a block holds it. The node refuses one that it does not know. */
    getOrderTransaction: async ({ hash }: { readonly hash: Hex }): Promise<OrderTransaction> =>
      readOrderTransaction(await askClob('OrderTransaction', { txHash: hash }), 'the transaction'),
    ...historyReads(askClob),
    watchBook: (watcher: MarketWatcher<BookUpdate>) => watchBook(client, watcher),
    watchOrders: (watcher: MarketWatcher<OrdersUpdate>) => watchOrders(client, watcher),
    watchTrades: (watcher: MarketWatcher<TradesUpdate>) => watchTrades(client, watcher),
    watchBestPrices: (watcher: MarketWatcher<BestPricesUpdate>) => watchBestPrices(client, watcher),
    watchOwnOrders: (watcher: OwnerWatcher) => watchOwnOrders(client, watcher),
    watchOptimistic: (watcher: OptimisticWatcher) => watchOptimistic(client, watcher),
  }
}

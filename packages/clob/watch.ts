/** Streams of the book over the WebSocket of a viem client: `clob_subscribe`. */
import type { Client } from 'viem'
import { uint32, uint53 } from './actions.ts'
import { Continuity, type StreamPlace } from './continuity.ts'
import { ClobClientError } from './errors.ts'
import {
  type BestPricesUpdate,
  type BookUpdate,
  type OrdersUpdate,
  type OptimisticUpdate,
  type OwnOrdersUpdate,
  readBestPricesUpdate,
  readBookUpdate,
  readOptimisticUpdate,
  readOrdersUpdate,
  readOwnOrdersUpdate,
  readTradesUpdate,
  type TradesUpdate,
} from './messages.ts'
import type { Read } from './read-json.ts'

export interface Watcher<Message> {
  /**
   * The first block that is told, without a snapshot before it: one of the last 64, or the next one. Where the node does not know it any more, as
   * after its restart, `onError` gets a `missed`: watch again without it.
   */
  readonly fromHeight?: number | undefined
  /** A snapshot first, then each block in turn, also one without a change. */
  readonly onUpdate: (update: Message) => void
  /** The stream is over: nothing comes after it. Watch again, for a snapshot or from the height after the last one told. */
  readonly onError: (error: Error) => void
}

export type MarketWatcher<Message> = Watcher<Message> & { readonly market: number }
export type OwnerWatcher = Watcher<OwnOrdersUpdate> & { readonly owner: string }

interface SocketTransport {
  readonly getRpcClient?: () => Promise<{ readonly socket: WebSocket }>
}

interface Incoming {
  readonly id?: unknown
  readonly result?: unknown
  readonly error?: { readonly code?: number; readonly message?: string }
  readonly method?: string
  readonly params?: { readonly subscription?: unknown; readonly result?: unknown }
}

const isIncoming = (value: unknown): value is Incoming => typeof value === 'object' && value !== null

const parse = (data: unknown): Incoming | undefined => {
  try {
    const message: unknown = typeof data === 'string' ? JSON.parse(data) : undefined
    return isIncoming(message) ? message : undefined
  } catch {
    // What is no JSON is no message to a stream; viem tells its own requests.
    return undefined
  }
}

const socketOf = async ({ transport }: Client): Promise<WebSocket> => {
  const { getRpcClient } = transport as SocketTransport
  if (getRpcClient === undefined) throw new ClobClientError('transport', 'streams need the transport webSocket')
  const { socket } = await getRpcClient()
  if (socket.readyState !== socket.OPEN) throw new ClobClientError('ended', 'the connection is not open')
  return socket
}

/** The code of JSON-RPC for a block that is not there any more. docs/errors.md, query/10. */
const MISSED = 4_444

const refusalOf = ({
  code,
  message = 'the node refused the stream',
}: NonNullable<Incoming['error']>): ClobClientError =>
  new ClobClientError(code === MISSED ? 'missed' : 'ended', message)

let requests = 0

/** One subscription on a socket. It listens before it asks: the first message may come in the same packet as the reply. */
const subscribe = (
  socket: WebSocket,
  params: readonly unknown[],
  handlers: { readonly onMessage: (result: unknown) => void; readonly onEnd: (error: Error) => void },
): (() => void) => {
  // viem's own ids are numbers.
  const id = `clob-${++requests}`
  let subscription: unknown
  let isStopped = false
  const send = (method: string, args: readonly unknown[], requestId: string): void => {
    if (socket.readyState === socket.OPEN) {
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: requestId, method, params: args }))
    }
  }
  const stop = (): void => {
    if (isStopped) return
    isStopped = true
    socket.removeEventListener('close', onClose)
    // Before the reply nobody knows what to unsubscribe from, so that the listener waits for it.
    if (subscription === undefined) return
    socket.removeEventListener('message', onData)
    send('clob_unsubscribe', [subscription], `${id}-end`)
  }
  const end = (error: Error): void => {
    if (isStopped) return
    stop()
    handlers.onEnd(error)
  }
  const onReply = ({ result, error }: Incoming): void => {
    if (typeof result === 'string') subscription = result
    if (isStopped || typeof result !== 'string') socket.removeEventListener('message', onData)
    if (isStopped) send('clob_unsubscribe', [subscription], `${id}-end`)
    else if (error !== undefined) end(refusalOf(error))
    else if (typeof result !== 'string') end(new ClobClientError('answer', 'clob_subscribe has no id in its answer'))
  }
  function onData({ data }: MessageEvent): void {
    const message = parse(data)
    if (message === undefined) return
    if (message.id === id) onReply(message)
    else if (message.method === 'clob_subscription' && message.params?.subscription === subscription && !isStopped) {
      try {
        handlers.onMessage(message.params?.result)
      } catch (error) {
        end(error instanceof Error ? error : new ClobClientError('ended', String(error)))
      }
    }
  }
  function onClose({ code, reason }: CloseEvent): void {
    socket.removeEventListener('message', onData)
    end(new ClobClientError('ended', reason === '' ? `the connection has ended (${code})` : reason))
  }
  socket.addEventListener('message', onData)
  socket.addEventListener('close', onClose, { once: true })
  send('clob_subscribe', params, id)
  return stop
}

type Request = Readonly<Record<string, unknown>>

const watch = <Message extends StreamPlace>(
  client: Client,
  channel: string,
  request: Request,
  read: Read<Message>,
  { fromHeight, onUpdate, onError }: Watcher<Message>,
): (() => void) => {
  const from = fromHeight === undefined ? {} : { from_height: `${uint53('fromHeight', fromHeight, 1n)}` }
  const stream = new Continuity<Message>(fromHeight)
  const onMessage = (result: unknown): void => {
    const message = read(result, channel)
    stream.take(message)
    onUpdate(message)
  }
  return listen(client, [channel, { ...request, ...from }], onMessage, onError)
}

/** Returns how to end it. */
const listen = (
  client: Client,
  params: readonly unknown[],
  onMessage: (result: unknown) => void,
  onError: (error: Error) => void,
): (() => void) => {
  let isStopped = false
  let stop = (): void => undefined
  const start = async (): Promise<void> => {
    const socket = await socketOf(client)
    if (isStopped) return
    stop = subscribe(socket, params, { onMessage, onEnd: onError })
  }
  start().catch((error: unknown) => {
    if (!isStopped) onError(error instanceof Error ? error : new ClobClientError('ended', String(error)))
  })
  return () => {
    isStopped = true
    stop()
  }
}

const watchMarket =
  <Message extends StreamPlace>(channel: string, read: Read<Message>) =>
  (client: Client, watcher: MarketWatcher<Message>): (() => void) =>
    watch(client, channel, { market: uint32('market', watcher.market, 1n) }, read, watcher)

/** Each returns how to end it. Throws `range`; all else goes to `onError`. */
export const watchBook = watchMarket<BookUpdate>('book', readBookUpdate)
export const watchOrders = watchMarket<OrdersUpdate>('orders', readOrdersUpdate)
export const watchTrades = watchMarket<TradesUpdate>('trades', readTradesUpdate)
export const watchBestPrices = watchMarket<BestPricesUpdate>('bestPrices', readBestPricesUpdate)

/** Watches the orders of all markets. The owner is 0x... or nat1... */
export const watchOwnOrders = (client: Client, watcher: OwnerWatcher): (() => void) =>
  watch(client, 'ownOrders', { owner: watcher.owner }, readOwnOrdersUpdate, watcher)

/** At least one of both. */
export interface OptimisticWatcher extends Omit<Watcher<OptimisticUpdate>, 'fromHeight'> {
  readonly market?: number | undefined
  /** 0x... or nat1... */
  readonly owner?: string | undefined
}

/** What no block holds yet, as this one node sees it: nothing of it is final. It comes as it happens, so that heights prove nothing. */
export const watchOptimistic = (client: Client, watcher: OptimisticWatcher): (() => void) => {
  const { market, owner, onUpdate, onError } = watcher
  const request = {
    ...(market !== undefined && { market: uint32('market', market, 1n) }),
    ...(owner !== undefined && { owner }),
  }
  return listen(
    client,
    ['optimistic', request],
    (result) => onUpdate(readOptimisticUpdate(result, 'optimistic')),
    onError,
  )
}

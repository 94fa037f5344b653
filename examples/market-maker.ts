/**
 * Quotes both sides of a market with packages/clob: one order each, moved against its own position, and replaced in one transaction
 * when the price moves or an order was eaten. Run "make devnet", then `node examples/market-maker.ts`, and `node examples/taker.ts`
 * beside it. RPC_URL, WS_URL, REST_URL, PRIVATE_KEY, MARKET, FAIR_TICKS and FILLS (after so many it cancels and ends) override
 * what it takes of the devnet.
 */
import { createPublicClient, type Hex, webSocket } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import {
  cancelAllAction,
  type ClobAction,
  clobActions,
  clientIdOf,
  type OrderRecord,
  type OwnOrdersUpdate,
  placeAction,
  replaceAction,
  scheduleCancelAction,
} from '../packages/clob/index.ts'

const wsUrl = process.env['WS_URL'] ?? 'ws://localhost:8546'
const restUrl = process.env['REST_URL'] ?? 'http://localhost:1317'
// The first account of the devnet: everyone knows this key.
const key = process.env['PRIVATE_KEY'] ?? '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const market = Number(process.env['MARKET'] ?? 2)
const fairTicks = Number(process.env['FAIR_TICKS'] ?? 25_000)
const fillsToMake = Number(process.env['FILLS'] ?? Infinity)
const HALF_SPREAD_TICKS = 10
const LOTS = 100
/** The price moves by a tick for so many lots that it holds too many or too few. */
const LOTS_A_TICK = 10

type Side = 'buy' | 'sell'
/** One order of each side, always by the same name. */
const CLIENT_IDS: Readonly<Record<Side, Hex>> = { buy: clientIdOf(1), sell: clientIdOf(2) }

interface Quote {
  readonly orderSeq: number
  readonly priceTicks: number
  readonly lotsLeft: number
}
const quotes = new Map<Side, Quote>()
let position = 0
let fills = 0
/** Sent, and not yet seen in a block: until it is, nothing else is sent. */
let pending: { readonly hash: Hex; readonly goodTilBlock: number } | undefined
let isEnding = false

const info = (await (await fetch(`${restUrl}/cosmos/base/tendermint/v1beta1/node_info`)).json()) as {
  readonly default_node_info: { readonly network: string }
}
const signer = privateKeyToAccount(key as Hex)
const client = createPublicClient({ transport: webSocket(wsUrl) }).extend(
  clobActions({ nativeChainId: info.default_node_info.network, signer }),
)

const sideOf = (orderSeq: number): Side | undefined =>
  (['buy', 'sell'] as const).find((side) => quotes.get(side)?.orderSeq === orderSeq)

const setQuote = (side: Side, quote: Quote): void => {
  if (quote.lotsLeft > 0) quotes.set(side, quote)
  else quotes.delete(side)
}

const countFill = (orderSeq: number, lots: number, lotsLeft: number): void => {
  const side = sideOf(orderSeq)
  const quote = side && quotes.get(side)
  if (side === undefined || quote === undefined) return
  fills += 1
  position += side === 'buy' ? lots : -lots
  setQuote(side, { ...quote, lotsLeft })
  console.log(`${side === 'buy' ? 'bought' : 'sold'} ${lots} lots at ${quote.priceTicks} ticks, position ${position}`)
}

const follow = ({ market: of, placed, fill, removed }: OrderRecord): void => {
  if (of !== market) return
  if (placed !== undefined && (placed.side === 'buy' || placed.side === 'sell')) {
    const { orderSeq, priceTicks, lots } = placed
    if (placed.clientId === CLIENT_IDS[placed.side]) quotes.set(placed.side, { orderSeq, priceTicks, lotsLeft: lots })
  }
  if (fill !== undefined) {
    countFill(fill.makerSeq, fill.lots, fill.makerLotsLeft)
    countFill(fill.takerSeq, fill.lots, fill.takerLotsLeft)
  }
  const side = removed && sideOf(removed.orderSeq)
  const quote = side && quotes.get(side)
  if (removed && side && quote) setQuote(side, { ...quote, lotsLeft: removed.lotsLeft })
}

/** What makes the quotes as they should be; nothing where they are. */
const nextActions = (): readonly ClobAction[] => {
  if (fills >= fillsToMake) return [cancelAllAction({ market })]
  const middle = fairTicks - Math.trunc(position / LOTS_A_TICK)
  return (['buy', 'sell'] as const).flatMap((side) => {
    const priceTicks = side === 'buy' ? middle - HALF_SPREAD_TICKS : middle + HALF_SPREAD_TICKS
    const clientId = CLIENT_IDS[side]
    const quote = quotes.get(side)
    const order = { market, side, priceTicks, qtyLots: LOTS, clientId, tif: 'post_only' } as const
    if (quote === undefined) return [placeAction(order)]
    const isGood = quote.priceTicks === priceTicks && 2 * quote.lotsLeft > LOTS
    return isGood ? [] : [replaceAction({ ...order, target: { clientId } })]
  })
}

const finished = Promise.withResolvers<void>()

const onUpdate = (update: OwnOrdersUpdate): void => {
  const { height, records, orders, rejected, isSnapshot } = update
  if (isSnapshot) quotes.clear()
  for (const order of orders) {
    const { side, orderSeq, priceTicks, lotsLeft, clientId } = order
    if (order.market !== market || side === '' || clientId !== CLIENT_IDS[side]) continue
    quotes.set(side, { orderSeq, priceTicks, lotsLeft })
  }
  for (const record of records) follow(record)
  for (const { code, reason } of rejected) console.log(`rejected: code ${code}: ${reason}`)
  // Its block has told it, by a record or by a refusal; or it is too late for it.
  const isTold = records.some(({ placed, removed }) => placed ?? removed) || rejected.length > 0
  if (pending !== undefined && (isTold || height >= pending.goodTilBlock)) pending = undefined
  if (isEnding && quotes.size === 0) finished.resolve()
  if (pending === undefined && !isEnding) quote(update).catch(finished.reject)
}

/** Whatever becomes of this program, its orders die: a minute after it set the switch last. */
const SWITCH_MS = 60_000
let switchMs = 0
let isSending = false

const quote = async (head: OwnOrdersUpdate): Promise<void> => {
  const actions = nextActions()
  const isSwitchNear = quotes.size > 0 && switchMs - head.timeMs < SWITCH_MS / 2
  if (isSending || (actions.length === 0 && !isSwitchNear)) return
  isSending = true
  isEnding = fills >= fillsToMake
  switchMs = head.timeMs + SWITCH_MS
  // The switch stands behind the orders, for it needs an open one.
  const sent = await client.sendActions(isEnding ? actions : [...actions, scheduleCancelAction(switchMs)], { head })
  // The switch alone leaves no record to wait for.
  if (actions.length > 0) pending = sent
  isSending = false
  if (actions.length === 0) return
  console.log(`block ${head.height}: ${actions.map(({ kind, side, priceTicks }) => `${kind} ${side} ${priceTicks}`)}`)
}

const stop = client.watchOwnOrders({ owner: signer.address, onUpdate, onError: finished.reject })
await finished.promise
stop()
const { items: open } = await client.getOpenOrders({ owner: signer.address })
const { bids, asks } = await client.getDepth({ market })
console.log(`ended after ${fills} fills, position ${position}, ${open.length} orders open`)
console.log(`levels that others have: ${bids.length} bid, ${asks.length} ask`)
;(await client.transport.getRpcClient()).close()

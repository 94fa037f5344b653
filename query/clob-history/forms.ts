/** Entries of the history as messages. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import type { Candle } from '../../app/clob-history/candle.ts'
import type { FillEntry } from '../../app/clob-history/fill-entry.ts'
import { lotsLeft, type OrderEntry } from '../../app/clob-history/order-entry.ts'
import type { RejectionEntry } from '../../app/clob-history/rejection-entry.ts'
import type { Address } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { type OpenOrder, SIDE_CODES, TIF_CODES } from '../../modules/clob/index.ts'
import { clobHistory, type clobStream, type clobTx } from '../../proto/index.ts'

const { OrderState } = clobHistory

type OrderForm = MessageInitShape<typeof clobHistory.HistoricalOrderSchema>

const stateOf = (order: OrderEntry): clobHistory.OrderState => {
  if (lotsLeft(order) > 0) return OrderState.OPEN
  return order.cancelledLots > 0 ? OrderState.CANCELLED : OrderState.FILLED
}

const ownerText = (owner: Address): string => (owner.length === 0 ? '' : encodeBech32(owner))

export const orderForm = (order: OrderEntry): OrderForm => ({
  market: order.market,
  orderSeq: BigInt(order.seq),
  owner: ownerText(order.owner),
  subaccount: order.subaccount,
  side: order.side as clobTx.Side,
  tif: order.tif as clobTx.Tif,
  priceTicks: order.priceTicks,
  lots: BigInt(order.lots),
  clientId: order.clientId,
  txHash: order.txHash,
  height: BigInt(order.height),
  timeMs: BigInt(order.timeMs),
  state: stateOf(order),
  filledLots: BigInt(order.filledLots),
  filledTicks: order.filledTicks.toString(),
  cancelledLots: BigInt(order.cancelledLots),
  reason: order.reason as clobStream.RemovalReason,
  changedHeight: BigInt(order.changedHeight),
  changedMs: BigInt(order.changedMs),
})

export const rejectionForm = (rejection: RejectionEntry): OrderForm => ({
  market: rejection.market,
  owner: ownerText(rejection.owner),
  subaccount: rejection.subaccount,
  side: rejection.side as clobTx.Side,
  tif: rejection.tif as clobTx.Tif,
  priceTicks: rejection.priceTicks,
  lots: BigInt(rejection.lots),
  clientId: rejection.clientId,
  txHash: rejection.txHash,
  height: BigInt(rejection.height),
  timeMs: BigInt(rejection.timeMs),
  state: OrderState.REJECTED,
  filledTicks: '0',
  changedHeight: BigInt(rejection.height),
  changedMs: BigInt(rejection.timeMs),
  code: rejection.code,
})

/** The form of an order that the history does not know: it rests since before the oldest block that was kept. */
export const restingForm = (order: OpenOrder): OrderForm => ({
  market: order.market,
  orderSeq: BigInt(order.seq),
  owner: ownerText(order.owner),
  subaccount: order.subaccount,
  side: SIDE_CODES[order.side],
  tif: TIF_CODES[order.tif],
  priceTicks: order.priceTicks,
  lots: BigInt(order.lots),
  clientId: order.clientId,
  state: OrderState.OPEN,
  filledLots: BigInt(order.lots - order.left),
  filledTicks: '0',
})

export const fillForm = (fill: FillEntry): MessageInitShape<typeof clobHistory.HistoricalFillSchema> => ({
  market: fill.market,
  sequence: BigInt(fill.sequence),
  height: BigInt(fill.height),
  timeMs: BigInt(fill.timeMs),
  makerSeq: BigInt(fill.makerSeq),
  takerSeq: BigInt(fill.takerSeq),
  maker: ownerText(fill.maker),
  taker: ownerText(fill.taker),
  takerSide: fill.takerSide as clobTx.Side,
  priceTicks: fill.priceTicks,
  lots: BigInt(fill.lots),
  makerFee: fill.makerFee.toString(),
  makerRebate: fill.makerRebate.toString(),
  takerFee: fill.takerFee.toString(),
})

export const candleForm = (
  startS: number,
  candle: Candle | undefined,
): MessageInitShape<typeof clobHistory.CandleSchema> => ({
  startS: BigInt(startS),
  openTicks: candle?.openTicks ?? 0,
  highTicks: candle?.highTicks ?? 0,
  lowTicks: candle?.lowTicks ?? 0,
  closeTicks: candle?.closeTicks ?? 0,
  lots: (candle?.lots ?? 0n).toString(),
  ticks: (candle?.ticks ?? 0n).toString(),
  trades: BigInt(candle?.trades ?? 0),
})

/** Open orders as protobuf messages. */
import type { MessageInitShape } from '@bufbuild/protobuf'
import { encodeBech32 } from '../../../core/bech32.ts'
import type { clob } from '../../../proto/index.ts'
import { POST_ONLY_CODES, SIDE_CODES, STP_CODES, TIF_CODES, TRIGGER_CODES } from '../domain/codes.ts'
import type { OpenOrder } from '../domain/order.ts'

export const orderForm = (order: OpenOrder): MessageInitShape<typeof clob.OpenOrderSchema> => ({
  market: order.market,
  orderSeq: BigInt(order.seq),
  owner: encodeBech32(order.owner),
  subaccount: order.subaccount,
  side: SIDE_CODES[order.side],
  tif: TIF_CODES[order.tif],
  priceTicks: order.priceTicks,
  lots: BigInt(order.lots),
  lotsLeft: BigInt(order.left),
  lockedPpm: order.lockedPpm,
  clientId: order.clientId,
  expireS: BigInt(order.expireS),
  triggerTicks: order.triggerTicks,
  triggerKind: TRIGGER_CODES[order.triggerKind],
  stp: STP_CODES[order.stp],
  maxFills: order.maxFills,
  postOnlyMode: POST_ONLY_CODES[order.postOnlyMode],
})

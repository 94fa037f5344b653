/** What is asked of a placement by its owner's id, where no block holds it yet. */
import { create, toBinary } from '@bufbuild/protobuf'
import type { OrderStage, PooledOrder } from '../../app/orders/pooled-order.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { bytesToBase64, equalBytes } from '../../core/bytes.ts'
import { type Action, type Place, SIDE_CODES, TIF_CODES } from '../../modules/clob/index.ts'
import { decodeRequest } from '../../modules/handlers.ts'
import { clobHistory } from '../../proto/index.ts'
import type { WaitingOrders } from '../clob/waiting.ts'
import { clientIdOf, labelOf, ownerOf } from './answer.ts'

const { orderByClientId } = clobHistory.History.method
const PATH = `/${clobHistory.History.typeName}/${orderByClientId.name}`
const { OrderState: State } = clobHistory

const STATES = {
  pending: State.PENDING,
  attested: State.ATTESTED,
  carried: State.CARRIED,
  dropped: State.DROPPED,
} as const

const placeOf = (action: Action): Place | undefined =>
  action.kind === 'place' || action.kind === 'replace' ? action.place : undefined

/** `changed_ms` is when this node first had it. */
const formOf = (order: PooledOrder, place: Place, state: clobHistory.OrderState): Uint8Array => {
  const { HistoricalOrderSchema } = clobHistory
  const { owner, subaccount } = order.tx
  const { market, side, tif, priceTicks, qtyLots, clientId } = place
  return toBinary(
    HistoricalOrderSchema,
    create(HistoricalOrderSchema, {
      ...{ market, owner: encodeBech32(owner), subaccount, side: SIDE_CODES[side], tif: TIF_CODES[tif], priceTicks },
      ...{ lots: BigInt(qtyLots), clientId, txHash: order.hash, state, filledTicks: '0' },
      changedMs: BigInt(order.seenMs),
    }),
  )
}

/** A HistoricalOrder in base64: the newest placement in the pool with the id that the question names. Throws grpc/3. */
export const waitingPlacement = (
  { pool, watch }: WaitingOrders,
  path: string,
  request: Uint8Array,
): string | undefined => {
  if (path !== PATH) return undefined
  const asked = decodeRequest(orderByClientId.input, request)
  const { owner, clientId } = asked
  const id = clientIdOf(clientId)
  const label = labelOf(asked)
  let found: { readonly order: PooledOrder; readonly place: Place; readonly stage: OrderStage } | undefined
  for (const order of pool.ordersOf(ownerOf(owner))) {
    for (const action of order.tx.actions) {
      const place = placeOf(action)
      if (place === undefined || !equalBytes(place.clientId, id)) continue
      const { market, subaccount } = label ?? { market: place.market, subaccount: order.tx.subaccount }
      if (place.market !== market || order.tx.subaccount !== subaccount) continue
      const stage = watch.stageOf(order)
      // One that can still run goes before one that cannot.
      if (stage === 'dropped' && found !== undefined && found.stage !== 'dropped') continue
      found = { order, place, stage }
    }
  }
  return found && bytesToBase64(formOf(found.order, found.place, STATES[found.stage]))
}

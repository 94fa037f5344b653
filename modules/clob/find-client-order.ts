/** An open order by its client id, for contracts. docs/clob-spec.md, Orders of contracts. */
import type { Address } from '../../core/address.ts'
import { equalBytes } from '../../core/bytes.ts'
import type { StateReader } from '../../store/state.ts'
import { readNextSeq, readOrdersFrom } from './keeper/index.ts'

export interface WantedOrder {
  readonly market: number
  readonly owner: Address
  readonly subaccount: number
  readonly clientId: Uint8Array
}

/** The most orders, of whomever, that are looked at. The search costs what `limit` says where it finds nothing. */
const MOST_LOOKED_AT = 1_000

/** The order_seq of the next accepted Place: a contract that notes it when it asks finds its order at or behind it. */
export const nextOrderSeq = (state: StateReader): number => readNextSeq(state)

/**
 * Looks at the first `limit` open orders of the market, of whomever, from an order_seq on. `seq` is 0 where none of them is it, and
 * `next` is where to look on, 0 where there are no more.
 */
export const findClientOrder = (
  state: StateReader,
  { market, owner, subaccount, clientId }: WantedOrder,
  fromSeq: bigint,
  limit: number,
): { readonly seq: number; readonly next: number } => {
  // Nobody has an order there, and no order has an empty client id.
  if (fromSeq > BigInt(Number.MAX_SAFE_INTEGER) || clientId.length === 0) return { seq: 0, next: 0 }
  const most = Math.min(limit, MOST_LOOKED_AT)
  const orders = readOrdersFrom(state, market, Number(fromSeq), most)
  for (const order of orders) {
    const isWanted = order.subaccount === subaccount && equalBytes(order.clientId, clientId)
    if (isWanted && equalBytes(order.owner, owner)) return { seq: order.seq, next: 0 }
  }
  const last = orders.at(-1)
  return { seq: 0, next: last === undefined || orders.length < most ? 0 : last.seq + 1 }
}

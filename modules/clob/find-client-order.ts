/** An open order by its client id, for contracts. docs/clob-spec.md, Orders of contracts. */
import type { Address } from '../../core/address.ts'
import { equalBytes } from '../../core/bytes.ts'
import type { StateReader } from '../../store/state.ts'
import { readNextSeq, readOrder } from './keeper/index.ts'

export interface WantedOrder {
  readonly market: number
  readonly owner: Address
  readonly subaccount: number
  readonly clientId: Uint8Array
}

/** The most numbers that are looked at. The search costs what `limit` says where it finds nothing. */
const MOST_LOOKED_AT = 1_000

/** The order_seq of the next accepted Place: a contract that notes it when it asks finds its order at or behind it. */
export const nextOrderSeq = (state: StateReader): number => readNextSeq(state)

/**
 * Looks at `limit` numbers from an order_seq on, one by one: it reads no range, for numbers of orders that are gone lie in the database
 * for a while, and whoever passes over them would not pay for it. `seq` is 0 where none of them is the order, and `next` is where to
 * look on, 0 where no order has a higher number.
 */
export const findClientOrder = (
  state: StateReader,
  { market, owner, subaccount, clientId }: WantedOrder,
  fromSeq: bigint,
  limit: number,
): { readonly seq: number; readonly next: number } => {
  const nextSeq = nextOrderSeq(state)
  // No order has an empty client id.
  if (fromSeq >= BigInt(nextSeq) || clientId.length === 0) return { seq: 0, next: 0 }
  const first = Math.max(1, Number(fromSeq))
  const end = Math.min(first + Math.min(limit, MOST_LOOKED_AT), nextSeq)
  for (let seq = first; seq < end; seq++) {
    const order = readOrder(state, market, seq)
    const isWanted = order?.subaccount === subaccount && equalBytes(order.clientId, clientId)
    if (isWanted && equalBytes(order.owner, owner)) return { seq, next: 0 }
  }
  return { seq: 0, next: end < nextSeq ? end : 0 }
}

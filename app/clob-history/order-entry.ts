/** An order as the history has it: what was placed, and what became of it. */
import type { Address } from '../../core/address.ts'
import type { Hash } from '../../core/hash.ts'
import { encodeFields, FieldReader } from './fields.ts'

export interface OrderEntry {
  readonly market: number
  readonly seq: number
  readonly owner: Address
  readonly subaccount: number
  /** Numbers of nat.clob.v1.Side and Tif. */
  readonly side: number
  readonly tif: number
  readonly priceTicks: number
  readonly lots: number
  readonly clientId: Uint8Array
  /** SHA-256 of its transaction; empty for one that a contract queued, or that a trigger placed. */
  readonly txHash: Hash | Uint8Array
  readonly height: number
  /** Time of the block, milliseconds since 1970. */
  readonly timeMs: number
  readonly filledLots: number
  /** Sum of ticks x lots of its fills. */
  readonly filledTicks: bigint
  readonly cancelledLots: number
  /** Number of nat.clob.v1.RemovalReason; 0 while none of it was cancelled. */
  readonly reason: number
  /** Height of the block that changed the order last. */
  readonly changedHeight: number
  readonly changedMs: number
}

export const lotsLeft = ({ lots, filledLots, cancelledLots }: OrderEntry): number => lots - filledLots - cancelledLots

export const encodeOrderEntry = (order: OrderEntry): Uint8Array =>
  encodeFields([
    order.owner,
    order.subaccount,
    order.side,
    order.tif,
    order.priceTicks,
    order.lots,
    order.clientId,
    order.txHash,
    order.height,
    order.timeMs,
    order.filledLots,
    order.filledTicks,
    order.cancelledLots,
    order.reason,
    order.changedHeight,
    order.changedMs,
  ])

export const decodeOrderEntry = (market: number, seq: number, value: Uint8Array): OrderEntry => {
  const reader = new FieldReader(value)
  return {
    market,
    seq,
    owner: reader.bytes(),
    subaccount: reader.number(),
    side: reader.number(),
    tif: reader.number(),
    priceTicks: reader.number(),
    lots: reader.number(),
    clientId: reader.bytes(),
    txHash: reader.bytes(),
    height: reader.number(),
    timeMs: reader.number(),
    filledLots: reader.number(),
    filledTicks: reader.bigint(),
    cancelledLots: reader.number(),
    reason: reader.number(),
    changedHeight: reader.number(),
    changedMs: reader.number(),
  }
}

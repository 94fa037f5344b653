/** A placement that failed, as the history has it: by the id that its owner gave it. */
import type { Address } from '../../core/address.ts'
import type { Hash } from '../../core/hash.ts'
import { encodeFields, FieldReader } from './fields.ts'

export interface RejectionEntry {
  readonly owner: Address
  readonly clientId: Uint8Array
  /** Height of the block. */
  readonly height: number
  /** Milliseconds since 1970. */
  readonly timeMs: number
  readonly txHash: Hash
  readonly market: number
  readonly subaccount: number
  /** Numbers of nat.clob.v1.Side and Tif. */
  readonly side: number
  readonly tif: number
  readonly priceTicks: number
  readonly lots: number
  /** Error code of codespace clob. */
  readonly code: number
}

/** Owner, id and height are in its key. */
export const encodeRejection = (rejection: RejectionEntry): Uint8Array =>
  encodeFields([
    rejection.timeMs,
    rejection.txHash,
    rejection.market,
    rejection.subaccount,
    rejection.side,
    rejection.tif,
    rejection.priceTicks,
    rejection.lots,
    rejection.code,
  ])

export const decodeRejection = (
  owner: Address,
  clientId: Uint8Array,
  height: number,
  value: Uint8Array,
): RejectionEntry => {
  const reader = new FieldReader(value)
  return {
    owner,
    clientId,
    height,
    timeMs: reader.number(),
    txHash: reader.bytes(),
    market: reader.number(),
    subaccount: reader.number(),
    side: reader.number(),
    tif: reader.number(),
    priceTicks: reader.number(),
    lots: reader.number(),
    code: reader.number(),
  }
}

/** A fill as the history has it. */
import type { Address } from '../../core/address.ts'
import { encodeFields, FieldReader } from './fields.ts'

export interface FillEntry {
  readonly market: number
  /** Sequence of the fill's record. */
  readonly sequence: number
  readonly height: number
  readonly timeMs: number
  readonly makerSeq: number
  readonly takerSeq: number
  readonly maker: Address
  readonly taker: Address
  /** Number of nat.clob.v1.Side. */
  readonly takerSide: number
  readonly priceTicks: number
  readonly lots: number
  /** The fee in quote, as the two below. */
  readonly makerFee: bigint
  readonly makerRebate: bigint
  readonly takerFee: bigint
}

export const encodeFillEntry = (fill: FillEntry): Uint8Array =>
  encodeFields([
    fill.height,
    fill.timeMs,
    fill.makerSeq,
    fill.takerSeq,
    fill.maker,
    fill.taker,
    fill.takerSide,
    fill.priceTicks,
    fill.lots,
    fill.makerFee,
    fill.makerRebate,
    fill.takerFee,
  ])

export const decodeFillEntry = (market: number, sequence: number, value: Uint8Array): FillEntry => {
  const reader = new FieldReader(value)
  return {
    market,
    sequence,
    height: reader.number(),
    timeMs: reader.number(),
    makerSeq: reader.number(),
    takerSeq: reader.number(),
    maker: reader.bytes(),
    taker: reader.bytes(),
    takerSide: reader.number(),
    priceTicks: reader.number(),
    lots: reader.number(),
    makerFee: reader.bigint(),
    makerRebate: reader.bigint(),
    takerFee: reader.bigint(),
  }
}

/** The canonical records of a step, and their hash: RLP of each, one after the other, under SHA-256. */
import { createHash } from 'node:crypto'
import type { Side, TimeInForce } from '../../../modules/clob/domain/order.ts'

export type Reason =
  | 'cancelled'
  | 'cancelledAll'
  | 'expired'
  | 'switchPassed'
  | 'selfTrade'
  | 'decremented'
  | 'notResting'
  | 'maxFills'
  | 'triggered'
  | 'crossing'
  | 'displaced'

export type ModelRecord =
  | {
      readonly kind: 'placed'
      readonly market: number
      readonly seq: bigint
      readonly owner: string
      readonly subaccount: number
      readonly side: Side
      readonly tif: TimeInForce
      readonly price: bigint
      readonly lots: bigint
      readonly clientId: string
    }
  | {
      readonly kind: 'fill'
      readonly market: number
      readonly makerSeq: bigint
      readonly takerSeq: bigint
      readonly price: bigint
      readonly lots: bigint
      readonly makerFee: bigint
      readonly makerRebate: bigint
      readonly takerFee: bigint
    }
  | {
      readonly kind: 'removed'
      readonly market: number
      readonly seq: bigint
      readonly left: bigint
      readonly reason: Reason
    }

const TIFS = ['gtc', 'ioc', 'fok', 'post_only'] as const

export const rlpNumber = (value: bigint): string => {
  if (value === 0n) return ''
  const digits = value.toString(16)
  return digits.length % 2 === 0 ? digits : `0${digits}`
}

/** RLP over hexadecimal, as the Yellow Paper's appendix B has it. */
const item = (hex: string): string => {
  const length = hex.length / 2
  if (length === 1 && Number.parseInt(hex, 16) < 0x80) return hex
  return head(length, 0x80) + hex
}

const head = (length: number, base: number): string => {
  if (length < 56) return rlpNumber(BigInt(base + length))
  const size = rlpNumber(BigInt(length))
  return rlpNumber(BigInt(base + 55 + size.length / 2)) + size
}

export const rlpList = (items: readonly string[]): string => {
  const payload = items.map(item).join('')
  return head(payload.length / 2, 0xc0) + payload
}

/** Hexadecimal. `reasonNumber` is the table of the design's document. */
export const encodeRecord = (record: ModelRecord, reasonNumber: (reason: Reason) => number): string => {
  const market = rlpNumber(BigInt(record.market))
  if (record.kind === 'placed') {
    const side = record.side === 'buy' ? '01' : '02'
    const tif = rlpNumber(BigInt(TIFS.indexOf(record.tif) + 1))
    const { seq, owner, subaccount, price, lots, clientId } = record
    const label = rlpNumber(BigInt(subaccount))
    return rlpList(['01', market, rlpNumber(seq), owner, label, side, tif, rlpNumber(price), rlpNumber(lots), clientId])
  }
  if (record.kind === 'fill') {
    const { makerSeq, takerSeq, price, lots, makerFee, makerRebate, takerFee } = record
    const amounts = [makerSeq, takerSeq, price, lots, makerFee, makerRebate, takerFee].map(rlpNumber)
    return rlpList(['02', market, ...amounts])
  }
  return rlpList([
    '03',
    market,
    rlpNumber(record.seq),
    rlpNumber(record.left),
    rlpNumber(BigInt(reasonNumber(record.reason))),
  ])
}

export const recordsHash = (records: readonly ModelRecord[], reasonNumber: (reason: Reason) => number): string => {
  const hash = createHash('sha256')
  for (const record of records) hash.update(Buffer.from(encodeRecord(record, reasonNumber), 'hex'))
  return hash.digest('hex')
}

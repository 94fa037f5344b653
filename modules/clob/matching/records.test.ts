import { describe, expect, it } from 'vitest'
import { bigintToBytes } from '../../../core/bytes.ts'
import { encodeRlp, type RlpInput } from '../../../core/rlp.ts'
import { Random } from '../../../test/sim/random.ts'
import type { OpenOrder } from '../domain/order.ts'
import { type ClobRecord, encodeRecord } from './records.ts'

const big = (value: number | bigint): Uint8Array => bigintToBytes(BigInt(value))

/** The form of the document, over the encoder that everything else uses. */
const expected = (record: ClobRecord): RlpInput => {
  if (record.kind === 'placed') {
    const { market, seq, owner, subaccount, priceTicks, lots, clientId } = record.order
    const [side, tif] = [big(record.order.side === 'buy' ? 1 : 2), big(4)]
    return [big(1), big(market), big(seq), owner, big(subaccount), side, tif, big(priceTicks), big(lots), clientId]
  }
  if (record.kind === 'removed') return [big(3), big(record.market), big(record.orderSeq), big(record.lots), big(3)]
  const { market, makerSeq, takerSeq, priceTicks, lots, makerFee, makerRebate, takerFee } = record
  return [2, market, makerSeq, takerSeq, priceTicks, lots, makerFee, makerRebate, takerFee].map(big)
}

describe('a record', () => {
  it.each([1, 2])('is RLP in the form of the document (seed %i)', (seed) => {
    const random = new Random(seed)
    const uint = (most: number): number => (random.below(3) === 0 ? most : random.below(Math.min(most, 2 ** 31)) % 300)
    const amount = (): bigint =>
      random.below(2) === 0 ? 0n : BigInt(uint(2 ** 53 - 1)) * 2n ** BigInt(random.below(74))
    for (let round = 0; round < 300; round++) {
      const [market, lots, orderSeq] = [1 + uint(2 ** 32 - 2), 1 + uint(2 ** 53 - 2), 1 + uint(2 ** 53 - 2)]
      const order = {
        market,
        seq: orderSeq,
        owner: new Uint8Array(20).fill(random.below(256)),
        subaccount: uint(2 ** 32 - 1),
        side: random.below(2) === 0 ? 'buy' : 'sell',
        tif: 'post_only',
        priceTicks: 1 + uint(2 ** 32 - 2),
        lots,
        clientId: new Uint8Array(random.below(17)).fill(random.below(256)),
      } as OpenOrder
      const fees = { makerFee: amount(), makerRebate: amount(), takerFee: amount() }
      const told = { maker: order.owner, taker: order.owner, takerSide: order.side, makerLeft: 0, takerLeft: 0 }
      const records: readonly ClobRecord[] = [
        { kind: 'placed', order },
        {
          kind: 'fill',
          market,
          makerSeq: orderSeq,
          takerSeq: orderSeq,
          priceTicks: order.priceTicks,
          lots,
          ...fees,
          ...told,
        },
        { kind: 'removed', market, orderSeq, lots, reason: 'expired', owner: order.owner, left: 0 },
      ]
      for (const record of records) expect(encodeRecord(record)).toEqual(encodeRlp(expected(record)))
    }
  })
})

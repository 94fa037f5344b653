/** For tests: committed blocks that hold only what the history reads of them. */
import { encodeBech32 } from '../../../core/bech32.ts'
import { uint64ToBytes } from '../../../core/bytes.ts'
import { sha256 } from '../../../core/hash.ts'
import type { Event } from '../../../modules/module.ts'
import type { CommittedBlock, CommittedTransaction } from '../../feed/committed-block.ts'

export const OWNER = sha256(uint64ToBytes(1)).slice(0, 20)

export const event = (type: string, members: Readonly<Record<string, number | string>>): Event => ({
  type,
  attributes: Object.entries(members).map(([key, value]) => ({ key, value: String(value), index: false })),
})

/** A buy of 5 lots at 100 in market 1; its id is its number. */
export const placed = (seq: number, members: Readonly<Record<string, number | string>> = {}): Event =>
  event('order_placed', {
    ...{ market: 1, order_seq: seq, owner: encodeBech32(OWNER), subaccount: 0, side: 'buy', tif: 'gtc', sequence: seq },
    ...{ price_ticks: 100, lots: 5, client_id: seq.toString(16).padStart(16, '0'), ...members },
  })

export const removed = (seq: number, sequence: number, market = 1): Event =>
  event('order_removed', { market, order_seq: seq, lots: 5, reason: 'cancelled', sequence })

export const filled = (makerSeq: number, takerSeq: number, sequence: number, priceTicks = 100): Event =>
  event('fill', {
    ...{ market: 1, maker_seq: makerSeq, taker_seq: takerSeq, price_ticks: priceTicks, lots: 5, sequence },
    ...{ maker_fee: 1, maker_rebate: 0, taker_fee: 2 },
  })

export const transactionOf = (raw: Uint8Array, events: readonly Event[]): CommittedTransaction =>
  ({ index: 1, family: 'clob', hash: sha256(raw), raw, result: { code: 0, events } }) as unknown as CommittedTransaction

/** Its time is its height in seconds. */
export const blockOf = (
  height: number,
  events: readonly Event[],
  transactions: readonly CommittedTransaction[] = [],
): CommittedBlock =>
  ({
    height,
    hash: sha256(uint64ToBytes(height)),
    timeNs: BigInt(height) * 1_000_000_000n,
    events,
    transactionCount: transactions.length,
    transactions: () => transactions.values(),
  }) as unknown as CommittedBlock

/** A body as the pool holds it, with what the pool notes of it. */
import type { Address } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import type { ClobBody, ClobTx, Phase } from '../../modules/clob/index.ts'
import type { Link } from './list.ts'

/** How far an order has come that no block holds yet: dropped is one that no block may run any more. */
export type OrderStage = 'pending' | 'attested' | 'carried' | 'dropped'

/** How a body leaves the pool: a block took it, its time has passed, or others needed its room. */
export type OrderEnd = 'included' | 'dropped' | 'displaced'

/** How long a full pool keeps what an owner sent: 0 without funds, 1 with funds to trade, 2 with an open order. */
export const RANKS = [0, 1, 2] as const
export type Rank = (typeof RANKS)[number]

export class PooledOrder implements ClobBody, Link<PooledOrder> {
  readonly raw: Uint8Array
  readonly hash: Hash
  readonly tx: ClobTx
  readonly phase: Phase
  readonly weight: number
  /** Wall clock, in ms since 1970, of its first arrival. It is never renewed. */
  readonly seenMs: number
  /** The hash as `bytesToKey` gives it. */
  readonly key: string
  readonly ownerKey: string
  /** Ascending in the order in which the pool took them in. */
  readonly arrival: number
  /** Whose key signed it, as was verified here; undefined where that was not looked at since the start. */
  signer: Address | undefined
  /** The rank that its owner had when the order came. */
  readonly rank: Rank
  /** Carried, or attested by this node in its last extension: it never leaves for others. */
  isProtected = false
  /** The stage that those who follow the pool were told. */
  stage: OrderStage = 'pending'
  /** Places of the pool's lists; nobody else changes them. */
  previous: PooledOrder | undefined
  next: PooledOrder | undefined

  constructor(body: ClobBody, { seenMs, arrival, rank }: Pick<PooledOrder, 'seenMs' | 'arrival' | 'rank'>) {
    this.raw = body.raw
    this.hash = body.hash
    this.tx = body.tx
    this.phase = body.phase
    this.weight = body.weight
    this.seenMs = seenMs
    this.key = bytesToKey(body.hash)
    this.ownerKey = bytesToKey(body.tx.owner)
    this.arrival = arrival
    this.rank = rank
  }
}

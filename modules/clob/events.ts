/**
 * Events of the order book: native, never logs of the EVM. `sequence` counts the records of a market (placed, fill, removed),
 * so that whoever follows a market sees a gap. Searched are owners, markets and orders alone: a block has thousands of events.
 */
import type { Address } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { attribute } from '../events.ts'
import type { Event, EventAttribute } from '../module.ts'
import type { Market } from './domain/market.ts'
import type { Side } from './domain/order.ts'

/** An attribute by which nobody searches. */
const detail = (key: string, value: string | number | bigint): EventAttribute => ({
  key,
  value: typeof value === 'string' ? value : value.toString(),
  index: false,
})

const number = (key: string, value: number): EventAttribute => attribute(key, value.toString())

export interface Fill {
  readonly market: number
  readonly sequence: number
  readonly makerSeq: number
  readonly takerSeq: number
  readonly maker: Address
  readonly taker: Address
  readonly takerSide: Side
  readonly priceTicks: number
  readonly lots: number
  /** The fee in quote, as the two below. */
  readonly makerFee: bigint
  readonly makerRebate: bigint
  readonly takerFee: bigint
}

export const fill = (filled: Fill): Event => ({
  type: 'fill',
  attributes: [
    number('market', filled.market),
    number('maker_seq', filled.makerSeq),
    number('taker_seq', filled.takerSeq),
    attribute('maker', encodeBech32(filled.maker)),
    attribute('taker', encodeBech32(filled.taker)),
    detail('sequence', filled.sequence),
    detail('taker_side', filled.takerSide),
    detail('price_ticks', filled.priceTicks),
    detail('lots', filled.lots),
    detail('maker_fee', filled.makerFee),
    detail('maker_rebate', filled.makerRebate),
    detail('taker_fee', filled.takerFee),
  ],
})

/** Governance made the market, or changed it. `sequence` is that of its newest record. */
export const marketUpdated = ({ id, baseDenom, quoteDenom, status, mode }: Market, sequence: number): Event => ({
  type: 'market_updated',
  attributes: [
    number('market', id),
    detail('sequence', sequence),
    detail('base_denom', baseDenom),
    detail('quote_denom', quoteDenom),
    detail('status', status),
    detail('mode', mode),
  ],
})

export interface ExtensionSummaryEvent {
  /** Whose votes these are. */
  readonly height: number
  /** Ids that any vote attests. */
  readonly attested: number
  /** How many of them more than a third of the power attests. */
  readonly obligated: number
  /** Ids that the block leaves for the next one. */
  readonly carried: number
  /** Votes without an extension. */
  readonly skipped: number
}

export const extensionSummary = (summary: ExtensionSummaryEvent): Event => ({
  type: 'extension_summary',
  attributes: [
    number('height', summary.height),
    detail('attested', summary.attested),
    detail('obligated', summary.obligated),
    detail('carried', summary.carried),
    detail('skipped', summary.skipped),
  ],
})

export interface OrderQueued {
  /** The place among those that the block queues, from 0: `order_rejected` names it so. */
  readonly place: number
  readonly owner: Address
  readonly subaccount: number
  readonly kind: string
  /** 0 is all. */
  readonly market: number
}

/** A contract asked for it: the next block runs it. */
export const orderQueued = ({ place, owner, subaccount, kind, market }: OrderQueued): Event => ({
  type: 'order_queued',
  attributes: [
    detail('place', place),
    attribute('owner', encodeBech32(owner)),
    detail('subaccount', subaccount),
    detail('action', kind),
    detail('market', market),
  ],
})

/** `expireS` of 0: the agent is removed. */
export const agentSet = (owner: Address, agent: Address, expireS: number): Event => ({
  type: 'set_agent',
  attributes: [
    attribute('owner', encodeBech32(owner)),
    attribute('agent', encodeBech32(agent)),
    detail('expire_s', expireS),
  ],
})

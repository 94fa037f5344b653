/** Events of a step, made from its records: native ones, never logs of the EVM. */
import type { Address } from '../../../core/address.ts'
import { encodeBech32 } from '../../../core/bech32.ts'

import { bytesToUnprefixedHex } from '../../../core/bytes.ts'
import { attribute } from '../../events.ts'
import type { Event, EventAttribute } from '../../module.ts'
import type { ActionOutcome, Sender } from './action.ts'
import { codeOf, type MatchingError } from './error-entries.ts'
import { type ClobRecord, marketOf } from './records.ts'
import type { StepRun } from './step-run.ts'

const nameOf = (step: StepRun, owner: Address): string => {
  const trader = step.trader(owner)
  trader.name ??= encodeBech32(owner)
  return trader.name
}

/** Not searched for: CometBFT's index would cost more than the match. */
const detail = (key: string, value: number | bigint | string): EventAttribute => ({
  key,
  value: String(value),
  index: false,
})

const eventOf = (step: StepRun, record: ClobRecord, sequence: number): Event => {
  const head = [detail('market', marketOf(record)), detail('sequence', sequence)]
  switch (record.kind) {
    case 'placed': {
      const { order } = record
      return {
        type: 'order_placed',
        attributes: [
          ...head,
          detail('order_seq', order.seq),
          attribute('owner', nameOf(step, order.owner)),
          detail('subaccount', order.subaccount),
          detail('side', order.side),
          detail('tif', order.tif),
          detail('price_ticks', order.priceTicks),
          detail('lots', order.lots),
          detail('client_id', bytesToUnprefixedHex(order.clientId)),
        ],
      }
    }
    case 'fill':
      return {
        type: 'fill',
        attributes: [
          ...head,
          detail('maker_seq', record.makerSeq),
          detail('taker_seq', record.takerSeq),
          detail('price_ticks', record.priceTicks),
          detail('lots', record.lots),
          detail('maker_fee', record.makerFee),
          detail('maker_rebate', record.makerRebate),
          detail('taker_fee', record.takerFee),
        ],
      }
    case 'removed':
      return {
        type: 'order_removed',
        attributes: [
          ...head,
          detail('order_seq', record.orderSeq),
          detail('lots', record.lots),
          detail('reason', record.reason),
        ],
      }
  }
}

/** Events of the newest records of a step: those before them have theirs already. */
export const eventsOf = (step: StepRun, records: readonly ClobRecord[]): Event[] => {
  const behind = new Map<number, number>()
  for (const record of records) behind.set(marketOf(record), (behind.get(marketOf(record)) ?? 0) + 1)
  return records.map((record) => {
    const market = marketOf(record)
    const left = behind.get(market) ?? 0
    behind.set(market, left - 1)
    return eventOf(step, record, (step.markets.get(market)?.sequence ?? 0) - left + 1)
  })
}

/** `at` is the place of the action: in its transaction, or among those that contracts queued. */
export const rejection = (step: StepRun, { trader }: Sender, at: number, error: MatchingError): Event => ({
  type: 'order_rejected',
  attributes: [
    detail('action', at),
    attribute('owner', nameOf(step, trader.owner)),
    detail('code', codeOf(error)),
    detail('reason', error),
  ],
})

/** The events of actions of a transaction that failed. */
export const rejections = (step: StepRun, sender: Sender, outcomes: readonly ActionOutcome[]): Event[] => {
  const events: Event[] = []
  for (const [at, { error, orderSeq }] of outcomes.entries()) {
    if (error !== undefined && orderSeq === 0) events.push(rejection(step, sender, at, error))
  }
  return events
}

/** One for each market in which something happened. */
export const marketEvents = (step: StepRun): Event[] => {
  const events: Event[] = []
  for (const { market, book, before, sequence, blockPriceTicks } of step.markets.values()) {
    const [bestBidTicks, bestAskTicks] = [book.bids.best?.ticks ?? 0, book.asks.best?.ticks ?? 0]
    const isSameTop = bestBidTicks === before.bestBidTicks && bestAskTicks === before.bestAskTicks
    if (isSameTop && sequence === before.sequence && blockPriceTicks === before.blockPriceTicks) continue
    const attributes = [
      detail('market', market.id),
      detail('sequence', sequence),
      detail('block_price_ticks', blockPriceTicks),
      detail('best_bid_ticks', bestBidTicks),
      detail('best_ask_ticks', bestAskTicks),
      detail('open_orders', book.orders.size),
    ]
    events.push({ type: 'market_updated', attributes })
  }
  return events
}

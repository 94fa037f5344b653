/**
 * What an open order must hold in escrow. docs/clob-spec.md, Funds. Written apart from what matching locks (`matching/money.ts`): the
 * invariant that compares the two must not share its faults.
 */
import type { Market } from './market.ts'
import { PPM } from './market-rules.ts'
import type { OpenOrder } from './order.ts'

export interface Lock {
  readonly denom: string
  readonly amount: bigint
}

const PPM_BIG = BigInt(PPM)

/** The lock for what is not filled yet: a buy locks notional and the fee that it may have to pay, a sell its base. */
export const requiredLock = (
  market: Market,
  order: Pick<OpenOrder, 'side' | 'priceTicks' | 'left' | 'lockedPpm'>,
): Lock => {
  const lots = BigInt(order.left)
  if (order.side === 'sell') return { denom: market.baseDenom, amount: lots * market.lotSize }
  const notional = BigInt(order.priceTicks) * lots * market.factor
  const fee = (notional * BigInt(order.lockedPpm) + PPM_BIG - 1n) / PPM_BIG
  return { denom: market.quoteDenom, amount: notional + fee }
}

/** What the open orders lock, by the rule of the document: of a buy notional and fee, of a sell base. */
import { readMarket } from '../../keeper/index.ts'
import type { World } from './world.ts'

export const escrowOf = ({ books, state }: World, denom: string): bigint => {
  let sum = 0n
  for (const book of books.markets()) {
    const market = readMarket(state, book.id)
    for (const { side, left, priceTicks, lockedPpm } of book.orders.values()) {
      if (market === undefined || denom !== (side === 'buy' ? market.quoteDenom : market.baseDenom)) continue
      const notional = BigInt(priceTicks) * BigInt(left) * market.factor
      const fee = (notional * BigInt(lockedPpm) + 999_999n) / 1_000_000n
      sum += side === 'buy' ? notional + fee : BigInt(left) * market.lotSize
    }
  }
  return sum
}

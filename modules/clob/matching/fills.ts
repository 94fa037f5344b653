/** What a fill does to both owners: lots for notional, fees up, rebates down, the rest of the buyer's lock back. */
import type { RestingOrder } from '../book/resting-order.ts'
import { lockOf, notionalOf, roundDown, roundUp } from './money.ts'
import type { MarketRun, StepRun } from './step-run.ts'

/** What a buyer can pay as a fee: what its lock gives free for these lots, less their notional. */
const feeRoom = (run: MarketRun, buyer: RestingOrder, lots: number, notional: bigint): bigint =>
  lockOf(run.market, buyer, buyer.left) - lockOf(run.market, buyer, buyer.left - lots) - notional

/** Never above the highest fee of the market when the order was placed. */
const feePpm = (order: RestingOrder, ppm: number): number => Math.min(ppm, order.lockedPpm)

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

/**
 * Settles a fill and records it. `left` of both is still that before it. The taker is the newer one of the two.
 * Returns the notional.
 */
export const settleFill = (
  step: StepRun,
  run: MarketRun,
  maker: RestingOrder,
  taker: RestingOrder,
  priceTicks: number,
  lots: number,
): bigint => {
  const { market } = run
  const [makerTrader, takerTrader] = [step.traderOf(maker), step.traderOf(taker)]
  const notional = notionalOf(market, priceTicks, lots)
  const buyer = maker.side === 'buy' ? maker : taker
  const room = feeRoom(run, buyer, lots, notional)
  const capped = (order: RestingOrder, fee: bigint): bigint => (order === buyer ? least(fee, room) : fee)
  const takerFee = capped(taker, roundUp(notional, feePpm(taker, step.tier(takerTrader, run).takerPpm)))
  const { makerPpm } = step.tier(makerTrader, run)
  const makerFee = makerPpm > 0 ? capped(maker, roundUp(notional, feePpm(maker, makerPpm))) : 0n
  const makerRebate = makerPpm < 0 ? least(takerFee, roundDown(notional, -makerPpm)) : 0n
  const [buyerFee, sellerFee] =
    buyer === maker ? [makerFee - makerRebate, takerFee] : [takerFee, makerFee - makerRebate]
  const [buyerTrader, sellerTrader] = buyer === maker ? [makerTrader, takerTrader] : [takerTrader, makerTrader]
  step.credit(buyerTrader, market.baseDenom, BigInt(lots) * market.lotSize)
  step.credit(buyerTrader, market.quoteDenom, room - buyerFee)
  step.credit(sellerTrader, market.quoteDenom, notional - sellerFee)
  collect(step, market.quoteDenom, makerFee + takerFee - makerRebate)
  step.volume(makerTrader, market.quoteDenom).added += notional
  step.volume(takerTrader, market.quoteDenom).added += notional
  run.filledLots += BigInt(lots)
  run.filledTickLots += notional / market.factor
  const [makerSeq, takerSeq] = [maker.seq, taker.seq]
  step.record(run, {
    kind: 'fill',
    market: market.id,
    makerSeq,
    takerSeq,
    priceTicks,
    lots,
    makerFee,
    makerRebate,
    takerFee,
    maker: maker.owner,
    taker: taker.owner,
    takerSide: taker.side,
    makerLeft: maker.left - lots,
    takerLeft: taker.left - lots,
  })
  return notional
}

const collect = (step: StepRun, denom: string, amount: bigint): void => {
  if (amount !== 0n) step.collected.set(denom, (step.collected.get(denom) ?? 0n) + amount)
}

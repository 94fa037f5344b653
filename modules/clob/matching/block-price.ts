/** The block price of a market: what its fills of the block paid on average, rounded down to a tick. */
import type { StepRun } from './step-run.ts'

/** It changes only where the fills are worth enough. Those of triggers come later, and make no price. */
export const updateBlockPrices = (step: StepRun): void => {
  for (const run of step.markets.values()) {
    if (run.filledLots === 0n || run.filledTickLots * run.market.factor < run.market.triggerNotional) continue
    run.blockPriceTicks = Number(run.filledTickLots / run.filledLots)
  }
}

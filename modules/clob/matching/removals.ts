/** The end of a block takes dead orders out of the book, those with the lowest order_seq first. */
import type { StepRun } from './step-run.ts'

export const removeDead = (step: StepRun): void => {
  for (let count = 0; count < step.parameters.maxRemovals; count++) {
    const order = step.books.firstDead
    const run = order === undefined ? undefined : step.market(order.market)
    if (order === undefined || run === undefined) return
    step.removeOrder(run, order, step.deathOf(order))
  }
}

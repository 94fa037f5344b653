/**
 * What the base fee of the next block follows: the gas of a block, and beside it the weight (evm/weight.ts) of what took
 * longer than its gas says. A block that is full of weight is as full as one that is full of gas, though it may have used a
 * hundredth of that: whoever fills blocks with it pays more with each.
 */
import { ordinaryWeight } from '../../evm/weight.ts'
import type { AppliedTransaction } from './transaction.ts'

/** What a transaction weighs above an ordinary one of its gas, in nanoseconds; 0 for an ordinary one. */
export const excessWeight = ({ workGas, weight }: Pick<AppliedTransaction, 'workGas' | 'weight'>): number =>
  Math.max(0, Math.ceil(weight - ordinaryWeight(workGas)))

/** In gas, never more than `gasLimit`. `excess` and `maxWeight` of the block are in nanoseconds. */
export const pricedGas = (gasUsed: bigint, excess: number, gasLimit: bigint, maxWeight: number): bigint => {
  const priced = gasUsed + (gasLimit * BigInt(excess)) / BigInt(maxWeight)
  return priced < gasLimit ? priced : gasLimit
}

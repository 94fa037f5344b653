/**
 * Lazy allocation of fees. The SDK writes four records of every validator in every block; here a voter writes
 * nothing. One accumulator A counts what a unit of voting power has earned since the chain began; a voter is owed
 * power * (A - its checkpoint), and is settled when something touches it.
 *
 * A block with fees F (whole anat) and a set of power P adds d = floor(F * (1 - tax) * 10^18 / P) / 10^18 to A. F * (1 -
 * tax) has at most 18 places, and so has power * d: nothing is rounded when a voter is settled, and the sum of all is
 * exact to the last 10^-18 anat, whenever the settling happens. What the division leaves (below P * 10^-18 anat, so
 * below 1.2 anat a block at CometBFT's largest total power), the tax, and the part of voters that staking does not know
 * any more go to the community pool.
 *
 * All of the set share, those too whose precommits the proposer did not include: it chooses these, and must not gain by
 * leaving some out.
 *
 * Bounds: a block with fees writes the totals and one denomination of the pool; one whose set differs from the last also
 * the set, and the records of the voters that changed: at most all of two sets.
 */
import { DENOMINATION } from '../../core/amounts.ts'
import { bytesToKey, equalBytes } from '../../core/bytes.ts'
import { type Decimal, ONE, toDecimal } from '../../core/decimal.ts'
import type { StateReader, StateWriter } from '../../store/state.ts'
import type { BlockContext, CommitVote } from '../module.ts'
import type { ValidatorView } from '../stake.ts'
import type { DecCoins } from './dec-coins.ts'
import { addCoins, multiplyCoins, subtractCoins, toDecCoins } from './dec-coins.ts'
import type { DistributionDependencies, RewardContext } from './deps.ts'
import { commissionEarned, rewardsEarned } from './events.ts'
import {
  addToPool,
  readCheckpoint,
  readParams,
  readTotals,
  readValidator,
  readVoters,
  writeCheckpoint,
  writeTotals,
  writeValidator,
  writeVoters,
} from './keeper.ts'
import { collect, sweepSurplus } from './treasury.ts'
import { decodeVoters, encodeVoters, powerOf, type Voter, withoutVoter } from './voters.ts'

/** What is not settled yet, in anat; zero for one that does not vote. */
export const unsettledOf = (state: StateReader, consensusAddress: Uint8Array): Decimal => {
  const power = powerOf(readVoters(state), consensusAddress)
  if (power === undefined) return 0n
  return power * (readTotals(state).accumulator - readCheckpoint(state, consensusAddress))
}

const takeUnsettled = (state: StateWriter, consensusAddress: Uint8Array): DecCoins => {
  const amount = unsettledOf(state, consensusAddress)
  if (amount === 0n) return []
  writeCheckpoint(state, consensusAddress, readTotals(state).accumulator)
  return [{ denom: DENOMINATION, amount }]
}

/** Gives a validator what it earned: commission to the operator, the rest to the delegators of the running period. */
export const allocate = (
  { state, emit }: RewardContext,
  { operator, commissionRate }: ValidatorView,
  tokens: DecCoins,
): void => {
  const rewards = readValidator(state, operator)
  const commission = multiplyCoins(tokens, commissionRate)
  emit(commissionEarned(operator, commission))
  emit(rewardsEarned(operator, tokens))
  writeValidator(state, operator, {
    ...rewards,
    current: addCoins(rewards.current, subtractCoins(tokens, commission)),
    commission: addCoins(rewards.commission, commission),
    outstanding: addCoins(rewards.outstanding, tokens),
  })
}

/** Turns what a validator earned since its checkpoint into records: before anything reads or changes these. */
export const settle = (context: RewardContext, validator: ValidatorView): void => {
  const tokens = takeUnsettled(context.state, validator.consensusAddress)
  if (tokens.length > 0) allocate(context, validator, tokens)
}

const settleVoter = (
  context: RewardContext,
  { stake }: DistributionDependencies,
  consensusAddress: Uint8Array,
): void => {
  const validator = stake.validatorByConsensusAddress(context.state, consensusAddress)
  if (validator !== undefined) settle(context, validator)
  // Nobody is left whom it could belong to.
  else addToPool(context.state, takeUnsettled(context.state, consensusAddress))
}

/** A validator that staking has forgotten shares no more; what it had not settled has no commission rate any more. */
export const forgetVoter = (state: StateWriter, consensusAddress: Uint8Array): void => {
  const voters = readVoters(state)
  if (powerOf(voters, consensusAddress) === undefined) return
  addToPool(state, takeUnsettled(state, consensusAddress))
  writeCheckpoint(state, consensusAddress, 0n)
  writeVoters(state, withoutVoter(voters, consensusAddress))
}

const toVoter = ({ validatorAddress, power }: CommitVote): Voter => ({ consensusAddress: validatorAddress, power })

/**
 * Makes the stored set that of the votes, and returns the keys of those in it. Whoever left it or changed its power is
 * settled with the old one; who is new begins at the accumulator as it is.
 */
const followVotes = (
  context: RewardContext,
  dependencies: DistributionDependencies,
  votes: readonly CommitVote[],
): ReadonlySet<string> => {
  const { state } = context
  const keys = new Set(votes.map(({ validatorAddress }) => bytesToKey(validatorAddress)))
  const stored = readVoters(state)
  if (equalBytes(encodeVoters(votes.map(toVoter)), stored)) return keys
  const { accumulator } = readTotals(state)
  const before = new Map([...decodeVoters(stored)].map((voter) => [bytesToKey(voter.consensusAddress), voter]))
  const known: Voter[] = []
  for (const voter of votes.map(toVoter)) {
    const key = bytesToKey(voter.consensusAddress)
    const old = before.get(key)
    if (old === undefined) {
      if (dependencies.stake.validatorByConsensusAddress(state, voter.consensusAddress) === undefined) {
        keys.delete(key)
        continue
      }
      writeCheckpoint(state, voter.consensusAddress, accumulator)
    } else if (old.power !== voter.power) settleVoter(context, dependencies, voter.consensusAddress)
    known.push(voter)
  }
  for (const [key, { consensusAddress }] of before) {
    if (keys.has(key)) continue
    settleVoter(context, dependencies, consensusAddress)
    writeCheckpoint(state, consensusAddress, 0n)
  }
  writeVoters(state, encodeVoters(known))
  return keys
}

/** Once in so many blocks, a day of blocks of 0.86 s: nobody waits for these fees, and a look at all balances of the collector costs a scan. */
export const OTHER_FEES_EVERY = 100_000

/** Fees of the order book in other denominations belong to the community pool: validators are owed anat alone by the accumulator. */
const poolOtherFees = ({ state, emit, height }: BlockContext, dependencies: DistributionDependencies): void => {
  if (height % OTHER_FEES_EVERY !== 0) return
  const coins = dependencies.otherFees(state)
  if (coins.length === 0) return
  collect({ state, emit }, dependencies, dependencies.feeCollector, coins)
  addToPool(state, toDecCoins(coins))
}

/**
 * Begin block: the fees of the last block go to all of its set by their power. Without fees nothing is read but the
 * collector's balance, and nothing written; the set of voters is then followed later, at the same figures.
 * Without a commit (the first block of a chain) fees wait for the next block.
 */
export const allocateFees = (context: BlockContext, dependencies: DistributionDependencies): void => {
  const { state, lastCommit } = context
  const { ledger, feeCollector } = dependencies
  poolOtherFees(context, dependencies)
  const fees = ledger.balance(state, feeCollector, DENOMINATION)
  if (fees === 0n || lastCommit.length === 0) return
  sweepSurplus(context, dependencies)
  collect(context, dependencies, feeCollector, [{ denom: DENOMINATION, amount: fees }])
  const known = followVotes(context, dependencies, lastCommit)
  const shared = fees * (ONE - readParams(state).communityTax)
  let [all, sharing] = [0n, 0n]
  for (const { validatorAddress, power } of lastCommit) {
    all += power
    if (known.has(bytesToKey(validatorAddress))) sharing += power
  }
  const gain: Decimal = all === 0n ? 0n : shared / all
  if (gain > 0n) {
    const totals = readTotals(state)
    writeTotals(state, { ...totals, accumulator: totals.accumulator + gain })
  }
  addToPool(state, [{ denom: DENOMINATION, amount: toDecimal(fees) - sharing * gain }])
}

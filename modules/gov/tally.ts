/**
 * The tally of a proposal, as x/gov/keeper/tally.go has it: every vote counts with the voter's delegations to bonded
 * validators; what is left of a validator's shares follows the validator's own vote. Here the votes were added up when
 * they were cast (votings.ts): what is read is a count and a vote for each bonded validator.
 */
import type { Address } from '../../core/address.ts'
import { type Decimal, divide, ONE, toDecimal, truncate } from '../../core/decimal.ts'
import type { StateReader } from '../../store/state.ts'
import type { GovDependencies } from './deps.ts'
import type { Voting } from './keys.ts'
import type { GovParams } from './params.ts'
import type { TallyResult } from './proposal.ts'
import { OPTIONS, VoteOption, type WeightedOption } from './vote.ts'
import { addShares, type Count, readCount, readVote, sharesOf } from './keeper/votings.ts'

type Stake = Pick<GovDependencies['stake'], 'bondedValidators'>

export interface TallyOutcome {
  readonly passes: boolean
  readonly burnsDeposits: boolean
  readonly result: TallyResult
  /** Validators that were read for it. */
  readonly reads: number
}

/** What was cast, by validator. */
export interface Ballots {
  /** The count of the delegators that voted. */
  count(operator: Address): Count
  /** The validator's own; undefined when it did not vote. */
  options(operator: Address): readonly WeightedOption[] | undefined
}

export const ballotsOf = (state: StateReader, voting: Voting): Ballots => ({
  count: (operator) => readCount(state, voting, operator),
  options: (operator) => readVote(state, voting, operator)?.options,
})

type Powers = [Decimal, Decimal, Decimal, Decimal]

const decide = (
  powers: Powers,
  total: Decimal,
  bonded: bigint,
  params: GovParams,
  expedited: boolean,
): Pick<TallyOutcome, 'passes' | 'burnsDeposits'> => {
  const rejected = { passes: false, burnsDeposits: false }
  if (bonded === 0n) return rejected
  if (divide(total, toDecimal(bonded)) < params.quorum) return { passes: false, burnsDeposits: params.burnVoteQuorum }
  const decided = total - powers[OPTIONS[VoteOption.ABSTAIN]]
  if (decided === 0n) return rejected
  if (divide(powers[OPTIONS[VoteOption.NO_WITH_VETO]], total) > params.vetoThreshold) {
    return { passes: false, burnsDeposits: params.burnVoteVeto }
  }
  const threshold = expedited ? params.expeditedThreshold : params.threshold
  return { passes: divide(powers[OPTIONS[VoteOption.YES]], decided) > threshold, burnsDeposits: false }
}

/** Reads only. Powers are rounded half to even at the 18th place, for each validator and option. */
export const tally = (
  state: StateReader,
  stake: Stake,
  ballots: Ballots,
  params: GovParams,
  expedited: boolean,
): TallyOutcome => {
  const powers: Powers = [0n, 0n, 0n, 0n]
  let [total, bonded, reads] = [0n, 0n, 0]
  for (const { operator, tokens, shares } of stake.bondedValidators(state)) {
    reads++
    bonded += tokens
    if (shares === 0n) continue
    const cast = ballots.count(operator)
    const options = ballots.options(operator)
    const count = options === undefined ? cast : addShares(cast, shares - sharesOf(cast), options)
    for (const [place, part] of count.entries()) powers[place as 0 | 1 | 2 | 3] += divide(part * tokens, shares * ONE)
    total += divide(sharesOf(count) * tokens, shares)
  }
  const [yes, abstain, no, noWithVeto] = powers.map(truncate) as Powers
  return { ...decide(powers, total, bonded, params, expedited), reads, result: { yes, abstain, no, noWithVeto } }
}

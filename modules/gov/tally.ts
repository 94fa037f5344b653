/**
 * The tally of a proposal, as x/gov/keeper/tally.go has it: every vote counts with the voter's delegations to bonded
 * validators; what is left of a validator's shares follows the validator's own vote.
 */
import type { Address } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { type Decimal, divide, multiply, toDecimal, truncate } from '../../core/decimal.ts'
import type { StateReader } from '../../store/state.ts'
import type { ValidatorView } from '../stake.ts'
import type { GovDependencies } from './deps.ts'
import type { GovParams } from './params.ts'
import type { TallyResult } from './proposal.ts'
import { type Vote, VoteOption, type WeightedOption } from './vote.ts'

type Stake = GovDependencies['stake']

export interface TallyOutcome {
  readonly passes: boolean
  readonly burnsDeposits: boolean
  readonly result: TallyResult
  /** Delegations that were read for it. */
  readonly reads: number
}

interface Ballot {
  readonly validator: ValidatorView
  /** Shares of delegators that voted themselves. */
  deducted: Decimal
  /** Empty when it did not vote. */
  options: readonly WeightedOption[]
}

/** Bonded tokens behind `shares` of a validator: rounded half to even at the 18th place. */
export const votingPower = ({ tokens, shares: all }: ValidatorView, shares: Decimal): Decimal =>
  all === 0n ? 0n : divide(shares * tokens, all)

class Count {
  /** By option; the first is not used. */
  readonly byOption: [Decimal, Decimal, Decimal, Decimal, Decimal] = [0n, 0n, 0n, 0n, 0n]
  total: Decimal = 0n
  reads = 0

  add(power: Decimal, options: readonly WeightedOption[]): void {
    for (const { option, weight } of options) this.byOption[option] += multiply(power, weight)
    this.total += power
  }
}

const countVotes = (
  state: StateReader,
  stake: Stake,
  ballots: ReadonlyMap<string, Ballot>,
  votes: Iterable<Vote & { readonly voter: Address }>,
): Count => {
  const count = new Count()
  for (const { voter, options } of votes) {
    const own = ballots.get(bytesToKey(voter))
    if (own !== undefined) own.options = options
    for (const { operator, shares } of stake.delegationsOf(state, voter)) {
      count.reads++
      const ballot = ballots.get(bytesToKey(operator))
      if (ballot === undefined) continue
      ballot.deducted += shares
      count.add(votingPower(ballot.validator, shares), options)
    }
  }
  for (const { validator, deducted, options } of ballots.values()) {
    if (options.length > 0) count.add(votingPower(validator, validator.shares - deducted), options)
  }
  return count
}

const decide = (
  { byOption, total }: Count,
  bonded: bigint,
  params: GovParams,
  expedited: boolean,
): Pick<TallyOutcome, 'passes' | 'burnsDeposits'> => {
  const rejected = { passes: false, burnsDeposits: false }
  if (bonded === 0n) return rejected
  if (divide(total, toDecimal(bonded)) < params.quorum) return { passes: false, burnsDeposits: params.burnVoteQuorum }
  const decided = total - byOption[VoteOption.ABSTAIN]
  if (decided === 0n) return rejected
  if (divide(byOption[VoteOption.NO_WITH_VETO], total) > params.vetoThreshold) {
    return { passes: false, burnsDeposits: params.burnVoteVeto }
  }
  const threshold = expedited ? params.expeditedThreshold : params.threshold
  return { passes: divide(byOption[VoteOption.YES], decided) > threshold, burnsDeposits: false }
}

/** Reads only. `votes` are those of one proposal, each voter once. */
export const tally = (
  state: StateReader,
  stake: Stake,
  votes: Iterable<Vote & { readonly voter: Address }>,
  params: GovParams,
  expedited: boolean,
): TallyOutcome => {
  const ballots = new Map<string, Ballot>()
  let bonded = 0n
  for (const validator of stake.bondedValidators(state)) {
    ballots.set(bytesToKey(validator.operator), { validator, deducted: 0n, options: [] })
    bonded += validator.tokens
  }
  const count = countVotes(state, stake, ballots, votes)
  const { byOption, reads } = count
  return {
    ...decide(count, bonded, params, expedited),
    reads,
    result: {
      yes: truncate(byOption[VoteOption.YES]),
      abstain: truncate(byOption[VoteOption.ABSTAIN]),
      no: truncate(byOption[VoteOption.NO]),
      noWithVeto: truncate(byOption[VoteOption.NO_WITH_VETO]),
    },
  }
}

export interface BondedStake {
  /** What the account may vote with now. */
  readonly power: Decimal
  /** Of all validators together. */
  readonly bonded: bigint
  readonly isOperator: boolean
  /** Validators and delegations that were read for it. */
  readonly reads: number
}

export const bondedStakeOf = (state: StateReader, stake: Stake, voter: Address): BondedStake => {
  const validators = new Map<string, ValidatorView>()
  let bonded = 0n
  for (const validator of stake.bondedValidators(state)) {
    validators.set(bytesToKey(validator.operator), validator)
    bonded += validator.tokens
  }
  let power = 0n
  let reads = validators.size
  for (const { operator, shares } of stake.delegationsOf(state, voter)) {
    const validator = validators.get(bytesToKey(operator))
    if (validator !== undefined) power += votingPower(validator, shares)
    reads++
  }
  return { power, bonded, isOperator: validators.has(bytesToKey(voter)), reads }
}

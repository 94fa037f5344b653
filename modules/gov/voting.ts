/** Casting votes (x/gov/keeper/vote.go), and who may when there are very many. */
import type { Address } from '../../core/address.ts'
import { toDecimal } from '../../core/decimal.ts'
import type { MessageContext } from '../module.ts'
import type { GovDependencies } from './deps.ts'
import { govError } from './errors.ts'
import { voted } from './events.ts'
import { hasVote, readVoteCount, writeVote, writeVoteCount } from './keeper.ts'
import { GAS_PER_STAKE_READ, GAS_PER_VOTE, MIN_VOTING_SHARE, OPEN_VOTES } from './limits.ts'
import { bondedStakeOf } from './tally.ts'
import type { Vote } from './vote.ts'

/** Operators of bonded validators may always vote: there are few. Throws gov/101. */
const checkShare = ({ stake }: GovDependencies, context: MessageContext, voter: Address): void => {
  const { power, bonded, isOperator, reads } = bondedStakeOf(context.state, stake, voter)
  context.consumeGas(GAS_PER_STAKE_READ * BigInt(reads), 'stake of the voter')
  if (isOperator || power * MIN_VOTING_SHARE >= toDecimal(bonded)) return
  throw govError(
    'tooManyVotes',
    `after ${OPEN_VOTES} votes only accounts with 1/${MIN_VOTING_SHARE} of the bonded tokens can vote`,
  )
}

/** A later vote replaces an earlier one. Throws gov/3 and gov/101. */
export const castVote = (
  dependencies: GovDependencies,
  context: MessageContext,
  id: bigint,
  voter: Address,
  vote: Vote,
): void => {
  const { state } = context
  const count = readVoteCount(state, id)
  if (count === undefined) throw govError('inactiveProposal', id.toString())
  if (!hasVote(state, id, voter)) {
    context.consumeGas(GAS_PER_VOTE, 'vote')
    if (count >= OPEN_VOTES) checkShare(dependencies, context, voter)
    writeVoteCount(state, id, count + 1)
  }
  writeVote(state, id, voter, vote)
  context.emit(voted(id, voter, vote.options))
}

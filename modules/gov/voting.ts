/** Casting votes (x/gov/keeper/vote.go). */
import type { Address } from '../../core/address.ts'
import type { MessageContext } from '../module.ts'
import type { GovDependencies } from './deps.ts'
import { govError } from './errors.ts'
import { voted } from './events.ts'
import { GAS_PER_COUNT, GAS_PER_VOTE } from './limits.ts'
import type { Vote } from './vote.ts'
import { addShares, readCount, readVote, readVoting, writeCount, writeVote } from './keeper/votings.ts'

/** A later vote replaces an earlier one. Throws gov/3. */
export const castVote = (
  { stake }: GovDependencies,
  context: MessageContext,
  id: bigint,
  voter: Address,
  vote: Vote,
): void => {
  const { state } = context
  const voting = readVoting(state, id)
  if (voting === undefined) throw govError('inactiveProposal', id.toString())
  const before = readVote(state, voting, voter)
  if (before === undefined) context.consumeGas(GAS_PER_VOTE, 'vote')
  for (const { operator, shares } of stake.delegationsOf(state, voter)) {
    context.consumeGas(GAS_PER_COUNT, 'count of a vote')
    const others = addShares(readCount(state, voting, operator), -shares, before?.options ?? [])
    writeCount(state, voting, operator, addShares(others, shares, vote.options))
  }
  writeVote(state, { ...vote, voting, voter })
  context.emit(voted(id, voter, vote.options))
}

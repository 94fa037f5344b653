/** Events of governance (x/gov/types/events.go). */
import type { Address } from '../../core/address.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import { makeEvent } from '../events.ts'
import type { Coin } from '../ledger.ts'
import type { Event } from '../module.ts'
import { formatCoins } from './coins.ts'
import { printOptions, type WeightedOption } from './vote.ts'

export const proposalSubmitted = (id: bigint, proposer: Address, typeUrls: readonly string[]): Event =>
  makeEvent('submit_proposal', {
    proposal_id: id.toString(),
    proposal_proposer: encodeBech32(proposer),
    proposal_messages: typeUrls.join(','),
  })

/** The deposit that came with the proposal began its voting period. */
export const votingStartedBySubmission = (id: bigint): Event =>
  makeEvent('submit_proposal', { voting_period_start: id.toString() })

export const deposited = (id: bigint, depositor: Address, coins: readonly Coin[]): Event =>
  makeEvent('proposal_deposit', {
    depositor: encodeBech32(depositor),
    amount: formatCoins(coins),
    proposal_id: id.toString(),
  })

export const votingStartedByDeposit = (id: bigint): Event =>
  makeEvent('proposal_deposit', { voting_period_start: id.toString() })

export const voted = (id: bigint, voter: Address, options: readonly WeightedOption[]): Event =>
  makeEvent('proposal_vote', {
    voter: encodeBech32(voter),
    option: printOptions(options),
    proposal_id: id.toString(),
  })

export const canceled = (id: bigint, sender: Address): Event =>
  makeEvent('cancel_proposal', { sender: encodeBech32(sender), proposal_id: id.toString() })

/** Too little was deposited in time. */
export const dropped = (id: bigint): Event =>
  makeEvent('inactive_proposal', { proposal_id: id.toString(), proposal_result: 'proposal_dropped' })

export type VotingResult = 'proposal_passed' | 'proposal_rejected' | 'proposal_failed' | 'expedited_proposal_rejected'

export const votingEnded = (id: bigint, result: VotingResult, log: string): Event =>
  makeEvent('active_proposal', { proposal_id: id.toString(), proposal_result: result, proposal_log: log })

/** What time does to proposals at the end of a block (x/gov/abci.go), bounded for each block. */
import { invariant } from '../../core/errors.ts'
import type { StateWriter } from '../../store/state.ts'
import type { ModuleContext } from '../module.ts'
import type { GovDependencies } from './deps.ts'
import { burnDeposits, refundDeposits } from './deposits.ts'
import { dropped, votingEnded, type VotingResult } from './events.ts'
import {
  deleteProposal,
  readDueDeposits,
  readDueVotings,
  readParams,
  readProposal,
  writeProposal,
} from './keeper/proposals.ts'
import { CLEARED_PER_BLOCK, GAS_PER_WORK, MAX_ENDED_PER_BLOCK, WORK_PER_BLOCK, WORK_PER_PROPOSAL } from './limits.ts'
import type { GovParams } from './params.ts'
import { type Proposal, ProposalStatus } from './proposal.ts'
import { executeMessages } from './proposal-messages.ts'
import { ballotsOf, tally } from './tally.ts'
import { clearEnded } from './keeper/votings.ts'

/** Each depositor can have each of the denominations. */
const depositWork = ({ depositors, totalDeposit }: Proposal): number => depositors * totalDeposit.length

/** The proposal got too little in time: nothing of it stays. Returns the work. */
const dropProposal = (dependencies: GovDependencies, context: ModuleContext, proposal: Proposal): number => {
  deleteProposal(context.state, proposal)
  const close = readParams(context.state).burnProposalDepositPrevote ? burnDeposits : refundDeposits
  close(dependencies, context, proposal.id)
  context.emit(dropped(proposal.id))
  return WORK_PER_PROPOSAL + depositWork(proposal)
}

interface Conclusion {
  readonly result: VotingResult
  readonly log: string
  /** What the messages consumed. */
  readonly gas: bigint
}

/** It is over before its messages run: none of them can vote or deposit on it. Its votes and deposits are gone. */
const carryOut = (
  dependencies: GovDependencies,
  context: ModuleContext,
  before: Proposal,
  proposal: Proposal,
): Conclusion => {
  const { messages } = proposal
  const passed: Proposal = { ...proposal, status: ProposalStatus.PASSED }
  writeProposal(context.state, passed, before)
  const { failure, gas } = executeMessages(dependencies, context, messages)
  if (failure === undefined) return { result: 'proposal_passed', log: 'passed', gas }
  const { index, reason } = failure
  writeProposal(context.state, { ...passed, status: ProposalStatus.FAILED, failedReason: reason }, passed)
  return {
    result: 'proposal_failed',
    log: `passed, but msg ${index} (${messages[index]?.typeUrl ?? ''}) failed on execution: ${reason}`,
    gas,
  }
}

const reject = (state: StateWriter, before: Proposal, proposal: Proposal): Conclusion => {
  const failedReason = 'proposal did not get enough votes to pass'
  writeProposal(state, { ...proposal, status: ProposalStatus.REJECTED, failedReason }, before)
  return { result: 'proposal_rejected', log: 'rejected', gas: 0n }
}

/** The regular period counts from the same start; all vote again. */
const convertToRegular = (
  state: StateWriter,
  before: Proposal,
  proposal: Proposal,
  { votingPeriodNs }: GovParams,
): Conclusion => {
  const { votingStartTimeNs } = proposal
  invariant(votingStartTimeNs !== undefined, 'a proposal in its voting period has a start of it')
  writeProposal(state, { ...proposal, expedited: false, votingEndTimeNs: votingStartTimeNs + votingPeriodNs }, before)
  return { result: 'expedited_proposal_rejected', log: 'expedited proposal converted to regular', gas: 0n }
}

/** A vote that is over for good. */
const settle = (
  dependencies: GovDependencies,
  context: ModuleContext,
  before: Proposal,
  proposal: Proposal,
  passes: boolean,
  burnsDeposits: boolean,
): Conclusion => {
  if (burnsDeposits) burnDeposits(dependencies, context, proposal.id)
  else refundDeposits(dependencies, context, proposal.id)
  return passes ? carryOut(dependencies, context, before, proposal) : reject(context.state, before, proposal)
}

/** Returns the work. */
const endVoting = (dependencies: GovDependencies, context: ModuleContext, before: Proposal): number => {
  const { state } = context
  const { id, expedited } = before
  const params = readParams(state)
  const ballots = ballotsOf(state, { id, expedited })
  const { passes, burnsDeposits, result, reads } = tally(state, dependencies.stake, ballots, params, expedited)
  const proposal = { ...before, finalTally: result }
  const converts = expedited && !passes
  const {
    result: word,
    log,
    gas,
  } = converts
    ? convertToRegular(state, before, proposal, params)
    : settle(dependencies, context, before, { ...proposal, depositors: 0 }, passes, burnsDeposits)
  context.emit(votingEnded(id, word, log))
  const settled = converts ? 0 : depositWork(before)
  const executed = WORK_PER_PROPOSAL * (passes ? before.messages.length : 0) + Number(gas / GAS_PER_WORK)
  return WORK_PER_PROPOSAL + reads + settled + executed
}

/** The oldest first; what passes the bound waits for the next block. */
export const endBlock = (dependencies: GovDependencies, context: ModuleContext): void => {
  const { state, timeNs } = context
  let work = 0
  const each = (
    ids: readonly bigint[],
    end: (dependencies: GovDependencies, context: ModuleContext, proposal: Proposal) => number,
  ): void => {
    for (const id of ids) {
      if (work >= WORK_PER_BLOCK) return
      const proposal = readProposal(state, id)
      // Gone when the messages of a proposal before it cancelled it.
      if (proposal !== undefined) work += end(dependencies, context, proposal)
    }
  }
  each(readDueDeposits(state, timeNs, MAX_ENDED_PER_BLOCK), dropProposal)
  // Read now: what the block did to votings must be seen.
  each(readDueVotings(state, timeNs, MAX_ENDED_PER_BLOCK), endVoting)
  clearEnded(state, CLEARED_PER_BLOCK)
}

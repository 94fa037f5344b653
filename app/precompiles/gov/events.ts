import { defineEvent } from '../abi/event.ts'
import { address, array, uint64, uint8 } from '../abi/types.ts'
import { coin } from '../shapes.ts'
import { weightedOption } from './shapes.ts'

export const submitProposalEvent = defineEvent('SubmitProposal', { proposer: address }, { proposalId: uint64 })

export const cancelProposalEvent = defineEvent('CancelProposal', { proposer: address }, { proposalId: uint64 })

export const depositEvent = defineEvent('Deposit', { depositor: address }, { proposalId: uint64, amount: array(coin) })

export const voteEvent = defineEvent('Vote', { voter: address }, { proposalId: uint64, option: uint8 })

export const voteWeightedEvent = defineEvent(
  'VoteWeighted',
  { voter: address },
  { proposalId: uint64, options: array(weightedOption) },
)

/** 0x805: the gov module for contracts. */
import { definePrecompile } from '../precompile.ts'
import { cancelProposalEvent, depositEvent, submitProposalEvent, voteEvent, voteWeightedEvent } from './events.ts'
import { govQueries } from './queries.ts'
import { govTransactions } from './transactions.ts'

export const govPrecompile = definePrecompile(
  'gov',
  0x805,
  [submitProposalEvent, cancelProposalEvent, depositEvent, voteEvent, voteWeightedEvent],
  [...govTransactions, ...govQueries],
)

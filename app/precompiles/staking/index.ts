/** 0x800: the staking module for contracts. */
import { definePrecompile } from '../precompile.ts'
import {
  cancelUnbondingEvent,
  createValidatorEvent,
  delegateEvent,
  editValidatorEvent,
  redelegateEvent,
  unbondEvent,
} from './events.ts'
import { stakingQueries } from './queries.ts'
import { stakingTransactions } from './transactions.ts'

export const stakingPrecompile = definePrecompile(
  'staking',
  0x800,
  [createValidatorEvent, editValidatorEvent, delegateEvent, unbondEvent, redelegateEvent, cancelUnbondingEvent],
  [...stakingTransactions, ...stakingQueries],
)

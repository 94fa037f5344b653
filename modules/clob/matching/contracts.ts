/**
 * What contracts queued in the block before, right behind the batch: each by itself, in the order in which it was queued. What it
 * does is in the records that no transaction made.
 */
import { CodedError, InvariantError } from '../../../core/errors.ts'
import { KEPT_BLOCKS } from '../domain/account.ts'
import { readQueue, readTimeMs, writeQueue } from '../keeper/index.ts'
import type { Action } from '../orders/clob-tx.ts'
import { decodeAction } from '../orders/decode-action.ts'
import type { ActionOutcome, Sender } from './action.ts'
import { settleSwitch } from './cancel.ts'
import { rejection } from './step-events.ts'
import type { StepRun } from './step-run.ts'

/** Checked before it was queued: bytes in state that are none are a broken invariant. */
const actionOf = (bytes: Uint8Array): Action => {
  try {
    return decodeAction(bytes)
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    throw new InvariantError(`invariant broken: the queue of contracts in state is damaged: ${error.message}`)
  }
}

/**
 * All of the queue runs: what it may weigh was judged when it was queued. An action is that of a transaction whose nonce is the
 * time of the block that queued it, with the latest good_til_block that there is: cancels of others refuse it, and it leaves marks.
 */
export const runQueue = (step: StepRun, run: (sender: Sender, action: Action) => ActionOutcome): void => {
  const { state, emit } = step.context
  const queue = readQueue(state)
  if (queue.length === 0) return
  // Of the block before, until the end of the step.
  const nonceMs = readTimeMs(state)
  const goodTilBlock = step.height + KEPT_BLOCKS - 1
  for (const [place, { owner, subaccount, action }] of queue.entries()) {
    const sender: Sender = { trader: step.trader(owner), subaccount, nonceMs, goodTilBlock }
    settleSwitch(step, sender)
    const { error, orderSeq } = run(sender, actionOf(action))
    if (error !== undefined && orderSeq === 0) emit(rejection(step, sender, place, error))
  }
  writeQueue(state, [])
}

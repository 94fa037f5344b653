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
import { NONCE_WINDOW_MS } from './checks.ts'
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

const places = ({ kind }: Action): boolean => kind === 'place' || kind === 'replace'

/**
 * All of the queue runs: what it may weigh was judged when it was queued. An action is that of a transaction whose nonce is the
 * time of the block that queued it, with the latest good_til_block that there is: later cancels refuse it, and it leaves marks. After a halt
 * of the chain nothing is placed that was asked before, as of transactions; a cancel is still wanted.
 */
export const runQueue = (step: StepRun, run: (sender: Sender, action: Action) => ActionOutcome): void => {
  const { state, emit } = step.context
  const queue = readQueue(state)
  if (queue.length === 0) return
  // The time is that of the block before, until the end of the step.
  const nonceMs = readTimeMs(state)
  const goodTilBlock = step.height + KEPT_BLOCKS - 1
  const isStale = step.timeMs - nonceMs > NONCE_WINDOW_MS
  for (const [place, { owner, subaccount, action: bytes }] of queue.entries()) {
    const sender: Sender = { trader: step.trader(owner), subaccount, nonceMs, goodTilBlock }
    const action = actionOf(bytes)
    if (isStale && places(action)) {
      emit(rejection(step, sender, place, 'nonceTime'))
      step.tellRejected({ owner, action: place, error: 'nonceTime', hash: undefined })
      continue
    }
    settleSwitch(step, sender)
    const { error, orderSeq } = run(sender, action)
    if (error === undefined || orderSeq !== 0) continue
    emit(rejection(step, sender, place, error))
    step.tellRejected({ owner, action: place, error, hash: undefined })
  }
  writeQueue(state, [])
}

/**
 * The CLOB step of a block: the batch in its order, what contracts queued, clearing, block prices, triggers, removals; then the state of all that it
 * touched. It runs on the books of the committed head and leaves them as they were; what it did is its delta.
 * docs/clob-spec.md, Matching.
 */
import type { BookDelta, Books } from '../book/books.ts'
import type { Action } from '../orders/clob-tx.ts'
import { type ActionOutcome, failed, type Sender } from './action.ts'
import { updateBlockPrices } from './block-price.ts'
import { cancel, cancelAll, scheduleCancel, settleSwitch } from './cancel.ts'
import { type BatchItem, checkItem, UNSIGNED } from './checks.ts'
import { clearUniformMarkets } from './clear-uniform.ts'
import { runQueue } from './contracts.ts'
import type { StepContext } from './deps.ts'
import type { MatchingError } from './error-entries.ts'
import { finishStep } from './finish.ts'
import { enter, staticError } from './place.ts'
import { encodeRecord } from './records.ts'
import { removeDead } from './removals.ts'
import { replace } from './replace.ts'
import { type BatchResult, hashRecords, refusal, resultOf } from './results.ts'
import { eventsOf, marketEvents, rejections } from './step-events.ts'
import { type StepNews, StepRun } from './step-run.ts'
import { fireTriggers } from './triggers.ts'

export interface StepOutcome {
  /** One for each item of the batch. */
  readonly results: readonly BatchResult[]
  /** The records that no transaction made. */
  readonly after: readonly Uint8Array[]
  readonly delta: BookDelta
  /** All that happened, in its order: for streams. */
  readonly told: StepNews
}

/**
 * Whatever a body holds is a result with a code, which goes to `onResult` in the order of the batch: the events of a full block are
 * objects by the hundred thousand, so that whoever needs bytes of them makes these at once. Throws where an invariant is broken, and the
 * node halts.
 */
export const streamClobStep = (
  books: Books,
  context: StepContext,
  batch: readonly BatchItem[],
  onResult: (result: BatchResult) => void,
): Omit<StepOutcome, 'results'> => {
  const step = new StepRun(books, context)
  const { version } = books
  books.bury(context.timeMs)
  for (const item of batch) onResult(runItem(step, item))
  runQueue(step, (sender, action) => runAction(step, sender, action))
  clearUniformMarkets(step)
  updateBlockPrices(step)
  fireTriggers(step)
  removeDead(step)
  step.meetMarketsOfDead()
  for (const event of eventsOf(step, step.records)) context.emit(event)
  for (const event of marketEvents(step)) context.emit(event)
  const after = step.records.map(encodeRecord)
  const orders = finishStep(step, after.length === 0 ? undefined : hashRecords(after))
  step.tellRecords()
  const { height, nonces, marks } = step
  return { after, told: step.told, delta: { height, version, changes: books.takeLog(), orders, nonces, marks } }
}

/** {@link streamClobStep} with all results at its end. */
export const runClobStep = (books: Books, context: StepContext, batch: readonly BatchItem[]): StepOutcome => {
  const results: BatchResult[] = []
  const outcome = streamClobStep(books, context, batch, (result) => void results.push(result))
  return { results, ...outcome }
}

const runItem = (step: StepRun, item: BatchItem): BatchResult => {
  const checked = checkItem(step, item)
  if ('error' in checked) {
    tellRefused(step, item, checked.error)
    return refusal(checked.error)
  }
  const { tx } = checked.body
  step.takeNonce(checked.signer, tx.nonceMs)
  const { subaccount, nonceMs, goodTilBlock } = tx
  const sender: Sender = { trader: step.trader(tx.owner), subaccount, nonceMs, goodTilBlock }
  settleSwitch(step, sender)
  const outcomes = tx.actions.map((action) => runAction(step, sender, action))
  const records = step.records.map(encodeRecord)
  const events = [...eventsOf(step, step.records), ...rejections(step, sender, outcomes)]
  step.tellRecords()
  for (const [action, { error, orderSeq }] of outcomes.entries()) {
    if (error !== undefined && orderSeq === 0) step.tellRejected({ owner: tx.owner, action, error, hash: item.hash })
  }
  return resultOf(outcomes, records, events)
}

/** An owner is not told of what nobody saw it sign. */
const tellRefused = (step: StepRun, { body, hash }: BatchItem, error: MatchingError): void => {
  if (body === undefined || UNSIGNED.has(error)) return
  const { owner, subaccount, nonceMs } = body.tx
  step.tellRefused({ owner, hash, error, subaccount, nonceMs })
}

/** One that fails changes nothing; a cancel that finds nothing leaves its mark. */
const runAction = (step: StepRun, sender: Sender, action: Action): ActionOutcome => {
  if (++sender.trader.actions > step.parameters.maxActions) return failed('tooManyActions')
  const savepoint = step.savepoint()
  const outcome = perform(step, sender, action)
  if (outcome.error !== undefined && outcome.orderSeq === 0) step.takeBack(savepoint)
  return outcome
}

const perform = (step: StepRun, sender: Sender, action: Action): ActionOutcome => {
  switch (action.kind) {
    case 'place': {
      const run = step.market(action.place.market)
      if (run === undefined) return failed('unknownMarket')
      const error = staticError(step, run, sender, action.place)
      return error === undefined ? enter(step, run, sender, action.place) : failed(error)
    }
    case 'cancel':
      return cancel(step, sender, action.market, action.target)
    case 'cancelAll':
      return cancelAll(step, sender, action.market, action.side)
    case 'replace':
      return replace(step, sender, action.target, action.place, action.keepPriority)
    case 'scheduleCancel':
      return scheduleCancel(step, sender, action.atMs)
  }
}

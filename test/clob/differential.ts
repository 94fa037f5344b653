/** The model and the engine over the same blocks: where they differ, and the smallest run that still does. */
import type { Overlay } from '../../store/overlay.ts'
import { Books } from '../../modules/clob/book/books.ts'
import type { Event } from '../../modules/module.ts'
import { nameOf, reasonNumber } from './codes.ts'
import { dumpBooks } from './dump-books.ts'
import { describeResult, stepOn } from './engine.ts'
import { differences, linesOfState, linesOfWorld } from './lines.ts'
import { checkStep } from './model/properties.ts'
import { recordsHash } from './model/records.ts'
import type { ModelOutcome, ModelResult } from './model/step.ts'
import { modelStep, type Run } from './runs.ts'
import { copyWorld, type World } from './model/world.ts'
import { applyToState, openState, writeQueueOf } from './state-of-world.ts'
import { applyChange, describeTx, type TrafficBlock, type TrafficTx } from './traffic.ts'

export interface Difference {
  readonly block: TrafficBlock
  readonly lines: readonly string[]
}

const describeModel = ({ code, actions, records }: ModelResult): string => {
  const texts = actions.map(({ code, seq, lots, quote }) => `[${nameOf(code)} ${seq} ${lots} ${quote}]`)
  return `${nameOf(code)} ${texts.join(' ')} ${recordsHash(records, reasonNumber)}`
}

/** Blocks of which one has its books written out before, after, and rebuilt from state. */
const DUMPED_EACH = 4

/** Lines that are in one dump of the books and not in the other. */
const listed = (what: string, wanted: readonly string[], found: readonly string[]): readonly string[] => [
  ...wanted.filter((line) => !found.includes(line)).map((line) => `${what}: expected ${line}`),
  ...found.filter((line) => !wanted.includes(line)).map((line) => `${what}: got ${line}`),
]

/** What contracts queued and the step refused, as the model has it and as the events of the block tell it. */
const rejectionsOf = ({ queued }: ModelOutcome): readonly string[] =>
  queued.flatMap(({ code, seq }, at) => (code !== '' && seq === 0n ? [`${at} ${nameOf(code)}`] : []))

const rejectedIn = (events: readonly Event[]): readonly string[] =>
  events
    .filter(({ type }) => type === 'order_rejected')
    .map(({ attributes }) => {
      const valueOf = (name: string): string => attributes.find(({ key }) => key === name)?.value ?? ''
      return `${valueOf('action')} ${valueOf('reason')}`
    })

/** Another proposal of the same height, which nobody decides: it must leave no trace. */
const runOtherCandidate = (books: Books, state: Overlay, block: TrafficBlock): void => {
  state.checkpoint()
  writeQueueOf(state, block.queue.toReversed())
  stepOn(books, state, { ...block, timeMs: block.timeMs + 1 }, block.batch.toReversed())
  state.revert()
}

/** The first block after which the two are not the same, or undefined. Throws where a promise is broken. */
export const compareRun = (run: Run): Difference | undefined => {
  let world = run.world
  const state = openState(world)
  const books = Books.load(state, run.world.bounds)
  for (const block of run.blocks) {
    const { start, outcome } = modelStep(world, block)
    for (const [at, change] of block.changes.entries()) {
      const sofar = copyWorld(world)
      for (const earlier of block.changes.slice(0, at + 1)) applyChange(sofar, earlier)
      applyToState(state, sofar, change)
    }
    checkStep(start, block, outcome)
    const isDumped = block.height % DUMPED_EACH === 0
    const dump = (of: Books, { nonces }: World): readonly string[] => (isDumped ? dumpBooks(of, nonces) : [])
    const asBefore = dump(books, start)
    if (isDumped) runOtherCandidate(books, state, block)
    writeQueueOf(state, block.queue)
    const events: Event[] = []
    const done = stepOn(books, state, block, block.batch, events)
    const undone = listed('undone', asBefore, dump(books, start))
    const results = outcome.results.flatMap((result, at) => {
      const answer = done.results[at]
      const [wanted, found] = [describeModel(result), answer === undefined ? 'nothing' : describeResult(answer)]
      return wanted === found ? [] : [`transaction ${at}: expected ${wanted}, got ${found}`]
    })
    const queued = listed('queue', rejectionsOf(outcome), rejectedIn(events))
    const left = differences(linesOfWorld(outcome.world, outcome.after, reasonNumber), linesOfState(state))
    const lines = [...results, ...queued, ...left, ...undone]
    if (lines.length > 0) return { block, lines }
    books.apply(done.delta)
    world = outcome.world
    if (!isDumped) continue
    const rebuilt = listed('rebuilt', dump(books, world), dump(Books.load(state, run.world.bounds), world))
    if (rebuilt.length > 0) return { block, lines: rebuilt }
  }
  return undefined
}

const differs = (run: Run): boolean => {
  try {
    return compareRun(run) !== undefined
  } catch {
    return true
  }
}

const without = <Item>(list: readonly Item[], at: number): readonly Item[] => list.filter((_, index) => index !== at)

const withBlock = (run: Run, at: number, block: TrafficBlock): Run => ({
  ...run,
  blocks: run.blocks.map((old, index) => (index === at ? block : old)),
})

const smallerTx = (entry: TrafficTx, action: number): TrafficTx | undefined => {
  const { tx } = entry
  if (tx === undefined || tx.actions.length === 1) return undefined
  return { ...entry, tx: { ...tx, actions: without(tx.actions, action) } }
}

/** Every run that is smaller by one thing: a block, a change, a transaction, an action. */
function* smaller(run: Run): Generator<Run> {
  for (let at = run.blocks.length - 1; at >= 0; at--) yield { ...run, blocks: without(run.blocks, at) }
  for (const [at, block] of run.blocks.entries()) {
    for (let index = block.batch.length - 1; index >= 0; index--) {
      yield withBlock(run, at, { ...block, batch: without(block.batch, index) })
    }
    for (let index = block.queue.length - 1; index >= 0; index--) {
      yield withBlock(run, at, { ...block, queue: without(block.queue, index) })
    }
    for (let index = block.changes.length - 1; index >= 0; index--) {
      yield withBlock(run, at, { ...block, changes: without(block.changes, index) })
    }
    for (const [index, entry] of block.batch.entries()) {
      for (let action = (entry.tx?.actions.length ?? 0) - 1; action >= 0; action--) {
        const less = smallerTx(entry, action)
        if (less === undefined) continue
        yield withBlock(run, at, { ...block, batch: block.batch.map((old, other) => (other === index ? less : old)) })
      }
    }
  }
}

/** Leaves out what the difference does not need, one thing after another, until nothing more can go. */
const shrink = (run: Run): Run => {
  let least = run
  for (;;) {
    let next: Run | undefined
    for (const candidate of smaller(least)) {
      if (!differs(candidate)) continue
      next = candidate
      break
    }
    if (next === undefined) return least
    least = next
  }
}

const describeDifference = (run: Run): readonly string[] => {
  try {
    return compareRun(run)?.lines ?? []
  } catch (error) {
    return [error instanceof Error ? (error.stack ?? error.message) : String(error)]
  }
}

const json = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? `${part}` : part))

/** The run in words: seed, world, blocks, and what differs at the end. */
const describeRun = (run: Run): string => {
  const { world, blocks, seed } = run
  const balances = [...world.balances].map(([key, amount]) => `${key} ${amount}`)
  return [
    `SEED=${seed}`,
    `limits ${json(world.limits)}`,
    ...world.markets.map((market) => `market ${json(market)}`),
    ...balances,
    ...blocks.flatMap(({ height, timeMs, changes, batch, queue }) => [
      `block ${height} at ${timeMs}`,
      ...changes.map((change) => `  ${json(change)}`),
      ...batch.map((tx) => `  ${describeTx(tx)}`),
      ...queue.map((queued) => `  queued ${json(queued)}`),
    ]),
    ...describeDifference(run),
  ].join('\n')
}

/** Undefined where both are the same; else the least run that differs, in words. */
export const findDifference = (run: Run): string | undefined => (differs(run) ? describeRun(shrink(run)) : undefined)

/** One CLOB step: the batch, what contracts queued, auctions, block prices, triggers, removals; in the order of the design's Flow 6. */
import type { ClobTx, Phase } from '../../../modules/clob/orders/clob-tx.ts'
import { checkTransaction, phaseOf } from './checks.ts'
import { runAction, type ActionOutcome } from './actions.ts'
import { clearMarkets } from './auction.ts'
import { type ModelQueued, runQueue } from './contracts.ts'
import { fireTriggers, removeDead, setBlockPrices, movePriceSums } from './closing.ts'
import { dropFloors, turnSwitch } from './dead.ts'
import { recordsHash, type ModelRecord } from './records.ts'
import { copyWorld, Refusal, type World } from './world.ts'

/** A transaction of the batch, as the plan hands it over. */
export interface ModelItem {
  /** Undefined where the body is not statically valid. */
  readonly tx: ClobTx | undefined
  readonly listedPhase: Phase
  /** Hexadecimal; undefined where the signature does not hold. */
  readonly signer: string | undefined
}

export interface ModelResult {
  /** '' is success. */
  readonly code: string
  readonly actions: readonly ActionOutcome[]
  readonly records: readonly ModelRecord[]
}

export interface ModelFill {
  readonly market: number
  readonly price: bigint
  readonly lots: bigint
  readonly notional: bigint
}

/** What a step works on while it runs. */
export interface Step {
  world: World
  readonly height: number
  readonly timeMs: bigint
  /** The first order_seq of the step. */
  readonly firstSeq: bigint
  /** Where the records go: of the running transaction, or of what no transaction made. */
  records: ModelRecord[]
  fills: ModelFill[]
  /** Actions that each owner had in this block. */
  readonly actions: Map<string, number>
}

export interface ModelOutcome {
  readonly world: World
  readonly results: readonly ModelResult[]
  /** The outcomes of what contracts queued. */
  readonly queued: readonly ActionOutcome[]
  /** The records that no transaction made. */
  readonly after: readonly ModelRecord[]
  readonly fills: readonly ModelFill[]
}

/** Blocks that nonces and marks are kept, the running one too. */
const KEPT = 41

/**
 * What an action or a fired trigger does, or nothing of it: the world and the records are as before where it is refused, but for
 * what a refusal leaves.
 */
export const attempt = <Value>(step: Step, run: () => Value): Value | Refusal => {
  const before = copyWorld(step.world)
  const records = step.records.length
  const fills = step.fills.length
  const { stackTraceLimit } = Error
  // A refusal is no failure: nobody reads where it was thrown, and to find that out takes longer than all else.
  Error.stackTraceLimit = 0
  try {
    return run()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    step.world = before
    step.records.length = records
    step.fills.length = fills
    error.leave()
    return error
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

const runTransaction = (step: Step, item: ModelItem): ModelResult => {
  step.records = []
  const checked = attempt(step, () => checkTransaction(step, item))
  if (checked instanceof Refusal) return { code: checked.code, actions: [], records: [] }
  const tx = checked
  turnSwitch(step, tx)
  const actions = tx.actions.map((action): ActionOutcome => {
    const outcome = attempt(step, () => runAction(step, tx, action))
    dropFloors(step.world)
    return outcome instanceof Refusal ? { code: outcome.code, seq: 0n, lots: 0n, quote: 0n } : outcome
  })
  return { code: '', actions, records: step.records }
}

const forgetOld = (step: Step): void => {
  const keep = ({ height }: { readonly height: number }): boolean => height > step.height - (KEPT - 1)
  step.world.nonces = step.world.nonces.filter(keep)
  step.world.marks = step.world.marks.filter(keep)
}

/** Runs a block's step on a copy of the world. */
export const runModel = (
  world: World,
  block: { readonly height: number; readonly timeMs: bigint },
  batch: readonly ModelItem[],
  queue: readonly ModelQueued[] = [],
): ModelOutcome => {
  const { nextSeq: firstSeq } = world
  const step: Step = { world: copyWorld(world), ...block, firstSeq, records: [], fills: [], actions: new Map() }
  const results = batch.map((item) => runTransaction(step, item))
  const after: ModelRecord[] = []
  step.records = after
  const queued = runQueue(step, queue)
  clearMarkets(step)
  setBlockPrices(step)
  fireTriggers(step)
  removeDead(step)
  dropFloors(step.world)
  forgetOld(step)
  movePriceSums(step, world)
  step.world.timeMs = block.timeMs
  return { world: step.world, results, queued, after, fills: step.fills }
}

export { type ModelQueued, phaseOf, recordsHash }

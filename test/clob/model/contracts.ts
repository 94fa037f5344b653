/** What contracts queued in the block before: each is a transaction of one action, sent at the time of that block, that no nonce counts. */
import { hexToBytes } from '../../../core/hex.ts'
import type { Action, ClobTx } from '../../../modules/clob/orders/clob-tx.ts'
import { type ActionOutcome, runAction } from './actions.ts'
import { dropFloors, turnSwitch } from './dead.ts'
import { attempt, type Step } from './step.ts'
import { Refusal } from './world.ts'

export interface ModelQueued {
  readonly owner: string
  readonly subaccount: number
  readonly action: Action
}

/** The last block in which a transaction may run that is sent now. */
const GOOD_FOR = 40

/** How old a price may be that is placed. */
const WINDOW_MS = 60_000n

const refused = (code: string): ActionOutcome => ({ code, seq: 0n, lots: 0n, quote: 0n })

const transactionOf = (step: Step, { owner, subaccount, action }: ModelQueued): ClobTx => ({
  owner: hexToBytes(`0x${owner}`),
  subaccount,
  // The time is that of the world before: the step has not moved it yet.
  nonceMs: Number(step.world.timeMs),
  goodTilBlock: step.height + GOOD_FOR,
  actions: [action],
  sigScheme: 1,
  signature: new Uint8Array(65),
  agent: undefined,
})

export const runQueue = (step: Step, queue: readonly ModelQueued[]): readonly ActionOutcome[] =>
  queue.map((queued) => {
    const tx = transactionOf(step, queued)
    const age = step.timeMs - step.world.timeMs
    const { kind } = queued.action
    if (age > WINDOW_MS && (kind === 'place' || kind === 'replace')) return refused('nonceTime')
    turnSwitch(step, tx)
    const outcome = attempt(step, () => runAction(step, tx, queued.action))
    dropFloors(step.world)
    return outcome instanceof Refusal ? refused(outcome.code) : outcome
  })

/** Checks of a whole transaction. The first that fails is its code, and then it changes nothing. */
import type { Address } from '../../../core/address.ts'
import { equalBytes } from '../../../core/bytes.ts'
import type { Action, ClobBody, ClobTx, Phase } from '../orders/clob-tx.ts'
import type { MatchingError } from './error-entries.ts'
import type { StepRun } from './step-run.ts'

/** A block takes an order whose `good_til_block` is at most so many blocks ahead. */
export const MAX_BLOCKS_AHEAD = 40
/**
 * The most time between an order's nonce and the time of its block, before and after. An order beyond it is stale: nobody's old
 * price is met after the chain has stood still.
 */
export const NONCE_WINDOW_MS = 60_000

/** A ClobTx of the block, as the plan put it there. */
export interface BatchItem {
  /** Undefined where it is not statically valid. */
  readonly body: ClobBody | undefined
  readonly hash: Uint8Array
  /** The phase that its id has in the list. */
  readonly listedPhase: Phase
  /** Whose signature it bears; undefined where it does not hold. */
  signer(): Address | undefined
}

export type Checked = { readonly error: MatchingError } | { readonly body: ClobBody; readonly signer: Address }

/** Errors of transactions whose signature was not verified, or does not hold. */
export const UNSIGNED: ReadonlySet<MatchingError> = new Set(['notInPlan', 'phase', 'signature'])

export const checkItem = (step: StepRun, item: BatchItem): Checked => {
  const { body } = item
  if (body === undefined) return { error: 'notInPlan' }
  const { tx } = body
  if (body.phase !== item.listedPhase) return { error: 'phase' }
  const signer = item.signer()
  if (signer === undefined || !equalBytes(signer, tx.agent ?? tx.owner)) return { error: 'signature' }
  if (tx.agent !== undefined && !mayAct(step, tx, tx.agent)) return { error: 'agent' }
  if (step.height > tx.goodTilBlock) return { error: 'goodTilPassed' }
  if (tx.goodTilBlock > step.height + MAX_BLOCKS_AHEAD) return { error: 'goodTilFar' }
  if (Math.abs(tx.nonceMs - step.timeMs) > NONCE_WINDOW_MS) return { error: 'nonceTime' }
  return step.isNonceUsed(signer, tx.nonceMs) ? { error: 'nonceUsed' } : { body, signer }
}

/** An agent is there until its time, for the markets that its owner named. */
const mayAct = (step: StepRun, tx: ClobTx, address: Address): boolean => {
  const agent = step.agent(tx.owner, address)
  if (agent === undefined || agent.expireS * 1_000 <= step.timeMs) return false
  return agent.markets.length === 0 || tx.actions.every((action) => namesOnly(action, agent.markets))
}

const namesOnly = (action: Action, markets: readonly number[]): boolean => {
  switch (action.kind) {
    case 'place':
    case 'replace':
      return markets.includes(action.place.market)
    case 'cancel':
    case 'cancelAll':
      return markets.includes(action.market)
    case 'scheduleCancel':
      return false
  }
}

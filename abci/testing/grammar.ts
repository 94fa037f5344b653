/**
 * Checks recorded calls against the grammar of CometBFT's ABCI specification ("Expected Behavior of CometBFT", valid
 * method call sequences), and that heights follow each other:
 *
 *     start            = (info init-chain / state-sync) consensus-exec   or   info [init-chain] consensus-exec
 *     state-sync       = *(offer-snapshot *apply-chunk) offer-snapshot 1*apply-chunk info
 *     consensus-exec   = 1*(*round finalize-block commit)
 *     round            = *got-vote [[prepare-proposal] process-proposal] [*got-vote extend-vote *got-vote]
 *
 * Every part of a round is optional there, so between two blocks its calls come in any order. A log may hold several
 * runs: each Info is either a question of CometBFT's RPC, allowed anywhere, or the handshake of a restart. Both
 * readings are followed until only one is left, so a log may end anywhere: a process can be killed anywhere.
 */
import type { RecordedCall } from '../call-log.ts'

type State =
  | { readonly phase: 'start' }
  /** The state after the handshake of an application at height 0. */
  | { readonly phase: 'empty' }
  /** A snapshot is offered; `applied` once it has a chunk. */
  | { readonly phase: 'syncing'; readonly applied: boolean }
  /** Ready for the calls of `height`. */
  | { readonly phase: 'consensus'; readonly height: number }
  /** FinalizeBlock of `height` was answered. */
  | { readonly phase: 'finalized'; readonly height: number }

/** The states in which a run may be after `call`; none when it is not allowed in `state`. */
const step = (state: State, call: RecordedCall): readonly State[] => {
  switch (call.method) {
    case 'info': {
      const committed = call.height ?? 0
      const restarted: State = committed === 0 ? { phase: 'empty' } : { phase: 'consensus', height: committed + 1 }
      if (state.phase === 'start') return [restarted]
      // The Info that ends a state sync leads where a restart does, but only chunks can have brought a height.
      if (state.phase === 'syncing' && !state.applied && committed > 0) return []
      return [state, restarted]
    }
    case 'initChain':
      return state.phase === 'empty' ? [{ phase: 'consensus', height: call.height ?? 1 }] : []
    case 'offerSnapshot':
      return state.phase === 'start' || state.phase === 'syncing' ? [{ phase: 'syncing', applied: false }] : []
    case 'applySnapshotChunk':
      return state.phase === 'syncing' ? [{ phase: 'syncing', applied: true }] : []
    case 'prepareProposal':
    case 'processProposal':
    case 'extendVote':
    case 'verifyVoteExtension':
      return state.phase === 'consensus' && call.height === state.height ? [state] : []
    case 'finalizeBlock':
      return state.phase === 'consensus' && call.height === state.height
        ? [{ phase: 'finalized', height: state.height }]
        : []
    case 'commit':
      return state.phase === 'finalized' ? [{ phase: 'consensus', height: state.height + 1 }] : []
  }
}

const describeState = (state: State): string => {
  switch (state.phase) {
    case 'start':
      return 'before the handshake'
    case 'empty':
      return 'before InitChain'
    case 'syncing':
      return 'during a state sync'
    case 'consensus':
      return `in height ${state.height}`
    case 'finalized':
      return `before the Commit of height ${state.height}`
  }
}

const distinct = (states: readonly State[]): State[] => [
  ...new Map(states.map((state) => [JSON.stringify(state), state])).values(),
]

/** What breaks the grammar first, or undefined for a valid sequence, complete or cut off. */
export const checkCallSequence = (calls: readonly RecordedCall[]): string | undefined => {
  let states: State[] = [{ phase: 'start' }]
  for (const [index, call] of calls.entries()) {
    const next = distinct(states.flatMap((state) => step(state, call)))
    if (next.length === 0) {
      const height = call.height === undefined ? '' : ` of height ${call.height}`
      return `call ${index}: ${call.method}${height} is not allowed ${states.map(describeState).join(' or ')}`
    }
    states = next
  }
  return undefined
}

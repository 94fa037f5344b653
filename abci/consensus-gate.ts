/**
 * Keeps consensus calls one after another across connections, for a restarted CometBFT may connect while a call of
 * the one before still runs.
 */
import type { AbciMethod } from './handlers.ts'

const CONSENSUS_METHODS: ReadonlySet<AbciMethod> = new Set<AbciMethod>([
  'initChain',
  'prepareProposal',
  'processProposal',
  'extendVote',
  'verifyVoteExtension',
  'finalizeBlock',
  'commit',
])
/** They change the state too, but come over a connection of their own, which lives on beside that of consensus. */
const RESTORING_METHODS: ReadonlySet<AbciMethod> = new Set<AbciMethod>(['offerSnapshot', 'applySnapshotChunk'])

/** A connection as the gate sees it. */
export interface GateMember {
  /** Called when another connection took the consensus calls over. */
  replace(): void
}

export interface ConsensusGate {
  /** What `member` must await before it calls `method`; undefined when it may go on at once. */
  enter(member: GateMember, method: AbciMethod): Promise<void> | undefined
  /** Tells of a call that has begun and is not answered yet. */
  hold(method: AbciMethod, answer: Promise<unknown>): void
  leave(member: GateMember): void
  /** Settles when no consensus call runs. */
  idle(): Promise<void>
}

/** `onOwner` is told when a connection makes its first consensus call, before that call runs. */
export const createConsensusGate = (onOwner: () => void): ConsensusGate => {
  let owner: GateMember | undefined
  let running: Promise<void> | undefined
  // The handshake begins with Info: its height must not be that of a block whose commit still runs. Later calls of
  // Info come from CometBFT's RPC and need not wait.
  const greeted = new WeakSet<GateMember>()

  return {
    enter(member, method) {
      if (method === 'info') {
        const wait = greeted.has(member) ? undefined : running
        greeted.add(member)
        return wait
      }
      if (RESTORING_METHODS.has(method)) return running
      if (!CONSENSUS_METHODS.has(method)) return undefined
      if (owner !== member) {
        // The newest wins: the older one belongs to a CometBFT that is gone, or ends when its connection does.
        const replaced = owner
        owner = member
        replaced?.replace()
        onOwner()
      }
      return running
    },
    hold(method, answer) {
      if (!CONSENSUS_METHODS.has(method) && !RESTORING_METHODS.has(method)) return
      const settled = answer.then(
        () => undefined,
        () => undefined,
      )
      const call = settled.then(() => {
        if (running === call) running = undefined
      })
      running = call
    },
    leave(member) {
      if (owner === member) owner = undefined
    },
    async idle() {
      while (running !== undefined) await running
    },
  }
}

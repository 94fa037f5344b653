/**
 * Consensus has one peer: the calls of one connection, one after another. A restarted CometBFT may connect while a call of
 * the one before still runs, or before its end was seen: it waits for both, and displaces nobody who lives.
 */
import { protocolError } from './errors.ts'
import type { AbciMethod } from './handlers.ts'

/** A peer whose machine is gone is found out in 15 s (KEEP_ALIVE of server.ts); one that was killed at once. */
const SEAT_WAIT_MS = 20_000

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
  /** Address of its peer; undefined over a socket file. */
  readonly peer: string | undefined
}

interface Waiter {
  readonly member: GateMember
  readonly timer: NodeJS.Timeout
  readonly settle: (error?: Error) => void
}

export interface ConsensusGate {
  /**
   * What `member` must await before it calls `method`; undefined when it may go on at once. Rejects with abci/9 when another
   * connection keeps the consensus calls.
   */
  enter(member: GateMember, method: AbciMethod): Promise<void> | undefined
  /** Tells of a call that has begun and is not answered yet. */
  hold(method: AbciMethod, answer: Promise<unknown>): void
  leave(member: GateMember): void
  /** False for another peer than the one that makes the consensus calls. */
  admits(peer: string | undefined): boolean
  /** Settles when no consensus call runs. */
  idle(): Promise<void>
}

/** `onOwner` is told when a connection makes its first consensus call, before that call runs. */
export const createConsensusGate = (onOwner: () => void, waitMs = SEAT_WAIT_MS): ConsensusGate => {
  let owner: GateMember | undefined
  let running: Promise<void> | undefined
  // The handshake begins with Info: its height must not be that of a block whose commit still runs. Later calls of
  // Info come from CometBFT's RPC and need not wait.
  const greeted = new WeakSet<GateMember>()
  /** Those who wait, in the order in which they came. */
  const waiters = new Set<Waiter>()

  const own = (member: GateMember): void => {
    owner = member
    onOwner()
  }

  const dismiss = (which: (waiter: Waiter) => boolean, error?: Error): void => {
    for (const waiter of [...waiters].filter(which)) {
      waiters.delete(waiter)
      clearTimeout(waiter.timer)
      waiter.settle(error)
    }
  }

  const waitForSeat = async (member: GateMember): Promise<void> => {
    const seat = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      dismiss(
        (waiter) => waiter.member === member,
        protocolError('occupied', 'another connection makes the consensus calls'),
      )
    }, waitMs)
    const settle = (error?: Error): void => (error === undefined ? seat.resolve() : seat.reject(error))
    waiters.add({ member, timer, settle })
    await seat.promise
    await running
  }

  return {
    enter(member, method) {
      if (method === 'info') {
        const wait = greeted.has(member) ? undefined : running
        greeted.add(member)
        return wait
      }
      if (RESTORING_METHODS.has(method)) return running
      if (!CONSENSUS_METHODS.has(method)) return undefined
      if (owner === undefined) own(member)
      return owner === member ? running : waitForSeat(member)
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
      dismiss((waiter) => waiter.member === member)
      if (owner !== member) return
      owner = undefined
      const [next] = waiters
      if (next === undefined) return
      own(next.member)
      dismiss((waiter) => waiter.member === next.member)
    },
    admits: (peer) => owner === undefined || owner.peer === peer,
    async idle() {
      while (running !== undefined) await running
    },
  }
}

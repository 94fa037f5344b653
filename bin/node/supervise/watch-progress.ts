/** Follows CometBFT's status: tells the application what the network knows, and speaks up when the height stands still. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ConsensusStatus } from '../../../app/environment.ts'
import { errorText } from '../../errors.ts'
import type { CometAddresses } from '../config/comet-toml.ts'
import { fetchPeers, fetchRoundState, fetchStatus } from '../runtime/comet-rpc.ts'
import type { NodeLog } from '../runtime/log.ts'
import { LineWatch } from './line-watch.ts'
import { PeerWatch } from './peer-watch.ts'
import { SyncProgress } from './sync-progress.ts'

const POLL_INTERVAL_MS = 1_000
/** Orders are refused until it is known that the node has caught up. */
const CATCHING_UP_INTERVAL_MS = 250
/** CometBFT does not answer, and no block has come for so long: whoever asks is told that the node does not follow its chain. */
const AWAY_AFTER_MS = 15_000
/** Blocks come every second. */
const STUCK_AFTER_MS = 30_000
const REPEAT_MS = 60_000

export interface ProgressOptions {
  /** {@link AWAY_AFTER_MS} when left out. */
  readonly awayAfterMs?: number
  /** Addresses of CometBFT: where it is asked, and whom it dials. */
  readonly comet: CometAddresses
  readonly log: NodeLog
  /** Height that the application has committed. */
  height(): number
  onStatus(status: ConsensusStatus): void
}

export interface ProgressWatch {
  status(): ConsensusStatus
  stop(): Promise<void>
}

export const watchProgress = (options: ProgressOptions): ProgressWatch => {
  const { rpc } = options.comet
  const stopping = new AbortController()
  const peerWatch = new PeerWatch(options.log, options.comet)
  const lineWatch = new LineWatch(options.log)
  const syncProgress = new SyncProgress(options.log)
  let status: ConsensusStatus = { catchingUp: true, peers: 0, highestHeight: 0 }
  /** A CometBFT that was away may have been restarted, and then its mempool is empty. */
  let wasAway = true
  let lastHeight = -1
  let lastAdvanceMs = performance.now()
  let lastComplaintMs = 0

  const poll = async (): Promise<void> => {
    const [{ node_info: own, sync_info: sync }, { count: peers, versions }] = await Promise.all([
      fetchStatus(rpc),
      fetchPeers(rpc),
    ])
    const next = { catchingUp: sync.catching_up, peers, highestHeight: sync.latest_block_height }
    const changed = wasAway || next.catchingUp !== status.catchingUp || next.peers !== status.peers
    wasAway = false
    status = next
    if (changed) options.onStatus(next)
    const [nowMs, height] = [performance.now(), sync.latest_block_height]
    const blockTimeMs = Date.parse(sync.latest_block_time)
    peerWatch.see({ nowMs, peers, height })
    lineWatch.see({ nowMs, own: own.version, versions })
    syncProgress.see({ nowMs, wallMs: Date.now(), catchingUp: sync.catching_up, height, blockTimeMs })
  }
  /** A busy CometBFT may be slow to answer while its blocks come. */
  const tellWhenAway = (): void => {
    if (status.catchingUp || performance.now() - lastAdvanceMs < (options.awayAfterMs ?? AWAY_AFTER_MS)) return
    status = { ...status, catchingUp: true, peers: 0 }
    options.onStatus(status)
  }
  const complainWhenStuck = async (): Promise<void> => {
    const height = options.height()
    const nowMs = performance.now()
    if (height !== lastHeight) {
      lastHeight = height
      lastAdvanceMs = nowMs
      return
    }
    const stuckMs = nowMs - lastAdvanceMs
    if (stuckMs < STUCK_AFTER_MS || nowMs - lastComplaintMs < REPEAT_MS) return
    lastComplaintMs = nowMs
    const round = await fetchRoundState(rpc).catch((error: unknown) => errorText(error))
    const seconds = Math.round(stuckMs / 1000)
    options.log.warn('the height stands still', { height, seconds, peers: status.peers, round })
  }
  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      // Unreachable while it starts or restarts: its supervisor reports that.
      await poll().catch(() => (wasAway = true))
      await complainWhenStuck()
      if (wasAway) tellWhenAway()
      const pauseMs = status.catchingUp ? CATCHING_UP_INTERVAL_MS : POLL_INTERVAL_MS
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const ended = loop()
  return {
    status: () => status,
    stop: async () => {
      stopping.abort()
      await ended
    },
  }
}

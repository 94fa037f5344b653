/** Speaks up when a node has nobody to talk to, and says what to do: without that it would wait at its height for ever. */
import type { Log } from '../../../app/environment.ts'
import { splitPeers } from '../config/peers.ts'
import type { CometAddresses } from '../config/comet-toml.ts'

const ALONE_AFTER_MS = 10_000
const REPEAT_MS = 300_000

export interface PeerSample {
  /** Time of a monotonic clock. */
  readonly nowMs: number
  readonly peers: number
  readonly height: number
}

/** What an operator of a node without peers should do. */
export const peerAdvice = ({ seeds, persistentPeers, p2p }: Omit<CometAddresses, 'rpc'>): string => {
  const dialled = [...splitPeers(seeds), ...splitPeers(persistentPeers)]
  if (dialled.length === 0) {
    return 'config.toml names nobody to dial: set p2p.seeds or p2p.persistent_peers to <node id>@<host>:26656 of a node of this network, or start with --p2p.seeds; the devnet\'s banner and "chain status" of that node print its id'
  }
  const lone =
    splitPeers(persistentPeers).length > 0
      ? ''
      : `; a seed that knows no other node ends the connection: name it in p2p.persistent_peers`
  return `nobody of ${dialled.join(', ')} answers, or they run another chain: check the addresses, that a firewall lets connections through to them and to ${p2p}, and "chain doctor"${lone}`
}

export class PeerWatch {
  readonly #log: Log
  readonly #addresses: Omit<CometAddresses, 'rpc'>
  #aloneSinceMs: number | undefined
  #height = -1
  #saidMs: number | undefined

  constructor(log: Log, addresses: Omit<CometAddresses, 'rpc'>) {
    this.#log = log
    this.#addresses = addresses
  }

  /** A validator that makes blocks alone, as a devnet's, needs nobody. */
  see({ nowMs, peers, height }: PeerSample): void {
    if (peers > 0 || height !== this.#height) {
      if (peers > 0 && this.#saidMs !== undefined) this.#log.info('a peer was found', { peers })
      if (peers > 0) this.#saidMs = undefined
      this.#height = height
      this.#aloneSinceMs = undefined
      return
    }
    this.#aloneSinceMs ??= nowMs
    if (nowMs - this.#aloneSinceMs < ALONE_AFTER_MS) return
    if (this.#saidMs !== undefined && nowMs - this.#saidMs < REPEAT_MS) return
    this.#saidMs = nowMs
    const seconds = Math.round((nowMs - this.#aloneSinceMs) / 1_000)
    this.#log.warn('this node has no peers', { seconds, height, advice: peerAdvice(this.#addresses) })
  }
}

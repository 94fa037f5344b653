/** Snapshots between nodes: serves those that were made here, and restores one that another node offers. */
import { EMPTY_BYTES, equalBytes } from '../core/bytes.ts'
import { CodedError } from '../core/errors.ts'
import { SNAPSHOT_CODES, snapshotError } from '../store/snapshot/errors.ts'
import { SNAPSHOT_FORMAT } from '../store/snapshot/metadata.ts'
import { readProgress } from '../store/snapshot/progress.ts'
import type { KeyValueStore } from '../store/store.ts'
import type { ChainParameters } from './records/chain-parameters.ts'
import type { Clock, Log, SnapshotShelf, Step } from './environment.ts'
import type {
  SnapshotChunk,
  SnapshotChunkRequest,
  SnapshotChunkResult,
  SnapshotDescription,
  SnapshotOffer,
} from './ports.ts'
import { RestoreSession } from './restore-session.ts'

/** CometBFT takes this many of one peer. */
const MAX_LISTED = 10
/**
 * What must stay free on the disk while a snapshot is restored: one that never ends is given up before the disk is full,
 * which would stop the node.
 */
const MIN_FREE_BYTES = 512 * 1024 * 1024
/** Peers that are remembered of one restore. */
const MAX_SENDERS = 100

export interface SnapshotSyncOptions {
  readonly store: KeyValueStore
  readonly log: Log
  /** The clock of log lines alone. */
  readonly clock: Clock
  readonly shelf: SnapshotShelf | undefined
  /** What this node's genesis file says; none is restored without it. */
  readonly expectedChain: ChainParameters | undefined
  /**
   * True once a block of the chain was executed here. A restored snapshot alone is given up for another one:
   * CometBFT asks again when it was ended before it noted that the restore was complete.
   */
  holdsMore(): boolean
  reached(step: Step): void
  /** Empties the database. */
  wipe(): void
  /** A snapshot was restored: the application takes its head from the database. */
  restored(): void
}

/** Ways to refuse an offer: whoever sends what is provably false is not asked again. */
const refusal = (error: CodedError): SnapshotOffer =>
  error.code === SNAPSHOT_CODES.foreign ? 'reject' : 'rejectSender'

const answer = (result: SnapshotChunkResult['result']): SnapshotChunkResult => ({
  result,
  refetchChunks: [],
  rejectSenders: [],
})

export class SnapshotSync {
  readonly #options: SnapshotSyncOptions
  #session: RestoreSession | undefined
  #started = { atMs: 0, chunk: 0 }
  /** Who sent chunks of it. */
  readonly #senders = new Set<string>()

  constructor(options: SnapshotSyncOptions) {
    this.#options = options
  }

  list(): readonly SnapshotDescription[] {
    return this.#options.shelf?.list().slice(0, MAX_LISTED) ?? []
  }

  load({ height, format, chunk }: SnapshotChunkRequest): Uint8Array {
    return this.#options.shelf?.chunk(height, format, chunk) ?? EMPTY_BYTES
  }

  offer(description: SnapshotDescription, appHash: Uint8Array): SnapshotOffer {
    const { store, shelf, expectedChain, log } = this.#options
    const { height, format } = description
    this.#session = undefined
    this.#senders.clear()
    if (this.#options.holdsMore()) {
      log.warn('a snapshot is offered, but this home holds a chain already', { height })
      return 'abort'
    }
    if (shelf === undefined || expectedChain === undefined) return 'abort'
    if (format !== SNAPSHOT_FORMAT) return 'rejectFormat'
    // Copies: a message from the network is a view of a larger buffer.
    const copy = { ...description, hash: description.hash.slice(), metadata: description.metadata.slice() }
    try {
      const known = readProgress(store)
      const session = new RestoreSession(store, expectedChain, copy, appHash, (chunk, max) =>
        shelf.decompress(chunk, max),
      )
      if (known === undefined || !equalBytes(known.snapshot, copy.hash)) this.#options.wipe()
      this.#session = session
      this.#started = { atMs: this.#options.clock.nowMs(), chunk: session.next }
      this.#options.reached('restore-accepted')
      log.info('restoring a snapshot', { height, chunks: session.chunks, from: session.next })
      return 'accept'
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      log.warn('a snapshot was refused', { height, reason: error.message })
      return refusal(error)
    }
  }

  async apply({ index, chunk, sender }: SnapshotChunk): Promise<SnapshotChunkResult> {
    const session = this.#session
    const { log } = this.#options
    if (session === undefined) return answer('abort')
    // The chunk is of the run before, or was sent again.
    if (index < session.next) return this.#finishAfter(index, session)
    if (index > session.next) return answer('retrySnapshot')
    if (!session.isChunk(index, chunk)) {
      log.warn('a chunk of the snapshot is not what the snapshot names', { chunk: index, sender })
      return { result: 'retry', refetchChunks: [index], rejectSenders: sender === '' ? [] : [sender] }
    }
    if (sender !== '' && this.#senders.size < MAX_SENDERS) this.#senders.add(sender)
    try {
      this.#requireRoom()
      session.apply(chunk)
    } catch (error) {
      return this.#reject(error)
    }
    this.#options.reached('restore-chunk-written')
    log.info('restored a chunk', { chunk: index + 1, of: session.chunks, ...this.#pace(index + 1, session.chunks) })
    return this.#finishAfter(index, session)
  }

  /** CometBFT sends every chunk, also those that a run before has applied: the session ends with the last. */
  #finishAfter(index: number, session: RestoreSession): SnapshotChunkResult {
    if (index + 1 < session.chunks) return answer('accept')
    try {
      session.finish()
    } catch (error) {
      return this.#reject(error)
    }
    this.#session = undefined
    this.#options.reached('restore-complete')
    this.#options.restored()
    this.#options.reached('restore-loaded')
    this.#options.log.info('the snapshot is restored', { height: session.height })
    return answer('accept')
  }

  /** How fast it goes on. */
  #pace(done: number, total: number): Readonly<Record<string, string>> {
    const seconds = (this.#options.clock.nowMs() - this.#started.atMs) / 1_000
    const perSecond = (done - this.#started.chunk) / seconds
    if (!Number.isFinite(perSecond) || perSecond <= 0) return {}
    return { chunksPerSecond: perSecond.toFixed(1), secondsLeft: ((total - done) / perSecond).toFixed(0) }
  }

  #requireRoom(): void {
    const freeBytes = this.#options.shelf?.freeBytes?.() ?? Number.POSITIVE_INFINITY
    if (freeBytes >= MIN_FREE_BYTES) return
    throw snapshotError('noRoom', `it needs more than the disk has: ${freeBytes} bytes are free`)
  }

  /**
   * The chunks are what the snapshot names, so the snapshot itself is wrong, and whoever sent a part of it offers what
   * is false: without that another one would follow, and another.
   */
  #reject(error: unknown): SnapshotChunkResult {
    if (!(error instanceof CodedError) || error.codespace !== 'snapshot') throw error
    this.#session = undefined
    this.#options.wipe()
    this.#options.log.warn('the snapshot was rejected', { reason: error.message })
    const isFalse = error.code !== SNAPSHOT_CODES.noRoom
    const rejectSenders = isFalse ? [...this.#senders] : []
    return { result: 'rejectSnapshot', refetchChunks: [], rejectSenders }
  }
}

/** Makes snapshots beside the running node, and hands out what was made. */
import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { SnapshotShelf } from '../../../app/environment.ts'
import type { SnapshotDescription } from '../../../app/ports.ts'
import { EMPTY_BYTES } from '../../../core/bytes.ts'
import { errorText } from '../../errors.ts'
import { endWorker } from './end-worker.ts'
import type { NodeLog } from './log.ts'
import { decompressChunk, listSnapshots, readChunk, removeSnapshot, removeUnfinished } from './snapshot-files.ts'

/** The writer waits this long for cursors at its height: opening them takes some milliseconds. */
const OPEN_TIMEOUT_MS = 500
/** Time to end in before the thread is terminated. */
const STOP_TIMEOUT_MS = 5_000

/** What the gate between the threads says. */
export const GATE = { waiting: 0, open: 1, givenUp: 2 } as const

export interface SnapshotWorkerData {
  /** The handle of the open database. */
  readonly handle: unknown
  readonly folder: string
  /** One Int32 of {@link GATE}. */
  readonly gate: SharedArrayBuffer
}

export type SnapshotRequest = { readonly height: number } | 'stop'
export type SnapshotMessage =
  | 'ready'
  | { readonly made: SnapshotDescription; readonly seconds: number }
  | { readonly failed: string; readonly height: number }

export interface SnapshotsOptions {
  readonly handle: unknown
  readonly folder: string
  /** Heights between two snapshots; 0 makes none. */
  readonly interval: number
  /** Snapshots kept; 0 keeps all. */
  readonly keepRecent: number
  /** The last committed height: snapshots above it are of blocks that were rolled back. */
  readonly head: number
  readonly log: NodeLog
}

export interface Snapshots {
  readonly shelf: SnapshotShelf
  oldestHeight(): number | undefined
  close(): Promise<void>
}

type MakerOptions = Pick<SnapshotsOptions, 'handle' | 'folder' | 'log'> & {
  onMade(made: SnapshotDescription, seconds: number): void
}

/** The thread that makes them, one at a time. */
class SnapshotMaker {
  readonly #options: MakerOptions
  readonly #gate = new SharedArrayBuffer(4)
  readonly #state = new Int32Array(this.#gate)
  #worker: Worker | undefined
  #ready = false
  #making: number | undefined

  constructor(options: MakerOptions) {
    this.#options = options
    this.#start()
  }

  /** Returns when the thread has cursors at this height: the caller writes the next block only then. */
  begin(height: number): void {
    const { log } = this.#options
    if (this.#worker === undefined) this.#start()
    if (!this.#ready || this.#making !== undefined) {
      const reason = this.#ready ? `the one of ${this.#making} is not finished` : 'its thread has not started yet'
      log.warn('no snapshot of this height', { height, reason })
      return
    }
    Atomics.store(this.#state, 0, GATE.waiting)
    this.#worker?.postMessage({ height } satisfies SnapshotRequest)
    Atomics.wait(this.#state, 0, GATE.waiting, OPEN_TIMEOUT_MS)
    if (Atomics.compareExchange(this.#state, 0, GATE.waiting, GATE.givenUp) === GATE.waiting) {
      log.warn('no snapshot of this height', { height, reason: 'its thread is busy' })
    }
    this.#making = height
  }

  /** A snapshot that is not finished is given up. */
  async close(): Promise<void> {
    if (this.#worker !== undefined) await endWorker(this.#worker, STOP_TIMEOUT_MS)
  }

  #start(): void {
    const { handle, folder, log, onMade } = this.#options
    const workerData: SnapshotWorkerData = { handle, folder, gate: this.#gate }
    const worker = new Worker(new URL('./snapshot-worker.ts', import.meta.url), { workerData })
    this.#worker = worker
    worker.on('message', (message: SnapshotMessage) => {
      if (message === 'ready') {
        this.#ready = true
        return
      }
      this.#making = undefined
      if ('made' in message) onMade(message.made, message.seconds)
      else if (message.failed !== '') log.error('a snapshot failed', { height: message.height, reason: message.failed })
    })
    worker.on('error', (error) => log.error('the thread of snapshots died', { reason: error.message }))
    worker.on('exit', () => {
      this.#worker = undefined
      this.#ready = false
      this.#making = undefined
    })
  }
}

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Those that are whole, newest first; what was rolled back or never finished goes. A node without a chain has rolled nothing back. */
const openFolder = ({ folder, head, log }: SnapshotsOptions): SnapshotDescription[] => {
  const tidy = (what: string, remove: () => void): void => {
    try {
      remove()
    } catch (error) {
      log.warn(`${what} was not removed`, { folder, reason: errorText(error) })
    }
  }
  tidy('an unfinished snapshot', () => removeUnfinished(folder))
  const found = listSnapshots(folder, (reason) => log.warn('a damaged snapshot is not offered', { reason }))
  for (const snapshot of found.filter(({ height }) => head > 0 && height > head)) {
    log.warn('a snapshot of blocks that were rolled back is removed', { height: snapshot.height })
    tidy('it', () => removeSnapshot(folder, snapshot))
  }
  return found.filter(({ height }) => height <= head)
}

export const startSnapshots = (options: SnapshotsOptions): Snapshots => {
  const { folder, interval, keepRecent, log } = options
  let held = openFolder(options)

  const removeOld = (): void => {
    for (const old of keepRecent > 0 ? held.splice(keepRecent) : []) {
      try {
        removeSnapshot(folder, old)
      } catch (error) {
        log.warn('an old snapshot was not removed', { height: old.height, reason: errorText(error) })
      }
    }
  }
  const onMade = (made: SnapshotDescription, seconds: number): void => {
    held = [made, ...held.filter(({ height }) => height !== made.height)].sort((a, b) => b.height - a.height)
    log.info('made a snapshot', { height: made.height, chunks: made.chunks, seconds: seconds.toFixed(1) })
    removeOld()
  }
  // The setting may have kept more before.
  removeOld()
  const maker = interval > 0 ? new SnapshotMaker({ ...options, onMade }) : undefined

  return {
    shelf: {
      list: () => held,
      chunk: (height, format, index) => {
        const snapshot = held.find((one) => one.height === height && one.format === format)
        if (snapshot === undefined || index >= snapshot.chunks) return EMPTY_BYTES
        try {
          return readChunk(folder, height, format, index)
        } catch (error) {
          log.warn('a chunk of a snapshot cannot be read', { height, chunk: index, reason: errorText(error) })
          return EMPTY_BYTES
        }
      },
      committed: (height) => {
        if (maker !== undefined && height % interval === 0) maker.begin(height)
      },
      freeBytes: () => freeBytes(dirname(folder)),
      decompress: decompressChunk,
    },
    // Where none is made any more, those of before would hold every later block for ever.
    oldestHeight: () => (interval > 0 ? held.at(-1)?.height : undefined),
    close: async () => {
      await maker?.close()
    },
  }
}

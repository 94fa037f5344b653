/** Restores the state of a snapshot into an empty database, chunk by chunk, and checks all of it. */
import { concatBytes, equalBytes } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import { prefixEnd } from '../keys.ts'
import type { Entry, KeyValueStore } from '../store.ts'
import { readChunk } from './chunk.ts'
import { snapshotError } from './errors.ts'
import type { SnapshotCounts, SnapshotMetadata } from './metadata.ts'
import { beginProgress, readProgress, type RestoreProgress, writeProgress } from './progress.ts'
import { ChunkRestore, NAMED_CODE_PREFIX, requireOpenStorage, type RestoreRules } from './restore-chunk.ts'

/** Marks deleted in one write. */
const MARKS_A_WRITE = 10_000

/**
 * Every chunk is one atomic write together with the progress, so a restore goes on after a crash where it was. A
 * failure leaves the chunks before it in the database: whoever drives this empties it.
 */
export class SnapshotRestore {
  readonly #store: KeyValueStore
  readonly #rules: RestoreRules
  #progress: RestoreProgress

  /** `snapshot` is the sha256 of its metadata. A database with another restore in it must be emptied first. */
  constructor(store: KeyValueStore, snapshot: Hash, rules: RestoreRules) {
    this.#store = store
    this.#rules = rules
    const held = readProgress(store)
    this.#progress = held !== undefined && equalBytes(held.snapshot, snapshot) ? held : beginProgress(snapshot)
  }

  /** Index of the chunk that comes next. */
  get next(): number {
    return this.#progress.next
  }

  get counts(): SnapshotCounts {
    return this.#progress.counts
  }

  /** Content of the next chunk. Throws snapshot/3, and nothing of this chunk is written then. */
  apply(content: Uint8Array): void {
    const before = this.#progress
    const batch = this.#store.batch()
    const chunk = new ChunkRestore(this.#store, batch, this.#rules, before)
    for (const [key, value] of readChunk(content, before.lastKey)) chunk.add(key, value)
    const after = chunk.end(before)
    writeProgress(batch, after)
    this.#store.write(batch, { sync: false })
    this.#progress = after
  }

  /**
   * Checks, after the last chunk, that all of it is there, and is the state of `stateRoot`. Throws snapshot/3 or
   * snapshot/4.
   */
  requireComplete({ counts, chunkHashes }: SnapshotMetadata, stateRoot: Hash): void {
    const progress = this.#progress
    requireOpenStorage(this.#store, progress)
    const complete = progress.complete + (progress.openStorage.length > 0 ? 1 : 0)
    const kinds = ['codes', 'accounts', 'slots', 'values'] as const
    if (
      progress.next !== chunkHashes.length ||
      complete !== progress.storages ||
      kinds.some((kind) => counts[kind] !== progress.counts[kind])
    ) {
      throw snapshotError('root', 'the snapshot is not complete')
    }
    if (progress.named !== counts.codes) {
      throw snapshotError('content', 'the snapshot holds code that no account names')
    }
    if (!equalBytes(progress.accountRoot, stateRoot)) {
      throw snapshotError('root', 'the state of the snapshot does not have the state root of its header')
    }
  }

  /** What was noted while the codes were counted: after {@link requireComplete}, and again when that was cut short. */
  forgetMarks(): void {
    const end = prefixEnd(NAMED_CODE_PREFIX)
    const range = { ...(end === undefined ? {} : { lt: end }), limit: MARKS_A_WRITE }
    for (let from: Uint8Array | undefined = NAMED_CODE_PREFIX; from !== undefined; ) {
      const marks: readonly Entry[] = this.#store.scan('meta', { ...range, gte: from })
      const batch = this.#store.batch()
      for (const [key] of marks) batch.delete('meta', key)
      this.#store.write(batch, { sync: false })
      const last = marks.length === MARKS_A_WRITE ? marks.at(-1)?.[0] : undefined
      from = last && concatBytes(last, Uint8Array.of(0))
    }
  }
}

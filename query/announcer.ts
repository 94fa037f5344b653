/** Tells gateways of new heads and of transactions that became executable. */
import type { Hash } from '../core/hash.ts'
import { bytesToHex, type Hex } from '../core/hex.ts'
import type { HeaderRecord } from '../app/records/records.ts'
import type { Announcement, Head } from '../app/ports.ts'
import { headerJson } from './ethereum-json.ts'

export type Listener = (announcement: Announcement) => void

export const headOf = (
  { header, hash, logCount }: HeaderRecord,
  chain: Pick<Head, 'evmChainId' | 'chainId' | 'catchingUp' | 'daemons'>,
): Head => ({
  height: header.number,
  hash: bytesToHex(hash),
  header: JSON.stringify(headerJson(header, hash)),
  logCount,
  ...chain,
})

export class Announcer {
  readonly #listeners = new Set<Listener>()
  #waiting: Hex[] = []

  /** Calls `listener` for `head` at once, then for every announcement. */
  subscribe(listener: Listener, head: Head | undefined): () => void {
    this.#listeners.add(listener)
    if (head !== undefined) listener({ type: 'head', head, isNew: false })
    return () => {
      this.#listeners.delete(listener)
    }
  }

  /** `isNew` when the block was just committed, and not when its head is told again or came with a snapshot. */
  head(head: Head, isNew: boolean): void {
    this.flush()
    this.#tell({ type: 'head', head, isNew })
  }

  /** Collected until the running task ends: under load one message carries many hashes. */
  transaction(hash: Hash): void {
    if (this.#listeners.size === 0) return
    this.#waiting.push(bytesToHex(hash))
    if (this.#waiting.length === 1) queueMicrotask(() => this.flush())
  }

  flush(): void {
    if (this.#waiting.length === 0) return
    const hashes = this.#waiting
    this.#waiting = []
    this.#tell({ type: 'pending', hashes })
  }

  #tell(announcement: Announcement): void {
    for (const listener of this.#listeners) listener(announcement)
  }
}

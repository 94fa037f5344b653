/** CometBFT's mempool (flood): takes what CheckTx takes, keeps it until a block or a recheck takes it out, and tells each peer once. */
import type { Application } from '../../../app/app.ts'
import type { Gossip } from '../../../app/environment.ts'
import { bytesToKey } from '../../../core/bytes.ts'

export class CometMempool implements Gossip {
  /** What the application offered over RPC, not taken yet. */
  #offered: Uint8Array[] = []
  readonly #held = new Map<string, Uint8Array>()
  /** What each peer was told. A new connection begins anew. */
  readonly #told = new Map<number, Set<string>>()

  offer(transactions: readonly Uint8Array[]): void {
    this.#offered.push(...transactions)
  }

  /** The requests that wait. */
  takeOffered(application: Application): void {
    const offered = this.#offered
    this.#offered = []
    for (const raw of offered) this.take(application, raw)
  }

  take(application: Application, raw: Uint8Array): void {
    const key = bytesToKey(raw)
    if (!this.#held.has(key) && application.checkTx(raw, false).code === 0) this.#held.set(key, raw)
  }

  /** What a peer has not been told yet. */
  newFor(peer: number): readonly Uint8Array[] {
    const told = this.#told.get(peer) ?? new Set()
    this.#told.set(peer, told)
    const raws: Uint8Array[] = []
    for (const [key, raw] of this.#held) {
      if (told.has(key)) continue
      told.add(key)
      raws.push(raw)
    }
    return raws
  }

  /** The connection broke and was made again. */
  reconnect(peer: number): void {
    this.#told.delete(peer)
  }

  /** Called after a commit. */
  update(application: Application, included: readonly Uint8Array[]): void {
    for (const raw of included) this.#held.delete(bytesToKey(raw))
    for (const [key, raw] of this.#held) if (application.checkTx(raw, true).code !== 0) this.#held.delete(key)
  }

  get size(): number {
    return this.#held.size
  }
}

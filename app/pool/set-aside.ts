/** Transactions that this node does not take again for a while: they cost it more than they pay for. */
import { bytesToKey } from '../../core/bytes.ts'
import type { CodedError } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { poolError } from '../errors.ts'

/** The oldest is forgotten when there are more. */
const MAX_ENTRIES = 10_000
const LIFETIME_MS = 60 * 60 * 1000

const REASONS = {
  slow: 'the transaction takes too long to execute: this node does not take it again for an hour',
  faulty: 'the transaction cannot be executed by this node, which does not take it again for an hour',
} as const

export type SetAsideReason = keyof typeof REASONS

interface Note {
  readonly reason: SetAsideReason
  readonly untilMs: number
}

export class SetAside {
  /** The notes by hash, oldest first. */
  readonly #notes = new Map<string, Note>()

  get size(): number {
    return this.#notes.size
  }

  add(hash: Hash, reason: SetAsideReason, nowMs: number): void {
    const key = bytesToKey(hash)
    this.#notes.delete(key)
    this.#notes.set(key, { reason, untilMs: nowMs + LIFETIME_MS })
    if (this.#notes.size <= MAX_ENTRIES) return
    for (const oldest of this.#notes.keys()) {
      this.#notes.delete(oldest)
      break
    }
  }

  /** Why a transaction is refused, or undefined. */
  refusal(hash: Hash, nowMs: number): CodedError | undefined {
    if (this.#notes.size === 0) return undefined
    const key = bytesToKey(hash)
    const note = this.#notes.get(key)
    if (note === undefined) return undefined
    if (nowMs < note.untilMs) return poolError('setAside', REASONS[note.reason])
    this.#notes.delete(key)
    return undefined
  }
}

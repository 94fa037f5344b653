/** What makes an entry of the pool invalid for good, beside its sender's nonce: other signers, and its timeout. */
import type { Address } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import type { EntryTerms, PoolEntry } from './entry.ts'

/** Signers after the first, whose sequences no queue keeps in order. */
const others = (terms: EntryTerms): EntryTerms['sequences'] => terms.sequences.slice(1)

export class TermsWatch {
  readonly #bySigner = new Map<string, Set<PoolEntry>>()
  readonly #withTimeout = new Set<PoolEntry>()

  add(entry: PoolEntry): void {
    const { terms } = entry
    if (terms === undefined) return
    if (terms.timeoutHeight > 0n) this.#withTimeout.add(entry)
    for (const [address] of others(terms)) this.#noteSigner(address, entry)
  }

  delete(entry: PoolEntry): void {
    const { terms } = entry
    if (terms === undefined) return
    this.#withTimeout.delete(entry)
    for (const [address] of others(terms)) {
      const key = bytesToKey(address)
      const entries = this.#bySigner.get(key)
      entries?.delete(entry)
      if (entries?.size === 0) this.#bySigner.delete(key)
    }
  }

  clear(): void {
    this.#bySigner.clear()
    this.#withTimeout.clear()
  }

  /** Those that this account signs beside others with a sequence that it has left behind. */
  outdated(accountKey: string, nonce: bigint): readonly PoolEntry[] {
    const entries = this.#bySigner.get(accountKey)
    if (entries === undefined) return []
    return [...entries].filter(
      ({ terms }) =>
        terms !== undefined &&
        others(terms).some(([signer, sequence]) => sequence < nonce && bytesToKey(signer) === accountKey),
    )
  }

  /** Those that no block from `height` on may hold. */
  expired(height: number): readonly PoolEntry[] {
    return [...this.#withTimeout].filter(({ terms }) => terms !== undefined && terms.timeoutHeight < BigInt(height))
  }

  #noteSigner(address: Address, entry: PoolEntry): void {
    const key = bytesToKey(address)
    const entries = this.#bySigner.get(key)
    if (entries === undefined) this.#bySigner.set(key, new Set([entry]))
    else entries.add(entry)
  }
}

/** What makes a native transaction of the pool invalid for good, beside its payer: other signers, and its timeout. */
import type { Address } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import type { NativeEntry } from './account-queue.ts'

const timeoutOf = ({ prepared }: NativeEntry): bigint => prepared.transaction.timeoutHeight

/** Signers after the first, whose sequences no queue keeps in order. */
const otherSigners = ({ prepared: { signers } }: NativeEntry): readonly Address[] => signers.slice(1)

export class NativeWatch {
  readonly #bySigner = new Map<string, Set<NativeEntry>>()
  readonly #withTimeout = new Set<NativeEntry>()

  add(entry: NativeEntry): void {
    if (timeoutOf(entry) > 0n) this.#withTimeout.add(entry)
    for (const address of otherSigners(entry)) {
      const key = bytesToKey(address)
      const entries = this.#bySigner.get(key)
      if (entries === undefined) this.#bySigner.set(key, new Set([entry]))
      else entries.add(entry)
    }
  }

  delete(entry: NativeEntry): void {
    this.#withTimeout.delete(entry)
    for (const address of otherSigners(entry)) {
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
  outdated(accountKey: string, nonce: bigint): readonly NativeEntry[] {
    const entries = this.#bySigner.get(accountKey)
    if (entries === undefined) return []
    return [...entries].filter(({ prepared: { signers, transaction } }) =>
      signers.some((signer, index) => {
        const sequence = transaction.signerInfos[index]?.sequence
        return index > 0 && sequence !== undefined && sequence < nonce && bytesToKey(signer) === accountKey
      }),
    )
  }

  /** Those that no block from `height` on may hold. */
  expired(height: number): readonly NativeEntry[] {
    return [...this.#withTimeout].filter((entry) => timeoutOf(entry) < BigInt(height))
  }
}

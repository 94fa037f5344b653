/** The waiting transactions of one account, of both families, by nonce. */
import type { Address } from '../../core/address.ts'
import type { Hash } from '../../core/hash.ts'
import type { SignedTransaction } from '../../evm/transaction/transaction.ts'
import type { PreparedTransaction } from '../block/native/prepare.ts'

interface EntryFields {
  readonly raw: Uint8Array
  /** keccak256 of an Ethereum transaction, sha256 of a native one. */
  readonly hash: Hash
  /** The account that pays, and whose nonce is used: of a native transaction its first signer. */
  readonly sender: Address
  readonly nonce: bigint
  readonly gasLimit: bigint
  /** Counts up with every transaction that comes: decides between equal tips. */
  readonly arrival: number
  readonly addedAtMs: number
  /** Of a native transaction both are its gas price. */
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  /**
   * Most that it can cost in anat: gas limit times fee cap, plus value. Of a native one the fee: what its messages
   * move is known when they run.
   */
  readonly costAnat: bigint
}

export interface EthereumEntry extends EntryFields {
  readonly kind: 'ethereum'
  readonly signed: SignedTransaction
}

export interface NativeEntry extends EntryFields {
  readonly kind: 'native'
  readonly prepared: PreparedTransaction
}

export type PoolEntry = EthereumEntry | NativeEntry

export const isEthereum = (entry: PoolEntry): entry is EthereumEntry => entry.kind === 'ethereum'

/** What a block with this base fee pays the proposer for a gas of the transaction; negative when it cannot enter. */
export const effectiveTip = (entry: PoolEntry, baseFeePerGas: bigint): bigint => {
  const room = entry.maxFeePerGas - baseFeePerGas
  return room < entry.maxPriorityFeePerGas ? room : entry.maxPriorityFeePerGas
}

/**
 * Nonces from the account's own up to the first gap are executable, the rest waits behind the gap.
 */
export class AccountQueue {
  readonly #byNonce = new Map<bigint, PoolEntry>()
  /** Nonce of the account in committed state. */
  #stateNonce: bigint
  /** First nonce that is missing, counted from the account's own. */
  #end: bigint
  /** Most that the executable entries can cost together, in anat. */
  #expenditureAnat = 0n

  constructor(stateNonce: bigint) {
    this.#stateNonce = stateNonce
    this.#end = stateNonce
  }

  get size(): number {
    return this.#byNonce.size
  }
  get executableCount(): number {
    return Number(this.#end - this.#stateNonce)
  }
  get waitingCount(): number {
    return this.size - this.executableCount
  }
  /** The nonce that a wallet should use next: what `pending` answers. */
  get nextNonce(): bigint {
    return this.#end
  }
  get stateNonce(): bigint {
    return this.#stateNonce
  }

  get(nonce: bigint): PoolEntry | undefined {
    return this.#byNonce.get(nonce)
  }

  isExecutable(nonce: bigint): boolean {
    return nonce >= this.#stateNonce && nonce < this.#end
  }

  /** Puts an entry in its place; returns those that became executable by it, in nonce order. */
  set(entry: PoolEntry): readonly PoolEntry[] {
    const { nonce } = entry
    const replaced = this.#byNonce.get(nonce)
    if (replaced !== undefined && this.isExecutable(nonce)) this.#expenditureAnat += entry.costAnat - replaced.costAnat
    this.#byNonce.set(nonce, entry)
    return this.#advance()
  }

  delete(nonce: bigint): void {
    if (!this.#byNonce.delete(nonce)) return
    if (!this.isExecutable(nonce)) return
    this.#end = nonce
    this.#sumExpenditure()
  }

  /** The account moved on: returns what is behind it now, and what became executable. */
  setStateNonce(nonce: bigint): { readonly stale: readonly PoolEntry[]; readonly promoted: readonly PoolEntry[] } {
    const stale: PoolEntry[] = []
    for (const [key, entry] of this.#byNonce) if (key < nonce) stale.push(entry)
    for (const entry of stale) this.#byNonce.delete(entry.nonce)
    const before = this.#end
    this.#stateNonce = nonce
    // Without a nonce that moved backwards nothing below the old end was missing.
    this.#end = before > nonce ? before : nonce
    this.#sumExpenditure()
    return { stale, promoted: this.#advance() }
  }

  #advance(): readonly PoolEntry[] {
    const promoted: PoolEntry[] = []
    for (let entry = this.#byNonce.get(this.#end); entry !== undefined; entry = this.#byNonce.get(this.#end)) {
      promoted.push(entry)
      this.#expenditureAnat += entry.costAnat
      this.#end++
    }
    return promoted
  }

  /** Executable entries in nonce order. */
  *executable(): Generator<PoolEntry> {
    for (let nonce = this.#stateNonce; nonce < this.#end; nonce++) {
      const entry = this.#byNonce.get(nonce)
      if (entry !== undefined) yield entry
    }
  }

  /** Entries behind a gap in nonce order. */
  waiting(): readonly PoolEntry[] {
    return [...this.#byNonce.values()]
      .filter((entry) => !this.isExecutable(entry.nonce))
      .sort((a, b) => (a.nonce < b.nonce ? -1 : 1))
  }

  /** The entry with the highest nonce: the one that can leave without stranding another. */
  last(): PoolEntry | undefined {
    let last: PoolEntry | undefined
    for (const entry of this.#byNonce.values()) {
      if (last === undefined || entry.nonce > last.nonce) last = entry
    }
    return last
  }

  /** Most that the executable entries can cost, less the one at `nonce` that would be replaced. */
  expenditureWithout(nonce: bigint): bigint {
    const replaced = this.isExecutable(nonce) ? this.#byNonce.get(nonce) : undefined
    return this.#expenditureAnat - (replaced?.costAnat ?? 0n)
  }

  #sumExpenditure(): void {
    this.#expenditureAnat = 0n
    for (const entry of this.executable()) this.#expenditureAnat += entry.costAnat
  }
}

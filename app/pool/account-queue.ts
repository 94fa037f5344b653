/** The waiting transactions of one account, of both families, by nonce. */
import type { PoolAccount, PoolEntry } from './entry.ts'

/** Entries that a change made executable, and those that wait because of it. */
export interface Moves {
  readonly promoted: readonly PoolEntry[]
  readonly demoted: readonly PoolEntry[]
}

/**
 * Why an entry waits. `reserved`: one at a time, for the account is delegated, or will be by what is in the pool; `slots`:
 * as many as an account may have can execute.
 */
export type WaitReason = 'gap' | 'reserved' | 'slots' | 'funds'

/** An executable entry, with what it and those before it come to. */
interface Slot {
  readonly entry: PoolEntry
  /** Most that they can cost together, in anat. */
  readonly totalAnat: bigint
  readonly leastMaxFeePerGas: bigint
  readonly leastPriorityFeePerGas: bigint
}

const highestFirst = (a: PoolEntry, b: PoolEntry): number => (a.nonce < b.nonce ? 1 : -1)

/**
 * Nonces from the account's own up to the first gap are executable, as many as its balance pays for together, and one
 * alone of a delegated account. The rest waits.
 */
export class AccountQueue {
  readonly #accountSlots: number
  #account: PoolAccount
  /** The executable entries by nonce, from the account's own on. */
  #executable: Slot[] = []
  readonly #waiting = new Map<bigint, PoolEntry>()
  /** The waiting entry with the highest nonce; undefined where it is not known. */
  #lastWaiting: PoolEntry | undefined
  /** An authorization of this account is in the pool. */
  #isReserved = false
  #revision = 0

  /** `accountSlots` is the most that may be executable. */
  constructor(account: PoolAccount, accountSlots: number) {
    this.#account = account
    this.#accountSlots = accountSlots
  }

  get size(): number {
    return this.#executable.length + this.#waiting.size
  }
  get executableCount(): number {
    return this.#executable.length
  }
  get waitingCount(): number {
    return this.#waiting.size
  }
  /** The nonce that a wallet should use next: what `pending` answers. */
  get nextNonce(): bigint {
    return this.#account.nonce + BigInt(this.#executable.length)
  }
  /** Counts the changes. */
  get revision(): number {
    return this.#revision
  }

  get(nonce: bigint): PoolEntry | undefined {
    return this.#slot(nonce)?.entry ?? this.#waiting.get(nonce)
  }

  isExecutable(nonce: bigint): boolean {
    return nonce >= this.#account.nonce && nonce < this.nextNonce
  }

  /** Entries with lower nonces. */
  countBelow(nonce: bigint): number {
    let count = 0
    for (const each of this.#waiting.keys()) if (each < nonce) count++
    const passed = nonce <= this.#account.nonce ? 0 : Number(nonce - this.#account.nonce)
    return count + Math.min(passed, this.#executable.length)
  }

  /** Whether an entry that comes could execute: the gap before it is none, and the account pays for it. */
  takesNow({ nonce, costAnat }: PoolEntry): boolean {
    return this.isExecutable(nonce) || (nonce === this.nextNonce && this.#hasRoom(costAnat))
  }

  /** Why an entry waits, or would wait. */
  waitReason(nonce: bigint): WaitReason {
    if (this.#isOneAtATime) return 'reserved'
    if (nonce > this.nextNonce) return 'gap'
    return this.#executable.length < this.#accountSlots ? 'funds' : 'slots'
  }

  /** Puts an entry in its place, or in that of another with its nonce. */
  set(entry: PoolEntry): Moves {
    const { nonce } = entry
    this.#revision++
    if (this.isExecutable(nonce)) {
      const index = Number(nonce - this.#account.nonce)
      this.#executable[index] = this.#slotAfter(index, entry)
      return this.#arrange(index)
    }
    this.#hold(entry)
    return this.#arrange(this.#executable.length)
  }

  delete(nonce: bigint): Moves {
    this.#revision++
    if (!this.isExecutable(nonce)) {
      this.#release(nonce)
      return this.#arrange(this.#executable.length)
    }
    const index = Number(nonce - this.#account.nonce)
    const [, ...behind] = this.#executable.splice(index).map(({ entry }) => entry)
    for (const entry of behind) this.#hold(entry)
    return { promoted: [], demoted: behind }
  }

  /** The account is another now: `left` are the entries behind its nonce, and those that it cannot pay for even alone. */
  update(account: PoolAccount): Moves & { readonly left: readonly PoolEntry[] } {
    const passed = Number(account.nonce - this.#account.nonce)
    this.#account = account
    this.#revision++
    const left: PoolEntry[] = []
    const kept = this.#executable
    this.#executable = []
    for (const [index, { entry }] of kept.entries()) {
      // What follows the ones that a block took stays as it is, as a rule: it is only counted anew.
      if (index < passed) left.push(entry)
      else if (index === passed + this.#executable.length && this.#hasRoom(entry.costAnat)) this.#append(entry)
      else this.#hold(entry)
    }
    const before = kept.slice(Math.max(0, passed + this.#executable.length)).map(({ entry }) => entry)
    for (const entry of this.#waiting.values()) {
      if (entry.nonce < account.nonce || entry.costAnat > account.balance) left.push(entry)
    }
    for (const { nonce } of left) this.#release(nonce)
    return { ...this.#fill(before), left }
  }

  /** Whether the pool holds an authorization of this account. */
  reserve(isReserved: boolean): Moves {
    this.#isReserved = isReserved
    this.#revision++
    return this.#arrange(this.#isOneAtATime ? 1 : this.#executable.length)
  }

  /** Executable entries in nonce order. */
  *executable(): Generator<PoolEntry> {
    for (const { entry } of this.#executable) yield entry
  }

  /** Waiting entries in nonce order. */
  waiting(): readonly PoolEntry[] {
    return this.waitingFromLast().toReversed()
  }

  /** Waiting entries, the highest nonce first: in this order they can leave without stranding another. */
  waitingFromLast(): readonly PoolEntry[] {
    return [...this.#waiting.values()].sort(highestFirst)
  }

  /** The waiting entry with the highest nonce. */
  lastWaiting(): PoolEntry | undefined {
    if (this.#lastWaiting === undefined) {
      for (const entry of this.#waiting.values()) this.#noteWaiting(entry)
    }
    return this.#lastWaiting
  }

  /** The executable entry with so many others behind it. */
  lastExecutable(behind = 0): PoolEntry | undefined {
    return this.#executable.at(-1 - behind)?.entry
  }

  /**
   * What a block with this base fee pays for a gas of an executable entry, or for one that would come there: no more than
   * for any before it, for it cannot come in before them.
   */
  tipAt(entry: PoolEntry, baseFeePerGas: bigint): bigint {
    const index = Number(entry.nonce - this.#account.nonce)
    const { leastMaxFeePerGas, leastPriorityFeePerGas } = this.#slotAfter(index, entry)
    const room = leastMaxFeePerGas - baseFeePerGas
    return room < leastPriorityFeePerGas ? room : leastPriorityFeePerGas
  }

  /** The highest base fee at which an executable entry can come in, with those before it. */
  highestBaseFee(nonce: bigint): bigint {
    return this.#slot(nonce)?.leastMaxFeePerGas ?? 0n
  }

  /** Most that the executable entries can cost, less the one at `nonce` that would be replaced. */
  expenditureWithout(nonce: bigint): bigint {
    return (this.#executable.at(-1)?.totalAnat ?? 0n) - (this.#slot(nonce)?.entry.costAnat ?? 0n)
  }

  get #isOneAtATime(): boolean {
    return this.#isReserved || this.#account.isDelegated
  }

  #hasRoom(costAnat: bigint): boolean {
    const most = this.#isOneAtATime ? 1 : this.#accountSlots
    const spent = this.#executable.at(-1)?.totalAnat ?? 0n
    return this.#executable.length < most && spent + costAnat <= this.#account.balance
  }

  #slot(nonce: bigint): Slot | undefined {
    return this.isExecutable(nonce) ? this.#executable[Number(nonce - this.#account.nonce)] : undefined
  }

  /** What stands at `index` when `entry` is put there. */
  #slotAfter(index: number, entry: PoolEntry): Slot {
    const before = index === 0 ? undefined : this.#executable[index - 1]
    const { maxFeePerGas, maxPriorityFeePerGas, costAnat } = entry
    if (before === undefined) {
      return {
        entry,
        totalAnat: costAnat,
        leastMaxFeePerGas: maxFeePerGas,
        leastPriorityFeePerGas: maxPriorityFeePerGas,
      }
    }
    const { totalAnat, leastMaxFeePerGas: fee, leastPriorityFeePerGas: tip } = before
    return {
      entry,
      totalAnat: totalAnat + costAnat,
      leastMaxFeePerGas: fee < maxFeePerGas ? fee : maxFeePerGas,
      leastPriorityFeePerGas: tip < maxPriorityFeePerGas ? tip : maxPriorityFeePerGas,
    }
  }

  #append(entry: PoolEntry): void {
    this.#executable.push(this.#slotAfter(this.#executable.length, entry))
  }

  /** Takes the executable entries from `index` on apart, and puts together what can execute. */
  #arrange(index: number): Moves {
    const taken = this.#executable.splice(index).map(({ entry }) => entry)
    for (const entry of taken) this.#hold(entry)
    return this.#fill(taken)
  }

  /** `before` were executable, and wait now. */
  #fill(before: readonly PoolEntry[]): Moves {
    const known = before.length === 0 ? undefined : new Set(before)
    const promoted: PoolEntry[] = []
    for (let next = this.#waiting.get(this.nextNonce); next !== undefined; next = this.#waiting.get(this.nextNonce)) {
      if (!this.#hasRoom(next.costAnat)) break
      this.#release(next.nonce)
      this.#append(next)
      if (known?.has(next) !== true) promoted.push(next)
    }
    return { promoted, demoted: before.filter(({ nonce }) => this.#waiting.has(nonce)) }
  }

  #hold(entry: PoolEntry): void {
    // When none waits, the new one is the last; when several do, it may be.
    const isKnown = this.#waiting.size === 0 || this.#lastWaiting !== undefined
    this.#waiting.set(entry.nonce, entry)
    if (isKnown) this.#noteWaiting(entry)
  }

  #noteWaiting(entry: PoolEntry): void {
    if (this.#lastWaiting === undefined || entry.nonce >= this.#lastWaiting.nonce) this.#lastWaiting = entry
  }

  #release(nonce: bigint): void {
    this.#waiting.delete(nonce)
    if (this.#lastWaiting?.nonce === nonce) this.#lastWaiting = undefined
  }
}

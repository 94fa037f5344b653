/** The application's own mempool: what waits, bounded, in nonce order by account. */
import type { Address } from '../../core/address.ts'
import { bytesToKey, equalBytes } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import type { PoolSettings } from '../settings.ts'
import { poolError } from '../errors.ts'
import { AccountQueue, type Moves, type WaitReason } from './account-queue.ts'
import type { PoolAccount, PoolEntry } from './entry.ts'
import { Evictions } from './eviction.ts'
import { TermsWatch } from './terms-watch.ts'
import { PriorityCursor, type Rank } from './order.ts'

/** Told of what happens to transactions of the pool. */
export interface PoolListener {
  /** It can execute: when it comes, when what it waited for has come, and again after it had to wait anew. */
  executable(entry: PoolEntry): void
  /** It is no longer in the pool, for whatever reason. */
  left(entry: PoolEntry): void
}

export class Pool {
  readonly #settings: PoolSettings
  readonly #byHash = new Map<string, PoolEntry>()
  readonly #accounts = new Map<string, AccountQueue>()
  readonly #evictions = new Evictions(this.#accounts)
  readonly #watch = new TermsWatch()
  /** Accounts of which the pool holds authorizations, and how many transactions bring them. */
  readonly #authorities = new Map<string, number>()
  #bytes = 0
  #executable = 0
  #unannounced = 0
  #revision = 0
  readonly #listener: PoolListener

  constructor(settings: PoolSettings, listener: PoolListener) {
    this.#settings = settings
    this.#listener = listener
  }

  /** Grows whenever a queue changes. */
  get revision(): number {
    return this.#revision
  }
  get size(): number {
    return this.#byHash.size
  }
  get executableCount(): number {
    return this.#executable
  }
  /** The bytes of all transactions, with what their lists take in memory. */
  get bytes(): number {
    return this.#bytes
  }
  get waitingCount(): number {
    return this.#byHash.size - this.#executable
  }

  /** Counts of the transactions that eth_subscribe tells of. */
  announcedCounts(): { readonly executable: number; readonly waiting: number } {
    if (this.#unannounced === 0) return { executable: this.executableCount, waiting: this.waitingCount }
    let executable = 0
    for (const queue of this.#accounts.values()) {
      for (const entry of queue.executable()) if (entry.isAnnounced) executable++
    }
    return { executable, waiting: this.size - this.#unannounced - executable }
  }

  get(hash: Hash): PoolEntry | undefined {
    return this.#byHash.get(bytesToKey(hash))
  }

  /** Looks up a transaction by `bytesToKey` of its hash. */
  has(hashKey: string): boolean {
    return this.#byHash.has(hashKey)
  }

  account(address: Address): AccountQueue | undefined {
    return this.#accounts.get(bytesToKey(address))
  }

  /** All accounts with their queues, in the order of their addresses. */
  accounts(): readonly (readonly [string, AccountQueue])[] {
    return [...this.#accounts].sort(([a], [b]) => (a < b ? -1 : 1))
  }

  /** The same in no order that means anything. */
  queues(): IterableIterator<AccountQueue> {
    return this.#accounts.values()
  }

  entries(): IterableIterator<PoolEntry> {
    return this.#byHash.values()
  }

  /** Why an entry that comes would have to wait, or undefined. `account` is the sender as of the head. */
  waitReason(entry: PoolEntry, account: PoolAccount): WaitReason | undefined {
    const queue = this.#queueOf(entry, account)
    return queue.takesNow(entry) ? undefined : queue.waitReason(entry.nonce)
  }

  /**
   * Inserts an entry that was checked, replacing the one with its nonce. `account` is the sender as of the head.
   * Throws pool errors: a replacement that pays too little, an account or the pool at its limit.
   */
  insert(entry: PoolEntry, account: PoolAccount, baseFeePerGas: bigint): void {
    const { nonce } = entry
    const accountKey = bytesToKey(entry.sender)
    const queue = this.#queueOf(entry, account)
    const replaced = queue.get(nonce)
    if (replaced !== undefined) this.#checkReplacement(replaced, entry)
    else this.#checkAccountLimit(queue, entry)
    this.#checkReservation(queue, entry)
    this.#makeRoom(queue, entry, replaced, baseFeePerGas)
    // Evicting may have emptied and forgotten the queue: it is (again) the account's from here on.
    this.#accounts.set(accountKey, queue)
    if (replaced !== undefined) this.#takeOut(replaced)
    this.#byHash.set(bytesToKey(entry.hash), entry)
    this.#bytes += entry.memoryBytes
    const replacesExecutable = replaced !== undefined && queue.isExecutable(nonce)
    this.#change(queue, () => queue.set(entry))
    if (replacesExecutable && queue.isExecutable(nonce)) this.#listener.executable(entry)
    this.#watch.add(entry)
    if (!entry.isAnnounced) this.#unannounced++
    // The new ones first: an account that both name does not change.
    const reserved = this.#countAuthorizations(entry, 1)
    if (replaced !== undefined) this.#countAuthorizations(replaced, -1)
    // Once all are counted: what leaves may be the entry itself, whose authorizations are forgotten as a whole then.
    for (const each of [...reserved, queue]) this.#enforceLimits(each)
    // An authorization of its own account may make an entry far behind others wait with them, beyond the limits.
    if (!this.has(bytesToKey(entry.hash))) throw poolError('full', 'txpool is full')
  }

  /**
   * Throws what {@link insert} would throw of its own accord, before more is found out about an entry than its nonce, its price
   * and its length: what it authorizes need not be known.
   */
  requirePlace(entry: PoolEntry, account: PoolAccount, baseFeePerGas: bigint): void {
    const queue = this.#queueOf(entry, account)
    const replaced = queue.get(entry.nonce)
    if (replaced !== undefined) this.#checkReplacement(replaced, entry)
    else this.#checkAccountLimit(queue, entry)
    this.#victimsFor(queue, entry, replaced, baseFeePerGas)
  }

  remove(entry: PoolEntry): void {
    const queue = this.#drop(entry)
    if (queue !== undefined) this.#enforceLimits(queue)
  }

  clear(): void {
    this.#byHash.clear()
    this.#accounts.clear()
    this.#evictions.forget()
    this.#watch.clear()
    this.#authorities.clear()
    this.#bytes = 0
    this.#executable = 0
    this.#unannounced = 0
    this.#revision++
  }

  /**
   * A block has changed an account: what lies behind its nonce or costs more than it has leaves, what it cannot pay for
   * together with those before it waits, and what it can execute now does.
   */
  update(address: Address, account: PoolAccount): void {
    const key = bytesToKey(address)
    for (const entry of this.#watch.outdated(key, account.nonce)) this.remove(entry)
    const queue = this.#accounts.get(key)
    if (queue === undefined) return
    let left: readonly PoolEntry[] = []
    this.#change(queue, () => {
      const moves = queue.update(account)
      left = moves.left
      return moves
    })
    if (queue.size === 0) this.#accounts.delete(key)
    for (const entry of left) this.#forget(entry)
    this.#enforceLimits(queue)
  }

  /** Drops what no block from `height` on may hold. */
  expireTerms(height: number): void {
    for (const entry of this.#watch.expired(height)) this.remove(entry)
  }

  /** Drops what has waited for too long. */
  expire(nowMs: number): void {
    for (const [, queue] of [...this.#accounts]) {
      if (queue.waitingCount === 0) continue
      for (const entry of queue.waitingFromLast()) {
        if (nowMs - entry.addedAtMs > this.#settings.lifetimeMs) this.remove(entry)
      }
    }
  }

  /** Executable transactions, best first, for a block with this base fee. */
  byPriority(baseFeePerGas: bigint, rank?: Rank): PriorityCursor {
    return new PriorityCursor(
      [...this.#accounts.values()].map((queue) => queue.executable()),
      baseFeePerGas,
      rank,
    )
  }

  /** The queue of the sender. For an account without transactions it is kept only once one has been inserted. */
  #queueOf({ sender }: PoolEntry, account: PoolAccount): AccountQueue {
    const key = bytesToKey(sender)
    const held = this.#accounts.get(key)
    if (held !== undefined) return held
    const queue = new AccountQueue(account, this.#settings.accountSlots)
    if (this.#authorities.has(key)) queue.reserve(true)
    return queue
  }

  #change(queue: AccountQueue, change: () => Moves): void {
    const before = queue.executableCount
    const { promoted } = change()
    this.#revision++
    this.#executable += queue.executableCount - before
    this.#evictions.note(queue)
    for (const entry of promoted) this.#listener.executable(entry)
  }

  /** Returns the queue that it was in. What stood behind it waits. */
  #drop(entry: PoolEntry): AccountQueue | undefined {
    const accountKey = bytesToKey(entry.sender)
    const queue = this.#accounts.get(accountKey)
    if (queue === undefined || !this.#byHash.has(bytesToKey(entry.hash))) return undefined
    this.#forget(entry)
    this.#change(queue, () => queue.delete(entry.nonce))
    if (queue.size === 0) this.#accounts.delete(accountKey)
    return queue
  }

  /** What must wait anew counts among those that wait: the last of a queue leave, and nothing must wait for that. */
  #enforceLimits(queue: AccountQueue): void {
    const { accountQueue, globalQueue } = this.#settings
    for (let last = queue.lastWaiting(); last !== undefined && queue.waitingCount > accountQueue; ) {
      this.#drop(last)
      last = queue.lastWaiting()
    }
    while (this.waitingCount > globalQueue) {
      const victim = this.#evictions.greediest()
      if (victim === undefined) break
      this.#drop(victim)
    }
  }

  #forget(entry: PoolEntry): void {
    this.#takeOut(entry)
    this.#countAuthorizations(entry, -1)
  }

  #takeOut(entry: PoolEntry): void {
    this.#byHash.delete(bytesToKey(entry.hash))
    this.#bytes -= entry.memoryBytes
    this.#watch.delete(entry)
    if (!entry.isAnnounced) this.#unannounced--
    this.#listener.left(entry)
  }

  /** Returns the queues of accounts that are reserved by it from now on: what must wait in them may be beyond the limits. */
  #countAuthorizations(entry: PoolEntry, change: 1 | -1): readonly AccountQueue[] {
    const reserved: AccountQueue[] = []
    for (const authority of entry.authorities) {
      const key = bytesToKey(authority)
      const before = this.#authorities.get(key) ?? 0
      const count = before + change
      if (count > 0) this.#authorities.set(key, count)
      else this.#authorities.delete(key)
      const queue = this.#accounts.get(key)
      const isReserved = count > 0
      if (queue === undefined || isReserved === before > 0) continue
      this.#change(queue, () => queue.reserve(isReserved))
      if (isReserved) reserved.push(queue)
    }
    return reserved
  }

  #checkReplacement(held: PoolEntry, entry: PoolEntry): void {
    const percent = BigInt(100 + this.#settings.priceBumpPercent)
    const enough = (before: bigint, after: bigint): boolean => after > before && after * 100n >= before * percent
    if (
      !enough(held.maxFeePerGas, entry.maxFeePerGas) ||
      !enough(held.maxPriorityFeePerGas, entry.maxPriorityFeePerGas)
    ) {
      throw poolError('replacementUnderpriced', 'replacement transaction underpriced')
    }
  }

  #checkAccountLimit(queue: AccountQueue, entry: PoolEntry): void {
    const { accountSlots, accountQueue } = this.#settings
    const isLast = entry.nonce === queue.nextNonce && queue.executableCount >= accountSlots
    if (isLast || (!queue.takesNow(entry) && queue.waitingCount >= accountQueue)) {
      throw poolError('accountLimit', 'txpool is full: too many transactions of this account are waiting')
    }
  }

  /** One that reserves its own account is the first to leave where too many are before it: what it replaces would be gone too. */
  #checkReservation(queue: AccountQueue, { authorities, sender, nonce }: PoolEntry): void {
    if (!authorities.some((authority) => equalBytes(authority, sender))) return
    // One executes, the others wait.
    if (queue.countBelow(nonce) > this.#settings.accountQueue) throw poolError('full', 'txpool is full')
  }

  /** Drops just what an entry needs room for. */
  #makeRoom(queue: AccountQueue, entry: PoolEntry, replaced: PoolEntry | undefined, baseFeePerGas: bigint): void {
    for (const victim of this.#victimsFor(queue, entry, replaced, baseFeePerGas)) this.remove(victim)
  }

  /** A replacement takes no new place, but may be longer than what it replaces. Throws pool/full. */
  #victimsFor(
    queue: AccountQueue,
    entry: PoolEntry,
    replaced: PoolEntry | undefined,
    baseFeePerGas: bigint,
  ): readonly PoolEntry[] {
    const { globalQueue, globalSlots, maxBytes } = this.#settings
    const canExecute = queue.takesNow(entry)
    const places = replaced === undefined ? 1 : 0
    const bytes = entry.memoryBytes - (replaced === undefined ? 0 : replaced.memoryBytes)
    const shortage = {
      places: places === 0 ? 0 : this.size + places - globalSlots,
      waitingPlaces: places === 0 || canExecute ? 0 : this.waitingCount + places - globalQueue,
      bytes: this.#bytes + bytes - maxBytes,
    }
    if (shortage.places <= 0 && shortage.waitingPlaces <= 0 && shortage.bytes <= 0) return []
    const victims = this.#evictions.forArrival({ entry, queue, canExecute, baseFeePerGas, shortage })
    if (victims === undefined) throw poolError('full', 'txpool is full')
    return victims
  }
}

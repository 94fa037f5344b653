/** The application's own mempool: what waits, bounded, in nonce order by account. */
import type { Address } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import type { PoolSettings } from '../settings.ts'
import { poolError } from '../errors.ts'
import { AccountQueue, effectiveTip, type EthereumEntry, isEthereum, type PoolEntry } from './account-queue.ts'
import { PriorityCursor, type Rank } from './order.ts'

/** A full pool drops its slots divided by this at once, so that the search for the cheapest is rare. */
const EVICTION_DIVISOR = 100

/** What an item of an access or authorization list takes in memory once it is decoded, measured. */
const ACCESS_ENTRY_BYTES = 250
const STORAGE_KEY_BYTES = 100
const AUTHORIZATION_BYTES = 350
/** What a native transaction takes in memory with its decoded messages, for each byte on the wire: 8 to 10, measured. */
const NATIVE_FACTOR = 10

/** Bytes of a transaction as the pool holds it: a list of short items takes several times its length on the wire. */
const memoryBytes = (entry: PoolEntry): number => {
  if (entry.kind === 'native') return NATIVE_FACTOR * entry.raw.length
  const { raw, transaction } = entry.signed
  let bytes = raw.length
  if (transaction.type === 0) return bytes
  for (const { storageKeys } of transaction.accessList) {
    bytes += ACCESS_ENTRY_BYTES + STORAGE_KEY_BYTES * storageKeys.length
  }
  return transaction.type === 4 ? bytes + AUTHORIZATION_BYTES * transaction.authorizationList.length : bytes
}

/** The least that a last transaction of any account pays, as the last search for one to evict found it. */
interface Floor {
  readonly tip: bigint
  readonly baseFeePerGas: bigint
  readonly waitingOnly: boolean
}

export class Pool {
  readonly #settings: PoolSettings
  readonly #byHash = new Map<string, PoolEntry>()
  readonly #accounts = new Map<string, AccountQueue>()
  #bytes = 0
  #executable = 0
  #natives = 0
  /** Forgotten when something leaves: a full pool refuses the cheap without a search each time. */
  #floor: Floor | undefined
  /** Called for every transaction once, when it becomes executable. */
  readonly #onExecutable: (entry: PoolEntry) => void

  constructor(settings: PoolSettings, onExecutable: (entry: PoolEntry) => void) {
    this.#settings = settings
    this.#onExecutable = onExecutable
  }

  get size(): number {
    return this.#byHash.size
  }
  get executableCount(): number {
    return this.#executable
  }
  get waitingCount(): number {
    return this.#byHash.size - this.#executable
  }

  /** Counts of the Ethereum transactions alone. */
  ethereumCounts(): { readonly executable: number; readonly waiting: number } {
    if (this.#natives === 0) return { executable: this.executableCount, waiting: this.waitingCount }
    let executable = 0
    for (const queue of this.#accounts.values()) {
      for (const entry of queue.executable()) if (isEthereum(entry)) executable++
    }
    return { executable, waiting: this.size - this.#natives - executable }
  }

  /** By keccak256; undefined for a native one. */
  ethereum(hash: Hash): EthereumEntry | undefined {
    const entry = this.get(hash)
    return entry !== undefined && isEthereum(entry) ? entry : undefined
  }

  get(hash: Hash): PoolEntry | undefined {
    return this.#byHash.get(bytesToKey(hash))
  }

  /** By bytesToKey of the hash. */
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

  entries(): IterableIterator<PoolEntry> {
    return this.#byHash.values()
  }

  /**
   * Inserts an entry that was checked, replacing the one with its nonce. `stateNonce` is the account's own.
   * Throws pool errors: a replacement that pays too little, an account or the pool at its limit.
   */
  insert(entry: PoolEntry, stateNonce: bigint, baseFeePerGas: bigint): void {
    const { nonce } = entry
    const accountKey = bytesToKey(entry.sender)
    const queue = this.#accounts.get(accountKey) ?? new AccountQueue(stateNonce)
    const replaced = queue.get(nonce)
    if (replaced !== undefined) this.#checkReplacement(replaced, entry)
    else this.#checkAccountLimit(queue, nonce)
    this.#makeRoom(queue, entry, replaced, baseFeePerGas)
    // Evicting may have emptied and forgotten the queue: it is (again) the account's from here on.
    this.#accounts.set(accountKey, queue)
    if (replaced !== undefined) this.#forget(replaced)
    this.#byHash.set(bytesToKey(entry.hash), entry)
    if (entry.kind === 'native') this.#natives++
    this.#bytes += memoryBytes(entry)
    this.#lowerFloor(entry)
    const executableBefore = queue.executableCount
    const promoted = queue.set(entry)
    this.#executable += queue.executableCount - executableBefore
    if (replaced !== undefined && queue.isExecutable(nonce)) this.#onExecutable(entry)
    for (const one of promoted) this.#onExecutable(one)
  }

  remove(entry: PoolEntry): void {
    const accountKey = bytesToKey(entry.sender)
    const queue = this.#accounts.get(accountKey)
    if (queue === undefined || !this.#byHash.has(bytesToKey(entry.hash))) return
    this.#forget(entry)
    const before = queue.executableCount
    queue.delete(entry.nonce)
    this.#executable += queue.executableCount - before
    if (queue.size === 0) this.#accounts.delete(accountKey)
  }

  clear(): void {
    this.#byHash.clear()
    this.#accounts.clear()
    this.#bytes = 0
    this.#executable = 0
    this.#natives = 0
    this.#floor = undefined
  }

  /** An account's nonce is `nonce` now: what lies behind it leaves, what follows becomes executable. */
  advance(address: Address, nonce: bigint): void {
    const key = bytesToKey(address)
    const queue = this.#accounts.get(key)
    if (queue === undefined) return
    const before = queue.executableCount
    const { stale, promoted } = queue.setStateNonce(nonce)
    for (const entry of stale) this.#forget(entry)
    this.#executable += queue.executableCount - before
    if (queue.size === 0) this.#accounts.delete(key)
    for (const entry of promoted) this.#onExecutable(entry)
  }

  /** Drops what has waited behind a gap for too long. */
  expire(nowMs: number): void {
    for (const [, queue] of [...this.#accounts]) {
      if (queue.waitingCount === 0) continue
      for (const entry of queue.waiting()) {
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

  #forget(entry: PoolEntry): void {
    if (this.#byHash.delete(bytesToKey(entry.hash))) {
      this.#bytes -= memoryBytes(entry)
      if (entry.kind === 'native') this.#natives--
    }
    this.#floor = undefined
  }

  #lowerFloor(entry: PoolEntry): void {
    const floor = this.#floor
    if (floor === undefined) return
    const tip = effectiveTip(entry, floor.baseFeePerGas)
    if (tip < floor.tip) this.#floor = { ...floor, tip }
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

  #checkAccountLimit(queue: AccountQueue, nonce: bigint): void {
    const { accountSlots, accountQueue } = this.#settings
    if (nonce === queue.nextNonce ? queue.executableCount >= accountSlots : queue.waitingCount >= accountQueue) {
      throw poolError('accountLimit', 'txpool is full: too many transactions of this account are waiting')
    }
  }

  /** A replacement takes no new place, but it may be longer than what it replaces. */
  #makeRoom(queue: AccountQueue, entry: PoolEntry, replaced: PoolEntry | undefined, baseFeePerGas: bigint): void {
    const { globalQueue, globalSlots, maxBytes } = this.#settings
    const places = replaced === undefined ? 1 : 0
    const bytes = memoryBytes(entry) - (replaced === undefined ? 0 : memoryBytes(replaced))
    const waits = places === 1 && entry.nonce !== queue.nextNonce
    const tooManyWait = (): boolean => waits && this.waitingCount >= globalQueue
    const isFull = (): boolean => this.size + places > globalSlots || this.#bytes + bytes > maxBytes || tooManyWait()
    if (isFull()) this.#evictCheaperThan(entry, baseFeePerGas, tooManyWait(), isFull)
    if (isFull()) throw poolError('full', 'txpool is full')
  }

  /**
   * Makes room by dropping the cheapest last transactions of other accounts, as far as they pay less than `entry`;
   * only such as wait behind a gap where those are too many.
   */
  #evictCheaperThan(entry: PoolEntry, baseFeePerGas: bigint, waitingOnly: boolean, isFull: () => boolean): void {
    const tip = effectiveTip(entry, baseFeePerGas)
    const known = this.#floor
    const holds = known?.baseFeePerGas === baseFeePerGas && known.waitingOnly === waitingOnly
    if (holds && tip <= known.tip) return
    const sender = bytesToKey(entry.sender)
    const victims: { readonly last: PoolEntry; readonly tip: bigint }[] = []
    let least: bigint | undefined
    for (const [key, queue] of this.#accounts) {
      const last = queue.last()
      if (last === undefined || (waitingOnly && queue.waitingCount === 0)) continue
      const lastTip = effectiveTip(last, baseFeePerGas)
      if (least === undefined || lastTip < least) least = lastTip
      if (key !== sender && lastTip < tip) victims.push({ last, tip: lastTip })
    }
    this.#floor = least === undefined ? undefined : { tip: least, baseFeePerGas, waitingOnly }
    victims.sort((a, b) => (a.tip < b.tip ? -1 : a.tip > b.tip ? 1 : b.last.arrival - a.last.arrival))
    const share = Math.max(1, Math.floor(this.#settings.globalSlots / EVICTION_DIVISOR))
    for (const [index, { last }] of victims.entries()) {
      if (index >= share && !isFull()) break
      this.remove(last)
    }
  }
}

/**
 * What a transaction gathers beside the state (Yellow Paper 6.1): what is warm, storage that it read and wrote, transient
 * storage, logs, the refund, and which accounts it created, destroyed and touched. All of it goes back with a frame that
 * fails. Storage is written to the state when the transaction ends.
 */
import type { Address } from '../../core/address.ts'
import { EMPTY_BYTES, equalBytes } from '../../core/bytes.ts'
import { EMPTY_CODE_HASH, type Hash } from '../../core/hash.ts'
import type { StateWriter } from '../../store/state.ts'
import type { Log } from '../engine.ts'
import type { NativeEvent } from '../native-precompiles.ts'
import { precompileAddress } from '../precompile-addresses.ts'
import { type Code, NO_CODE } from './code.ts'
import { LogBytes } from './log-bytes.ts'
import {
  addressKey,
  copyWord,
  isEqual,
  isZero,
  type Limbs,
  setBytes,
  toAddressBytes,
  toBytes,
  toTrimmedBytes,
  WORD,
  wordKey,
} from './words.ts'

/** A slot of storage or transient storage; `at` is the place of its words. */
export interface Slot {
  readonly at: number
  isWarm: boolean
  /** Its words hold what the state does: a slot that an access list warms is read when something asks for it. */
  isRead: boolean
}

/** An account that the transaction has come across. */
export interface AccountEntry {
  readonly address: Address
  /** Its number where it is a precompile in this execution. */
  readonly precompile: number | undefined
  isWarm: boolean
  isCreated: boolean
  isDestroyed: boolean
  /** Whether its code, and the trie of its storage, count in the weight already; a revert does not change it. */
  isCodeWeighed: boolean
  isStorageWeighed: boolean
  /** The code of `codeHash`, so that a call need not look for it again. */
  codeHash: Hash
  code: Code
  slots: Map<string, Slot> | undefined
  transient: Map<string, Slot> | undefined
}

/** Lengths to go back to. */
export interface Mark {
  readonly changes: number
  readonly words: number
  readonly logs: number
  readonly nativeEvents: number
  readonly refund: number
  readonly burntAnat: bigint
}

const INITIAL_WORDS = 64 * WORD
/** A transaction that needed more gives it back at its end. */
const KEPT_WORDS = 16_384 * WORD

// Places of the words of a slot.
const CURRENT = 0
const ORIGINAL = WORD

// What is undone, by kind; a record is pushed as subject and kind.
const WARM = 0
const CREATED = 1
const DESTROYED = 2
const TOUCHED = 3
const WORD_CHANGED = 4

/** The one exception to EIP-161, from a block of mainnet: that this account was touched outlives the frame that failed. */
const RIPEMD160 = precompileAddress(3)

type Subject = AccountEntry | Slot

export class Substate {
  refund = 0
  burntAnat = 0n
  readonly logs: Log[] = []
  readonly logBytes = new LogBytes()
  readonly nativeEvents: NativeEvent[] = []
  /** Numbers of the precompiles by the key of the address that they answer at, and those that are warm at once. */
  #precompiles: ReadonlyMap<string, number> = new Map()
  #warmAtOnce: ReadonlyMap<string, number> = this.#precompiles
  #state: StateWriter | undefined
  readonly #accounts = new Map<string, AccountEntry>()
  /** Accounts to look at when the transaction ends: empty ones are deleted (EIP-161). */
  readonly #touched: AccountEntry[] = []
  #touchedRipemd: AccountEntry | undefined
  #words: Limbs = new Int32Array(INITIAL_WORDS)
  #wordsUsed = 0
  readonly #subjects: Subject[] = []
  readonly #kinds: number[] = []
  #replaced: Limbs = new Int32Array(INITIAL_WORDS)
  #replacedUsed = 0
  readonly #scratch: Limbs = new Int32Array(WORD)

  begin(state: StateWriter, precompiles: ReadonlyMap<string, number>, warmAtOnce: ReadonlyMap<string, number>): void {
    this.#state = state
    this.#precompiles = precompiles
    this.#warmAtOnce = warmAtOnce
  }

  end(): void {
    this.#state = undefined
    this.refund = 0
    this.burntAnat = 0n
    this.logs.length = 0
    this.nativeEvents.length = 0
    this.#accounts.clear()
    this.#touched.length = 0
    this.#touchedRipemd = undefined
    this.#subjects.length = 0
    this.#kinds.length = 0
    this.#wordsUsed = 0
    this.#replacedUsed = 0
    if (this.#words.length > KEPT_WORDS) this.#words = new Int32Array(INITIAL_WORDS)
    if (this.#replaced.length > KEPT_WORDS) this.#replaced = new Int32Array(INITIAL_WORDS)
  }

  /** The account whose address is the low part of a word. */
  account(s: Limbs, at: number): AccountEntry {
    const key = addressKey(s, at)
    return this.#accounts.get(key) ?? this.#addAccount(key, toAddressBytes(s, at))
  }

  /** Whether {@link account} is warm. Notes nothing: whoever cannot pay for an account leaves no trace of it. */
  isWarmAccount(s: Limbs, at: number): boolean {
    const key = addressKey(s, at)
    return this.#accounts.get(key)?.isWarm ?? this.#warmAtOnce.has(key)
  }

  accountAt(address: Address): AccountEntry {
    setBytes(this.#scratch, 0, address)
    const key = addressKey(this.#scratch, 0)
    return this.#accounts.get(key) ?? this.#addAccount(key, address)
  }

  #addAccount(key: string, address: Address): AccountEntry {
    const account: AccountEntry = {
      address,
      precompile: this.#precompiles.get(key),
      isWarm: this.#warmAtOnce.has(key),
      isCreated: false,
      isDestroyed: false,
      isCodeWeighed: false,
      isStorageWeighed: false,
      codeHash: EMPTY_CODE_HASH,
      code: NO_CODE,
      slots: undefined,
      transient: undefined,
    }
    this.#accounts.set(key, account)
    return account
  }

  /** The slot where the transaction has come across it, without a look at the state. */
  knownSlot(account: AccountEntry, s: Limbs, at: number): Slot | undefined {
    return account.slots?.get(wordKey(s, at))
  }

  /** A slot whose access is paid for: with its current and original value, read when the transaction first asks for it. */
  slot(account: AccountEntry, s: Limbs, at: number, known = this.knownSlot(account, s, at)): Slot {
    const slot = known ?? this.#addSlot(account, s, at)
    if (slot.isRead) return slot
    const held = this.#state?.storage(account.address, toBytes(s, at)) ?? EMPTY_BYTES
    setBytes(this.#words, slot.at + CURRENT, held)
    copyWord(this.#words, slot.at + ORIGINAL, this.#words, slot.at + CURRENT)
    slot.isRead = true
    return slot
  }

  /** Warms a slot from the start (EIP-2930). Nothing is read yet. */
  warmSlot(account: AccountEntry, s: Limbs, at: number): void {
    this.warm(this.knownSlot(account, s, at) ?? this.#addSlot(account, s, at))
  }

  #addSlot(account: AccountEntry, s: Limbs, at: number): Slot {
    account.slots ??= new Map()
    const slot: Slot = { at: this.#reserveWords(2 * WORD), isWarm: false, isRead: false }
    // The array is used again: what is not read yet is nothing, and so no change.
    this.#words.fill(0, slot.at, slot.at + 2 * WORD)
    account.slots.set(wordKey(s, at), slot)
    return slot
  }

  /** A slot of transient storage (EIP-1153) that the transaction has come across. */
  knownTransient(account: AccountEntry, s: Limbs, at: number): Slot | undefined {
    return account.transient?.get(wordKey(s, at))
  }

  /** One that it has not: zero at first. */
  addTransient(account: AccountEntry, s: Limbs, at: number): Slot {
    account.transient ??= new Map()
    const slot: Slot = { at: this.#reserveWords(WORD), isWarm: true, isRead: true }
    this.#words.fill(0, slot.at, slot.at + WORD)
    account.transient.set(wordKey(s, at), slot)
    return slot
  }

  #reserveWords(count: number): number {
    const at = this.#wordsUsed
    this.#wordsUsed += count
    if (this.#wordsUsed > this.#words.length) this.#words = doubled(this.#words)
    return at
  }

  /** The words that slots name places in. Only good until the next slot is asked for. */
  get words(): Limbs {
    return this.#words
  }

  isOriginal(slot: Slot): boolean {
    return isEqual(this.#words, slot.at + CURRENT, this.#words, slot.at + ORIGINAL)
  }

  /** Whether the original value is the word given. */
  wasOriginally(slot: Slot, s: Limbs, at: number): boolean {
    return isEqual(this.#words, slot.at + ORIGINAL, s, at)
  }

  isOriginallyZero(slot: Slot): boolean {
    return isZero(this.#words, slot.at + ORIGINAL)
  }

  setSlot(slot: Slot, s: Limbs, at: number): void {
    if (this.#replacedUsed + WORD > this.#replaced.length) this.#replaced = doubled(this.#replaced)
    copyWord(this.#replaced, this.#replacedUsed, this.#words, slot.at)
    this.#replacedUsed += WORD
    this.#record(slot, WORD_CHANGED)
    copyWord(this.#words, slot.at, s, at)
  }

  warm(subject: Subject): void {
    if (subject.isWarm) return
    subject.isWarm = true
    this.#record(subject, WARM)
  }

  noteCreated(account: AccountEntry): void {
    account.isCreated = true
    this.#record(account, CREATED)
  }

  noteDestroyed(account: AccountEntry): void {
    if (account.isDestroyed) return
    account.isDestroyed = true
    this.#record(account, DESTROYED)
  }

  touch(account: AccountEntry): void {
    if (equalBytes(account.address, RIPEMD160)) {
      this.#touchedRipemd = account
      return
    }
    this.#touched.push(account)
    this.#record(account, TOUCHED)
  }

  #record(subject: Subject, kind: number): void {
    this.#subjects.push(subject)
    this.#kinds.push(kind)
  }

  mark(): Mark {
    return {
      changes: this.#kinds.length,
      words: this.#replacedUsed,
      logs: this.logs.length,
      nativeEvents: this.nativeEvents.length,
      refund: this.refund,
      burntAnat: this.burntAnat,
    }
  }

  revert(mark: Mark): void {
    while (this.#kinds.length > mark.changes) this.#undo(this.#subjects.pop() as Subject, this.#kinds.pop() as number)
    this.logs.length = mark.logs
    this.nativeEvents.length = mark.nativeEvents
    this.refund = mark.refund
    this.burntAnat = mark.burntAnat
  }

  #undo(subject: Subject, kind: number): void {
    if (kind === WARM) subject.isWarm = false
    else if (kind === WORD_CHANGED) {
      this.#replacedUsed -= WORD
      copyWord(this.#words, (subject as Slot).at, this.#replaced, this.#replacedUsed)
    } else if (kind === TOUCHED) this.#touched.pop()
    else if (kind === CREATED) (subject as AccountEntry).isCreated = false
    else (subject as AccountEntry).isDestroyed = false
  }

  /** Writes the storage that changed, but for accounts that go. In the order in which the transaction met it. */
  writeStorage(state: StateWriter): void {
    const scratch = this.#scratch
    for (const account of this.#accounts.values()) {
      if (account.slots === undefined || account.isDestroyed) continue
      for (const [key, slot] of account.slots) {
        if (this.isOriginal(slot)) continue
        for (let i = 0; i < WORD; i++) scratch[i] = key.charCodeAt(2 * i) | (key.charCodeAt(2 * i + 1) << 16)
        state.setStorage(account.address, toBytes(scratch, 0), toTrimmedBytes(this.#words, slot.at))
      }
    }
  }

  /** Accounts that destroyed themselves in the transaction that created them (EIP-6780). */
  *destroyed(): Generator<AccountEntry> {
    for (const account of this.#accounts.values()) if (account.isDestroyed) yield account
  }

  touched(): readonly AccountEntry[] {
    return this.#touchedRipemd === undefined ? this.#touched : [...this.#touched, this.#touchedRipemd]
  }
}

const doubled = (words: Limbs): Limbs => {
  const larger = new Int32Array(words.length * 2)
  larger.set(words)
  return larger
}

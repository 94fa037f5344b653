/** The state of a running block: every write of EVM and modules over a committed base, with checkpoints. */
import type { Address } from '../core/address.ts'
import { bytesToKey, EMPTY_BYTES, keyToBytes, trimLeadingZeros } from '../core/bytes.ts'
import { invariant } from '../core/errors.ts'
import { EMPTY_CODE_HASH, keccak256, type Hash } from '../core/hash.ts'
import { mergedValues } from './merged-values.ts'
import type { AccountState, StateReader, StateWriter } from './state.ts'
import { WrittenValues } from './written-values.ts'

/** Written slots of one account. A cleared layer hides what the base holds. */
export interface StorageLayer {
  readonly cleared: boolean
  /** Values without leading zeros, by bytesToKey(slot); the empty string is zero. */
  readonly slots: Map<string, Uint8Array>
}

/** What a block wrote, by bytesToKey of addresses, slots, module keys and code hashes; undefined is deleted. */
export interface StateChanges {
  readonly accounts: ReadonlyMap<string, AccountState | undefined>
  readonly storage: ReadonlyMap<string, StorageLayer>
  readonly values: ReadonlyMap<string, ReadonlyMap<string, Uint8Array | undefined>>
  readonly codes: ReadonlyMap<string, Uint8Array>
}

export const NO_CHANGES: StateChanges = {
  accounts: new Map(),
  storage: new Map(),
  values: new Map(),
  codes: new Map(),
}

const ABSENT = Symbol('absent')

/**
 * Writes go to maps; the undo log remembers what each write replaced. A revert walks the log back to its
 * checkpoint, so a native write made in a contract frame that reverts is undone with the frame.
 */
export class Overlay implements StateWriter {
  readonly #base: StateReader
  readonly #accounts = new Map<string, AccountState | undefined>()
  readonly #storage = new Map<string, StorageLayer>()
  readonly #values = new Map<string, WrittenValues>()
  readonly #codes = new Map<string, Uint8Array>()
  /** Original values of slots that the running transaction wrote, by address key and slot key. */
  readonly #originals = new Map<string, Uint8Array>()
  /** Triples: map, key, what it held (or ABSENT). */
  #undo: unknown[] = []
  #checkpoints: number[] = []

  constructor(base: StateReader) {
    this.#base = base
  }

  account(address: Address): AccountState | undefined {
    const key = bytesToKey(address)
    const written = this.#accounts.get(key)
    if (written !== undefined || this.#accounts.has(key)) return written
    return this.#base.account(address)
  }

  storage(address: Address, slot: Uint8Array): Uint8Array {
    const layer = this.#storage.get(bytesToKey(address))
    if (layer !== undefined) {
      const written = layer.slots.get(bytesToKey(slot))
      if (written !== undefined) return written
      if (layer.cleared) return EMPTY_BYTES
    }
    return this.#base.storage(address, slot)
  }

  code(codeHash: Hash): Uint8Array {
    return this.#codes.get(bytesToKey(codeHash)) ?? this.#base.code(codeHash)
  }

  value(system: Address, key: Uint8Array): Uint8Array | undefined {
    const written = this.#values.get(bytesToKey(system))
    if (written !== undefined) {
      const mapKey = bytesToKey(key)
      if (written.has(mapKey)) return written.get(mapKey)
    }
    return this.#base.value(system, key)
  }

  values(
    system: Address,
    prefix: Uint8Array,
    limit: number,
    start: Uint8Array = prefix,
  ): (readonly [Uint8Array, Uint8Array])[] {
    const written = this.#values.get(bytesToKey(system))
    if (written === undefined || limit <= 0) return this.#base.values(system, prefix, limit, start)
    return mergedValues(this.#base, written, { system, prefix, limit }, start)
  }

  setAccount(address: Address, account: AccountState | undefined): void {
    const key = bytesToKey(address)
    this.#record(this.#accounts, key)
    this.#accounts.set(key, account)
    if (account === undefined) this.clearStorage(address)
  }

  setStorage(address: Address, slot: Uint8Array, value: Uint8Array): void {
    const addressKey = bytesToKey(address)
    const slotKey = bytesToKey(slot)
    const originalKey = addressKey + slotKey
    if (!this.#originals.has(originalKey)) this.#originals.set(originalKey, this.storage(address, slot))
    let layer = this.#storage.get(addressKey)
    if (layer === undefined) {
      layer = { cleared: false, slots: new Map() }
      this.#record(this.#storage, addressKey)
      this.#storage.set(addressKey, layer)
    }
    this.#record(layer.slots, slotKey)
    layer.slots.set(slotKey, trimLeadingZeros(value))
  }

  clearStorage(address: Address): void {
    const key = bytesToKey(address)
    this.#record(this.#storage, key)
    this.#storage.set(key, { cleared: true, slots: new Map() })
  }

  setCode(code: Uint8Array): Hash {
    if (code.length === 0) return EMPTY_CODE_HASH
    const hash = keccak256(code)
    // Code is addressed by its content: leaving it behind after a revert changes nothing.
    this.#codes.set(bytesToKey(hash), code)
    return hash
  }

  setValue(system: Address, key: Uint8Array, value: Uint8Array | undefined): void {
    const written = this.#writtenBy(bytesToKey(system))
    const mapKey = bytesToKey(key)
    this.#record(written, mapKey)
    written.set(mapKey, value)
  }

  /** Takes over accounts and values of modules that were written on top of this one; contracts have written nothing. */
  absorb({ accounts, storage, values, codes }: StateChanges): void {
    for (const { slots } of storage.values()) invariant(slots.size === 0, 'storage of a contract is not taken over')
    invariant(codes.size === 0, 'code is not taken over')
    for (const [key, account] of accounts) this.setAccount(keyToBytes(key), account)
    for (const [systemKey, changed] of values) {
      const written = this.#writtenBy(systemKey)
      for (const [mapKey, value] of changed) {
        this.#record(written, mapKey)
        written.set(mapKey, value)
      }
    }
  }

  originalStorage(address: Address, slot: Uint8Array): Uint8Array {
    return this.#originals.get(bytesToKey(address) + bytesToKey(slot)) ?? this.storage(address, slot)
  }

  beginTransaction(): void {
    this.#originals.clear()
    if (this.#checkpoints.length === 0) this.#undo = []
  }

  checkpoint(): void {
    this.#checkpoints.push(this.#undo.length)
  }

  commit(): void {
    invariant(this.#checkpoints.pop() !== undefined, 'commit without a checkpoint')
  }

  revert(): void {
    const mark = this.#checkpoints.pop()
    invariant(mark !== undefined, 'revert without a checkpoint')
    for (let at = this.#undo.length - 3; at >= mark; at -= 3) {
      const map = this.#undo[at] as Map<string, unknown>
      const key = this.#undo[at + 1] as string
      const held = this.#undo[at + 2]
      if (held === ABSENT) map.delete(key)
      else map.set(key, held)
    }
    this.#undo.length = mark
  }

  /** Everything written so far. Only read it when no checkpoint is open. */
  changes(): StateChanges {
    invariant(this.#checkpoints.length === 0, 'changes read inside a checkpoint')
    return { accounts: this.#accounts, storage: this.#storage, values: this.#values, codes: this.#codes }
  }

  #writtenBy(systemKey: string): WrittenValues {
    let written = this.#values.get(systemKey)
    if (written === undefined) {
      written = new WrittenValues()
      this.#values.set(systemKey, written)
    }
    return written
  }

  #record(map: Map<string, never> | Map<string, unknown>, key: string): void {
    if (this.#checkpoints.length === 0) return
    const held = map.get(key)
    this.#undo.push(map, key, held === undefined && !map.has(key) ? ABSENT : held)
  }
}

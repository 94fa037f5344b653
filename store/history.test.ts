import { describe, expect, it } from 'vitest'
import { bytesToKey, compareBytes, concatBytes, EMPTY_BYTES, keyToBytes } from '../core/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../core/hash.ts'
import { encodeAccount } from './account-codec.ts'
import { HistoricalState } from './history.ts'
import { accountKey, historyKey, storageKey, valueKey } from './keys.ts'
import { LatestState } from './latest.ts'
import { EMPTY_ACCOUNT, type AccountState, type StateReader } from './state.ts'
import type { KeyValueStore } from './store.ts'
import { BACKENDS } from './testing/backends.ts'
import { seededRandom, type Pick } from './testing/seeded-random.ts'

/** State at one height: plain maps. */
interface Snapshot {
  readonly accounts: Map<string, AccountState>
  readonly storage: Map<string, Uint8Array>
  readonly values: Map<string, Uint8Array>
}

/** What a block writes by state key. */
type Writes = Map<string, readonly [before: Uint8Array | undefined, after: Uint8Array | undefined]>

const ADDRESSES = [1, 2, 3, 4].map((i) => new Uint8Array(20).fill(i))
/** Two systems whose addresses follow each other: their values must not mix. */
const SYSTEMS = [new Uint8Array(20).fill(0x77), new Uint8Array(20).fill(0xff)]
const SLOTS = [0, 1, 0xff].map((i) => new Uint8Array(32).fill(i))

/** Keys with zero bytes, prefixes of one another and the empty key. */
const randomKey = (pick: Pick): Uint8Array => Uint8Array.from({ length: pick(4) }, () => [0, 1, 255][pick(3)] as number)

const copy = (from: Snapshot): Snapshot => ({
  accounts: new Map(from.accounts),
  storage: new Map(from.storage),
  values: new Map(from.values),
})

/** Writes blocks as the committer does, and keeps the snapshot of every height. */
class Chain {
  readonly snapshots: Snapshot[] = [{ accounts: new Map(), storage: new Map(), values: new Map() }]
  readonly latest: LatestState
  readonly #store: KeyValueStore
  readonly #pick: Pick
  /** The shared counter: raised before the block is written. */
  committed = 0

  constructor(store: KeyValueStore, pick: Pick) {
    this.#store = store
    this.#pick = pick
    // Smaller than the state, so that entries are dropped and read again.
    this.latest = new LatestState(store, 6)
  }

  /** `between` runs when the counter is raised and the block not yet written. */
  block(between: () => void = () => undefined): void {
    const pick = this.#pick
    const next = copy(this.snapshots.at(-1) as Snapshot)
    const writes: Writes = new Map()
    const notes: (() => void)[] = []
    const height = this.snapshots.length
    for (let i = pick(6); i > 0; i--) this.#changeAccount(next, writes, notes, height)
    for (let i = pick(6); i > 0; i--) this.#changeSlot(next, writes, notes)
    for (let i = pick(8); i > 0; i--) this.#changeValue(next, writes, notes)
    const batch = this.#store.batch()
    for (const [key, [before, after]] of writes) {
      const stateKey = keyToBytes(key)
      const held = before === undefined ? Uint8Array.of(0) : concatBytes(Uint8Array.of(1), before)
      batch.put('history', historyKey(stateKey, height), held)
      if (after === undefined) batch.delete('state', stateKey)
      else batch.put('state', stateKey, after)
    }
    this.committed = height
    between()
    this.#store.write(batch, { sync: false })
    this.snapshots.push(next)
    for (const note of notes) note()
  }

  #record(writes: Writes, key: Uint8Array, before: Uint8Array | undefined, after: Uint8Array | undefined): void {
    const first = writes.get(bytesToKey(key))
    writes.set(bytesToKey(key), [first === undefined ? before : first[0], after])
  }

  #changeAccount(next: Snapshot, writes: Writes, notes: (() => void)[], height: number): void {
    const address = ADDRESSES[this.#pick(ADDRESSES.length)] as Uint8Array
    const before = next.accounts.get(bytesToKey(address))
    const nonce = BigInt(height)
    const after = this.#pick(3) === 0 ? undefined : { ...EMPTY_ACCOUNT, nonce, balance: BigInt(this.#pick(1e6)) }
    this.#record(writes, accountKey(address), before && encodeAccount(before), after && encodeAccount(after))
    if (after === undefined) next.accounts.delete(bytesToKey(address))
    else next.accounts.set(bytesToKey(address), after)
    notes.push(() => this.latest.noteAccount(address, after))
  }

  #changeSlot(next: Snapshot, writes: Writes, notes: (() => void)[]): void {
    const address = ADDRESSES[this.#pick(ADDRESSES.length)] as Uint8Array
    const slot = SLOTS[this.#pick(SLOTS.length)] as Uint8Array
    const key = storageKey(address, slot)
    const after = this.#pick(3) === 0 ? EMPTY_BYTES : Uint8Array.of(1 + this.#pick(255), this.#pick(256))
    this.#record(writes, key, next.storage.get(bytesToKey(key)), after.length === 0 ? undefined : after)
    if (after.length === 0) next.storage.delete(bytesToKey(key))
    else next.storage.set(bytesToKey(key), after)
    notes.push(() => this.latest.noteStorage(address, slot, after))
  }

  #changeValue(next: Snapshot, writes: Writes, notes: (() => void)[]): void {
    const system = SYSTEMS[this.#pick(SYSTEMS.length)] as Uint8Array
    const key = randomKey(this.#pick)
    const stateKey = valueKey(system, key)
    const after = this.#pick(3) === 0 ? undefined : Uint8Array.from({ length: this.#pick(3) }, () => this.#pick(256))
    this.#record(writes, stateKey, next.values.get(bytesToKey(stateKey)), after)
    if (after === undefined) next.values.delete(bytesToKey(stateKey))
    else next.values.set(bytesToKey(stateKey), after)
    notes.push(() => this.latest.noteValue(system, key, after))
  }
}

const expectedValues = (
  snapshot: Snapshot,
  system: Uint8Array,
  prefix: Uint8Array,
  limit: number,
  start: Uint8Array,
): [Uint8Array, Uint8Array][] =>
  [...snapshot.values]
    .map(([key, value]): [Uint8Array, Uint8Array] => [keyToBytes(key), value])
    .filter(([key]) => bytesToKey(key).startsWith(bytesToKey(valueKey(system, prefix))))
    .map(([key, value]): [Uint8Array, Uint8Array] => [key.slice(21), value])
    .filter(([key]) => compareBytes(key, start) >= 0)
    .sort(([a], [b]) => compareBytes(a, b))
    .slice(0, limit)

const expectState = (reader: StateReader, snapshot: Snapshot, pick: Pick): void => {
  for (const address of ADDRESSES) {
    expect(reader.account(address)).toEqual(snapshot.accounts.get(bytesToKey(address)))
    for (const slot of SLOTS) {
      expect(reader.storage(address, slot)).toEqual(
        snapshot.storage.get(bytesToKey(storageKey(address, slot))) ?? EMPTY_BYTES,
      )
    }
  }
  for (const system of SYSTEMS) {
    for (let i = 0; i < 6; i++) {
      const key = randomKey(pick)
      expect(reader.value(system, key)).toEqual(snapshot.values.get(bytesToKey(valueKey(system, key))))
      const limit = 1 + pick(12)
      const prefix = pick(2) === 0 ? EMPTY_BYTES : randomKey(pick)
      expect(reader.values(system, prefix, limit)).toEqual(expectedValues(snapshot, system, prefix, limit, prefix))
      const start = randomKey(pick)
      expect(reader.values(system, prefix, limit, start)).toEqual(
        expectedValues(snapshot, system, prefix, limit, start),
      )
    }
  }
}

describe.each(BACKENDS)('state over the $name store', ({ withStore }) => {
  for (const seed of [1, 2, 3]) {
    it(`is at every height what it was then, and at the head what it is, seed ${seed}`, async () => {
      await withStore((store) => {
        const pick = seededRandom(seed)
        const chain = new Chain(store, pick)
        for (let height = 1; height <= 40; height++) {
          chain.block()
          expectState(chain.latest, chain.snapshots[height] as Snapshot, pick)
          const at = pick(height + 1)
          const reader = new HistoricalState(store, at, () => chain.committed)
          expectState(reader, chain.snapshots[at] as Snapshot, pick)
          reader.close()
        }
        expect(chain.snapshots).toHaveLength(41)
        for (const [height, snapshot] of chain.snapshots.entries()) {
          const reader = new HistoricalState(store, height, () => chain.committed)
          expectState(reader, snapshot, pick)
          reader.close()
        }
      })
    })
  }

  it('stays what it was in a reader that lives while blocks are written', async () => {
    await withStore((store) => {
      const pick = seededRandom(9)
      const chain = new Chain(store, pick)
      for (let i = 0; i < 10; i++) chain.block()
      // One reader a height, each asked one thing at a time, also between the counter and the write.
      const readers = chain.snapshots.map(
        (snapshot, height) => [new HistoricalState(store, height, () => chain.committed), snapshot] as const,
      )
      const ask = (): void => {
        for (const [reader, snapshot] of readers) {
          const address = ADDRESSES[pick(ADDRESSES.length)] as Uint8Array
          const slot = SLOTS[pick(SLOTS.length)] as Uint8Array
          const system = SYSTEMS[pick(SYSTEMS.length)] as Uint8Array
          const key = randomKey(pick)
          const held = snapshot.storage.get(bytesToKey(storageKey(address, slot))) ?? EMPTY_BYTES
          expect(reader.storage(address, slot)).toEqual(held)
          expect(reader.account(address)).toEqual(snapshot.accounts.get(bytesToKey(address)))
          expect(reader.value(system, key)).toEqual(snapshot.values.get(bytesToKey(valueKey(system, key))))
          expect(reader.values(system, EMPTY_BYTES, 50)).toEqual(
            expectedValues(snapshot, system, EMPTY_BYTES, 50, EMPTY_BYTES),
          )
        }
      }
      for (let i = 0; i < 30; i++) {
        ask()
        chain.block(ask)
      }
      ask()
      for (const [reader] of readers) reader.close()
    })
  })

  it('finds a key that follows a longer one of the same beginning', async () => {
    await withStore((store) => {
      const system = SYSTEMS[0] as Uint8Array
      const batch = store.batch()
      const short = valueKey(system, Uint8Array.of(1))
      const long = valueKey(system, Uint8Array.of(1, 0))
      batch.put('history', historyKey(long, 5), Uint8Array.of(1, 42))
      batch.put('state', short, Uint8Array.of(7))
      store.write(batch, { sync: false })
      const reader = new HistoricalState(store, 3, () => 5)
      expect(reader.value(system, Uint8Array.of(1))).toEqual(Uint8Array.of(7))
      expect(reader.value(system, Uint8Array.of(1, 0))).toEqual(Uint8Array.of(42))
      expect(reader.values(system, EMPTY_BYTES, 9)).toEqual([
        [Uint8Array.of(1), Uint8Array.of(7)],
        [Uint8Array.of(1, 0), Uint8Array.of(42)],
      ])
      reader.close()
    })
  })

  it('reads code by its hash, none for the empty hash, and stops at a missing one', async () => {
    await withStore((store) => {
      const code = Uint8Array.of(0x60, 0x00)
      const batch = store.batch()
      batch.put('code', keccak256(code), code)
      store.write(batch, { sync: false })
      for (const reader of [new LatestState(store, 10), new HistoricalState(store, 1, () => 1)]) {
        expect(reader.code(keccak256(code))).toEqual(code)
        expect(reader.code(keccak256(code))).toEqual(code)
        expect(reader.code(EMPTY_CODE_HASH)).toEqual(EMPTY_BYTES)
        expect(() => reader.code(keccak256(Uint8Array.of(1)))).toThrow('not in the database')
      }
    })
  })
})

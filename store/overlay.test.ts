import { describe, expect, it } from 'vitest'
import { bytesToKey, trimLeadingZeros } from '../core/bytes.ts'
import { InvariantError } from '../core/errors.ts'
import { keccak256 } from '../core/hash.ts'
import { type Random, seeded } from '../test/sim/random.ts'
import { LatestState } from './latest.ts'
import { accountKey, storageKey, valueKey } from './keys.ts'
import { encodeAccount } from './account-codec.ts'
import { openMemoryStore } from './memory/memory-store.ts'
import { Overlay } from './overlay.ts'
import { type AccountState, EMPTY_ACCOUNT, type StateReader } from './state.ts'

const ADDRESSES = Array.from({ length: 5 }, (_, index) => new Uint8Array(20).fill(index + 1))
const SLOTS = Array.from({ length: 4 }, (_, index) => keccak256(Uint8Array.of(index)))
/** Some are prefixes of others. */
const KEYS = ['a', 'ab', 'abc', 'b', 'ba', 'c'].map((key) => Uint8Array.from(Buffer.from(key)))
const NOTHING = new Uint8Array(0)

/** State as plain maps; a checkpoint is a copy of all of them. */
class Model {
  accounts = new Map<string, AccountState>()
  storage = new Map<string, Map<string, Uint8Array>>()
  values = new Map<string, Uint8Array>()

  copy(): Model {
    const out = new Model()
    out.accounts = new Map(this.accounts)
    out.storage = new Map([...this.storage].map(([key, slots]) => [key, new Map(slots)]))
    out.values = new Map(this.values)
    return out
  }

  slot(address: Uint8Array, slot: Uint8Array): Uint8Array {
    return this.storage.get(bytesToKey(address))?.get(bytesToKey(slot)) ?? NOTHING
  }

  setSlot(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
    const key = bytesToKey(address)
    if (!this.storage.has(key)) this.storage.set(key, new Map())
    this.storage.get(key)?.set(bytesToKey(slot), value)
  }
}

const makeAccount = (random: Random): AccountState => ({
  ...EMPTY_ACCOUNT,
  nonce: BigInt(random.below(100)),
  balance: BigInt(random.below(1_000)),
})

/** A committed state, in a database and in a model. */
const makeBase = (random: Random): { readonly base: StateReader; readonly model: Model } => {
  const store = openMemoryStore()
  const model = new Model()
  const batch = store.batch()
  for (const address of ADDRESSES) {
    if (random.chance(30)) continue
    const account = makeAccount(random)
    model.accounts.set(bytesToKey(address), account)
    batch.put('state', accountKey(address), encodeAccount(account))
    for (const slot of SLOTS.filter(() => random.chance(50))) {
      const value = Uint8Array.of(1 + random.below(255))
      model.setSlot(address, slot, value)
      batch.put('state', storageKey(address, slot), value)
    }
    for (const key of KEYS.filter(() => random.chance(40))) {
      const value = random.bytes(random.below(3))
      model.values.set(bytesToKey(address) + bytesToKey(key), value)
      batch.put('state', valueKey(address, key), value)
    }
  }
  store.write(batch, { sync: false })
  return { base: new LatestState(store, 1_000), model }
}

const expectSame = (random: Random, overlay: Overlay, model: Model, original: Model): void => {
  for (const address of ADDRESSES) {
    const key = bytesToKey(address)
    expect(overlay.account(address)).toEqual(model.accounts.get(key))
    for (const slot of SLOTS) {
      expect(overlay.storage(address, slot)).toEqual(model.slot(address, slot))
      expect(overlay.originalStorage(address, slot)).toEqual(original.slot(address, slot))
    }
    for (const name of KEYS) expect(overlay.value(address, name)).toEqual(model.values.get(key + bytesToKey(name)))
    const prefix = random.pick([NOTHING, ...KEYS])
    const start = random.chance(50) ? prefix : random.pick(KEYS)
    const limit = random.below(5)
    const listed = [...model.values]
      .filter(([held]) => held.startsWith(key + bytesToKey(prefix)) && held.slice(20) >= bytesToKey(start))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .slice(0, limit)
    const shown = overlay.values(address, prefix, limit, start)
    expect(shown.map(([name, value]) => [key + bytesToKey(name), value])).toEqual(listed)
  }
}

const write = (random: Random, overlay: Overlay, model: Model, mayClear: boolean): void => {
  const address = random.pick(ADDRESSES)
  const key = bytesToKey(address)
  const kind = random.below(mayClear ? 8 : 6)
  if (kind < 2) {
    const account = makeAccount(random)
    overlay.setAccount(address, account)
    model.accounts.set(key, account)
  } else if (kind < 4) {
    const slot = random.pick(SLOTS)
    const value = random.pick([NOTHING, new Uint8Array(32), Uint8Array.of(0, 7), Uint8Array.of(random.below(256))])
    overlay.setStorage(address, slot, value)
    model.setSlot(address, slot, trimLeadingZeros(value))
  } else if (kind < 6) {
    const name = random.pick(KEYS)
    const value = random.chance(40) ? undefined : random.bytes(random.below(3))
    overlay.setValue(address, name, value)
    if (value === undefined) model.values.delete(key + bytesToKey(name))
    else model.values.set(key + bytesToKey(name), value)
  } else if (kind === 6) {
    overlay.setAccount(address, undefined)
    model.accounts.delete(key)
    model.storage.delete(key)
  } else {
    overlay.clearStorage(address)
    model.storage.delete(key)
  }
}

describe('the overlay', () => {
  // What a slot held before is asked of accounts that lived before: who clears one has created it in this transaction,
  // and its slots were empty when that began.
  it.each([
    ['with accounts that are cleared and deleted', true],
    ['with the original values of slots', false],
  ])('shows what copies at every checkpoint show, %s', (_, mayClear) =>
    seeded(mayClear ? 95 : 96, (random) => {
      for (let round = 0; round < 40; round++) {
        const { base, model: first } = makeBase(random)
        const overlay = new Overlay(base)
        let model = first
        let original = model.copy()
        const copies: Model[] = []
        for (let step = 0; step < 120; step++) {
          const kind = random.below(20)
          if (kind < 3) {
            overlay.checkpoint()
            copies.push(model.copy())
          } else if (kind === 3 && copies.length > 0) {
            overlay.revert()
            model = copies.pop() ?? model
          } else if (kind === 4 && copies.length > 0) {
            overlay.commit()
            copies.pop()
          } else if (kind === 5 && copies.length === 0) {
            overlay.beginTransaction()
            original = model.copy()
          } else write(random, overlay, model, mayClear)
          expectSame(random, overlay, model, mayClear ? overlayOriginals(overlay) : original)
        }
      }
    })(),
  )

  it(
    'lists ranges of thousands of written and deleted keys in order, also after reverts',
    seeded(97, (random) => {
      const system = new Uint8Array(20).fill(9)
      const store = openMemoryStore()
      let model = new Map<string, Uint8Array>()
      const makeKey = () => Uint8Array.of(random.below(3), random.below(256), random.below(40))
      const batch = store.batch()
      for (let i = 0; i < 3_000; i++) {
        const key = makeKey()
        batch.put('state', valueKey(system, key), Uint8Array.of(i % 256))
        model.set(bytesToKey(key), Uint8Array.of(i % 256))
      }
      store.write(batch, { sync: false })
      const overlay = new Overlay(new LatestState(store, 1_000))
      const copies: Map<string, Uint8Array>[] = []
      for (let step = 0; step < 20_000; step++) {
        const kind = random.below(1_000)
        if (kind < 4) {
          overlay.checkpoint()
          copies.push(new Map(model))
        } else if (kind < 6 && copies.length > 0) {
          overlay.revert()
          model = copies.pop() ?? model
        } else if (kind === 6 && copies.length > 0) {
          overlay.commit()
          copies.pop()
        } else if (kind < 20) {
          const prefix = Uint8Array.of(random.below(3))
          const start = random.chance(30) ? prefix : makeKey()
          const limit = random.pick([1, 2, 17, 500, 100_000])
          const listed = [...model]
            .filter(([key]) => key.startsWith(bytesToKey(prefix)) && key >= bytesToKey(start))
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .slice(0, limit)
          const shown = overlay.values(system, prefix, limit, start)
          expect(shown.map(([key, value]) => [bytesToKey(key), value])).toEqual(listed)
        } else if (kind < 23) {
          // Runs of deleted keys, which ranges note.
          const [first, second] = [random.below(3), random.below(256)]
          for (const key of [...model.keys()].filter((each) => each.charCodeAt(0) === first)) {
            if (Math.abs(key.charCodeAt(1) - second) > 40) continue
            overlay.setValue(system, Uint8Array.from(Buffer.from(key, 'latin1')), undefined)
            model.delete(key)
          }
        } else {
          const key = makeKey()
          const value = random.chance(45) ? undefined : random.bytes(2)
          overlay.setValue(system, key, value)
          if (value === undefined) model.delete(bytesToKey(key))
          else model.set(bytesToKey(key), value)
        }
      }
    }),
  )

  it('reads of its base no more than a range needs, however much was written', () => {
    const system = new Uint8Array(20).fill(9)
    const base = new LatestState(openMemoryStore(), 10)
    const asked: number[] = []
    const overlay = new Overlay({
      account: (address) => base.account(address),
      storage: (address, slot) => base.storage(address, slot),
      code: (hash) => base.code(hash),
      value: (owner, key) => base.value(owner, key),
      values: (owner, prefix, limit, start) => {
        asked.push(limit)
        return base.values(owner, prefix, limit, start)
      },
    })
    for (let i = 0; i < 10_000; i++) overlay.setValue(system, Uint8Array.of(1, i >> 8, i & 255), Uint8Array.of(1))
    expect(overlay.values(system, Uint8Array.of(1), 5)).toHaveLength(5)
    expect(asked).toEqual([6])
  })

  it('passes over what a block has deleted once, and not again for each range', () => {
    const system = new Uint8Array(20).fill(9)
    const key = (index: number) => Uint8Array.of(1, index >> 8, index & 255)
    const below = new Overlay(new LatestState(openMemoryStore(), 10))
    for (let i = 0; i < 10_000; i++) below.setValue(system, key(i), Uint8Array.of(1))
    let read = 0
    const overlay = new Overlay({
      account: (address) => below.account(address),
      storage: (address, slot) => below.storage(address, slot),
      code: (hash) => below.code(hash),
      value: (owner, at) => below.value(owner, at),
      values: (owner, prefix, limit, start) => {
        const found = below.values(owner, prefix, limit, start)
        read += found.length
        return found
      },
    })
    for (let i = 0; i < 9_990; i++) if (i !== 4_000) overlay.setValue(system, key(i), undefined)
    const look = () => overlay.values(system, Uint8Array.of(1), 2).map(([, each]) => each)
    expect(look()).toHaveLength(2)
    expect(read).toBeGreaterThan(9_989)
    for (let count = 0; count < 100; count++) {
      read = 0
      // Deleting more leaves it true; what is there again is found, and only where it is the way is walked again.
      overlay.setValue(system, key(9_990 + (count % 5)), undefined)
      expect(look()).toHaveLength(2)
      expect(read).toBeLessThan(20)
    }
    overlay.checkpoint()
    overlay.setValue(system, key(100), Uint8Array.of(7))
    expect(look()).toEqual([Uint8Array.of(7), Uint8Array.of(1)])
    overlay.revert()
    expect(look()).toEqual([Uint8Array.of(1), Uint8Array.of(1)])
  })

  it('keeps the code that it was given, and gives the empty one without a write', () => {
    const overlay = new Overlay(new LatestState(openMemoryStore(), 10))
    const code = Uint8Array.of(1, 2, 3)
    expect(overlay.code(overlay.setCode(code))).toEqual(code)
    expect(overlay.code(overlay.setCode(NOTHING))).toEqual(NOTHING)
    expect([...overlay.changes().codes.values()]).toEqual([code])
  })

  it('halts on checkpoints that do not pair', () => {
    const overlay = new Overlay(new LatestState(openMemoryStore(), 10))
    expect(() => overlay.commit()).toThrow(InvariantError)
    expect(() => overlay.revert()).toThrow(InvariantError)
    overlay.checkpoint()
    expect(() => overlay.changes()).toThrow(InvariantError)
  })
})

/** Its own answers: that part is not compared. */
const overlayOriginals = (overlay: Overlay): Model => {
  const model = new Model()
  for (const address of ADDRESSES) {
    for (const slot of SLOTS) model.setSlot(address, slot, overlay.originalStorage(address, slot))
  }
  return model
}

describe('what was written on top of an overlay', () => {
  it('is taken over as if it had been written there, and undone with the checkpoint around it', () => {
    const base = new Overlay(new LatestState(openMemoryStore(), 100))
    const [system, owner, other] = ADDRESSES as [Uint8Array, Uint8Array, Uint8Array]
    const [a, ab, abc] = KEYS as [Uint8Array, Uint8Array, Uint8Array]
    base.setValue(system, a, Uint8Array.of(1))
    base.setValue(system, ab, Uint8Array.of(2))
    const layer = new Overlay(base)
    layer.setValue(system, a, undefined)
    layer.setValue(system, abc, Uint8Array.of(3))
    layer.setValue(owner, a, Uint8Array.of(4))
    layer.setAccount(other, { ...EMPTY_ACCOUNT, balance: 5n })
    const shown = (state: StateReader) => [
      ...[a, ab, abc].map((key) => state.value(system, key)?.[0]),
      state.value(owner, a)?.[0],
      state.account(other)?.balance,
      state.values(system, a, 10).length,
    ]
    const before = shown(base)
    base.checkpoint()
    base.absorb(layer.changes())
    expect(shown(base)).toEqual([undefined, 2, 3, 4, 5n, 2])
    expect(shown(base)).toEqual(shown(layer))
    base.revert()
    expect(shown(base)).toEqual(before)
  })

  it('must be of modules alone', () => {
    const base = new Overlay(new LatestState(openMemoryStore(), 100))
    const layer = new Overlay(base)
    layer.setStorage(ADDRESSES[0] as Uint8Array, SLOTS[0] as Uint8Array, Uint8Array.of(1))
    expect(() => base.absorb(layer.changes())).toThrow(InvariantError)
  })
})

import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { describe, expect, it } from 'vitest'
import { bytesToKey, keyToBytes } from '../core/bytes.ts'
import { EMPTY_TRIE_ROOT, type Hash, keccak256 } from '../core/hash.ts'
import { bytesToHex } from '../core/hex.ts'
import { stateRootOf } from '../test/sim/oracle.ts'
import { type Random, seeded } from '../test/sim/random.ts'
import { decodeAccount } from './account-codec.ts'
import { type Commitment, computeCommitment } from './commitment.ts'
import { accountKey, storageTriePath } from './keys.ts'
import { LatestState } from './latest.ts'
import { openMemoryStore } from './memory/memory-store.ts'
import { Overlay } from './overlay.ts'
import { EMPTY_ACCOUNT } from './state.ts'
import type { KeyValueStore } from './store.ts'
import { writeState } from './write-state.ts'

const EVERYTHING = 1_000_000
const ADDRESSES = Array.from({ length: 40 }, (_, index) => keccak256(Uint8Array.of(index)).slice(12))
const SYSTEMS = Array.from({ length: 3 }, (_, index) => new Uint8Array(20).fill(200 + index))
const SLOTS = Array.from({ length: 60 }, (_, index) => new Uint8Array(32).fill(0).with(31, index))

/** Lengths of the entries that a trie of the library would hold are not compared, but what is left behind is. */
const trieSize = (store: KeyValueStore): number => store.scan('trie', { limit: EVERYTHING }).length

const writeRandom = (random: Random, overlay: Overlay): void => {
  const address = random.pick(ADDRESSES)
  const account = overlay.account(address)
  const kind = random.below(10)
  if (kind < 3 || account === undefined) {
    const codeHash = random.chance(20) ? overlay.setCode(random.bytes(40)) : EMPTY_ACCOUNT.codeHash
    const balance = BigInt(random.below(1_000)) ** BigInt(1 + random.below(8))
    overlay.setAccount(address, {
      ...(account ?? EMPTY_ACCOUNT),
      nonce: BigInt(1 + random.below(300)),
      balance,
      codeHash,
    })
  } else if (kind < 7) {
    const slot = random.pick(SLOTS)
    overlay.setStorage(address, slot, random.chance(35) ? new Uint8Array(0) : random.bytes(random.pick([1, 2, 32])))
  } else if (kind < 9) {
    const value = random.chance(30) ? undefined : random.bytes(random.below(60))
    overlay.setValue(
      random.pick(SYSTEMS),
      keccak256(Uint8Array.of(random.below(30))).slice(0, 1 + random.below(6)),
      value,
    )
  } else if (random.chance(50)) {
    overlay.setAccount(address, undefined)
  } else {
    overlay.clearStorage(address)
  }
}

const commitTo = (store: KeyValueStore, height: number, commitment: Commitment): void => {
  const batch = store.batch()
  writeState(batch, height, commitment)
  store.write(batch, { sync: false })
}

interface Chain {
  readonly store: KeyValueStore
  root: Hash
  height: number
}

/** System accounts stand from the first block: nonce 1, as every module has one. */
const begin = (): Chain => {
  const chain: Chain = { store: openMemoryStore(), root: EMPTY_TRIE_ROOT, height: 0 }
  apply(chain, (overlay) => {
    for (const system of SYSTEMS) overlay.setAccount(system, { ...EMPTY_ACCOUNT, nonce: 1n })
  })
  return chain
}

/** A fresh reader each time: what the database holds is what counts. */
const apply = (chain: Chain, change: (overlay: Overlay) => void): Commitment => {
  const base = new LatestState(chain.store, 1_000)
  const overlay = new Overlay(base)
  change(overlay)
  const commitment = computeCommitment(chain.store, base, chain.root, overlay.changes())
  commitTo(chain.store, ++chain.height, commitment)
  chain.root = commitment.stateRoot
  return commitment
}

describe('the commitment of a block', () => {
  it(
    'is the root that a trie library gives the flat state, over random blocks with deletions and cleared storage',
    seeded(97, async (random) => {
      const chain = begin()
      for (let block = 0; block < 60; block++) {
        const changes = random.pick([1, 5, 60])
        const { accounts, slots, values } = apply(chain, (overlay) => {
          for (let i = 0; i < changes; i++) {
            overlay.checkpoint()
            writeRandom(random, overlay)
            if (random.chance(20)) overlay.revert()
            else overlay.commit()
          }
        })
        expect(bytesToHex(chain.root), `block ${block}`).toBe(await stateRootOf(chain.store))
        for (const { before, after } of [...accounts, ...values]) expect(before).not.toEqual(after)
        for (const { before, after } of slots) expect(before).not.toEqual(after)
      }
    }),
  )

  it(
    'leaves no node and no slot behind when everything is deleted',
    seeded(98, async (random) => {
      const chain = begin()
      apply(chain, (overlay) => {
        for (let i = 0; i < 400; i++) writeRandom(random, overlay)
      })
      expect(trieSize(chain.store)).toBeGreaterThan(40)
      apply(chain, (overlay) => {
        for (const address of ADDRESSES) overlay.setAccount(address, undefined)
        for (const system of SYSTEMS) {
          for (const [key] of overlay.values(system, new Uint8Array(0), EVERYTHING))
            overlay.setValue(system, key, undefined)
          overlay.setAccount(system, undefined)
        }
      })
      expect(bytesToHex(chain.root)).toBe(bytesToHex(EMPTY_TRIE_ROOT))
      expect(chain.store.scan('state', { limit: EVERYTHING })).toEqual([])
      expect(trieSize(chain.store)).toBe(0)
    }),
  )

  it('gives an account that is deleted and made again in one block a storage of its own', async () => {
    const chain = begin()
    const [address = new Uint8Array(20)] = ADDRESSES
    const [one = address, two = address, three = address] = SLOTS
    const alive = { ...EMPTY_ACCOUNT, nonce: 1n }
    apply(chain, (overlay) => {
      overlay.setAccount(address, alive)
      for (const slot of [one, two]) overlay.setStorage(address, slot, Uint8Array.of(5))
    })
    apply(chain, (overlay) => {
      overlay.setAccount(address, undefined)
      overlay.setAccount(address, alive)
      overlay.setStorage(address, two, Uint8Array.of(5))
      overlay.setStorage(address, three, Uint8Array.of(6))
    })
    const state = new LatestState(chain.store, 10)
    expect([one, two, three].map((slot) => [...state.storage(address, slot)])).toEqual([[], [5], [6]])
    expect(bytesToHex(chain.root)).toBe(await stateRootOf(chain.store))
    apply(chain, (overlay) => overlay.clearStorage(address))
    const held = chain.store.get('state', accountKey(address))
    expect(held === undefined ? held : decodeAccount(held)).toEqual(alive)
    const prefix = storageTriePath(keccak256(address), new Uint8Array(0))
    const left = chain.store.scan('trie', { gte: prefix, limit: 1 })
    expect(left.map(([key]) => bytesToKey(key).startsWith(bytesToKey(prefix)))).not.toContain(true)
  })

  it('writes nothing: two candidates of one height do not see each other', () => {
    const chain = begin()
    const [address = new Uint8Array(20)] = ADDRESSES
    const base = new LatestState(chain.store, 10)
    const rootWith = (balance: bigint): string => {
      const overlay = new Overlay(base)
      overlay.setAccount(address, { ...EMPTY_ACCOUNT, balance })
      return bytesToHex(computeCommitment(chain.store, base, chain.root, overlay.changes()).stateRoot)
    }
    const before = chain.store.sequence()
    expect([rootWith(1n), rootWith(2n), rootWith(1n)]).toEqual([rootWith(1n), rootWith(2n), rootWith(1n)])
    expect(rootWith(1n)).not.toBe(rootWith(2n))
    expect(chain.store.sequence()).toBe(before)
  })

  it('breaks an invariant rather than clear a part of a storage', () => {
    const chain = begin()
    const [address, slot] = [ADDRESSES[0] as Uint8Array, SLOTS[1] as Uint8Array]
    apply(chain, (overlay) => {
      overlay.setAccount(address, { ...EMPTY_ACCOUNT, nonce: 1n })
      overlay.setStorage(address, slot, Uint8Array.of(1))
    })
    const base = new LatestState(chain.store, 1_000)
    const overlay = new Overlay(base)
    overlay.clearStorage(address)
    const found = [new Uint8Array(53), Uint8Array.of(1)]
    const endless: Partial<KeyValueStore> = {
      getMany: (column, keys) => chain.store.getMany(column, keys),
      scan: (_, { limit }) => Array.from({ length: limit }, () => found) as never,
    }
    expect(() => computeCommitment(endless as KeyValueStore, base, chain.root, overlay.changes())).toThrow(
      'a storage of more than 1000000 entries would be cleared',
    )
  })

  it('counts a write of what is there already as none', () => {
    const chain = begin()
    const [address = new Uint8Array(20)] = ADDRESSES
    const [slot = address] = SLOTS
    const [system = address] = SYSTEMS
    const write = (overlay: Overlay): void => {
      overlay.setAccount(address, { ...(overlay.account(address) ?? EMPTY_ACCOUNT), nonce: 4n })
      overlay.setStorage(address, slot, Uint8Array.of(0, 0, 9))
      overlay.setValue(system, slot, Uint8Array.of(0))
    }
    apply(chain, write)
    const root = chain.root
    const { stateRoot, accounts, slots, values, nodes } = apply(chain, write)
    expect([accounts, slots, values, nodes.size]).toEqual([[], [], [], 0])
    expect(stateRoot).toEqual(root)
  })

  it('proves a module value as an ordinary storage proof', async () => {
    const chain = begin()
    const [system = new Uint8Array(20)] = SYSTEMS
    const key = keyToBytes('some key')
    const value = keyToBytes('some value')
    apply(chain, (overlay) => overlay.setValue(system, key, value))
    const trie = new MerklePatriciaTrie({ useKeyHashing: true })
    // Slot keccak256(key) holds keccak256(value), as RLP of 32 bytes.
    await trie.put(keccak256(key), Uint8Array.of(0xa0, ...keccak256(value)))
    const account = new LatestState(chain.store, 10).account(system)
    expect(account?.storageRoot === undefined ? '' : bytesToHex(account.storageRoot)).toBe(bytesToHex(trie.root()))
  })
})

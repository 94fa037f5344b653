import { createMerkleProof, MerklePatriciaTrie } from '@ethereumjs/mpt'
import { describe, expect, it } from 'vitest'
import { bytesToKey, keyToBytes, trimLeadingZeros } from '../core/bytes.ts'
import { EMPTY_TRIE_ROOT, type Hash, keccak256 } from '../core/hash.ts'
import { bytesToHex } from '../core/hex.ts'
import { encodeRlp } from '../core/rlp.ts'
import { type Random, seeded } from '../test/sim/random.ts'
import { encodeTrieAccount } from './account-codec.ts'
import { computeCommitment, type Commitment } from './commitment.ts'
import { HistoricalTrieNodes } from './historical-trie-nodes.ts'
import { HistoricalState } from './history.ts'
import { LatestState } from './latest.ts'
import { Overlay } from './overlay.ts'
import { EMPTY_ACCOUNT } from './state.ts'
import { StateTrie } from './state-trie.ts'
import type { Entry, KeyValueStore } from './store.ts'
import { BACKENDS } from './testing/backends.ts'
import { mergeNodeHistory, NODE_ABSENT, NODE_DIFFERENCE, NODE_LEAF, NODE_WHOLE } from './trie-history.ts'
import { readTrieHistoryKey, trieHistoryKey } from './trie-history.ts'
import { writeGenesisState } from './testing/write-genesis-state.ts'
import { writeState } from './write-state.ts'

const EVERYTHING = 10_000_000
const HEIGHTS = 60
const ADDRESSES = Array.from({ length: 150 }, (_, index) => keccak256(Uint8Array.of(index)).slice(12))
const SYSTEMS = [1, 2].map((index) => new Uint8Array(20).fill(200 + index))
const SLOTS = Array.from({ length: 40 }, (_, index) => new Uint8Array(32).with(31, index))
const KEYS = Array.from({ length: 120 }, (_, index) => Uint8Array.of(0, index, 255))

/** The state trie in a library that is not ours; it keeps the nodes of every root that it had. */
class Oracle {
  readonly accounts = new MerklePatriciaTrie()
  readonly storage = new Map<string, MerklePatriciaTrie>()

  async apply({ accounts, slots, values }: Commitment): Promise<void> {
    for (const { address, slot, after } of slots) await this.#put(address, slot, after)
    for (const { system, key, after } of values) {
      await this.#put(system, keccak256(key), after === undefined ? new Uint8Array(0) : keccak256(after))
    }
    for (const { address, after } of accounts) {
      if (after === undefined) await this.accounts.del(keccak256(address))
      else await this.accounts.put(keccak256(address), encodeTrieAccount(after))
    }
  }

  /** The nodes of a proof that stand for themselves, as eth_getProof lists them. */
  async prove(trie: MerklePatriciaTrie, root: Hash, key: Uint8Array): Promise<string[]> {
    if (bytesToHex(root) === bytesToHex(EMPTY_TRIE_ROOT)) return []
    trie.root(root)
    const nodes = await createMerkleProof(trie, keccak256(key))
    return nodes.filter((node, i) => i === 0 || node.length >= 32).map(bytesToHex)
  }

  storageOf(address: Uint8Array): MerklePatriciaTrie {
    const name = bytesToKey(address)
    const held = this.storage.get(name) ?? new MerklePatriciaTrie()
    this.storage.set(name, held)
    return held
  }

  async #put(address: Uint8Array, slot: Uint8Array, value: Uint8Array): Promise<void> {
    const trie = this.storageOf(address)
    const short = trimLeadingZeros(value)
    if (short.length === 0) await trie.del(keccak256(slot))
    else await trie.put(keccak256(slot), encodeRlp(short))
  }
}

const randomWrite = (random: Random, overlay: Overlay): void => {
  const address = random.pick(ADDRESSES)
  const account = overlay.account(address)
  const kind = random.below(10)
  if (kind < 5 || account === undefined) {
    const nonce = (account?.nonce ?? 0n) + 1n
    overlay.setAccount(address, { ...(account ?? EMPTY_ACCOUNT), nonce, balance: BigInt(random.below(1e9)) })
  } else if (kind < 7) {
    overlay.setStorage(address, random.pick(SLOTS), random.chance(30) ? new Uint8Array(0) : random.bytes(8))
  } else if (kind < 9) {
    overlay.setValue(random.pick(SYSTEMS), random.pick(KEYS), random.chance(20) ? undefined : random.bytes(9))
  } else if (random.chance(30)) overlay.setAccount(address, undefined)
  else overlay.clearStorage(address)
}

/** Blocks as the committer writes them, with the nodes and the root of every height. */
class Chain {
  readonly store: KeyValueStore
  readonly oracle = new Oracle()
  readonly roots: Hash[] = []
  /** Column `trie` at each height. */
  readonly nodes: ReadonlyMap<string, Uint8Array>[] = []
  committed = 0
  #latest = new Map<string, Uint8Array>()

  constructor(store: KeyValueStore) {
    this.store = store
  }

  async block(change: (overlay: Overlay) => void): Promise<void> {
    const base = new LatestState(this.store, 1_000)
    const overlay = new Overlay(base)
    change(overlay)
    const height = this.roots.length
    const root = this.roots.at(-1) ?? EMPTY_TRIE_ROOT
    const commitment = computeCommitment(this.store, base, root, overlay.changes())
    const batch = this.store.batch()
    if (height === 0) writeGenesisState(batch, commitment)
    else writeState(batch, height, commitment)
    this.committed = height
    this.store.write(batch, { sync: false })
    await this.oracle.apply(commitment)
    this.roots.push(commitment.stateRoot)
    this.#latest = new Map(this.#latest)
    for (const [key, node] of commitment.nodes) {
      if (node === undefined) this.#latest.delete(key)
      else this.#latest.set(key, node)
    }
    this.nodes.push(this.#latest)
  }

  reader(height: number): HistoricalTrieNodes {
    const committed = (): number => this.committed
    return new HistoricalTrieNodes(this.store, height, committed, new HistoricalState(this.store, height, committed))
  }

  /** Every node that ever was, as `reader` has it and as it was. */
  expectNodes(reader: HistoricalTrieNodes, height: number): void {
    const names = [...new Set(this.nodes.flatMap((nodes) => [...nodes.keys()]))]
    const read = reader.getMany(names.map(keyToBytes))
    const expected = this.nodes[height]
    const wrong = names.filter((name, i) => {
      const [ours, theirs] = [read[i], expected?.get(name)]
      return ours === undefined || theirs === undefined ? ours !== theirs : bytesToHex(ours) !== bytesToHex(theirs)
    })
    expect(wrong.map((name) => bytesToHex(keyToBytes(name)))).toEqual([])
  }
}

const grow = async (random: Random, store: KeyValueStore, heights = HEIGHTS): Promise<Chain> => {
  const chain = new Chain(store)
  await chain.block((overlay) => {
    for (const system of SYSTEMS) overlay.setAccount(system, { ...EMPTY_ACCOUNT, nonce: 1n })
    for (const address of ADDRESSES.slice(50)) overlay.setAccount(address, { ...EMPTY_ACCOUNT, balance: 7n })
  })
  for (let height = 1; height <= heights; height++) {
    const changes = random.pick([1, 3, 3, 60])
    await chain.block((overlay) => {
      for (let i = 0; i < changes; i++) randomWrite(random, overlay)
    })
  }
  return chain
}

/** The entries of each node, oldest first. */
const entriesOf = (store: KeyValueStore): ReadonlyMap<string, readonly Entry[]> =>
  Map.groupBy(store.scan('trie_history', { limit: EVERYTHING }), ([key]) => bytesToKey(key.subarray(0, -8)))

/** Drops what no kept height needs, as pruning does. */
const prune = (store: KeyValueStore, isKept: (height: number) => boolean): number => {
  let dropped = 0
  const batch = store.batch()
  for (const entries of entriesOf(store).values()) {
    let lower = 0
    let kept: { readonly key: Uint8Array; value: Uint8Array } | undefined
    for (const [key, value] of entries) {
      const { height } = readTrieHistoryKey(key)
      const isNeeded = Array.from({ length: height - lower }, (_, i) => lower + i).some(isKept)
      lower = height
      if (isNeeded) kept = { key, value }
      else {
        dropped++
        batch.delete('trie_history', key)
        if (kept !== undefined) {
          kept.value = mergeNodeHistory(kept.value, value)
          batch.put('trie_history', kept.key, kept.value)
        }
      }
    }
  }
  store.write(batch, { sync: false })
  return dropped
}

describe.each(BACKENDS)('the trie history on the $name store', ({ withStore }) => {
  it.each([1, 2, 3])(
    'gives every node of every height as it was then, seed %i',
    async (seed) =>
      await withStore(async (store) => {
        await seeded(seed, async (random) => {
          const chain = await grow(random, store)
          for (let height = 0; height <= HEIGHTS; height++) chain.expectNodes(chain.reader(height), height)
        })()
      }),
  )

  it('gives the proofs that @ethereumjs/mpt gives of the trie of that height, of what is there and of what is not', async () =>
    await withStore(async (store) => {
      await seeded(11, async (random) => {
        const chain = await grow(random, store)
        const { oracle } = chain
        for (let height = 0; height <= HEIGHTS; height++) {
          const root = chain.roots[height] as Hash
          const trie = new StateTrie(chain.reader(height), root)
          for (const address of [...SYSTEMS, ...ADDRESSES.slice(0, 12), ...ADDRESSES.slice(-12), random.bytes(20)]) {
            const { account, nodes } = trie.proveAccount(address)
            expect(nodes.map(bytesToHex)).toEqual(await oracle.prove(oracle.accounts, root, address))
            if (account === undefined) continue
            for (const slot of [random.pick(SLOTS), keccak256(random.pick(KEYS))]) {
              const storage = trie.proveSlot(address, account.storageRoot, slot)
              const theirs = await oracle.prove(oracle.storageOf(address), account.storageRoot, slot)
              expect(storage.nodes.map(bytesToHex)).toEqual(theirs)
            }
          }
        }
      })()
    }))

  it('stays what it was in a reader that lives while blocks are written', async () =>
    await withStore(async (store) => {
      await seeded(12, async (random) => {
        const chain = await grow(random, store, 5)
        const height = chain.committed
        const reader = chain.reader(height)
        chain.expectNodes(reader, height)
        for (let i = 0; i < 20; i++) {
          await chain.block((overlay) => {
            for (let n = 0; n < 20; n++) randomWrite(random, overlay)
          })
          chain.expectNodes(reader, height)
          chain.expectNodes(chain.reader(height), height)
        }
        reader.close()
      })()
    }))

  it.each([
    ['every fifth height', (height: number): boolean => height % 5 === 0 || height > HEIGHTS - 3],
    ['every 17th height', (height: number): boolean => height % 17 === 0],
    ['the head alone', (height: number): boolean => height === HEIGHTS],
    ['one height in the middle', (height: number): boolean => height === 20],
  ])(
    'is at kept heights what it was before pruning: %s',
    async (_, isKept) =>
      await withStore(async (store) => {
        await seeded(13, async (random) => {
          const chain = await grow(random, store)
          expect(prune(store, isKept)).toBeGreaterThan(100)
          // And once more, over what was merged.
          prune(store, isKept)
          for (let height = 0; height <= HEIGHTS; height++) {
            if (isKept(height)) chain.expectNodes(chain.reader(height), height)
          }
        })()
      }),
  )

  it('is none of the genesis block, and small', async () =>
    await withStore(async (store) => {
      await seeded(14, async (random) => {
        await grow(random, store, 0)
        expect(store.scan('trie_history', { limit: 1 })).toEqual([])
        expect(store.scan('history', { limit: 1 })).toEqual([])
      })()
      await seeded(15, async (random) => {
        const chain = await grow(random, store, HEIGHTS)
        const kinds = [NODE_ABSENT, NODE_WHOLE, NODE_DIFFERENCE, NODE_LEAF].map(() => ({ entries: 0, bytes: 0 }))
        for (const [, value] of chain.store.scan('trie_history', { limit: EVERYTHING })) {
          const kind = kinds[value[0] as number] as { entries: number; bytes: number }
          kind.entries++
          kind.bytes += value.length
        }
        const [absent, whole, difference, leaf] = kinds.map(({ entries, bytes }) => bytes / entries)
        expect([absent, leaf]).toEqual([1, 21])
        expect(difference).toBeLessThan(whole as number)
      })()
    }))
})

describe('keys of the trie history', () => {
  it('say node and height again, and keep the entries of a node together and in order', () => {
    const nodes = ['A', 'S'.padEnd(33, '\0\u00ff')].flatMap((prefix) =>
      ['', '\0', '\0\0', '\x0f', '\x0f\0', '\0\0\0', '\x0f\x01\x02'].map((path) => keyToBytes(prefix + path)),
    )
    const heights = [0, 1, 255, 256, 2 ** 32, 2 ** 40 + 7]
    const keys = nodes.flatMap((key) => heights.map((height) => ({ key, height })))
    for (const { key, height } of keys) {
      expect(readTrieHistoryKey(trieHistoryKey(key, height))).toEqual({ key, height })
    }
    const sorted = keys.map(({ key, height }) => bytesToKey(trieHistoryKey(key, height))).toSorted()
    const names = sorted.map((name) => readTrieHistoryKey(keyToBytes(name)))
    const runs = names.filter(({ key }, i) => bytesToKey(key) !== bytesToKey(names[i - 1]?.key ?? new Uint8Array(0)))
    expect(runs).toHaveLength(nodes.length)
    for (let i = 0; i < names.length; i += heights.length) {
      expect(names.slice(i, i + heights.length).map(({ height }) => height)).toEqual(heights)
    }
  })
})

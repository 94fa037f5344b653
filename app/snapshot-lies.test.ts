/** Snapshots whose parts add up to the trusted root, and which are not the state that has it. */
import { describe, expect, it } from 'vitest'
import { moduleAddress } from '../core/address.ts'
import { compareBytes, concatBytes, EMPTY_BYTES, equalBytes, trimLeadingZeros } from '../core/bytes.ts'
import { keccak256, sha256 } from '../core/hash.ts'
import { encodeRlp } from '../core/rlp.ts'
import { storageKey } from '../store/keys.ts'
import { BLOCK_SECTION, ChunkBuilder, CODE_SECTION, readChunk, STATE_SECTION } from '../store/snapshot/chunk.ts'
import { encodeSnapshotMetadata, parseSnapshotMetadata, SNAPSHOT_FORMAT } from '../store/snapshot/metadata.ts'
import type { Entry } from '../store/store.ts'
import { verifyState } from '../store/verify-state.ts'
import { SimNode } from '../test/sim/sim-node.ts'
import { makeSnapshot, PLAIN_SHELF } from '../test/sim/snapshot.ts'
import { gossip, withWorld, type World } from '../test/sim/world.ts'
import type { SnapshotShelf } from './environment.ts'
import { isModuleAddress } from './genesis/module-accounts.ts'
import { ChainReader } from './index/chain-reader.ts'
import type { SnapshotChunkResult, SnapshotDescription } from './ports.ts'

/** Keys have their section before them. */
type Entries = readonly Entry[]
interface Offered {
  readonly description: SnapshotDescription
  readonly contents: readonly Uint8Array[]
}

const tagged = (section: number, tag: string): ((key: Uint8Array) => boolean) => {
  const code = tag.charCodeAt(0)
  return (key) => key[0] === section && (tag === '' || key[1] === code)
}
const isSlot = tagged(STATE_SECTION, 's')
const isValue = tagged(STATE_SECTION, 'v')
const isAccount = tagged(STATE_SECTION, 'a')
const isCode = tagged(CODE_SECTION, '')

const entriesOf = (contents: readonly Uint8Array[]): Entries => {
  let last: Uint8Array = EMPTY_BYTES
  return contents.flatMap((content) => {
    const entries = [...readChunk(content, last)].map(([key, value]): Entry => [key.slice(), value.slice()])
    last = entries.at(-1)?.[0] ?? last
    return entries
  })
}

/** A peer's snapshot of these entries that names itself rightly. */
const offerOf = ({ description }: Offered, entries: Entries): Offered => {
  const builder = new ChunkBuilder()
  const contents: Uint8Array[] = []
  for (const [key, value] of entries) {
    const [section = 0] = key
    if (builder.add(section, key.subarray(1), value)) continue
    contents.push(builder.take().slice())
    builder.add(section, key.subarray(1), value)
  }
  contents.push(builder.take().slice())
  const count = (is: (key: Uint8Array) => boolean): number => entries.filter(([key]) => is(key)).length
  const metadata = encodeSnapshotMetadata({
    ...parseSnapshotMetadata(description.metadata),
    chunkHashes: contents.map((content) => sha256(content)),
    counts: { codes: count(isCode), accounts: count(isAccount), slots: count(isSlot), values: count(isValue) },
  })
  const { height } = description
  return {
    contents,
    description: { height, format: SNAPSHOT_FORMAT, chunks: contents.length, hash: sha256(metadata), metadata },
  }
}

const sorted = (entries: Entries): Entries => entries.toSorted(([a], [b]) => compareBytes(a, b))

const openVictim = ({ application }: SimNode, shelf: SnapshotShelf = PLAIN_SHELF): Promise<SimNode> =>
  SimNode.open({
    name: 'victim',
    clock: { nowMs: 0 },
    snapshots: shelf,
    ...(application.parameters === undefined ? {} : { expectedChain: application.parameters }),
  })

const send = async (
  victim: SimNode,
  source: SimNode,
  { description, contents }: Offered,
): Promise<SnapshotChunkResult> => {
  expect(victim.application.offerSnapshot(description, source.application.info().lastBlockAppHash)).toBe('accept')
  let last: SnapshotChunkResult | undefined
  for (const [index, chunk] of contents.entries()) {
    last = await victim.application.applySnapshotChunk({ index, chunk, sender: `peer ${index % 2}` })
    if (last.result !== 'accept') break
  }
  return last as SnapshotChunkResult
}

const sourceOf = async ({ driver, nodes, traffic }: World, blocks = 12): Promise<SimNode> => {
  for (let i = 0; i < blocks; i++) {
    for (let count = driver.random.below(8); count > 0; count--) gossip(nodes, await traffic.next())
    await driver.step()
  }
  return nodes[0] as SimNode
}

const honest = (source: SimNode): Offered => makeSnapshot(source.store, source.application.info().lastBlockHeight)

/** A module's value as the slot that has the same leaf in the trie. */
const valueAsSlot = ([key, value]: Entry): Entry => [
  concatBytes(Uint8Array.of(STATE_SECTION), storageKey(key.subarray(2, 22), keccak256(key.subarray(22)))),
  trimLeadingZeros(keccak256(value)),
]

const ofModule =
  (name: string) =>
  ([key]: Entry): boolean =>
    isValue(key) && equalBytes(key.subarray(2, 22), moduleAddress(name))

const expectRejected = async (source: SimNode, lie: Offered, reason: string): Promise<void> => {
  const victim = await openVictim(source)
  const { result, rejectSenders } = await send(victim, source, lie)
  expect(result).toBe('rejectSnapshot')
  // Whoever sent a part of it is not asked again.
  expect(rejectSenders).toContain('peer 0')
  expect(victim.warnings.join('\n')).toContain(reason)
  for (const column of ['meta', 'state', 'code', 'trie', 'blocks', 'index'] as const) {
    expect(victim.store.scan(column, { limit: 1 })).toEqual([])
  }
  expect((await send(victim, source, honest(source))).result).toBe('accept')
  expect(victim.application.info()).toEqual(source.application.info())
}

describe('a snapshot that adds up to the trusted root', () => {
  it.each(['gov', 'staking', 'bank', 'consensus'])('is refused when it has the values of %s as storage slots', (name) =>
    withWorld(731, {}, async (world) => {
      const source = await sourceOf(world, 3)
      const snapshot = honest(source)
      const entries = entriesOf(snapshot.contents)
      const lie = entries.map((entry) => (ofModule(name)(entry) ? valueAsSlot(entry) : entry))
      await expectRejected(source, offerOf(snapshot, sorted(lie)), 'storage slots at the address of a module')
    })(),
  )

  it(
    'is refused when it has the values of a module twice and leaves the storage of a contract out',
    withWorld(732, {}, async (world) => {
      const source = await sourceOf(world)
      const snapshot = honest(source)
      const entries = entriesOf(snapshot.contents)
      const [contract] = entries.filter(([key]) => isSlot(key)).map(([key]) => key.slice(0, 22))
      expect(contract).toBeDefined()
      const without = entries.filter(([key]) => !equalBytes(key.subarray(0, 22), contract as Uint8Array))
      const lie = [...without, ...without.filter(ofModule('gov')).map(valueAsSlot)]
      await expectRejected(source, offerOf(snapshot, sorted(lie)), 'storage slots at the address of a module')
    }),
  )

  it(
    'is refused when it has module values at an address that is no module',
    withWorld(733, {}, async (world) => {
      const source = await sourceOf(world)
      const snapshot = honest(source)
      const entries = entriesOf(snapshot.contents)
      const [[key] = [EMPTY_BYTES]] = entries.filter(([each]) => isSlot(each))
      const value = concatBytes(Uint8Array.of(STATE_SECTION, 'v'.charCodeAt(0)), key.subarray(2, 22), Uint8Array.of(1))
      const lie = [...entries, [value, Uint8Array.of(1)] as const]
      await expectRejected(source, offerOf(snapshot, sorted(lie)), 'module values at the address of no module')
    }),
  )

  it(
    'is refused when it brings code that no account names, and has none of it when it is made',
    withWorld(734, {}, async (world) => {
      const source = await sourceOf(world)
      const snapshot = honest(source)
      const entries = entriesOf(snapshot.contents)
      const junk = Array.from({ length: 50 }, (_, index): Entry => {
        const code = new Uint8Array(2_000).fill(index + 1)
        return [concatBytes(Uint8Array.of(CODE_SECTION), keccak256(code)), code]
      })
      await expectRejected(source, offerOf(snapshot, sorted([...entries, ...junk])), 'code that no account names')
      // Code stays in a database when the account that had it is gone, or delegates to another.
      const batch = source.store.batch()
      for (const [key, code] of junk) batch.put('code', key.slice(1), code)
      source.store.write(batch, { sync: false })
      expect(honest(source)).toEqual(snapshot)
    }),
  )

  it(
    'is refused when an entry comes twice, or out of order',
    withWorld(735, {}, async (world) => {
      const source = await sourceOf(world)
      const snapshot = honest(source)
      const entries = entriesOf(snapshot.contents)
      for (const is of [isCode, isAccount, isSlot, isValue, tagged(BLOCK_SECTION, '')]) {
        const at = entries.findIndex(([key]) => is(key))
        const entry = entries[at] as Entry
        for (const lie of [entries.toSpliced(at, 0, entry), [...entries, entry]]) {
          await expectRejected(source, offerOf(snapshot, lie), 'its entries are not in order')
        }
      }
    }),
  )

  it(
    'is refused when a chunk is empty',
    withWorld(736, {}, async (world) => {
      const source = await sourceOf(world, 4)
      const snapshot = honest(source)
      const contents = [...snapshot.contents, EMPTY_BYTES]
      const metadata = encodeSnapshotMetadata({
        ...parseSnapshotMetadata(snapshot.description.metadata),
        chunkHashes: contents.map((content) => sha256(content)),
      })
      const description = { ...snapshot.description, chunks: contents.length, hash: sha256(metadata), metadata }
      await expectRejected(source, { contents, description }, 'it is empty')
    }),
  )

  it(
    'is refused before its receipts are held, when they are more than the gas of the block allows',
    withWorld(737, {}, async (world) => {
      const source = await sourceOf(world, 4)
      const snapshot = honest(source)
      const entries = entriesOf(snapshot.contents)
      const log = [new Uint8Array(20), [], EMPTY_BYTES] as const
      const many = encodeRlp([Uint8Array.of(1), Uint8Array.of(1), Array.from({ length: 50_000 }, () => log)])
      const lie = Array.from({ length: 60 }, (_, index): Entry => {
        const key = Uint8Array.of(BLOCK_SECTION, 'r'.charCodeAt(0), 1, 0, 0, index)
        return [key, many]
      })
      const limit = /a block of more than [0-9]+ bytes/.source
      await expectRejected(source, offerOf(snapshot, sorted([...entries, ...lie])), limit.slice(0, 20))
    }),
  )
})

describe('a restore', () => {
  it(
    'gives up a snapshot for which the disk has no room, before the disk is full',
    withWorld(738, {}, async (world) => {
      const source = await sourceOf(world, 4)
      let freeBytes = Number.MAX_SAFE_INTEGER
      const victim = await openVictim(source, { ...PLAIN_SHELF, freeBytes: () => freeBytes })
      freeBytes = 100_000_000
      expect((await send(victim, source, honest(source))).result).toBe('rejectSnapshot')
      expect(victim.store.scan('state', { limit: 1 })).toEqual([])
      freeBytes = 10_000_000_000
      expect((await send(victim, source, honest(source))).result).toBe('accept')
    }),
  )
})

describe('verifyState', () => {
  it(
    'finds the values of a module that stand there as slots, and accepts what a chain has',
    withWorld(739, {}, async (world) => {
      const { store, application } = await sourceOf(world)
      const { stateRoot } = new ChainReader(store).header(application.height)?.header ?? { stateRoot: EMPTY_BYTES }
      expect(verifyState(store, stateRoot, isModuleAddress)).not.toHaveProperty('difference')
      const batch = store.batch()
      const state = store.scan('state', { limit: 100_000 })
      for (const [key, value] of state) {
        if (key[0] !== 'v'.charCodeAt(0) || !equalBytes(key.subarray(1, 21), moduleAddress('gov'))) continue
        const [slot, hash] = valueAsSlot([concatBytes(Uint8Array.of(STATE_SECTION), key), value])
        batch.delete('state', key)
        batch.put('state', slot.subarray(1), hash)
      }
      store.write(batch, { sync: false })
      expect(verifyState(store, stateRoot, isModuleAddress)).toMatchObject({
        difference: expect.stringContaining('stands at the address of a module') as string,
      })
    }),
  )
})

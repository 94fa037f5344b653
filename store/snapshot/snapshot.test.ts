import { describe, expect, it } from 'vitest'
import { equalBytes, utf8ToBytes } from '../../core/bytes.ts'
import { bytesToHex, type Hex } from '../../core/hex.ts'
import { CodedError } from '../../core/errors.ts'
import { EMPTY_TRIE_ROOT, type Hash, keccak256, sha256 } from '../../core/hash.ts'
import { encodeRlpList, splitRlpList } from '../../core/rlp.ts'
import { stateRootOf } from '../../test/sim/oracle.ts'
import { type Random, seeded } from '../../test/sim/random.ts'
import { decodeAccount, encodeAccount } from '../account-codec.ts'
import { computeCommitment } from '../commitment.ts'
import { LatestState } from '../latest.ts'
import { openMemoryStore } from '../memory/memory-store.ts'
import { Overlay } from '../overlay.ts'
import { EMPTY_ACCOUNT } from '../state.ts'
import type { Column, KeyValueStore } from '../store.ts'
import { BACKENDS } from '../testing/backends.ts'
import { writeState } from '../write-state.ts'
import { BLOCK_SECTION, ChunkBuilder, CODE_SECTION, STATE_SECTION } from './chunk.ts'
import { snapshotContents } from './create.ts'
import { SNAPSHOT_CODES } from './errors.ts'
import {
  encodeSnapshotMetadata,
  MAX_METADATA_BYTES,
  parseSnapshotMetadata,
  type SnapshotCounts,
  type SnapshotMetadata,
} from './metadata.ts'
import { beginProgress, writeProgress } from './progress.ts'
import { MAX_BLOCK_SECTION_BYTES, STAGED_BLOCK_PREFIX } from './restore-chunk.ts'
import { SnapshotRestore } from './restore.ts'

const EVERYTHING = 10_000_000
const HASH = sha256(Uint8Array.of(7))
const SYSTEMS = Array.from({ length: 3 }, (_, index) => new Uint8Array(20).fill(200 + index))

/** Accounts with and without code and storage, deletions among them, and module values: over several blocks. */
const writeRandomState = (random: Random, store: KeyValueStore): Hash => {
  let root = EMPTY_TRIE_ROOT
  const addresses = Array.from({ length: 10 + random.below(60) }, () => random.bytes(20))
  for (let height = 1; height <= 4; height++) {
    const base = new LatestState(store, 1_000)
    const overlay = new Overlay(base)
    if (height === 1) for (const system of SYSTEMS) overlay.setAccount(system, { ...EMPTY_ACCOUNT, nonce: 1n })
    for (const address of addresses) {
      if (random.chance(15)) overlay.setAccount(address, undefined)
      else if (random.chance(70)) writeRandomAccount(random, overlay, address)
    }
    for (let i = 0; i < 40; i++) {
      const value = random.chance(20) ? undefined : random.bytes(random.below(90))
      overlay.setValue(random.pick(SYSTEMS), random.bytes(1 + random.below(3)), value)
    }
    const commitment = computeCommitment(store, base, root, overlay.changes())
    const batch = store.batch()
    writeState(batch, height, commitment)
    store.write(batch, { sync: false })
    root = commitment.stateRoot
  }
  return root
}

const writeRandomAccount = (random: Random, overlay: Overlay, address: Uint8Array): void => {
  const codeHash = random.chance(40) ? overlay.setCode(random.bytes(1 + random.below(300))) : EMPTY_ACCOUNT.codeHash
  const held = overlay.account(address) ?? EMPTY_ACCOUNT
  overlay.setAccount(address, {
    ...held,
    nonce: BigInt(1 + random.below(300)),
    balance: BigInt(random.below(2 ** 31)),
    codeHash,
  })
  const slots = random.chance(50) ? random.below(30) : 0
  for (let i = 0; i < slots; i++) {
    const slot = new Uint8Array(32).fill(0).with(31, random.below(50))
    overlay.setStorage(address, slot, random.chance(20) ? new Uint8Array(0) : random.bytes(random.pick([1, 2, 32])))
  }
}

interface Snapshot {
  readonly contents: readonly Uint8Array[]
  readonly counts: SnapshotCounts
}

const BLOCK = [
  [Uint8Array.of(1, 1), Uint8Array.of(9)],
  [Uint8Array.of(1, 2), new Uint8Array(0)],
] as const

const snapshotOf = (store: KeyValueStore, maxChunkBytes: number): Snapshot => {
  const [code, state] = [store.cursor('code'), store.cursor('state')]
  const contents: Uint8Array[] = []
  const generator = snapshotContents({ code, state, block: BLOCK }, maxChunkBytes)
  let step = generator.next()
  for (; step.done !== true; step = generator.next()) contents.push(step.value.slice())
  code.close()
  state.close()
  return { contents, counts: step.value }
}

const metadataOf = ({ contents, counts }: Snapshot): SnapshotMetadata => ({
  height: 4,
  chainId: 'test-1',
  chain: Uint8Array.of(1, 2, 3),
  header: Uint8Array.of(4, 5),
  timeNs: 1_700_000_000_000_000_001n,
  ancestors: [Uint8Array.of(6), Uint8Array.of(7, 8)],
  chunkHashes: contents.map((content) => sha256(content)),
  counts,
})

const isModule = (address: Uint8Array): boolean => SYSTEMS.some((system) => equalBytes(system, address))

const restoreOf = (store: KeyValueStore, snapshot = HASH): SnapshotRestore =>
  new SnapshotRestore(store, snapshot, { isModule })

const restore = (store: KeyValueStore, snapshot: Snapshot, root: Hash): void => {
  const session = restoreOf(store)
  for (const content of snapshot.contents) session.apply(content)
  session.requireComplete(metadataOf(snapshot), root)
}

const columnOf = (store: KeyValueStore, column: Column): string[] =>
  store.scan(column, { limit: EVERYTHING }).map(([key, value]) => `${bytesToHex(key)}=${bytesToHex(value)}`)

/** Entries of `code` that some account names: the others stay behind. */
const namedCodes = (store: KeyValueStore): string[] => {
  const accounts = store.scan('state', { gte: utf8ToBytes('a'), lt: utf8ToBytes('b'), limit: EVERYTHING })
  const named = new Set(accounts.map(([, value]) => bytesToHex(decodeAccount(value).codeHash)))
  return columnOf(store, 'code').filter((entry) => named.has(entry.split('=')[0] as Hex))
}

const codeOf = (work: () => void): unknown => {
  try {
    work()
  } catch (error) {
    // Anything else is a fault of the node, which what comes from outside must never cause.
    if (error instanceof CodedError) return `${error.codespace}/${error.code}`
    throw error
  }
  return 'taken'
}

const CONTENT = `snapshot/${SNAPSHOT_CODES.content}`
const ROOT = `snapshot/${SNAPSHOT_CODES.root}`

describe.each(BACKENDS)('a snapshot of the $name store', ({ withStore }) => {
  it(
    'restores the same state, code and trie nodes, over random states and chunk sizes',
    seeded(6, async (random) => {
      await withStore(async (source) => {
        const root = writeRandomState(random, source)
        const snapshot = snapshotOf(source, 2_000 + random.below(20_000))
        await withStore((target) => {
          restore(target, snapshot, root)
          for (const column of ['state', 'trie'] as const) {
            expect(columnOf(target, column)).toEqual(columnOf(source, column))
          }
          expect(columnOf(target, 'code')).toEqual(namedCodes(source))
          expect(columnOf(target, 'history')).toEqual([])
          const staged = target.scan('meta', { gte: STAGED_BLOCK_PREFIX, limit: 2 })
          expect(staged.map(([key, value]) => [key.slice(STAGED_BLOCK_PREFIX.length), value])).toEqual(BLOCK)
        })
        expect(bytesToHex(root)).toBe(await stateRootOf(source))
      })
    }),
  )
})

describe('a restore', () => {
  it(
    'goes on after a restart where it was',
    seeded(4, async (random) => {
      const source = openMemoryStore()
      const root = writeRandomState(random, source)
      const snapshot = snapshotOf(source, 1_500)
      expect(snapshot.contents.length).toBeGreaterThan(3)
      const target = openMemoryStore()
      for (const [index, content] of snapshot.contents.entries()) {
        const session = restoreOf(target)
        expect(session.next).toBe(index)
        session.apply(content)
      }
      const session = restoreOf(target)
      session.requireComplete(metadataOf(snapshot), root)
      expect(session.counts).toEqual(snapshot.counts)
      expect(restoreOf(target, sha256(HASH)).next).toBe(0)
    }),
  )

  it(
    'refuses every chunk with a changed byte, or gives another root: nothing false is taken',
    seeded(2, async (random) => {
      const source = openMemoryStore()
      const root = writeRandomState(random, source)
      const snapshot = snapshotOf(source, 1_000_000)
      const [content] = snapshot.contents as [Uint8Array]
      const outcomes = new Set<unknown>()
      for (let trial = 0; trial < 400; trial++) {
        const damaged = content.slice()
        const at = random.below(damaged.length)
        damaged[at] = (damaged[at] as number) ^ (1 << random.below(8))
        const inBlock =
          damaged.length - at <= BLOCK.reduce((sum, [key, value]) => sum + 7 + key.length + value.length, 0)
        // The parts of the block are checked by the application.
        if (inBlock) continue
        const outcome = codeOf(() => restore(openMemoryStore(), { ...snapshot, contents: [damaged] }, root))
        expect([CONTENT, ROOT], `byte ${at}`).toContain(outcome)
        outcomes.add(outcome)
      }
      expect(outcomes).toEqual(new Set([CONTENT, ROOT]))
    }),
  )

  it(
    'refuses chunks that are cut short, missing, repeated or out of order',
    seeded(3, async (random) => {
      const source = openMemoryStore()
      const root = writeRandomState(random, source)
      const snapshot = snapshotOf(source, 1_500)
      const { contents } = snapshot
      const tryWith = (changed: readonly Uint8Array[]): unknown =>
        codeOf(() => restore(openMemoryStore(), { ...snapshot, contents: changed }, root))
      expect(tryWith(contents)).toBe('taken')
      for (let index = 0; index < contents.length; index++) {
        const content = contents[index] as Uint8Array
        expect([CONTENT, ROOT]).toContain(tryWith(contents.toSpliced(index, 1)))
        expect(tryWith(contents.toSpliced(index, 0, content))).toBe(CONTENT)
        expect(tryWith(contents.with(index, content.subarray(0, content.length - 1)))).toBe(CONTENT)
      }
      expect(tryWith(contents.toReversed())).toBe(CONTENT)
      expect(tryWith(contents.with(0, new Uint8Array(0)))).toBe(CONTENT)
    }),
  )

  const account = (change: object = {}): Uint8Array => encodeAccount({ ...EMPTY_ACCOUNT, nonce: 1n, ...change })
  const stateKey = (tag: string, ...parts: number[]): Uint8Array => Uint8Array.of(tag.charCodeAt(0), ...parts)
  const address = Array.from({ length: 20 }, () => 5)
  const slot = Array.from({ length: 32 }, () => 6)
  const code = Uint8Array.of(1, 2, 3)
  type Raw = readonly [number, Uint8Array, Uint8Array]
  const cases: readonly (readonly [string, readonly Raw[], string])[] = [
    ['an unknown section', [[9, Uint8Array.of(1), code]], CONTENT],
    ['an unknown kind', [[STATE_SECTION, stateKey('x', ...address), code]], CONTENT],
    ['an address of 19 bytes', [[STATE_SECTION, stateKey('a', ...address.slice(1)), account()]], CONTENT],
    ['an account that is no RLP', [[STATE_SECTION, stateKey('a', ...address), code]], CONTENT],
    [
      'an account of five fields',
      [[STATE_SECTION, stateKey('a', ...address), Uint8Array.of(0xc5, 1, 0x80, 0x80, 0x80, 0x80)]],
      CONTENT,
    ],
    [
      'an account with a leading zero',
      [[STATE_SECTION, stateKey('a', ...address), Uint8Array.of(0xc4, 0, 0x80, 0x80, 0x80)]],
      CONTENT,
    ],
    ['code under a wrong hash', [[CODE_SECTION, keccak256(Uint8Array.of(1)), code]], CONTENT],
    [
      'an account without its code',
      [[STATE_SECTION, stateKey('a', ...address), account({ codeHash: keccak256(code) })]],
      CONTENT,
    ],
    [
      'an account without its storage',
      [[STATE_SECTION, stateKey('a', ...address), account({ storageRoot: keccak256(code) })]],
      ROOT,
    ],
    ['storage without an account', [[STATE_SECTION, stateKey('s', ...address, ...slot), code]], CONTENT],
    [
      'storage that its account does not have',
      [
        [STATE_SECTION, stateKey('a', ...address), account()],
        [STATE_SECTION, stateKey('s', ...address, ...slot), code],
      ],
      CONTENT,
    ],
    ['a zero in storage', [[STATE_SECTION, stateKey('s', ...address, ...slot), Uint8Array.of(0)]], CONTENT],
    ['an empty storage value', [[STATE_SECTION, stateKey('s', ...address, ...slot), new Uint8Array(0)]], CONTENT],
    [
      'a storage value of 33 bytes',
      [[STATE_SECTION, stateKey('s', ...address, ...slot), new Uint8Array(33).fill(1)]],
      CONTENT,
    ],
    ['a value without a key', [[STATE_SECTION, stateKey('v', ...address), code]], CONTENT],
  ]
  it.each(cases)('refuses %s', (_, entries, expected) => {
    const builder = new ChunkBuilder()
    for (const entry of entries) builder.add(...entry)
    const snapshot = {
      contents: [builder.take().slice()],
      counts: { codes: 0, accounts: entries.length, slots: 0, values: 0 },
    }
    expect(codeOf(() => restore(openMemoryStore(), snapshot, EMPTY_TRIE_ROOT))).toBe(expected)
  })

  it('refuses a whole and sound state that is not that of the header', () => {
    const source = openMemoryStore()
    const builder = new ChunkBuilder()
    builder.add(STATE_SECTION, stateKey('a', ...address), account())
    builder.add(BLOCK_SECTION, Uint8Array.of(1), code)
    const snapshot = { contents: [builder.take().slice()], counts: { codes: 0, accounts: 1, slots: 0, values: 0 } }
    expect(codeOf(() => restore(source, snapshot, EMPTY_TRIE_ROOT))).toBe(ROOT)
    const more = { ...snapshot, counts: { ...snapshot.counts, slots: 1 } }
    expect(codeOf(() => restore(openMemoryStore(), more, EMPTY_TRIE_ROOT))).toBe(ROOT)
  })

  it('refuses a block that would not fit into memory, across chunks and restarts', () => {
    const store = openMemoryStore()
    const batch = store.batch()
    writeProgress(batch, { ...beginProgress(HASH), blockBytes: MAX_BLOCK_SECTION_BYTES - 6 })
    store.write(batch, { sync: false })
    const chunkOf = (key: number): Uint8Array => {
      const builder = new ChunkBuilder(100)
      builder.add(BLOCK_SECTION, Uint8Array.of(key), new Uint8Array(4))
      return builder.take()
    }
    restoreOf(store).apply(chunkOf(1))
    expect(() => restoreOf(store).apply(chunkOf(2))).toThrow('a block of more than')
  })

  it('writes nothing of a chunk that it refuses', () => {
    const target = openMemoryStore()
    const builder = new ChunkBuilder()
    builder.add(STATE_SECTION, stateKey('a', ...address), account())
    builder.add(STATE_SECTION, stateKey('x', ...address), account())
    const session = restoreOf(target)
    expect(codeOf(() => session.apply(builder.take()))).toBe(CONTENT)
    for (const column of ['meta', 'state', 'code', 'trie'] as const) expect(columnOf(target, column)).toEqual([])
    expect(session.next).toBe(0)
  })
})

describe('the metadata of a snapshot', () => {
  const metadata = metadataOf({
    contents: [Uint8Array.of(1), Uint8Array.of(2)],
    counts: { codes: 1, accounts: 2, slots: 3, values: 4 },
  })
  const encoded = encodeSnapshotMetadata(metadata)

  it('reads as it was written', () => {
    expect(parseSnapshotMetadata(encoded)).toEqual(metadata)
  })

  it('is refused when it is cut short or too long, and never breaks the reader', () => {
    for (let length = 0; length < encoded.length; length++) {
      expect(codeOf(() => parseSnapshotMetadata(encoded.subarray(0, length)))).toBe(
        `snapshot/${SNAPSHOT_CODES.metadata}`,
      )
    }
    expect(codeOf(() => parseSnapshotMetadata(new Uint8Array(MAX_METADATA_BYTES + 1)))).toBe('snapshot/1')
    for (let at = 0; at < encoded.length; at++) {
      for (let bit = 0; bit < 8; bit++) {
        const damaged = encoded.with(at, (encoded[at] as number) ^ (1 << bit))
        expect(['taken', 'snapshot/1']).toContain(codeOf(() => parseSnapshotMetadata(damaged)))
        expect(bytesToHex(sha256(damaged))).not.toBe(bytesToHex(sha256(encoded)))
      }
    }
  })

  it('is refused before its items are listed when they are too many', () => {
    const empty = new Uint8Array(MAX_METADATA_BYTES - 1_000).fill(0x80)
    expect(() => parseSnapshotMetadata(encodeRlpList([empty]))).toThrow('more than 12 items')
    const fields = splitRlpList(encoded)
    const headers = encodeRlpList([empty])
    expect(() => parseSnapshotMetadata(encodeRlpList(fields.with(6, headers)))).toThrow('more than 255 items')
    expect(codeOf(() => parseSnapshotMetadata(encodeRlpList(fields.with(4, headers))))).toBe('snapshot/1')
  })

  it('is not made for more chunks than the network takes', () => {
    const chunkHashes = Array.from({ length: 100_001 }, () => HASH)
    expect(codeOf(() => encodeSnapshotMetadata({ ...metadata, chunkHashes }))).toBe(
      `snapshot/${SNAPSHOT_CODES.tooLarge}`,
    )
  })
})

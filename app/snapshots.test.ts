import { describe, expect, it } from 'vitest'
import { concatBytes } from '../core/bytes.ts'
import { CodedError } from '../core/errors.ts'
import { sha256 } from '../core/hash.ts'
import { bytesToHex } from '../core/hex.ts'
import { snapshotContents } from '../store/snapshot/create.ts'
import { encodeSnapshotMetadata, parseSnapshotMetadata, type SnapshotMetadata } from '../store/snapshot/metadata.ts'
import type { KeyValueStore } from '../store/store.ts'
import { withDirectory } from '../store/testing/backends.ts'
import { stateRootOf } from '../test/sim/oracle.ts'
import { SimNode } from '../test/sim/sim-node.ts'
import { checkInvariants, gossip, withWorld, type World } from '../test/sim/world.ts'
import type { ChainParameters } from './records/chain-parameters.ts'
import type { SnapshotShelf } from './environment.ts'
import type { SnapshotChunkResult, SnapshotDescription } from './ports.ts'
import { RestoreSession } from './restore-session.ts'
import { describeBlock } from './snapshot-block.ts'

/** Small, so that a small chain has several. */
const CHUNK_BYTES = 1_600
const NOBODY = '0x0000000000000000000000000000000000000001'

interface MadeSnapshot extends SnapshotDescription {
  readonly contents: readonly Uint8Array[]
}

/** What bin makes of a running node's database, without files and without compression. */
const makeSnapshot = (
  store: KeyValueStore,
  height: number,
  change: (made: SnapshotMetadata) => object = () => ({}),
) => {
  const { items, ...block } = describeBlock(store, height)
  const [code, state] = [store.cursor('code'), store.cursor('state')]
  const contents: Uint8Array[] = []
  const generator = snapshotContents({ code, state, block: items }, CHUNK_BYTES)
  let step = generator.next()
  for (; step.done !== true; step = generator.next()) contents.push(step.value.slice())
  code.close()
  state.close()
  const sound = { ...block, chunkHashes: contents.map((content) => sha256(content)), counts: step.value }
  const metadata = encodeSnapshotMetadata({ ...sound, ...change(sound) })
  return { height, format: 1, chunks: contents.length, hash: sha256(metadata), metadata, contents }
}

const plainShelf: SnapshotShelf = {
  list: () => [],
  chunk: () => new Uint8Array(0),
  committed: () => undefined,
  decompress: (chunk, maxBytes) => {
    if (chunk.length > maxBytes) throw new CodedError('test', 1, 'too long')
    return chunk
  },
}

/** Restores as CometBFT does: the chunks in order, each again where that is asked. */
const restore = async (node: SimNode, made: MadeSnapshot, appHash: Uint8Array): Promise<string> => {
  const offer = node.application.offerSnapshot(made, appHash)
  if (offer !== 'accept') return offer
  let last: SnapshotChunkResult['result'] = 'accept'
  for (const [index, chunk] of made.contents.entries()) {
    last = (await node.application.applySnapshotChunk({ index, chunk, sender: 'peer' })).result
    if (last !== 'accept') break
  }
  return last
}

const fresh = (expectedChain: ChainParameters | undefined, path?: string): Promise<SimNode> =>
  SimNode.open({
    name: 'restored',
    clock: { nowMs: 0 },
    snapshots: plainShelf,
    ...(expectedChain === undefined ? {} : { expectedChain }),
    ...(path === undefined ? {} : { path }),
  })

const run = async (world: World, blocks: number): Promise<void> => {
  const { driver, nodes, traffic } = world
  for (let i = 0; i < blocks; i++) {
    for (let count = driver.random.below(8); count > 0; count--) gossip(nodes, await traffic.next())
    await driver.step()
  }
}

const follow = async (node: SimNode, { driver }: World): Promise<void> => {
  for (const { block, response } of driver.decided) {
    if (block.height <= node.application.height) continue
    expect(await node.application.finalizeBlock(block), `height ${block.height}`).toEqual(response)
    await node.application.commit()
  }
}

const sourceOf = ({ nodes }: World): SimNode => nodes[0] as SimNode

const headOf = (node: SimNode): { readonly height: number; readonly appHash: Uint8Array } => {
  const { lastBlockHeight, lastBlockAppHash } = node.application.info()
  return { height: lastBlockHeight, appHash: lastBlockAppHash }
}

const stateKeys = (store: KeyValueStore): readonly string[] =>
  (['state', 'code', 'trie'] as const).flatMap((column) =>
    store.scan(column, { limit: 1_000_000 }).map((entry) => bytesToHex(concatBytes(...entry))),
  )

describe('a node restored from a snapshot', () => {
  it(
    'shows the block of it, has nothing below, and executes what follows with equal app hashes',
    withWorld(1, { extensionsFrom: 3 }, async (world) => {
      const source = sourceOf(world)
      await run(world, 30)
      const { height, appHash } = headOf(source)
      const made = makeSnapshot(source.store, height)
      expect(made.chunks).toBeGreaterThan(2)
      await withDirectory(async (folder) => {
        for (const path of [undefined, `${folder}/db`]) {
          const node = await fresh(source.application.parameters, path)
          const announced: number[] = []
          node.application.subscribe((one) => void (one.type === 'head' && announced.push(one.head.height)))
          expect(await restore(node, made, appHash)).toBe('accept')
          expect(announced).toEqual([height])
          expect(node.application.info()).toEqual(source.application.info())
          expect(stateKeys(node.store)).toEqual(stateKeys(source.store))
          expect(await stateRootOf(node.store)).toBe(await stateRootOf(source.store))
          for (const block of [{ number: height }, { tag: 'latest' }, { hash: bytesToHex(appHash) }] as const) {
            expect(await node.ask('block', { block, full: true })).toEqual(
              await source.ask('block', { block, full: true }),
            )
            expect(await node.ask('blockReceipts', { block })).toEqual(await source.ask('blockReceipts', { block }))
          }
          const below = { number: height - 1 }
          expect(await node.ask('block', { block: below, full: true })).toBeNull()
          await expect(node.ask('balance', { block: below, address: NOBODY })).rejects.toThrow(
            'pruned history unavailable',
          )
          await node.close()
        }
      })
      const [early, later] = [await fresh(source.application.parameters), await fresh(source.application.parameters)]
      expect(await restore(early, made, appHash)).toBe('accept')
      await run(world, 12)
      await follow(early, world)
      checkInvariants(early)
      // One that was restored makes the same snapshots: the headers before its first are with it.
      const next = headOf(source)
      const again = makeSnapshot(early.store, next.height)
      expect(again).toEqual(makeSnapshot(source.store, next.height))
      expect(await restore(later, again, next.appHash)).toBe('accept')
      await run(world, 5)
      await follow(later, world)
      await follow(early, world)
      expect(headOf(later)).toEqual(headOf(source))
      expect(stateKeys(later.store)).toEqual(stateKeys(early.store))
    }),
  )

  it(
    'reaches 256 hashes back, as the others do',
    withWorld(2, {}, async (world) => {
      const source = sourceOf(world)
      await run(world, 3)
      for (let i = 0; i < 300; i++) await world.driver.step()
      const { height, appHash } = headOf(source)
      const made = makeSnapshot(source.store, height)
      expect(parseSnapshotMetadata(made.metadata).ancestors.length).toBe(255)
      const node = await fresh(source.application.parameters)
      expect(await restore(node, made, appHash)).toBe('accept')
      // BLOCKHASH is among the programs of the traffic.
      await run(world, 40)
      await follow(node, world)
      expect(headOf(node)).toEqual(headOf(source))
    }),
  )
})

describe('a restore that was interrupted', () => {
  it(
    'goes on with the same snapshot, and begins anew with another one',
    withWorld(3, {}, async (world) => {
      const source = sourceOf(world)
      await run(world, 10)
      const first = { made: makeSnapshot(source.store, headOf(source).height), ...headOf(source) }
      await run(world, 3)
      const second = { made: makeSnapshot(source.store, headOf(source).height), ...headOf(source) }
      for (const { made, appHash, height } of [first, second]) {
        const node = await fresh(source.application.parameters)
        expect(node.application.offerSnapshot(first.made, first.appHash)).toBe('accept')
        for (const [index, chunk] of first.made.contents.slice(0, 2).entries()) {
          const taken = { result: 'accept', refetchChunks: [], rejectSenders: [] }
          expect(await node.application.applySnapshotChunk({ index, chunk, sender: 'peer' })).toEqual(taken)
        }
        await node.restart()
        expect(node.application.info().lastBlockHeight).toBe(0)
        expect(await restore(node, made, appHash)).toBe('accept')
        expect(headOf(node).height).toBe(height)
        expect(stateKeys(node.store).length).toBeGreaterThan(10)
        await node.restart()
        expect(headOf(node)).toEqual({ height, appHash })
        // CometBFT may have been ended before it noted that.
        expect(await restore(node, made, appHash)).toBe('accept')
        expect(headOf(node)).toEqual({ height, appHash })
        await run(world, 1)
        await follow(node, world)
        expect(node.application.offerSnapshot(made, appHash)).toBe('abort')
      }
    }),
  )

  it(
    'is completed when it was killed after its last chunk, though CometBFT sends all of them again',
    withWorld(8, {}, async (world) => {
      const source = sourceOf(world)
      await run(world, 10)
      const { height, appHash } = headOf(source)
      const made = makeSnapshot(source.store, height)
      expect(made.chunks).toBeGreaterThan(2)
      const node = await SimNode.open({
        name: 'killed',
        clock: { nowMs: 0 },
        snapshots: plainShelf,
        ...(source.application.parameters === undefined ? {} : { expectedChain: source.application.parameters }),
      })
      const session = new RestoreSession(
        node.store,
        source.application.parameters as ChainParameters,
        made,
        appHash,
        plainShelf.decompress,
      )
      for (const chunk of made.contents) session.apply(chunk)
      await node.restart()
      expect(headOf(node).height).toBe(0)
      expect(await restore(node, made, appHash)).toBe('accept')
      expect(headOf(node)).toEqual({ height, appHash })
    }),
  )

  it(
    'is forgotten by a chain that begins with its genesis',
    withWorld(4, {}, async (world) => {
      const source = sourceOf(world)
      await run(world, 6)
      const made = makeSnapshot(source.store, headOf(source).height)
      const node = await fresh(source.application.parameters)
      node.application.offerSnapshot(made, headOf(source).appHash)
      await node.application.applySnapshotChunk({ index: 0, chunk: made.contents[0] as Uint8Array, sender: '' })
      await world.driver.replay(node)
      expect(stateKeys(node.store)).toEqual(stateKeys(source.store))
    }),
  )
})

describe('a snapshot that is not what it says', () => {
  it(
    'is refused when it is offered',
    withWorld(5, {}, async (world) => {
      const source = sourceOf(world)
      await run(world, 8)
      const { height, appHash } = headOf(source)
      const chain = source.application.parameters as ChainParameters
      const made = makeSnapshot(source.store, height)
      const offerTo = async (expected: ChainParameters | undefined, offered: SnapshotDescription, hash = appHash) =>
        (await fresh(expected)).application.offerSnapshot(offered, hash)
      const changed = (change: (sound: SnapshotMetadata) => object) => makeSnapshot(source.store, height, change)
      expect(await offerTo(chain, made)).toBe('accept')
      expect(await offerTo(undefined, made)).toBe('abort')
      expect(await offerTo({ ...chain, chainId: 'another-1' }, made)).toBe('reject')
      expect(await offerTo({ ...chain, evmChainId: 1n }, made)).toBe('reject')
      expect(await offerTo({ ...chain, hardforks: [{ hardfork: 'prague', timestamp: 0 }] }, made)).toBe('reject')
      expect(await offerTo(chain, { ...made, format: 2 })).toBe('rejectFormat')
      expect(await offerTo(chain, made, sha256(appHash))).toBe('rejectSender')
      expect(await offerTo(chain, made, new Uint8Array(0))).toBe('rejectSender')
      expect(await offerTo(chain, { ...made, hash: appHash })).toBe('rejectSender')
      expect(await offerTo(chain, { ...made, chunks: made.chunks + 1 })).toBe('rejectSender')
      expect(await offerTo(chain, { ...made, height: height + 1 })).toBe('rejectSender')
      expect(
        await offerTo(
          chain,
          changed(() => ({ timeNs: 1n })),
        ),
      ).toBe('rejectSender')
      expect(
        await offerTo(
          chain,
          changed(() => ({ height: height - 1 })),
        ),
      ).toBe('rejectSender')
      expect(
        await offerTo(
          chain,
          changed(({ ancestors }) => ({ ancestors: ancestors.slice(1) })),
        ),
      ).toBe('rejectSender')
      expect(
        await offerTo(
          chain,
          changed(({ ancestors }) => ({ ancestors: ancestors.toReversed() })),
        ),
      ).toBe('rejectSender')
      const node = await fresh(chain)
      for (let at = 0; at < 8 * made.metadata.length; at++) {
        const byte = at >> 3
        const metadata = made.metadata.with(byte, (made.metadata[byte] as number) ^ (1 << (at & 7)))
        expect(node.application.offerSnapshot({ ...made, metadata }, appHash)).toBe('rejectSender')
      }
    }),
  )

  it(
    'is asked for a damaged chunk again, of somebody else',
    withWorld(6, {}, async (world) => {
      const source = sourceOf(world)
      await run(world, 8)
      const { appHash, height } = headOf(source)
      const made = makeSnapshot(source.store, height)
      const node = await fresh(source.application.parameters)
      const nobody = { index: 0, chunk: new Uint8Array(0), sender: 'liar' }
      expect((await node.application.applySnapshotChunk(nobody)).result).toBe('abort')
      expect(node.application.offerSnapshot(made, appHash)).toBe('accept')
      const [chunk] = made.contents as [Uint8Array]
      const again = { result: 'retry', refetchChunks: [0], rejectSenders: ['liar'] }
      for (let at = 0; at < chunk.length; at++) {
        const damaged = chunk.with(at, (chunk[at] as number) ^ (1 << (at % 8)))
        expect(await node.application.applySnapshotChunk({ index: 0, chunk: damaged, sender: 'liar' })).toEqual(again)
      }
      for (const damaged of [
        chunk.subarray(1),
        concatBytes(chunk, Uint8Array.of(0)),
        new Uint8Array(4 * 1024 * 1024),
      ]) {
        expect(await node.application.applySnapshotChunk({ index: 0, chunk: damaged, sender: 'liar' })).toEqual(again)
      }
      const later = { index: 1, chunk: made.contents[1] as Uint8Array, sender: 'peer' }
      expect((await node.application.applySnapshotChunk(later)).result).toBe('retrySnapshot')
      expect(await restore(node, made, appHash)).toBe('accept')
    }),
  )

  it(
    'is rejected and forgotten when its chunks are not the state of its header, and another one is taken',
    withWorld(7, {}, async (world) => {
      const source = sourceOf(world)
      await run(world, 10)
      const { appHash, height } = headOf(source)
      const made = makeSnapshot(source.store, height)
      const node = await fresh(source.application.parameters)
      const lie = async (contents: readonly Uint8Array[]): Promise<string> => {
        const { metadata } = made
        const lying = { ...parseSnapshotMetadata(metadata), chunkHashes: contents.map((content) => sha256(content)) }
        const encoded = encodeSnapshotMetadata(lying)
        return restore(
          node,
          { ...made, contents, chunks: contents.length, metadata: encoded, hash: sha256(encoded) },
          appHash,
        )
      }
      const { contents } = made
      const last = contents.at(-1) as Uint8Array
      const cases = [
        contents.slice(0, -1),
        contents.toReversed(),
        contents.with(0, new Uint8Array(0)),
        contents.with(1, (contents[1] as Uint8Array).with(40, 0xee)),
        // The parts of the block are in the last one.
        contents.with(-1, last.with(-1, (last.at(-1) as number) ^ 1)),
        contents.with(0, new Uint8Array(3.04 * 1024 * 1024)),
      ]
      for (const [index, lying] of cases.entries()) {
        expect(await lie(lying), `case ${index}`).toBe('rejectSnapshot')
        for (const column of ['meta', 'state', 'code', 'trie', 'blocks', 'index'] as const) {
          expect(node.store.scan(column, { limit: 1 })).toEqual([])
        }
        expect(node.application.info().lastBlockHeight).toBe(0)
      }
      expect(await restore(node, made, appHash)).toBe('accept')
      await run(world, 3)
      await follow(node, world)
      expect(headOf(node)).toEqual(headOf(source))
    }),
  )
})

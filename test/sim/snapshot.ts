/** A node that joins by a snapshot of another one, as CometBFT's state sync does it, without files and compression. */
import { expect } from 'vitest'
import { describeBlock } from '../../app/snapshot-block.ts'
import type { SnapshotShelf } from '../../app/environment.ts'
import { CodedError, invariant } from '../../core/errors.ts'
import { sha256 } from '../../core/hash.ts'
import { snapshotContents } from '../../store/snapshot/create.ts'
import { encodeSnapshotMetadata, SNAPSHOT_FORMAT } from '../../store/snapshot/metadata.ts'
import type { KeyValueStore } from '../../store/store.ts'
import { SimNode, type SimNodeOptions } from './sim-node.ts'

/** Small, so that a small chain has several chunks. */
const CHUNK_BYTES = 4_000

export const PLAIN_SHELF: SnapshotShelf = {
  list: () => [],
  chunk: () => new Uint8Array(0),
  committed: () => undefined,
  decompress: (chunk, maxBytes) => {
    if (chunk.length > maxBytes) throw new CodedError('simulation', 3, 'a chunk is too long')
    return chunk
  },
}

export const makeSnapshot = (store: KeyValueStore, height: number) => {
  const { items, ...block } = describeBlock(store, height)
  const [code, state] = [store.cursor('code'), store.cursor('state')]
  const contents: Uint8Array[] = []
  const generator = snapshotContents({ code, state, block: items }, CHUNK_BYTES)
  let step = generator.next()
  for (; step.done !== true; step = generator.next()) contents.push(step.value.slice())
  code.close()
  state.close()
  const chunkHashes = contents.map((content) => sha256(content))
  const metadata = encodeSnapshotMetadata({ ...block, chunkHashes, counts: step.value })
  const description = { height, format: SNAPSHOT_FORMAT, chunks: contents.length, hash: sha256(metadata), metadata }
  return { description, contents }
}

/** A new node with the state of the head of `source`, and nothing before it. */
export const openFromSnapshot = async (source: SimNode, options: SimNodeOptions): Promise<SimNode> => {
  const { parameters } = source.application
  invariant(parameters !== undefined, 'the chain has begun')
  const { lastBlockHeight, lastBlockAppHash } = source.application.info()
  const { description, contents } = makeSnapshot(source.store, lastBlockHeight)
  const node = await SimNode.open({ ...options, snapshots: PLAIN_SHELF, expectedChain: parameters })
  expect(node.application.offerSnapshot(description, lastBlockAppHash)).toBe('accept')
  for (const [index, chunk] of contents.entries()) {
    const { result } = await node.application.applySnapshotChunk({ index, chunk, sender: 'a peer' })
    expect(result, `chunk ${index} of ${contents.length}`).toBe('accept')
  }
  expect(node.application.info()).toEqual(source.application.info())
  return node
}

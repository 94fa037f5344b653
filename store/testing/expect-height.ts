/** For tests: old heights read as they were. */
import { expect } from 'vitest'
import { bytesToKey } from '../../core/bytes.ts'
import { HistoricalTrieNodes } from '../historical-trie-nodes.ts'
import { HistoricalState } from '../history.ts'
import { scanStateAt } from '../scan-at.ts'
import type { KeyValueStore } from '../store.ts'
import type { RandomChain } from './random-chain.ts'

const TAGS = ['a', 's', 'v'].map((tag) => Uint8Array.of(tag.charCodeAt(0)))

/** What reading at a height gives is what was there when the height was the head of the chain. */
export const expectHeight = (
  chain: RandomChain,
  height: number,
  trieKeys: readonly Uint8Array[],
  store: KeyValueStore = chain.store,
  head = chain.height,
): void => {
  const committedHeight = (): number => head
  const wanted = chain.columns[height]
  const state = new Map(
    TAGS.flatMap((tag) => [...scanStateAt({ store, height, committedHeight }, tag)]).map(([k, v]) => [
      bytesToKey(k),
      v,
    ]),
  )
  expect(state, `state of ${height}`).toEqual(wanted?.state)
  const reader = new HistoricalState(store, height, committedHeight)
  const nodes = new HistoricalTrieNodes(store, height, committedHeight, reader)
  const found = nodes.getMany(trieKeys)
  for (const [index, key] of trieKeys.entries()) {
    expect(found[index], `node ${bytesToKey(key)} of ${height}`).toEqual(wanted?.trie.get(bytesToKey(key)))
  }
  nodes.close()
  reader.close()
}

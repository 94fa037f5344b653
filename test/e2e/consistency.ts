/** What must hold of any range of heights: CometBFT's chain and the Ethereum chain name each other. */
import { expect } from 'vitest'
import type { TestNode } from './harness.ts'

interface CometBlock {
  readonly block_id: { readonly hash: string }
  readonly block: { readonly header: { readonly app_hash: string } }
}
interface EthereumBlock {
  readonly hash: string
  readonly parentHash: string
  readonly extraData: string
}

/** The header of height H + 1 holds the hash of Ethereum block H, which holds CometBFT's hash of H and its parent's. */
export const expectConsistentHeights = async (node: TestNode, first: number, last: number): Promise<void> => {
  expect(last, 'heights to compare').toBeGreaterThan(first)
  let parent: EthereumBlock | undefined
  for (let height = first; height < last; height++) {
    const ethereum = await node.ask<EthereumBlock>('eth_getBlockByNumber', `0x${height.toString(16)}`, false)
    const comet = await node.comet<CometBlock>(`block?height=${height}`)
    const next = await node.comet<CometBlock>(`block?height=${height + 1}`)
    expect(`0x${next.block.header.app_hash.toLowerCase()}`, `app hash of ${height}`).toBe(ethereum.hash)
    expect(ethereum.extraData, `extra data of ${height}`).toBe(`0x${comet.block_id.hash.toLowerCase()}`)
    if (parent !== undefined) expect(ethereum.parentHash, `parent of ${height}`).toBe(parent.hash)
    parent = ethereum
  }
}

import { expect, it } from 'vitest'
import { bytesToHex } from '../core/hex.ts'
import { writeBaseHeight } from '../store/base-height.ts'
import type { SimNode } from '../test/sim/sim-node.ts'
import { gossip, withWorld } from '../test/sim/world.ts'
import { ChainReader } from '../app/index/chain-reader.ts'

it(
  'a transaction below the lowest block is unknown at once, before pruning has come to it',
  withWorld(1, {}, async ({ driver, nodes, traffic }) => {
    const node = nodes[0] as SimNode
    for (let i = 0; i < 12; i++) {
      for (let count = 0; count < 4; count++) gossip(nodes, await traffic.next())
      await driver.step()
    }
    const reader = new ChainReader(node.store)
    const hashesAt = (height: number): string[] => reader.transactionHashes(height).map(bytesToHex)
    const heights = Array.from({ length: 12 }, (_, index) => index + 1).filter((height) => hashesAt(height).length > 0)
    const [low = 0] = heights
    const high = heights.at(-1) ?? 0
    expect(high).toBeGreaterThan(low)
    const batch = node.store.batch()
    writeBaseHeight(batch, high)
    node.store.write(batch, { sync: false })
    for (const [height, isThere] of [
      [low, false],
      [high, true],
    ] as const) {
      const hash = hashesAt(height)[0] as `0x${string}`
      for (const question of ['transaction', 'receipt'] as const) {
        expect((await node.ask(question, { hash })) !== null, `${question} of block ${height}`).toBe(isThere)
      }
      expect((await node.ask('rawTransaction', { hash })) !== '0x').toBe(isThere)
    }
  }),
)

/** Proofs of values that no module has, under the application hash of a block. */
import { expect, it } from 'vitest'
import { utf8ToBytes } from '../../core/bytes.ts'
import { answerStoreQuery } from '../../query/store-proof.ts'
import { decodeStateProof, verifyStateProof } from '../../store/trie/verify-state-proof.ts'
import { openView } from './open-view.ts'
import { seeded } from './random.ts'
import type { SimNode } from './sim-node.ts'
import { makeWorld } from './world.ts'

it(
  'every module proves that it lacks a value, also one that has no value at all',
  seeded(1, async (random) => {
    const world = await makeWorld({ random, nodes: [{ name: 'one' }] })
    const [node] = world.nodes as [SimNode]
    await world.driver.step()
    const { lastBlockAppHash: appHash } = node.application.info()
    const view = await openView(node)
    try {
      const key = utf8ToBytes('no module has this key')
      let withoutAccount = 0
      for (const { name } of view.modules) {
        const { value, proofOps } = answerStoreQuery(view, { module: name, key, height: 0, prove: true })
        const proof = decodeStateProof(proofOps?.[0]?.data ?? key)
        const claim = { appHash, module: name, key, value }
        expect(verifyStateProof(claim, proof), name).toMatchObject({ height: 1, present: false })
        if (proof.storage.length === 0) withoutAccount++
      }
      expect(withoutAccount).toBeGreaterThan(0)
    } finally {
      view.close()
      await world.close()
    }
  }),
)

import { MerklePatriciaTrie } from '@ethereumjs/mpt'
import { encodeRlp, toBeArray } from 'ethers'
import { describe, expect, it } from 'vitest'
import { EMPTY_TRIE_ROOT } from '../../core/hash.ts'
import { bytesToHex, hexToBytes, type Hex } from '../../core/hex.ts'
import { seededRandom } from '../testing/seeded-random.ts'
import { orderedTrieRoot } from './ordered-root.ts'

const oracleRoot = async (values: readonly Uint8Array[]): Promise<Uint8Array> => {
  const trie = new MerklePatriciaTrie()
  for (const [index, value] of values.entries()) await trie.put(hexToBytes(encodeRlp(toBeArray(index)) as Hex), value)
  return trie.root()
}

describe('orderedTrieRoot', () => {
  it('of nothing is the root of an empty trie', () => {
    expect(orderedTrieRoot([])).toEqual(EMPTY_TRIE_ROOT)
  })

  // Around every change of the length of rlp(index).
  for (const count of [1, 2, 3, 16, 17, 127, 128, 129, 130, 255, 256, 257, 300, 1000]) {
    it(`agrees with @ethereumjs/mpt on ${count} values from 1 byte to 100,000`, async () => {
      const pick = seededRandom(count)
      const values = Array.from({ length: count }, (_, i) => {
        const length = [1 + pick(3), 1 + pick(40), 100 + pick(200), i % 97 === 5 ? 100_000 : 600][pick(4)] as number
        return new Uint8Array(length).fill(1 + pick(255))
      })
      expect(bytesToHex(orderedTrieRoot(values))).toBe(bytesToHex(await oracleRoot(values)))
    })
  }
})

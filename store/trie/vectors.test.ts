import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { bytesToKey, utf8ToBytes } from '../../core/bytes.ts'
import { EMPTY_TRIE_ROOT, keccak256, type Hash } from '../../core/hash.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { readTrie } from './read-trie.ts'
import type { TrieNodeReader } from './trie.ts'
import { updateTrie } from './update-trie.ts'

const FILE = new URL('../../../shared/vectors/trie/TrieTests.json.gz', import.meta.url)

type Pairs = readonly (readonly [string, string | null])[]
interface TrieVector {
  readonly in: Pairs | Readonly<Record<string, string | null>>
  readonly root: string
}

const toBytes = (text: string): Uint8Array => (text.startsWith('0x') ? hexToBytes(text) : utf8ToBytes(text))

class Trie implements TrieNodeReader {
  readonly #nodes = new Map<string, Uint8Array>()
  root: Hash = EMPTY_TRIE_ROOT

  getMany(paths: readonly Uint8Array[]): (Uint8Array | undefined)[] {
    return paths.map((path) => this.#nodes.get(bytesToKey(path)))
  }

  change(changes: Parameters<typeof updateTrie>[2]): void {
    const update = updateTrie(this, this.root, changes, { verify: true })
    for (const [path, node] of update.nodes) {
      if (node === undefined) this.#nodes.delete(path)
      else this.#nodes.set(path, node)
    }
    this.root = update.root
  }
}

const loadVectors = (): [string, TrieVector][] => {
  const bundle = JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as Record<string, Record<string, TrieVector>>
  return Object.entries(bundle)
    .filter(([file]) => !file.includes('nextprev'))
    .flatMap(([file, tests]) =>
      Object.entries(tests).map(([name, test]): [string, TrieVector] => [`${file} ${name}`, test]),
    )
}

const skipped = !existsSync(FILE)
if (skipped) console.log(`skipped: the trie vectors are not at ${FILE.pathname}`)

describe.skipIf(skipped)('the trie vectors of ethereum/tests', () => {
  const vectors = skipped ? [] : loadVectors()

  it('are all there', () => {
    expect(vectors).toHaveLength(25)
  })

  for (const [name, vector] of vectors) {
    const secure = /secure/i.test(name)
    const pairs: Pairs = Array.isArray(vector.in) ? (vector.in as Pairs) : Object.entries(vector.in)
    const changes = pairs.map(([key, value]) => ({
      key: secure ? keccak256(toBytes(key)) : toBytes(key),
      value: value === null || value === '' ? undefined : toBytes(value),
    }))

    it(`${name}: one change after another`, () => {
      const trie = new Trie()
      for (const change of changes) trie.change([change])
      expect(bytesToHex(trie.root)).toBe(vector.root)
    })

    it(`${name}: all at once, and every key reads back`, () => {
      const last = new Map(changes.map((change) => [bytesToKey(change.key), change]))
      const trie = new Trie()
      trie.change([...last.values()])
      expect(bytesToHex(trie.root)).toBe(vector.root)
      for (const { key, value } of last.values()) expect(readTrie(trie, trie.root, key)).toEqual(value)
    })
  }
})

import { describe, expect, it } from 'vitest'
import { keyToBytes } from '../core/bytes.ts'
import { bytesToHex } from '../core/hex.ts'
import { openMemoryStore } from './memory/memory-store.ts'
import type { Column, KeyValueStore } from './store.ts'
import { RandomChain, readColumn } from './testing/random-chain.ts'
import { seededRandom } from './testing/seeded-random.ts'
import { verifyState } from './verify-state.ts'

const makeChain = (): RandomChain => {
  const chain = new RandomChain(openMemoryStore(), seededRandom(5))
  for (let i = 0; i < 30; i++) chain.block()
  return chain
}

const rewrite = (store: KeyValueStore, column: Column, key: Uint8Array, value: Uint8Array | undefined): void => {
  const batch = store.batch()
  if (value === undefined) batch.delete(column, key)
  else batch.put(column, key, value)
  store.write(batch, { sync: false })
}

/** Changes the last byte of an entry whose key begins with the letter. */
const flip = (chain: RandomChain, column: Column, letter: string): Uint8Array => {
  const [found] = [...readColumn(chain.store, column)].filter(([key]) => key.startsWith(letter))
  const [key, value] = found as [string, Uint8Array]
  rewrite(chain.store, column, keyToBytes(key), value.with(-1, (value.at(-1) as number) ^ 1))
  return keyToBytes(key)
}

const differenceOf = (chain: RandomChain): string => {
  const verdict = verifyState(chain.store, chain.roots[chain.height] as Uint8Array, (address) =>
    chain.isModule(address),
  )
  return 'difference' in verdict ? verdict.difference : 'none'
}

describe('verifyState', () => {
  it('counts what it has checked when all is well', () => {
    const chain = makeChain()
    const state = readColumn(chain.store, 'state')
    const count = (letter: string): number => [...state.keys()].filter((key) => key.startsWith(letter)).length
    expect(
      verifyState(chain.store, chain.roots[chain.height] as Uint8Array, (address) => chain.isModule(address)),
    ).toEqual({
      accounts: count('a'),
      slots: count('s'),
      values: count('v'),
      nodes: readColumn(chain.store, 'trie').size,
      codes: 0,
    })
  })

  it('names the storage slot that was changed', () => {
    const chain = makeChain()
    const key = flip(chain, 'state', 's')
    const name = `storage slot ${bytesToHex(key.subarray(21))} of ${bytesToHex(key.subarray(1, 21))}`
    expect(differenceOf(chain)).toContain(`${name} differs from the trie`)
  })

  it('names the module value that was changed', () => {
    const chain = makeChain()
    const key = flip(chain, 'state', 'v')
    const name = `module value ${bytesToHex(key.subarray(21))} of ${bytesToHex(key.subarray(1, 21))}`
    expect(differenceOf(chain)).toContain(`${name} differs from the trie`)
  })

  it('names the account that was changed, and one that is missing in the trie', () => {
    const chain = makeChain()
    const plain = [...readColumn(chain.store, 'state')].find(([key, value]) => key.startsWith('a') && value.length < 40)
    const [key, value] = plain as [string, Uint8Array]
    const account = bytesToHex(keyToBytes(key).subarray(1))
    // The balance is the last thing but two empty strings.
    rewrite(chain.store, 'state', keyToBytes(key), value.with(-3, (value.at(-3) as number) ^ 1))
    expect(differenceOf(chain)).toContain(`account ${account} differs from the trie`)
    const stranger = new Uint8Array(21).fill(0x61)
    rewrite(chain.store, 'state', keyToBytes(key), value)
    rewrite(chain.store, 'state', stranger, value)
    expect(differenceOf(chain)).toContain(`account ${bytesToHex(stranger.subarray(1))} is not in the trie`)
  })

  it('names a trie node that was changed or lost, and counts what belongs to nothing', () => {
    const chain = makeChain()
    const key = flip(chain, 'trie', 'A')
    expect(differenceOf(chain)).toBe(`the trie node ${bytesToHex(key)} is not what its place in the trie demands`)
    rewrite(chain.store, 'trie', key, undefined)
    expect(differenceOf(chain)).toBe(`the trie node ${bytesToHex(key)} is missing`)
    const other = makeChain()
    rewrite(other.store, 'trie', new Uint8Array(40).fill(0x53), Uint8Array.of(1))
    expect(differenceOf(other)).toBe('1 trie nodes belong to no trie')
    const third = makeChain()
    rewrite(third.store, 'state', new Uint8Array(53).fill(0x73), Uint8Array.of(1))
    expect(differenceOf(third)).toBe('1 storage slots belong to no account')
  })
})

import { describe, expect, it } from 'vitest'
import { moduleAddress } from '../../core/address.ts'
import { bigintToBytes, EMPTY_BYTES, utf8ToBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { EMPTY_TRIE_ROOT, keccak256 } from '../../core/hash.ts'
import { encodeRlp } from '../../core/rlp.ts'
import { seeded } from '../../test/sim/random.ts'
import { computeCommitment } from '../commitment.ts'
import { LatestState } from '../latest.ts'
import { openMemoryStore } from '../memory/memory-store.ts'
import { Overlay } from '../overlay.ts'
import { EMPTY_ACCOUNT } from '../state.ts'
import { StateTrie } from '../state-trie.ts'
import { writeGenesisState } from '../testing/write-genesis-state.ts'
import { decodeStateProof, type StateClaim, verifyStateProof } from './verify-state-proof.ts'

const HEIGHT = 300
const KEYS = Array.from({ length: 40 }, (_, index) => utf8ToBytes(`key ${index}`))
const valueOf = (key: Uint8Array): Uint8Array => keccak256(key).slice(0, 5)
const EMPTY_VALUE_KEY = utf8ToBytes('empty')

/** A state with two modules and some accounts, and proofs as the node makes them. */
const createState = () => {
  const store = openMemoryStore()
  const base = new LatestState(store, 100)
  const overlay = new Overlay(base)
  for (const name of ['bank', 'other']) overlay.setAccount(moduleAddress(name), { ...EMPTY_ACCOUNT, nonce: 1n })
  for (let i = 0; i < 30; i++) overlay.setAccount(keccak256(Uint8Array.of(i)).slice(12), EMPTY_ACCOUNT)
  for (const key of KEYS) overlay.setValue(moduleAddress('bank'), key, valueOf(key))
  overlay.setValue(moduleAddress('bank'), EMPTY_VALUE_KEY, EMPTY_BYTES)
  const commitment = computeCommitment(store, base, EMPTY_TRIE_ROOT, overlay.changes())
  const batch = store.batch()
  writeGenesisState(batch, commitment)
  store.write(batch, { sync: false })
  const fields = Array.from({ length: 21 }, (_, index) => (index === 3 ? commitment.stateRoot : keccak256()))
  const header = encodeRlp(fields.with(8, bigintToBytes(BigInt(HEIGHT))))
  const trie = new StateTrie({ getMany: (keys) => store.getMany('trie', keys) }, commitment.stateRoot)
  const prove = (module: string, key: Uint8Array): Uint8Array => {
    const { account, nodes } = trie.proveAccount(moduleAddress(module))
    const storage = trie.proveSlot(moduleAddress(module), account?.storageRoot ?? EMPTY_TRIE_ROOT, keccak256(key))
    return encodeRlp([header, nodes, storage.nodes])
  }
  return { appHash: keccak256(header), stateRoot: commitment.stateRoot, prove }
}

const codeOf = (claim: StateClaim, data: Uint8Array): unknown => {
  try {
    return verifyStateProof(claim, decodeStateProof(data))
  } catch (error) {
    return error instanceof CodedError ? `${error.codespace}/${error.code}` : error
  }
}

describe('verifyStateProof', () => {
  const { appHash, stateRoot, prove } = createState()
  const key = KEYS[7] as Uint8Array
  const claim: StateClaim = { appHash, module: 'bank', key, value: valueOf(key) }

  it('proves what is there, what is not, and that a value is empty', () => {
    const proven = { height: HEIGHT, stateRoot }
    expect(codeOf(claim, prove('bank', key))).toEqual({ ...proven, present: true })
    const absent = utf8ToBytes('no such key')
    const none = { ...claim, key: absent, value: EMPTY_BYTES }
    expect(codeOf(none, prove('bank', absent))).toEqual({ ...proven, present: false })
    const empty = { ...claim, key: EMPTY_VALUE_KEY, value: EMPTY_BYTES }
    expect(codeOf(empty, prove('bank', EMPTY_VALUE_KEY))).toEqual({ ...proven, present: true })
    const other = { ...none, module: 'other' }
    expect(codeOf(other, prove('other', absent))).toEqual({ ...proven, present: false })
    // A module that never had a value has no account either.
    const nothing = { ...none, module: 'nothing' }
    expect(codeOf(nothing, prove('nothing', absent))).toEqual({ ...proven, present: false })
    expect(codeOf({ ...nothing, value: Uint8Array.of(1) }, prove('nothing', absent))).toBe('trie/2')
  })

  it('refuses another claim with trie/2, or trie/1 where the nodes lead elsewhere', () => {
    const data = prove('bank', key)
    expect(codeOf({ ...claim, value: Uint8Array.of(1) }, data)).toBe('trie/2')
    expect(codeOf({ ...claim, value: EMPTY_BYTES }, data)).toBe('trie/2')
    expect(codeOf({ ...claim, appHash: keccak256() }, data)).toBe('trie/2')
    const absent = utf8ToBytes('no such key')
    expect(codeOf({ ...claim, key: absent }, prove('bank', absent))).toBe('trie/2')
    for (const changed of [{ key: KEYS[8] as Uint8Array }, { module: 'other' }, { module: 'nothing' }]) {
      expect(codeOf({ ...claim, ...changed }, data)).toMatch(/^trie\/[12]$/)
    }
  })

  it(
    'is not deceived by any changed, missing or additional byte',
    seeded(31, (random) => {
      const data = prove('bank', key)
      for (let i = 0; i < 3_000; i++) {
        const at = random.below(data.length)
        const changed = Uint8Array.from(data)
        changed[at] = (changed[at] ?? 0) ^ (1 + random.below(255))
        expect(codeOf(claim, changed)).toMatch(/^trie\/[12]$/)
      }
      for (const bad of [EMPTY_BYTES, data.subarray(1), data.subarray(0, -1), Uint8Array.of(...data, 0)]) {
        expect(codeOf(claim, bad)).toBe('trie/1')
      }
      for (const shape of [[], [EMPTY_BYTES], [[], [], []], [EMPTY_BYTES, EMPTY_BYTES, []], [EMPTY_BYTES, [[]], []]]) {
        expect(codeOf(claim, encodeRlp(shape))).toMatch(/^trie\/[12]$/)
      }
    }),
  )
})

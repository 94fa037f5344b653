import { expect, it } from 'vitest'
import { uint64ToBytes } from '../../core/bytes.ts'
import { EMPTY_TRIE_ROOT, keccak256, ZERO_HASH } from '../../core/hash.ts'
import { computeCommitment } from '../../store/commitment.ts'
import { LatestState } from '../../store/latest.ts'
import { openMemoryStore } from '../../store/memory/memory-store.ts'
import { Overlay } from '../../store/overlay.ts'
import { EMPTY_ACCOUNT } from '../../store/state.ts'
import { seededRandom } from '../../store/testing/seeded-random.ts'
import { LayeredNodes } from '../../store/trie/layered-nodes.ts'
import { writeState } from '../../store/write-state.ts'
import { EMPTY_BLOOM, type Header } from '../../app/records/header.ts'
import { Tip } from './tip.ts'

const header = (stateRoot: Uint8Array): Header => ({
  parentHash: ZERO_HASH,
  miner: new Uint8Array(20),
  stateRoot,
  transactionsRoot: EMPTY_TRIE_ROOT,
  receiptsRoot: EMPTY_TRIE_ROOT,
  logsBloom: EMPTY_BLOOM,
  number: 1,
  gasLimit: 1n,
  gasUsed: 0n,
  timestamp: 1,
  extraData: new Uint8Array(0),
  mixHash: ZERO_HASH,
  baseFeePerGas: 0n,
})

const pick = seededRandom(20_261_121)
const address = (index: number): Uint8Array => keccak256(uint64ToBytes(index)).slice(0, 20)
const slot = (index: number): Uint8Array => keccak256(uint64ToBytes(1_000 + index))

type Change = (state: Overlay) => void

/** What calls and overrides do: accounts that come, change, go, and storage that is written, cleared and replaced. */
const randomChange = (): Change => {
  const [who, kind, where, value] = [address(pick(20)), pick(8), slot(pick(12)), Uint8Array.of(1 + pick(255))]
  return (state) => {
    const account = state.account(who) ?? EMPTY_ACCOUNT
    if (kind === 0) return state.setAccount(who, undefined)
    state.setAccount(who, { ...account, nonce: account.nonce + 1n, balance: BigInt(value[0] ?? 0) })
    if (kind === 1) state.clearStorage(who)
    if (kind < 6) state.setStorage(who, where, kind === 2 ? new Uint8Array(0) : value)
    if (kind === 7) state.setValue(who, value, value)
  }
}

const randomBlock = (): readonly Change[] => Array.from({ length: 1 + pick(15) }, randomChange)

it('blocks on blocks have the roots that they would have if each were written', () => {
  const store = openMemoryStore()
  let root = EMPTY_TRIE_ROOT
  const write = (changes: readonly Change[], height: number): void => {
    const base = new LatestState(store, 1)
    const state = new Overlay(base)
    for (const change of changes) change(state)
    const commitment = computeCommitment(store, base, root, state.changes())
    const batch = store.batch()
    writeState(batch, height, commitment)
    store.write(batch, { sync: false })
    root = commitment.stateRoot
  }
  for (let height = 1; height <= 20; height++) write(randomBlock(), height)
  const simulated = Array.from({ length: 60 }, randomBlock)
  const nodes = new LayeredNodes({ getMany: (keys) => store.getMany('trie', keys) })
  const tip = new Tip(header(root), ZERO_HASH, new LatestState(store, 1), nodes)
  const roots = simulated.map((changes) => {
    const state = new Overlay(tip.state)
    for (const change of changes) change(state)
    const commitment = tip.commitmentTo(state)
    tip.advance(header(commitment.stateRoot), ZERO_HASH, state, commitment, 0n)
    return commitment.stateRoot
  })
  const written = simulated.map((changes, index) => {
    write(changes, 21 + index)
    return root
  })
  expect(roots).toEqual(written)
  expect(new Set(roots.map(String)).size).toBe(60)
})

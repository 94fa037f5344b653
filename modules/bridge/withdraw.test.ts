/** Coins that are burned, the tree of withdrawals, and the signatures that add up over it. */
import { describe, expect, it } from 'vitest'
import { rootDigest, setDigest, withdrawalDomainHash, withdrawalLeaf } from '../../core/bridge-withdrawal.ts'
import { uint32ToBytes } from '../../core/bytes.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { appendedNodes, treeRoot } from '../../core/withdrawal-tree.ts'
import { bridgeQuery } from '../../proto/index.ts'
import type { BridgeSignature } from '../attestations.ts'
import type { Event } from '../module.ts'
import { ask, CHAIN_ID, dump, initState, refusal } from '../slashing/testing/world.ts'
import { readRoots, readSet, readUnheard, readWayBack } from './keeper/index.ts'
import { BRIDGE_ADDRESS } from './keys.ts'
import { isAnother, makeSet, toSigningSet } from './signing-set.ts'
import { ACCOUNT, CONTRACT, DENOM, depositOf, memberOf, members } from './testing/world.ts'
import { keyOf, RECIPIENT, WithdrawalWorld } from './testing/withdrawals.ts'
import { addUnheard, MAX_UNHEARD, UNHEARD_BLOCKS, unheardAt } from './unheard.ts'

const DOMAIN = withdrawalDomainHash({ ...CONTRACT, nativeChainId: CHAIN_ID })
const types = (events: readonly { readonly type: string }[]): readonly string[] =>
  events.map(({ type }) => type).filter((type) => type.startsWith('bridge_'))

const digestOf = (world: WithdrawalWorld): Uint8Array => world.digests()[0] ?? new Uint8Array(32)
/** Bytes of the length of a signature. */
const junk = (digest: Uint8Array, byte: number): BridgeSignature => ({
  digest,
  signature: new Uint8Array(65).fill(byte),
})

/** Four with keys, and deposits of 1,000 and 1,001. */
const ready = (): WithdrawalWorld => {
  const world = new WithdrawalWorld(members(10n, 10n, 10n, 10n))
  world.accept(depositOf(0), depositOf(1))
  world.blocks(10)
  return world
}

describe('a withdrawal', () => {
  it('is refused without burning where the bridge is closed, paused, or knows better', () => {
    const world = ready()
    const before = world.balance()
    const why = (changes: Parameters<WithdrawalWorld['withdraw']>[1] = {}, amount = 10n) =>
      refusal(() => world.withdraw(amount, changes)).slice(0, 2)
    expect(why({ denom: 'bridge/other' })).toEqual(['bridge', 11])
    expect(why({ recipient: `0x${'00'.repeat(20)}` })).toEqual(['bridge', 11])
    expect(why({ recipient: '0x12' })).toEqual(['bridge', 11])
    expect(why({}, 0n)).toEqual(['bridge', 11])
    expect(why({ recipient: bytesToHex(CONTRACT.address) })).toEqual(['bridge', 16])
    expect(why({ sender: 'nat1' })).toEqual(['sdk', 7])
    world.updateParams({ paused: true })
    expect(why()).toEqual(['bridge', 10])
    world.updateParams({ paused: false, withdrawLimit: '1000', minWithdrawal: '11' })
    expect(refusal(() => world.withdraw(10n))).toEqual(['bridge', 21, `a withdrawal is at least 11${DENOM}`])
    world.updateParams({ paused: false, withdrawLimit: '0' })
    expect(why()).toEqual(['bridge', 8])
    world.updateParams({ contract: '', chainId: 0n })
    expect(why()).toEqual(['bridge', 3])
    expect(world.balance()).toBe(before)
  })

  it('is bounded by the day, by the block, and by what the contract holds', () => {
    const world = ready()
    world.updateParams({ withdrawLimit: '1500', maxWithdrawalsPerBlock: 2 })
    world.withdraw(1_000n)
    expect(refusal(() => world.withdraw(501n))).toEqual(['bridge', 12, '500 of the limit of this day (UTC) are left'])
    world.withdraw(200n)
    expect(refusal(() => world.withdraw(1n)).slice(0, 2)).toEqual(['bridge', 14])
    world.block()
    world.withdraw(300n)
    expect(refusal(() => world.withdraw(1n)).slice(0, 2)).toEqual(['bridge', 12])
    world.updateParams({ withdrawLimit: '100000', maxWithdrawalsPerBlock: 2 })
    expect(refusal(() => world.withdraw(502n))).toEqual(['bridge', 13, 'the contract holds 501 for withdrawals'])
    world.withdraw(501n)
    expect(world.balance()).toBe(0n)
    expect(readWayBack(world.state, CONTRACT)).toMatchObject({ size: 4, held: 0n })
    world.block()
  })

  it('takes of a denomination no more than deposits have brought of it', () => {
    const world = ready()
    world.ledger.mint({ state: world.state, emit: () => undefined }, ACCOUNT, [{ denom: 'anat', amount: 5_000n }])
    world.updateParams({ denom: 'anat' })
    const refused = ['bridge', 13, '0anat have come over the bridge and not gone back']
    // The contract holds 2,001, which belong to those who have the other denomination.
    expect(refusal(() => world.withdraw(500n, { denom: 'anat' }))).toEqual(refused)
    world.accept(depositOf(2))
    world.blocks(10)
    world.withdraw(1_002n, { denom: 'anat' })
    expect(refusal(() => world.withdraw(1n, { denom: 'anat' }))).toEqual(refused)
    world.block()
    world.updateParams({})
    world.withdraw(2_001n)
    world.block()
  })

  it('begins the limit of the day anew at midnight', () => {
    const world = ready()
    world.updateParams({ withdrawLimit: '600' })
    world.withdraw(600n)
    world.height = 86_399
    expect(refusal(() => world.withdraw(1n)).slice(0, 2)).toEqual(['bridge', 12])
    world.height = 86_400
    world.withdraw(600n)
  })

  it('is a leaf of a tree whose root more than two thirds sign', () => {
    const world = ready()
    expect(world.withdraw(300n)).toBe(0)
    expect(types(world.block())).toEqual([])
    const { pending } = readRoots(world.state, CONTRACT)
    const nodes = new Map<string, Uint8Array>()
    const nodeAt = (level: number, index: number): Uint8Array => nodes.get(`${level}/${index}`) ?? new Uint8Array(0)
    const leaf = withdrawalLeaf(DOMAIN, { id: 0, recipient: hexToBytes(RECIPIENT), amount: 300n })
    for (const { level, index, node } of appendedNodes(0, leaf, nodeAt)) nodes.set(`${level}/${index}`, node)
    const root = treeRoot(1, nodeAt)
    expect(pending).toEqual({ root, size: 1, nonce: 1, signatures: new Map() })
    // 20 of 40, and 30 of 40.
    world.signBy([0, 1])
    world.signBy([0, 1])
    expect(readRoots(world.state, CONTRACT).pending?.signatures.size).toBe(2)
    expect(refusal(() => world.proof(0))).toEqual([
      'grpc',
      5,
      'withdrawal 0 waits for signatures: those over the root of 1 withdrawals have the power 20, and need more than 26',
    ])
    expect(types(world.signBy([3]))).toEqual(['bridge_root_signed'])
    const { root: shown, proof, set } = world.proof(0)
    expect(shown).toMatchObject({ root: bytesToHex(root), size: 1, nonce: 1n, power: 30n })
    expect(shown?.digest).toBe(bytesToHex(rootDigest(DOMAIN, root)))
    expect([proof.length, set?.members.length, shown?.signatures.filter(({ v }) => v > 0).length]).toEqual([32, 4, 3])
    expect(readRoots(world.state, CONTRACT).pending).toBeUndefined()
  })

  it('that comes while a root is signed waits for the next one', () => {
    const world = ready()
    world.withdraw(1n)
    world.block()
    for (let id = 1; id < 6; id++) {
      world.withdraw(1n)
      world.signBy([id % 4])
    }
    expect(readRoots(world.state, CONTRACT)).toMatchObject({ pending: { size: 4 }, signed: { size: 1 } })
    world.signBy([0, 1, 2, 3])
    world.signBy([0, 1, 2, 3])
    expect(readRoots(world.state, CONTRACT)).toMatchObject({ pending: undefined, signed: { size: 6 } })
  })

  it('counts no signature of a stranger or over something else, and that of a member from whoever brings it', () => {
    const world = ready()
    world.withdraw(1n)
    world.block()
    const digest = digestOf(world)
    const by = (place: number, of: Uint8Array = digest) => ({ bridgeSignatures: [world.signature(place, of)] })
    const wrong = { bridgeSignatures: [{ digest, signature: world.signature(0, new Uint8Array(32)).signature }] }
    world.block([by(7), by(0, new Uint8Array(32)), wrong, { bridgeSignatures: [junk(digest, 0xff)] }])
    expect(readRoots(world.state, CONTRACT).pending?.signatures.size).toBe(0)
    world.block([undefined, by(0)])
    expect(readRoots(world.state, CONTRACT).pending?.signatures.size).toBe(1)
  })
})

describe('votes with signatures that add nothing', () => {
  /** A root waits, and the digest of it. */
  const waiting = (): readonly [WithdrawalWorld, Uint8Array] => {
    const world = ready()
    world.withdraw(1n)
    world.block()
    return [world, digestOf(world)]
  }
  const useless = (events: readonly Event[]): readonly Event[] =>
    events.filter(({ type }) => type === 'bridge_signature_useless')
  const count = (world: WithdrawalWorld) => readRoots(world.state, CONTRACT).pending?.signatures.size

  it('are looked at once in a hundred blocks, whatever they say then, and those of others go on', () => {
    const [world, digest] = waiting()
    expect(useless(world.block([{ bridgeSignatures: [junk(digest, 1)] }, world.honest(1)]))).toHaveLength(1)
    expect(count(world)).toBe(1)
    const refusedAt = world.height
    while (world.height < refusedAt + UNHEARD_BLOCKS - 1) {
      expect(useless(world.block([{ bridgeSignatures: [junk(digest, world.height & 0xff)] }]))).toEqual([])
    }
    // A right one is not looked at either. It is when the time is over, and by a message at any time.
    expect(readUnheard(world.state)).toHaveLength(1)
    world.signBy([0])
    expect(count(world)).toBe(2)
    expect(types(world.signBy([2]))).toEqual(['bridge_root_signed'])
  })

  it('mute a validator whose key signs by a message meanwhile', () => {
    const [world, digest] = waiting()
    world.block([{ bridgeSignatures: [junk(digest, 1)] }])
    world.signBy([0, 1])
    expect(count(world)).toBe(1)
    world.submit(world.signature(0, digest))
    expect(count(world)).toBe(2)
  })

  it('do not mute one that repeats itself, as a node does that has begun anew', () => {
    const [world] = waiting()
    const said = world.honest(0)
    for (let blocks = 0; blocks < 3; blocks++) expect(useless(world.block([said]))).toEqual([])
    expect([count(world), readUnheard(world.state)]).toEqual([1, []])
  })

  it('leave a record of bounded size, which an export keeps', () => {
    const [world, digest] = waiting()
    for (let blocks = 0; blocks < 2; blocks++) {
      world.block(world.set.map((_, place) => ({ bridgeSignatures: [junk(digest, place)] })))
    }
    expect(readUnheard(world.state)).toHaveLength(4)
    const state = initState(world.module, world.export())
    expect(dump(state, BRIDGE_ADDRESS)).toEqual(dump(world.state, BRIDGE_ADDRESS))
    const many = Array.from({ length: MAX_UNHEARD + 9 }, (_, index) => uint32ToBytes(index))
    const full = addUnheard([], many, 1)
    expect(full).toHaveLength(MAX_UNHEARD)
    expect(addUnheard(full, [Uint8Array.of(1)], 1 + UNHEARD_BLOCKS)).toHaveLength(1)
    // A chain that begins anew at a lower height hears all.
    expect(unheardAt([{ validator: Uint8Array.of(1), until: 1_000_000 }], 1).size).toBe(0)
  })
})

describe('the set of signers', () => {
  it('is made of keys that validators have registered, with the power of all', () => {
    const world = new WithdrawalWorld(members(10n, 10n, 10n, 10n), [0, 1])
    world.blocks(20)
    expect(readWayBack(world.state, CONTRACT).setNonce).toBe(0)
    world.register(2)
    world.blocks(10)
    const set = readSet(world.state, CONTRACT, 1)
    expect(set?.threshold).toBe(26n)
    expect(set?.members.map(({ address }) => bytesToHex(address))).toEqual(
      [0, 1, 2].map((place) => bytesToHex(keyOf(place).address)).sort((a, b) => (a < b ? -1 : 1)),
    )
  })

  it('takes a key of an operator alone, with its own signature, each once', () => {
    const world = new WithdrawalWorld(members(10n, 10n), [])
    world.register(0)
    expect(refusal(() => world.register(1, keyOf(0))).slice(0, 2)).toEqual(['bridge', 19])
    expect(refusal(() => world.register(7)).slice(0, 2)).toEqual(['bridge', 18])
    expect(refusal(() => world.register(1, keyOf(1), keyOf(0))).slice(0, 2)).toEqual(['bridge', 17])
    world.register(0, keyOf(5))
    world.register(1, keyOf(0))
  })

  it('takes the signature of a key from whoever has registered it by now', () => {
    const world = ready()
    world.withdraw(1n)
    world.block()
    // An operator takes its key to another validator.
    world.register(3, keyOf(9))
    world.set = [...world.set, memberOf(4, 10n)]
    world.register(4, keyOf(3))
    world.signBy([1, 4])
    expect(readRoots(world.state, CONTRACT).pending?.signatures.size).toBe(2)
    expect(types(world.signBy([2]))).toEqual(['bridge_root_signed'])
  })

  it('is followed by the one that it signs, which then signs the root anew', () => {
    const world = ready()
    world.updateParams({ setIntervalBlocks: 5n })
    world.withdraw(1n)
    world.block()
    world.signBy([0, 1, 2, 3])
    expect(readRoots(world.state, CONTRACT).signed?.nonce).toBe(1)
    world.register(0, keyOf(9))
    world.blocks(5)
    const next = readSet(world.state, CONTRACT, 2)
    expect(next).toMatchObject({ nonce: 2, threshold: 26n })
    if (next === undefined) return
    expect(world.digests().map(bytesToHex)).toEqual([bytesToHex(setDigest(DOMAIN, toSigningSet(next)))])
    // It is not replaced by another one while it waits.
    world.register(1, keyOf(10))
    world.blocks(10)
    expect(readSet(world.state, CONTRACT, 3)).toBeUndefined()
    expect(types(world.signBy([0, 1, 2]))).toContain('bridge_set_signed')
    expect(readWayBack(world.state, CONTRACT).setNonce).toBe(2)
    expect(readRoots(world.state, CONTRACT)).toMatchObject({ pending: { nonce: 2 }, signed: { nonce: 1 } })
    // The other key of validator 1 makes a third one, which signs the root in its turn.
    for (let blocks = 0; blocks < 3; blocks++) world.signBy([0, 1, 2, 3])
    expect(readRoots(world.state, CONTRACT)).toMatchObject({ pending: undefined, signed: { nonce: 3, size: 1 } })
    const answer = ask(world.module, world.state, world.height, bridgeQuery.Query.method.signingSet, { nonce: 2n })
    expect(answer).toMatchObject({ signed: true, power: 30n })
    expect(answer.signatures.filter(({ v }) => v > 0)).toHaveLength(3)
  })

  it('signs by messages where its members have left, each once', () => {
    const world = ready()
    world.updateParams({ setIntervalBlocks: 5n })
    world.withdraw(1n)
    world.block()
    world.signBy([0, 1, 2, 3])
    // Half of the power leaves at once: the others alone cannot sign the next set.
    world.set = world.set.slice(0, 2)
    world.blocks(5)
    for (let blocks = 0; blocks < 3; blocks++) world.signBy([0, 1])
    const [digest] = world.digests()
    if (digest === undefined) throw new TypeError('nothing waits')
    expect(readWayBack(world.state, CONTRACT).setNonce).toBe(1)
    expect(refusal(() => world.submit(world.signature(7, digest))).slice(0, 2)).toEqual(['bridge', 20])
    expect(refusal(() => world.submit(world.signature(2, new Uint8Array(32)))).slice(0, 2)).toEqual(['bridge', 20])
    expect(refusal(() => world.submit(world.signature(0, digest))).slice(0, 2)).toEqual(['bridge', 20])
    const short = { digest, signature: new Uint8Array(64) }
    expect(refusal(() => world.submit(short)).slice(0, 2)).toEqual(['bridge', 20])
    expect(types(world.submit(world.signature(2, digest)))).toEqual(['bridge_set_signed'])
    expect(readWayBack(world.state, CONTRACT).setNonce).toBe(2)
    world.block()
    world.signBy([0, 1])
    expect(readRoots(world.state, CONTRACT)).toMatchObject({ pending: undefined, signed: { nonce: 2 } })
  })

  it('changes where a twentieth of the power moves, or another key signs', () => {
    const keys = (validator: Uint8Array): Uint8Array => validator
    const of = (...powers: readonly bigint[]) => makeSet(members(...powers), keys) ?? { members: [], threshold: 0n }
    expect(isAnother(of(50n, 50n), of(50n, 50n))).toBe(false)
    expect(isAnother(of(50n, 50n), of(100n, 100n))).toBe(false)
    expect(isAnother(of(500n, 500n), of(530n, 470n))).toBe(false)
    expect(isAnother(of(500n, 500n), of(551n, 449n))).toBe(true)
    expect(isAnother(of(500n, 500n), of(500n, 500n, 1n))).toBe(true)
    // Two validators of equal power exchange their keys.
    const exchanged = (validator: Uint8Array): Uint8Array => new Uint8Array(20).fill(validator[0] === 1 ? 2 : 1)
    expect(isAnother(of(50n, 50n), makeSet(members(50n, 50n), exchanged) ?? of(50n))).toBe(true)
    expect(
      makeSet([memberOf(0, 2n), memberOf(1, 1n)], (validator) => (validator[0] === 1 ? validator : undefined)),
    ).toBe(undefined)
  })
})

describe('the way back of a contract', () => {
  it('stays its own when governance names another one, and comes back with it', () => {
    const world = ready()
    world.withdraw(7n)
    world.block()
    world.signBy([0, 1, 2])
    const signed = readRoots(world.state, CONTRACT)
    const other = `0x${'c1'.repeat(20)}`
    world.updateParams({ contract: other })
    expect(refusal(() => world.withdraw(1n)).slice(0, 2)).toEqual(['bridge', 13])
    expect(readRoots(world.state, CONTRACT)).toEqual(signed)
    expect(world.proof(0, { chainId: CONTRACT.chainId, contract: bytesToHex(CONTRACT.address) }).root?.size).toBe(1)
    expect(refusal(() => world.proof(0)).slice(0, 2)).toEqual(['grpc', 5])
    world.updateParams({})
    expect(world.withdraw(1n)).toBe(1)
    world.block()
  })

  it('comes back from an export as it was', () => {
    const world = ready()
    world.updateParams({ setIntervalBlocks: 5n })
    for (let id = 0; id < 5; id++) world.withdraw(10n + BigInt(id))
    world.block()
    world.signBy([0, 1, 2])
    world.withdraw(3n)
    world.register(0, keyOf(9))
    world.blocks(5)
    world.signBy([1])
    world.signBy([1, 2])
    const exported = world.export()
    const state = initState(world.module, exported)
    expect(dump(state, BRIDGE_ADDRESS)).toEqual(dump(world.state, BRIDGE_ADDRESS))
    expect(world.balance(ACCOUNT, DENOM)).toBe(2_001n - 60n - 3n)
  })
})

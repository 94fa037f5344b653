/**
 * The way back in seeded runs: liars of less than a third of the power sign what never was, proposers leave out what they may, powers and keys
 * change, and everybody tries to release what is not theirs. The contract is the one that solc made, in this project's EVM. SEED
 * repeats a run.
 */
import { expect, it } from 'vitest'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import { signForBridge } from '../../core/bridge-signature.ts'
import {
  rootDigest,
  setDigest,
  type SigningSet,
  withdrawalDomainHash,
  withdrawalLeaf,
} from '../../core/bridge-withdrawal.ts'
import { treeProof, treeRoot } from '../../core/withdrawal-tree.ts'
import { createInterpreterEngine } from '../../evm/interpreter/create-engine.ts'
import type { BridgeSignature } from '../../modules/attestations.ts'
import { readRoots, readSet, readWayBack, readWithdrawal } from '../../modules/bridge/keeper/index.ts'
import { toSigningSet } from '../../modules/bridge/signing-set.ts'
import { DENOM, depositOf, hashOf, type Member, memberOf, type Said } from '../../modules/bridge/testing/world.ts'
import { keyOf, RECIPIENT, WithdrawalWorld } from '../../modules/bridge/testing/withdrawals.ts'
import type { MemberSignatures, StoredSet } from '../../modules/bridge/way-back-record.ts'
import { CHAIN_ID } from '../../modules/slashing/testing/world.ts'
import { type Random, seeded } from '../sim/random.ts'
import { ExternalContract } from './external-contract.ts'

const RUNS = 6
const BLOCKS = 60
const PEOPLE = 6
const THIEF = new Uint8Array(20).fill(0x66)
const ABSENT = { r: `0x${'00'.repeat(32)}`, s: `0x${'00'.repeat(32)}`, v: 0 } as const

const totalOf = (set: readonly Member[]): bigint => set.reduce((sum, { power }) => sum + power, 0n)

/** All people with powers by chance, of which the liars have less than a third. */
const choosePowers = (random: Random, liars: ReadonlySet<number>): readonly Member[] => {
  for (;;) {
    const set = Array.from({ length: PEOPLE }, (_, index) => memberOf(index, BigInt(1 + random.below(40))))
    if (totalOf(set.filter((_, index) => liars.has(index))) * 3n < totalOf(set)) return set
  }
}

/** Chooses whose votes a proposer leaves out: what is left has more than two thirds. */
const censored = (random: Random, set: readonly Member[], liars: ReadonlySet<number>): ReadonlySet<number> => {
  const out = new Set<number>()
  if (random.chance(30)) return out
  let left = totalOf(set)
  const honestFirst = set.map((_, index) => index).sort((a, b) => Number(liars.has(a)) - Number(liars.has(b)))
  for (const index of honestFirst) {
    const { power = 0n } = set[index] ?? {}
    if (random.chance(30) || (left - power) * 3n <= totalOf(set) * 2n) continue
    left -= power
    out.add(index)
  }
  return out
}

const setArgument = ({ nonce, members, threshold }: SigningSet) => ({
  nonce,
  validators: members.map(({ address }) => bytesToHex(address)),
  powers: members.map(({ power }) => power),
  threshold,
})
const signatureArgument = (signature: Uint8Array | undefined) =>
  signature === undefined
    ? ABSENT
    : {
        r: bytesToHex(signature.subarray(0, 32)),
        s: bytesToHex(signature.subarray(32, 64)),
        v: 27 + (signature[64] ?? 0),
      }
const signaturesArgument = ({ members }: StoredSet, signatures: MemberSignatures) =>
  members.map((_, place) => signatureArgument(signatures.get(place)))

/** One chain and one contract, with what everybody has ever overheard. */
class Run {
  readonly #random: Random
  readonly #external: ExternalContract
  readonly #liars: ReadonlySet<number>
  readonly #domain: Uint8Array
  readonly world: WithdrawalWorld
  readonly released = new Map<number, bigint>()
  #deposited = 0n
  refusals = new Set<string>()
  /** What honest validators have signed, by digest and address. */
  readonly #overheard: { digest: string; signature: Uint8Array }[] = []

  constructor(random: Random, external: ExternalContract) {
    this.#random = random
    this.#external = external
    this.#liars = new Set(Array.from({ length: PEOPLE }, (_, index) => index).filter(() => random.chance(30)))
    const { chainId, address } = external.contract
    const limit = { setIntervalBlocks: 4n, withdrawLimit: (10n ** 20n).toString() }
    this.world = new WithdrawalWorld(choosePowers(random, this.#liars), undefined, limit, {
      chainId,
      contract: bytesToHex(address),
    })
    this.#domain = withdrawalDomainHash({ ...external.contract, nativeChainId: CHAIN_ID })
  }

  get #contract() {
    return this.#external.contract
  }

  async deposit(): Promise<void> {
    const deposits = Array.from({ length: 8 }, (_, id) => depositOf(id, { amount: 10_000n }))
    for (const { amount } of deposits) {
      await this.#external.send('deposit', [RECIPIENT, '0x'], amount)
      this.#deposited += amount
    }
    const bridge = deposits.map((event) => ({ id: event.id, hash: hashOf(event, this.#contract) }))
    this.world.block(this.world.set.map(() => ({ bridge })))
    this.world.block(this.world.set.map(() => ({ bridgeContents: deposits })))
    this.world.blocks(10)
    expect(this.world.balance()).toBe(80_000n)
    const first = this.#set(1)
    expect(await this.#external.send('initializeSet', [setArgument(toSigningSet(first))])).toBeUndefined()
  }

  #set(nonce: number): StoredSet {
    const set = readSet(this.world.state, this.#contract, nonce)
    if (set === undefined) throw new TypeError(`no set ${nonce}`)
    return set
  }

  /** Honest validators sign what the state says; what they say is heard by all, also where it is left out. */
  #honest(index: number): Said {
    const said = this.world.honest(index)
    for (const { digest, signature } of said.bridgeSignatures ?? []) {
      this.#overheard.push({ digest: bytesToHex(digest), signature })
    }
    return said
  }

  /** Liars sign what never was, sign nothing, or bring what others signed. */
  #lying(index: number): Said {
    const random = this.#random
    const digests = this.world.digests()
    const one = (signature: BridgeSignature): Said => ({ bridgeSignatures: [signature] })
    const [digest = random.bytes(32)] = digests
    const kind = random.below(5)
    if (kind === 0) return one(this.world.signature(index, random.bytes(32)))
    if (kind === 1) return one({ digest, signature: random.bytes(65) })
    if (kind === 2) return this.world.honest(index)
    const heard = this.#overheard.at(-1)
    if (kind === 3 && heard !== undefined) return one({ digest: hexToBytes(heard.digest), signature: heard.signature })
    return {}
  }

  step(): void {
    const random = this.#random
    if (random.chance(10)) this.world.set = choosePowers(random, this.#liars)
    if (random.chance(5)) {
      const index = random.below(PEOPLE)
      this.world.register(index, keyOf(index + PEOPLE * (1 + (this.world.keys.get(index)?.length ?? 0))))
    }
    if (random.chance(50) && this.world.balance() > 100n) this.world.withdraw(1n + BigInt(random.below(100)))
    const out = censored(random, this.world.set, this.#liars)
    const said = this.world.set.map((_, index) => {
      const what = this.#liars.has(index) ? this.#lying(index) : this.#honest(index)
      return out.has(index) ? undefined : what
    })
    this.world.block(said)
  }

  /** The keys of liars sign whatever a thief asks for, and what others have signed is added. */
  #stolen({ members }: StoredSet, digest: Uint8Array) {
    const text = bytesToHex(digest)
    const heard = this.#overheard.filter((each) => each.digest === text).map(({ signature }) => signature)
    const liarKeys = [...this.#liars].flatMap((index) => this.world.keys.get(index) ?? [])
    return members.map(({ address }) => {
      const own = liarKeys.find((key) => bytesToHex(key.address) === bytesToHex(address))
      if (own !== undefined) return signatureArgument(signForBridge(digest, own.privateKey))
      return signatureArgument(heard.find((signature) => this.#isOf(signature, digest, address)))
    })
  }

  #isOf(signature: Uint8Array, digest: Uint8Array, address: Uint8Array): boolean {
    const keys = [...this.world.keys.values()].flat()
    const key = keys.find((each) => bytesToHex(each.address) === bytesToHex(address))
    return key !== undefined && bytesToHex(signForBridge(digest, key.privateKey)) === bytesToHex(signature)
  }

  async attack(): Promise<void> {
    const nonce = Number(await this.#external.read('setNonce'))
    const present = this.#set(nonce)
    const set = setArgument(toSigningSet(present))
    const amount = 1_000_000n
    const leaf = { id: BigInt(this.#random.below(40)), recipient: bytesToHex(THIEF), amount: 5n }
    const own = withdrawalLeaf(this.#domain, { id: Number(leaf.id), recipient: THIEF, amount: 5n })
    // A tree of the thief's own.
    const alone = (level: number, index: number): Uint8Array =>
      level === 0 && index === Number(leaf.id) ? own : new Uint8Array(32)
    const size = Number(leaf.id) + 1
    const [root, proof] = [treeRoot(size, alone), treeProof(Number(leaf.id), size, alone).map(bytesToHex)]
    await this.#expectRefusal('withdraw', [
      bytesToHex(root),
      set,
      this.#stolen(present, rootDigest(this.#domain, root)),
      leaf,
      proof,
    ])
    const false_ = { ...toSigningSet(present), nonce: BigInt(nonce + 1), members: [{ address: THIEF, power: amount }] }
    const next = { ...false_, threshold: (amount * 2n) / 3n }
    await this.#expectRefusal('updateSet', [
      setArgument(next),
      set,
      this.#stolen(present, setDigest(this.#domain, next)),
    ])
    await this.#tooEarly(present)
    const [first] = this.released.keys()
    if (first !== undefined) await this.#expectRefusal('withdraw', this.#proofOf(first))
  }

  /** What has been signed by too few is no more than before, whoever adds what. */
  async #tooEarly(present: StoredSet): Promise<void> {
    const { pending } = readRoots(this.world.state, this.#contract)
    if (pending === undefined || pending.nonce !== present.nonce) return
    const { root } = pending
    const signatures = this.#stolen(present, rootDigest(this.#domain, root))
    const power = present.members.reduce((sum, member, at) => sum + (signatures[at]?.v === 0 ? 0n : member.power), 0n)
    // Honest ones may have signed enough already, though their votes were left out: that is no theft.
    if (power > present.threshold) return
    const first = readWithdrawal(this.world.state, this.#contract, 0)
    if (first === undefined || (await this.#external.read('isAcceptedRoot', [bytesToHex(root)])) === true) return
    const leaf = { id: 0n, recipient: bytesToHex(first.recipient), amount: first.amount }
    const proof = Array.from({ length: 32 }, () => ABSENT.r)
    const args = [bytesToHex(root), setArgument(toSigningSet(present)), signatures, leaf, proof]
    expect(await this.#expectRefusal('withdraw', args)).toBe('TooLittlePower')
  }

  async #expectRefusal(name: string, args: readonly unknown[]): Promise<string> {
    const refusal = await this.#external.send(name, args)
    if (refusal === undefined) throw new TypeError(`${name} was taken`)
    this.refusals.add(refusal)
    return refusal
  }

  /** The arguments that an honest relayer has of the chain. */
  #proofOf(id: number): readonly unknown[] {
    const { root, set, proof, withdrawal } = this.world.proof(id)
    const stored = this.#set(Number(set?.nonce))
    const { signed } = readRoots(this.world.state, this.#contract)
    const leaf = { id: BigInt(id), recipient: withdrawal?.recipient, amount: BigInt(withdrawal?.amount ?? 0) }
    const signatures = signaturesArgument(stored, signed?.signatures ?? new Map())
    return [root?.root, setArgument(toSigningSet(stored)), signatures, leaf, proof]
  }

  /** An honest relayer, as late as it likes. */
  async relay(): Promise<void> {
    for (;;) {
      const nonce = Number(await this.#external.read('setNonce'))
      if (nonce >= readWayBack(this.world.state, this.#contract).setNonce) break
      const [present, next] = [this.#set(nonce), this.#set(nonce + 1)]
      const sets = [next, present].map((each) => setArgument(toSigningSet(each)))
      expect(await this.#external.send('updateSet', [...sets, signaturesArgument(present, next.signatures)])).toBe(
        undefined,
      )
    }
    const { signed } = readRoots(this.world.state, this.#contract)
    const { setNonce } = readWayBack(this.world.state, this.#contract)
    if (signed === undefined || signed.nonce !== setNonce) return
    for (let id = 0; id < signed.size; id++) {
      if (this.released.has(id)) continue
      expect(await this.#external.send('withdraw', this.#proofOf(id))).toBeUndefined()
      this.released.set(id, readWithdrawal(this.world.state, this.#contract, id)?.amount ?? 0n)
    }
  }

  /** What has left the contract is what was burned here and released, each once. */
  check(): void {
    const sum = [...this.released.values()].reduce((total, amount) => total + amount, 0n)
    expect(this.#external.balance(hexToBytes(RECIPIENT))).toBe(sum)
    expect(this.#external.balance(THIEF)).toBe(0n)
    expect(this.#external.balance()).toBe(this.#deposited - sum)
    const { held } = readWayBack(this.world.state, this.#contract)
    expect(this.#external.balance()).toBeGreaterThanOrEqual(held)
    expect(this.world.ledger.supply(this.world.state, DENOM)).toBe(held)
  }

  /** Nobody is left out any more. */
  async finish(): Promise<void> {
    for (let blocks = 0; blocks < 20; blocks++) {
      this.world.block(this.world.set.map((_, index) => (this.#liars.has(index) ? {} : this.#honest(index))))
    }
    await this.relay()
    this.check()
    const { size, setNonce } = readWayBack(this.world.state, this.#contract)
    expect(this.released.size).toBe(size)
    expect(await this.#external.read('setNonce')).toBe(BigInt(setNonce))
  }
}

it(
  `releases what was burned and nothing else, each once, and follows the sets, in ${RUNS} runs`,
  seeded(0x3a7bac, async (random) => {
    const engine = await createInterpreterEngine()
    let [releases, sets] = [0, 0]
    const refusals = new Set<string>()
    for (let index = 0; index < RUNS; index++) {
      const external = await ExternalContract.deploy(engine, CHAIN_ID)
      const run = new Run(random, external)
      await run.deposit()
      for (let block = 0; block < BLOCKS; block++) {
        run.step()
        if (random.chance(30)) await run.attack()
        if (random.chance(20)) await run.relay()
        run.check()
      }
      await run.finish()
      releases += run.released.size
      sets += readWayBack(run.world.state, external.contract).setNonce
      for (const refusal of run.refusals) refusals.add(refusal)
    }
    // The last one is of a proof of a former set, for a withdrawal that was released by then.
    expect([...refusals].sort()).toEqual(['AlreadyReleased', 'TooLittlePower', 'WrongSet'])
    expect(sets).toBeGreaterThan(RUNS * 2)
    expect(releases).toBeGreaterThan(RUNS * 10)
    console.log(`${releases} withdrawals were released, under ${sets} sets`)
  }),
)

/**
 * The state of one height, value by value, under the application hash of a verified header. One proof of the module's account shows
 * the hashes of many values, so that a value which is known already, or expected, needs no request of its own.
 */
import type { Address } from '../../../core/address.ts'
import { DENOMINATION } from '../../../core/amounts.ts'
import {
  bytesToBigint,
  bytesToKey,
  bytesToUtf8,
  EMPTY_BYTES,
  equalBytes,
  trimLeadingZeros,
} from '../../../core/bytes.ts'
import { CodedError, invariant } from '../../../core/errors.ts'
import { EMPTY_TRIE_ROOT, type Hash, keccak256 } from '../../../core/hash.ts'
import { balanceKey } from '../../../modules/bank/index.ts'
import { CAPS_KEY, CLOB_ACCOUNT } from '../../../modules/clob/index.ts'
import {
  decodeStateProof,
  verifyAccountProof,
  verifySlotProof,
  verifyStateProof,
} from '../../../store/trie/verify-state-proof.ts'
import type { AccountProof, EthereumNode } from './audit-ethereum.ts'
import { AuditFault } from './audit-fault.ts'
import type { AuditNode, Stored } from './audit-node.ts'

const PROOF_TYPE = 'eth:mpt'
/** The module that keeps all balances but those of NAT. */
const BANK = 'bank'
/** The node's JSON-RPC proves 1,024 with one request. */
const SLOTS_A_REQUEST = 500

export interface Sources {
  readonly node: AuditNode
  readonly ethereum: EthereumNode
}

/** Hashes of values of the module clob at a height, as a node proves them. */
export interface SlotAnswers {
  readonly keys: readonly Uint8Array[]
  readonly proof: AccountProof
}

export const askSlots = async (
  { ethereum }: Sources,
  keys: readonly Uint8Array[],
  height: number,
): Promise<readonly SlotAnswers[]> => {
  const parts: (readonly Uint8Array[])[] = []
  for (let at = 0; at < keys.length; at += SLOTS_A_REQUEST) parts.push(keys.slice(at, at + SLOTS_A_REQUEST))
  return await Promise.all(
    parts.map(async (part) => {
      const slots = part.map((key) => keccak256(key))
      return { keys: part, proof: await ethereum.proof(CLOB_ACCOUNT, slots, height) }
    }),
  )
}

/** `caps` changes with every block: its proof shows the Ethereum header of the height, too. */
export const askCaps = (sources: Sources, height: number): Promise<Stored> => sources.node.stored(CAPS_KEY, height)

const nameOf = (key: Uint8Array): string => bytesToUtf8(key.slice(0, 8)).replace(/[^a-z]/g, '')

/** Tells what a check refuses. Its other errors are faults of this program. */
const refusalOf = <T>(check: () => T): { readonly holds: T } | { readonly fault: string } => {
  try {
    return { holds: check() }
  } catch (error) {
    if (error instanceof CodedError) return { fault: error.message }
    throw error
  }
}

export class ProvenHeight {
  readonly height: number
  readonly #sources: Sources
  readonly #appHash: Hash
  /** The height of the block in hand, which faults name. */
  readonly #blockHeight: number
  readonly #stateRoot: Hash
  readonly capsValue: Uint8Array | undefined
  /** The hashes of values by key, without leading zeros. An empty one says that the value is absent. */
  readonly #committed = new Map<string, Uint8Array>()

  /** Throws {@link AuditFault} where the answer proves nothing. */
  constructor(sources: Sources, at: { height: number; appHash: Hash; blockHeight: number }, caps: Stored) {
    this.#sources = sources
    this.height = at.height
    this.#appHash = at.appHash
    this.#blockHeight = at.blockHeight
    const { value, stateRoot } = this.#verify('clob', CAPS_KEY, caps)
    this.capsValue = value
    this.#stateRoot = stateRoot
  }

  /** Takes up what JSON-RPC has proven. Throws {@link AuditFault} where it has not. */
  addSlots(answers: readonly SlotAnswers[]): void {
    for (const { keys, proof } of answers) {
      const proven = refusalOf(() => verifyAccountProof(this.#stateRoot, CLOB_ACCOUNT, proof.accountProof))
      if ('fault' in proven) throw this.#lie(this.#sources.ethereum.url, `account of the module clob: ${proven.fault}`)
      const root = proven.holds?.storageRoot ?? EMPTY_TRIE_ROOT
      for (const [index, key] of keys.entries()) {
        const slot = refusalOf(() => verifySlotProof(root, keccak256(key), proof.storageProof[index]?.proof ?? []))
        if ('fault' in slot) throw this.#lie(this.#sources.ethereum.url, `slot of clob/${nameOf(key)}: ${slot.fault}`)
        this.#committed.set(bytesToKey(key), slot.holds)
      }
    }
  }

  /** Asks for what is not proven yet. */
  async prove(keys: readonly Uint8Array[]): Promise<void> {
    const missing = keys.filter((key) => !this.#committed.has(bytesToKey(key)))
    if (missing.length > 0) this.addSlots(await askSlots(this.#sources, missing, this.height))
  }

  /** Whether state has no value there. The key is proven. */
  isAbsent(key: Uint8Array): boolean {
    return this.#hashOf(key).length === 0
  }

  /** Whether state has this value; undefined is none. */
  has(key: Uint8Array, value: Uint8Array | undefined): boolean {
    const committed = this.#hashOf(key)
    return value === undefined ? committed.length === 0 : equalBytes(committed, trimLeadingZeros(keccak256(value)))
  }

  /** The value of a key that is proven. `known` is what it may be: then nobody is asked. */
  async value(key: Uint8Array, known?: Uint8Array): Promise<Uint8Array | undefined> {
    if (this.isAbsent(key)) return undefined
    if (known !== undefined && this.has(key, known)) return known
    const { node } = this.#sources
    const { value } = await node.stored(key, this.height, 'clob', false)
    if (this.has(key, value)) return value
    throw this.#lie(node.url, `clob/${nameOf(key)} is not the value that is proven`)
  }

  /** The value of a key that was asked for with a proof of its own. */
  takeStored(key: Uint8Array, answer: Stored): Uint8Array | undefined {
    return this.#verify('clob', key, answer).value
  }

  takeBalance(owner: Address, denom: string, answer: AccountProof | Stored): bigint {
    if (!('accountProof' in answer)) {
      return bytesToBigint(this.#verify(BANK, balanceKey(owner, denom), answer).value ?? EMPTY_BYTES)
    }
    const proven = refusalOf(() => verifyAccountProof(this.#stateRoot, owner, answer.accountProof))
    if ('fault' in proven) throw this.#lie(this.#sources.ethereum.url, `account of an owner: ${proven.fault}`)
    return proven.holds?.balance ?? 0n
  }

  #hashOf(key: Uint8Array): Uint8Array {
    const committed = this.#committed.get(bytesToKey(key))
    invariant(committed !== undefined, 'an audit reads a value that it has not proven')
    return committed
  }

  #verify(module: string, key: Uint8Array, answer: Stored): { value: Uint8Array | undefined; stateRoot: Hash } {
    const { url } = this.#sources.node
    const what = `${module}/${module === BANK ? 'balance' : nameOf(key)}`
    const [op, ...more] = answer.proofOps?.ops ?? []
    if (op?.type !== PROOF_TYPE || more.length > 0)
      throw this.#lie(url, `${what}: there must be one of type ${PROOF_TYPE}`)
    const claim = { appHash: this.#appHash, module, key, value: answer.value }
    const proven = refusalOf(() => verifyStateProof(claim, decodeStateProof(op.data)))
    if ('fault' in proven) throw this.#lie(url, `${what}: ${proven.fault}`)
    const { height, stateRoot, present } = proven.holds
    if (height !== this.height) throw this.#lie(url, `${what}: it is of height ${height}`)
    return { value: present ? answer.value : undefined, stateRoot }
  }

  #lie(liar: string, what: string): AuditFault {
    return new AuditFault({ height: this.#blockHeight, rule: 1, what: `proof at ${this.height}: ${what}`, liar })
  }
}

/** Asks for a balance where it is kept: NAT in the account itself, all else in the bank. */
export const askBalance = async (
  { node, ethereum }: Sources,
  owner: Address,
  denom: string,
  height: number,
): Promise<AccountProof | Stored> =>
  denom === DENOMINATION
    ? await ethereum.proof(owner, [], height)
    : await node.stored(balanceKey(owner, denom), height, BANK)

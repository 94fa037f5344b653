/**
 * Checks proofs of accounts, slots and module values against a state root or an app hash. For anyone who trusts a hash
 * and no node: it needs nothing but the proof.
 */
import { type Address, moduleAddress } from '../../core/address.ts'
import { bytesToBigint, equalBytes, trimLeadingZeros } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { EMPTY_TRIE_ROOT, type Hash, keccak256 } from '../../core/hash.ts'
import { decodeRlp, type RlpItem } from '../../core/rlp.ts'
import { verifyProof } from './read-trie.ts'
import { type TRIE_ERRORS, trieError } from './errors.ts'

/** The proof of a module's value, see docs/proofs.md. */
export interface StateProof {
  /** RLP of the Ethereum header of the height. */
  readonly header: Uint8Array
  /** Nodes of the state trie from its root to the module's account. */
  readonly account: readonly Uint8Array[]
  /** Nodes of the account's storage trie from its root to the slot keccak256(key). */
  readonly storage: readonly Uint8Array[]
}

export interface ProvenAccount {
  readonly nonce: bigint
  readonly balance: bigint
  readonly storageRoot: Hash
  readonly codeHash: Hash
}

export interface StateClaim {
  /** The app hash after the height of the header: CometBFT's header of the next height has it. */
  readonly appHash: Hash
  readonly module: string
  readonly key: Uint8Array
  /** Empty: absent, or the empty value. */
  readonly value: Uint8Array
}

/** What a proof of a module's value shows. */
export interface ProvenState {
  readonly height: number
  readonly stateRoot: Hash
  /** False: the module has no value at this key. */
  readonly present: boolean
}

/** Fields of a header (Yellow Paper 4.4). */
const STATE_ROOT_FIELD = 3
const NUMBER_FIELD = 8
const HASH_BYTES = 32
const MAX_HEADER_BYTES = 2048

const fail = (code: keyof typeof TRIE_ERRORS.codes, message: string): never => {
  throw trieError(code, message)
}

const decode = (bytes: Uint8Array, what: string): RlpItem => {
  try {
    return decodeRlp(bytes)
  } catch (error) {
    if (error instanceof CodedError) return fail('malformed', `bad proof: ${what}: ${error.message}`)
    throw error
  }
}

const decodeStrings = (bytes: Uint8Array, what: string): Uint8Array[] => {
  const items = decode(bytes, what)
  if (items instanceof Uint8Array) return fail('malformed', `bad proof: ${what} is not a list`)
  return items.map((item) =>
    item instanceof Uint8Array ? item : fail('malformed', `bad proof: ${what} has a list within`),
  )
}

/** The account in a state trie; undefined: proven to be absent. Throws trie/1 for a bad proof. */
export const verifyAccountProof = (
  stateRoot: Hash,
  address: Address,
  nodes: readonly Uint8Array[],
): ProvenAccount | undefined => {
  const leaf = verifyProof(stateRoot, keccak256(address), nodes)
  if (leaf === undefined) return undefined
  const [nonce, balance, storageRoot, codeHash] = decodeStrings(leaf, 'the account')
  if (nonce === undefined || balance === undefined || storageRoot?.length !== HASH_BYTES) {
    return fail('malformed', 'bad proof: the account lacks members')
  }
  if (codeHash?.length !== HASH_BYTES) return fail('malformed', 'bad proof: the account lacks members')
  return { nonce: bytesToBigint(nonce), balance: bytesToBigint(balance), storageRoot, codeHash }
}

/** The value of a 32-byte slot without leading zeros; empty: proven to be zero. Throws trie/1 for a bad proof. */
export const verifySlotProof = (storageRoot: Hash, slot: Uint8Array, nodes: readonly Uint8Array[]): Uint8Array => {
  const leaf = verifyProof(storageRoot, keccak256(slot), nodes)
  if (leaf === undefined) return new Uint8Array(0)
  const value = decode(leaf, 'the slot')
  return value instanceof Uint8Array ? value : fail('malformed', 'bad proof: the slot is a list')
}

const readHeader = (header: Uint8Array, appHash: Hash): { readonly height: number; readonly stateRoot: Hash } => {
  if (header.length > MAX_HEADER_BYTES) fail('malformed', 'bad proof: the header is too long')
  if (!equalBytes(keccak256(header), appHash))
    fail('proofOfAnother', 'the header of the proof does not have the app hash')
  const fields = decodeStrings(header, 'the header')
  const stateRoot = fields[STATE_ROOT_FIELD]
  const number = fields[NUMBER_FIELD]
  if (stateRoot?.length !== HASH_BYTES || number === undefined || number.length > 6) {
    return fail('malformed', 'bad proof: the header lacks members')
  }
  return { height: Number(bytesToBigint(number)), stateRoot }
}

/**
 * Checks that a module has this value at this key, or none where the value is empty. Throws trie/1 for a proof that is
 * none, trie/2 for a proof of something else.
 */
export const verifyStateProof = ({ appHash, module, key, value }: StateClaim, proof: StateProof): ProvenState => {
  const { height, stateRoot } = readHeader(proof.header, appHash)
  const account = verifyAccountProof(stateRoot, moduleAddress(module), proof.account)
  // A module without values has no account, and so none at this key.
  const committed = verifySlotProof(account?.storageRoot ?? EMPTY_TRIE_ROOT, keccak256(key), proof.storage)
  if (committed.length === 0 && value.length === 0) return { height, stateRoot, present: false }
  if (equalBytes(committed, trimLeadingZeros(keccak256(value)))) return { height, stateRoot, present: true }
  if (committed.length === 0)
    return fail('proofOfAnother', `the module ${module} has no value at this key at height ${height}`)
  return fail('proofOfAnother', `the module ${module} has another value at this key at height ${height}`)
}

/** Reads the data of the proof operation `eth:mpt`: RLP [header, [account nodes], [storage nodes]]. Throws trie/1. */
export const decodeStateProof = (data: Uint8Array): StateProof => {
  const items = decode(data, 'the operation')
  const [header, account, storage] = items instanceof Uint8Array ? [] : items
  const strings = (list: RlpItem | undefined): Uint8Array[] => {
    if (list === undefined || list instanceof Uint8Array) return fail('malformed', 'bad proof: nodes are not a list')
    return list.map((node) =>
      node instanceof Uint8Array ? node : fail('malformed', 'bad proof: a node is not a string'),
    )
  }
  if (!(header instanceof Uint8Array)) return fail('malformed', 'bad proof: the header is not a string')
  return { header, account: strings(account), storage: strings(storage) }
}

/** The state trie at one height: accounts and slots as the trie has them, with their proofs. */
import type { Address } from '../core/address.ts'
import { EMPTY_BYTES } from '../core/bytes.ts'
import { invariant } from '../core/errors.ts'
import { type Hash, keccak256 } from '../core/hash.ts'
import { decodeRlp } from '../core/rlp.ts'
import { decodeAccount } from './account-codec.ts'
import { accountTriePath, storageTriePath } from './keys.ts'
import type { AccountState } from './state.ts'
import { proveTrie } from './trie/read-trie.ts'
import type { TrieNodeReader } from './trie/trie.ts'

export interface AccountProof {
  /** Undefined: there is no such account. */
  readonly account: AccountState | undefined
  /** RLP of the nodes from the root on. */
  readonly nodes: readonly Uint8Array[]
}

export interface SlotProof {
  /** The value without leading zeros; the empty string is zero. */
  readonly value: Uint8Array
  readonly nodes: readonly Uint8Array[]
}

export class StateTrie {
  readonly #reader: TrieNodeReader
  readonly #root: Hash

  /** `root` is the state root of the height that `reader` shows. */
  constructor(reader: TrieNodeReader, root: Hash) {
    this.#reader = reader
    this.#root = root
  }

  proveAccount(address: Address): AccountProof {
    const reader = { getMany: (paths: readonly Uint8Array[]) => this.#reader.getMany(paths.map(accountTriePath)) }
    const { value, nodes } = proveTrie(reader, this.#root, keccak256(address))
    return { account: value === undefined ? undefined : decodeAccount(value), nodes }
  }

  /** `storageRoot` is that of the account; `slot` has 32 bytes. */
  proveSlot(address: Address, storageRoot: Hash, slot: Uint8Array): SlotProof {
    const hash = keccak256(address)
    const reader = {
      getMany: (paths: readonly Uint8Array[]) => this.#reader.getMany(paths.map((path) => storageTriePath(hash, path))),
    }
    const { value, nodes } = proveTrie(reader, storageRoot, keccak256(slot))
    return { value: value === undefined ? EMPTY_BYTES : decodeSlot(value), nodes }
  }

  slot(address: Address, slot: Uint8Array): Uint8Array {
    const { account } = this.proveAccount(address)
    return account === undefined ? EMPTY_BYTES : this.proveSlot(address, account.storageRoot, slot).value
  }
}

const decodeSlot = (leaf: Uint8Array): Uint8Array => {
  const value = decodeRlp(leaf)
  invariant(value instanceof Uint8Array, 'a slot in the trie is not a string')
  return value
}

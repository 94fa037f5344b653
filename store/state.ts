/** What execution sees: accounts, contract storage, code and module values. */
import type { Address } from '../core/address.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, type Hash } from '../core/hash.ts'

/** An account as committed in the state trie. Values are never changed in place. */
export interface AccountState {
  readonly nonce: bigint
  /** The balance in anat. */
  readonly balance: bigint
  /** Root of the storage trie as of the last commit; writes of the running block are not in it yet. */
  readonly storageRoot: Hash
  readonly codeHash: Hash
}

export const EMPTY_ACCOUNT: AccountState = {
  nonce: 0n,
  balance: 0n,
  storageRoot: EMPTY_TRIE_ROOT,
  codeHash: EMPTY_CODE_HASH,
}

/** Reading committed state at one height, or the running block's overlay. */
export interface StateReader {
  account(address: Address): AccountState | undefined
  /** A storage slot without leading zeros; the empty string is zero. `slot` has 32 bytes. */
  storage(address: Address, slot: Uint8Array): Uint8Array
  /** Code by its keccak256. */
  code(codeHash: Hash): Uint8Array
  /** A module's value. `system` is the module's account, `key` its key. */
  value(system: Address, key: Uint8Array): Uint8Array | undefined
  /** At most `limit` module values whose keys start with `prefix`, in key order, from `start` (inclusive) on. */
  values(system: Address, prefix: Uint8Array, limit: number, start?: Uint8Array): (readonly [Uint8Array, Uint8Array])[]
}

/** What execution writes. All writes between `checkpoint` and `revert` are undone by it. */
export interface StateWriter extends StateReader {
  /** `undefined` deletes the account with its storage. */
  setAccount(address: Address, account: AccountState | undefined): void
  setStorage(address: Address, slot: Uint8Array, value: Uint8Array): void
  /** Forgets every slot of an account that is created anew. */
  clearStorage(address: Address): void
  /** Stores code and returns its hash. The account is set apart. */
  setCode(code: Uint8Array): Hash
  /** `undefined` deletes the value. */
  setValue(system: Address, key: Uint8Array, value: Uint8Array | undefined): void
  /** The slot's value when the running transaction began (EIP-2200's original value). */
  originalStorage(address: Address, slot: Uint8Array): Uint8Array
  /** Begins a transaction: what is written until now is the original value of its slots. */
  beginTransaction(): void
  checkpoint(): void
  commit(): void
  revert(): void
}

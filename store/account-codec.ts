/** Accounts in the database (slim: empty roots and code hashes left out) and in the leaves of the state trie. */
import { bigintToBytes, bytesToBigint } from '../core/bytes.ts'
import { invariant } from '../core/errors.ts'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, type Hash } from '../core/hash.ts'
import type { AccountState } from './state.ts'

const EMPTY_ITEM = 0x80
const HASH_BYTES = 32

/** Integers below 2^48 convert without a detour over text. */
const SMALL_INTEGER_BYTES = 6

const itemLength = (bytes: Uint8Array): number =>
  bytes.length === 1 && (bytes[0] as number) < EMPTY_ITEM ? 1 : 1 + bytes.length

/** Writes a string of at most 55 bytes and returns where the next item begins. */
const writeItem = (out: Uint8Array, at: number, bytes: Uint8Array): number => {
  if (bytes.length === 1 && (bytes[0] as number) < EMPTY_ITEM) {
    out[at] = bytes[0] as number
    return at + 1
  }
  out[at] = EMPTY_ITEM + bytes.length
  out.set(bytes, at + 1)
  return at + 1 + bytes.length
}

const writeHash = (out: Uint8Array, at: number, hash: Hash | undefined): number => {
  if (hash !== undefined) return writeItem(out, at, hash)
  out[at] = EMPTY_ITEM
  return at + 1
}

const encode = (account: AccountState, storageRoot: Hash | undefined, codeHash: Hash | undefined): Uint8Array => {
  const nonce = bigintToBytes(account.nonce)
  const balance = bigintToBytes(account.balance)
  const hashes = (storageRoot === undefined ? 1 : 1 + HASH_BYTES) + (codeHash === undefined ? 1 : 1 + HASH_BYTES)
  const payload = itemLength(nonce) + itemLength(balance) + hashes
  // The payload is at most 9 + 33 + 33 + 33 bytes: its length takes one byte at most.
  const header = payload < 56 ? 1 : 2
  const out = new Uint8Array(header + payload)
  out[0] = header === 1 ? 0xc0 + payload : 0xf8
  if (header === 2) out[1] = payload
  const at = writeItem(out, writeItem(out, header, nonce), balance)
  writeHash(out, writeHash(out, at, storageRoot), codeHash)
  return out
}

const isHash = (a: Hash, b: Hash): boolean => {
  if (a === b) return true
  for (let i = 0; i < HASH_BYTES; i++) if (a[i] !== b[i]) return false
  return true
}

/** The database form: RLP [nonce, balance, storageRoot or "", codeHash or ""]. */
export const encodeAccount = (account: AccountState): Uint8Array =>
  encode(
    account,
    isHash(account.storageRoot, EMPTY_TRIE_ROOT) ? undefined : account.storageRoot,
    isHash(account.codeHash, EMPTY_CODE_HASH) ? undefined : account.codeHash,
  )

/** The leaf of Ethereum's state trie: RLP [nonce, balance, storageRoot, codeHash]. */
export const encodeTrieAccount = (account: AccountState): Uint8Array =>
  encode(account, account.storageRoot, account.codeHash)

const readInteger = (bytes: Uint8Array, start: number, end: number): bigint => {
  if (end - start > SMALL_INTEGER_BYTES) return bytesToBigint(bytes.subarray(start, end))
  let value = 0
  for (let at = start; at < end; at++) value = value * 256 + (bytes[at] as number)
  return BigInt(value)
}

/** Reads either form. What it reads was written by this node: anything else is a broken database. */
export const decodeAccount = (bytes: Uint8Array): AccountState => {
  const starts: number[] = []
  const ends: number[] = []
  let at = (bytes[0] ?? 0) < 0xf8 ? 1 : 2
  for (let item = 0; item < 4; item++) {
    const first = bytes[at] ?? 0
    const start = first < EMPTY_ITEM ? at : at + 1
    at = first < EMPTY_ITEM ? at + 1 : start + first - EMPTY_ITEM
    starts.push(start)
    ends.push(at)
  }
  const [nonce = 0, balance = 0, storageRoot = 0, codeHash = 0] = starts
  const [nonceEnd = 0, balanceEnd = 0, storageRootEnd = 0, codeHashEnd = 0] = ends
  invariant(codeHashEnd === bytes.length, 'an account in the database does not decode')
  return {
    nonce: readInteger(bytes, nonce, nonceEnd),
    balance: readInteger(bytes, balance, balanceEnd),
    storageRoot: storageRoot === storageRootEnd ? EMPTY_TRIE_ROOT : bytes.subarray(storageRoot, storageRootEnd),
    codeHash: codeHash === codeHashEnd ? EMPTY_CODE_HASH : bytes.subarray(codeHash, codeHashEnd),
  }
}

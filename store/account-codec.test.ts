import { Account, createAccountFromRLP } from '@ethereumjs/util'
import { describe, expect, it } from 'vitest'
import { EMPTY_CODE_HASH, EMPTY_TRIE_ROOT, keccak256 } from '../core/hash.ts'
import { decodeRlp } from '../core/rlp.ts'
import { decodeAccount, encodeAccount, encodeTrieAccount } from './account-codec.ts'
import type { AccountState } from './state.ts'

const INTEGERS = [0n, 1n, 127n, 128n, 255n, 256n, 2n ** 47n, 2n ** 48n - 1n, 2n ** 48n, 2n ** 53n, 2n ** 64n - 1n]
const BALANCES = [...INTEGERS, 10n ** 18n, 2n ** 128n, 2n ** 256n - 1n]
const ROOTS = [EMPTY_TRIE_ROOT, keccak256(Uint8Array.of(1))]
const CODES = [EMPTY_CODE_HASH, keccak256(Uint8Array.of(2))]

const accounts: AccountState[] = INTEGERS.flatMap((nonce) =>
  BALANCES.flatMap((balance) =>
    ROOTS.flatMap((storageRoot) => CODES.map((codeHash) => ({ nonce, balance, storageRoot, codeHash }))),
  ),
)

describe('the account codec', () => {
  it('writes the leaf of the state trie as @ethereumjs/util does', () => {
    for (const account of accounts) {
      const { nonce, balance, storageRoot, codeHash } = account
      const theirs = new Account(nonce, balance, storageRoot, codeHash).serialize()
      expect(encodeTrieAccount(account)).toEqual(theirs)
      expect(createAccountFromRLP(encodeTrieAccount(account)).balance).toBe(balance)
    }
  })

  it('reads back both forms, and leaves empty hashes out of the short one', () => {
    for (const account of accounts) {
      expect(decodeAccount(encodeAccount(account))).toEqual(account)
      expect(decodeAccount(encodeTrieAccount(account))).toEqual(account)
      const [, , root, code] = decodeRlp(encodeAccount(account)) as Uint8Array[]
      expect(root).toEqual(account.storageRoot === EMPTY_TRIE_ROOT ? new Uint8Array(0) : account.storageRoot)
      expect(code).toEqual(account.codeHash === EMPTY_CODE_HASH ? new Uint8Array(0) : account.codeHash)
    }
  })

  it('stops at bytes that are no account', () => {
    const bytes = encodeAccount(accounts[3] as AccountState)
    for (const bad of [new Uint8Array(0), bytes.subarray(0, -1), Uint8Array.of(...bytes, 0)]) {
      expect(() => decodeAccount(bad)).toThrow('does not decode')
    }
  })
})

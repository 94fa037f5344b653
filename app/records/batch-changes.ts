/** What the batch of a block wrote, as it is stored with the block: whoever executes the block once more needs no book. */
import { bigintToBytes, bytesToBigint, bytesToKey, EMPTY_BYTES, keyToBytes } from '../../core/bytes.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'
import { NO_CHANGES, type StateChanges } from '../../store/overlay.ts'
import type { AccountState } from '../../store/state.ts'

type AccountItem = readonly [address: Uint8Array, account: readonly Uint8Array[]]
/** The value of a key that was deleted is an empty list. */
type ValueItem = readonly [key: Uint8Array, value: readonly Uint8Array[]]
type SystemItem = readonly [system: Uint8Array, values: readonly ValueItem[]]

const encodeAccount = (account: AccountState | undefined): readonly Uint8Array[] =>
  account === undefined
    ? []
    : [bigintToBytes(account.nonce), bigintToBytes(account.balance), account.storageRoot, account.codeHash]

const decodeAccount = (parts: readonly Uint8Array[]): AccountState | undefined => {
  const [nonce = EMPTY_BYTES, balance = EMPTY_BYTES, storageRoot, codeHash] = parts
  if (storageRoot === undefined || codeHash === undefined) return undefined
  const hashes = { storageRoot: storageRoot.slice(), codeHash: codeHash.slice() }
  return { nonce: bytesToBigint(nonce), balance: bytesToBigint(balance), ...hashes }
}

/** RLP; empty where nothing was written. */
export const encodeBatchChanges = ({ accounts, values }: StateChanges): Uint8Array => {
  if (accounts.size === 0 && values.size === 0) return EMPTY_BYTES
  const accountItems: AccountItem[] = []
  for (const [key, account] of accounts) accountItems.push([keyToBytes(key), encodeAccount(account)])
  const systems: SystemItem[] = []
  for (const [system, written] of values) {
    const items: ValueItem[] = []
    for (const [key, value] of written) items.push([keyToBytes(key), value === undefined ? [] : [value]])
    systems.push([keyToBytes(system), items])
  }
  return encodeRlp([accountItems, systems])
}

/** Decodes what {@link encodeBatchChanges} made. */
export const decodeBatchChanges = (bytes: Uint8Array): StateChanges => {
  if (bytes.length === 0) return NO_CHANGES
  const [accountItems, systems] = decodeRlp(bytes) as unknown as [AccountItem[], SystemItem[]]
  const accounts = new Map(accountItems.map(([address, parts]) => [bytesToKey(address), decodeAccount(parts)]))
  const values = new Map(
    systems.map(([system, items]) => [
      bytesToKey(system),
      new Map(items.map(([key, [value]]) => [bytesToKey(key), value?.slice()])),
    ]),
  )
  return { ...NO_CHANGES, accounts, values }
}

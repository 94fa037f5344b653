/** What a transaction of the pool takes in memory. */
import type { PoolEntry } from './account-queue.ts'

/** What an item of an access or authorization list takes in memory once it is decoded, measured. */
const ACCESS_ENTRY_BYTES = 250
const STORAGE_KEY_BYTES = 100
const AUTHORIZATION_BYTES = 350
/** What a native transaction takes in memory with its decoded messages, for each byte on the wire: 8 to 10, measured. */
const NATIVE_FACTOR = 10

/** Bytes of a transaction as the pool holds it: a list of short items takes several times its length on the wire. */
export const memoryBytes = (entry: PoolEntry): number => {
  if (entry.kind === 'native') return NATIVE_FACTOR * entry.raw.length
  const { raw, transaction } = entry.signed
  let bytes = raw.length
  if (transaction.type === 0) return bytes
  for (const { storageKeys } of transaction.accessList) {
    bytes += ACCESS_ENTRY_BYTES + STORAGE_KEY_BYTES * storageKeys.length
  }
  return transaction.type === 4 ? bytes + AUTHORIZATION_BYTES * transaction.authorizationList.length : bytes
}

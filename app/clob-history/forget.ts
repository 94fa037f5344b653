/** Forgets parts of the history, or all of it: in writes of bounded size. */
import { equalBytes, readUint32, readUint64 } from '../../core/bytes.ts'
import type { Batch, KeyValueStore } from '../../store/store.ts'
import {
  clientIdKey,
  heightPrefix,
  isNameKey,
  isOrderKey,
  labelKey,
  type NamedOrder,
  namedBy,
  orderKey,
} from './keys.ts'
import { decodeOrderEntry } from './order-entry.ts'
import { HISTORY_COLUMN } from './write-history.ts'

/** Entries deleted in one write. */
const FORGOTTEN_A_WRITE = 2_000
/** Parts of blocks, each of at most `KEYS_A_PART` keys: more than one, so that pruning is faster than what is added. */
const PRUNED_PARTS_A_STEP = 4
const EVERYTHING = new Uint8Array(0)

/** Some of all that there is. Returns whether there was anything. The cursor is the first to go: without it whatever is left is forgotten, too. */
export const forgetSome = (store: KeyValueStore): boolean => {
  const entries = store.scan(HISTORY_COLUMN, { gte: EVERYTHING, limit: FORGOTTEN_A_WRITE })
  if (entries.length === 0) return false
  const batch = store.batch()
  for (const [key] of entries) batch.delete(HISTORY_COLUMN, key)
  store.write(batch, { sync: false })
  return true
}

/** The keys that stand one after the other, each behind its length. */
function* keysIn(value: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < value.length; ) {
    const length = value[at] ?? 0
    yield value.slice(at + 1, at + 1 + length)
    at += 1 + length
  }
}

const namedIn = (store: KeyValueStore, key: Uint8Array): NamedOrder | undefined => {
  const value = store.get(HISTORY_COLUMN, key)
  return value && namedBy(key, value)
}

/** Forgets the client's ID of an order, unless a newer order has it. */
const forgetClientId = (store: KeyValueStore, batch: Batch, key: Uint8Array): void => {
  const value = store.get(HISTORY_COLUMN, key)
  if (value === undefined) return
  const { owner, subaccount, clientId, market, seq } = decodeOrderEntry(readUint32(key, 1), readUint64(key, 5), value)
  if (clientId.length === 0) return
  for (const name of [clientIdKey(owner, clientId), labelKey(owner, market, subaccount, clientId)]) {
    const named = namedIn(store, name)
    if (named?.market === market && named.seq === seq) batch.delete(HISTORY_COLUMN, name)
  }
}

/** Whether an id that an order gave up still leads to it; a newer order may have taken it. */
const isGivenUp = (store: KeyValueStore, key: Uint8Array): boolean => {
  const named = namedIn(store, key)
  if (named === undefined) return false
  const { market, seq, clientId } = named
  const value = store.get(HISTORY_COLUMN, orderKey(market, seq))
  return value === undefined || !equalBytes(decodeOrderEntry(market, seq, value).clientId, clientId)
}

/** Forgets fills and ended orders of blocks that are not kept. Candles stay. Returns whether there was anything. */
export const forgetBlocks = (store: KeyValueStore, before: number): boolean => {
  const range = { gte: heightPrefix(0), lt: heightPrefix(before), limit: PRUNED_PARTS_A_STEP }
  const entries = store.scan(HISTORY_COLUMN, range)
  if (entries.length === 0) return false
  const batch = store.batch()
  for (const [key, value] of entries) {
    for (const prunable of keysIn(value)) {
      if (isNameKey(prunable) && !isGivenUp(store, prunable)) continue
      if (isOrderKey(prunable)) forgetClientId(store, batch, prunable)
      batch.delete(HISTORY_COLUMN, prunable)
    }
    batch.delete(HISTORY_COLUMN, key)
  }
  store.write(batch, { sync: false })
  return true
}

/** A state of a million slots in RocksDB, whose keys no cache holds: they lie as far apart as hashes do. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bigintToBytes, padLeft, uint64ToBytes } from '../../../../core/bytes.ts'
import { keccak256 } from '../../../../core/hash.ts'
import { encodeAccount } from '../../../../store/account-codec.ts'
import { accountKey, storageKey } from '../../../../store/keys.ts'
import { LatestState } from '../../../../store/latest.ts'
import { openRocksStore, type RocksStore } from '../../../../store/rocks/rocks-store.ts'
import { EMPTY_ACCOUNT, type StateReader } from '../../../../store/state.ts'
import { processorNs, TARGET } from './bench-machine.ts'
import { toBytes } from './assemble.ts'

export const SLOTS = 1_000_000
const ACCOUNTS = 300_000
/** Contracts of the largest size, each with a code of its own. */
export const CONTRACTS = 4_000
const CODE_BYTES = 24_576
const CACHE_BYTES = 16 * 1024 * 1024
/** The number of app/app.ts. */
const STATE_CACHE_ENTRIES = 200_000
const BATCH = 20_000
const MODULUS = 1n << 256n

/** Programs go from one key to the next by multiplying with it. */
export const STEP = 0x9e3779b97f4a7c15f39cc0605cedc8349e3779b97f4a7c15f39cc0605cedc835n
/** First keys of three sequences: of what is there, of contracts, and of what is not. */
const PRESENT_FROM = 3n
const CONTRACTS_FROM = 0xd1b54a32d192ed03n
export const ABSENT_FROM = 0x8cb92ba72f3d8dd7n

const power = (base: bigint, exponent: number): bigint => {
  let result = 1n
  for (let bit = 30; bit >= 0; bit--) {
    result = (result * result) % MODULUS
    if (((exponent >> bit) & 1) === 1) result = (result * base) % MODULUS
  }
  return result
}

/** The key at a place of a sequence, as a literal of a program. */
export const keyAt = (from: bigint, place: number): string =>
  `0x${((from * power(STEP, place)) % MODULUS).toString(16)}`
export const presentKey = (place: number): string => keyAt(PRESENT_FROM, place)
export const contractKey = (place: number): string => keyAt(CONTRACTS_FROM, place)

const wordOf = (value: bigint): Uint8Array => padLeft(bigintToBytes(value), 32)

/** Starts with a jump, so that its destinations must be found, and ends there. */
const codeOf = (index: number): Uint8Array => {
  const code = new Uint8Array(CODE_BYTES)
  for (let at = 0; at < CODE_BYTES; at += 32) code.set(keccak256(uint64ToBytes(index), uint64ToBytes(at)), at)
  code.set(toBytes('6003565b00'))
  return code
}

/** Waits until the database has sorted what was written: its threads would be measured too. */
const settled = async (): Promise<void> => {
  for (let quiet = 0; quiet < 3; ) {
    const from = processorNs()
    await new Promise((resolve) => setTimeout(resolve, 300))
    quiet = processorNs() - from < 15_000_000 ? quiet + 1 : 0
  }
}

export interface ColdState {
  /** The state with caches that are empty. */
  readonly fresh: () => StateReader
  readonly store: RocksStore
  readonly close: () => Promise<void>
}

export const openColdState = async (slots = SLOTS): Promise<ColdState> => {
  const path = mkdtempSync(join(tmpdir(), 'bench-weights-'))
  const store = await openRocksStore({ path, cacheBytes: CACHE_BYTES })
  let batch = store.batch()
  const flush = (): void => {
    store.write(batch, { sync: false })
    batch = store.batch()
  }
  for (let place = 0, key = PRESENT_FROM; place < slots; place++, key = (key * STEP) % MODULUS) {
    const word = wordOf(key)
    batch.put('state', storageKey(TARGET, word), word)
    if (place < ACCOUNTS)
      batch.put('state', accountKey(word.subarray(12)), encodeAccount({ ...EMPTY_ACCOUNT, balance: 7n }))
    if (batch.size >= BATCH) flush()
  }
  for (let place = 0, key = CONTRACTS_FROM; place < Math.min(slots, CONTRACTS); place++, key = (key * STEP) % MODULUS) {
    const code = codeOf(place)
    const account = { ...EMPTY_ACCOUNT, nonce: 1n, codeHash: keccak256(code) }
    batch.put('state', accountKey(wordOf(key).subarray(12)), encodeAccount(account))
    batch.put('code', account.codeHash, code)
    if (batch.size >= 200) flush()
  }
  flush()
  await settled()
  return {
    fresh: () => new LatestState(store, STATE_CACHE_ENTRIES),
    store,
    close: async () => {
      store.close()
      await store.closed
      rmSync(path, { recursive: true })
    },
  }
}

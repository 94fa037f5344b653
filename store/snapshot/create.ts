/** Reads committed state into the contents of chunks. */
import type { Cursor, Entry } from '../store.ts'
import { bytesToKey, EMPTY_BYTES, equalBytes } from '../../core/bytes.ts'
import { EMPTY_CODE_HASH } from '../../core/hash.ts'
import { decodeAccount } from '../account-codec.ts'
import { accountKey } from '../keys.ts'
import { BLOCK_SECTION, ChunkBuilder, CODE_SECTION, STATE_SECTION } from './chunk.ts'
import type { SnapshotCounts } from './metadata.ts'

export interface SnapshotSource {
  /** Cursors that show exactly the snapshot's height. */
  readonly code: Cursor
  readonly state: Cursor
  /** Parts of the block, ascending by key. */
  readonly block: readonly Entry[]
}

const KINDS: Readonly<Record<number, keyof SnapshotCounts>> = {
  ['a'.charCodeAt(0)]: 'accounts',
  ['s'.charCodeAt(0)]: 'slots',
  ['v'.charCodeAt(0)]: 'values',
}

/**
 * The code hashes of the accounts, as `bytesToKey` gives them: the database keeps code for ever, also that of accounts
 * that are gone.
 */
const codesOf = (state: Cursor): ReadonlySet<string> => {
  const codes = new Set<string>()
  const [tag] = accountKey(EMPTY_BYTES)
  for (let entry = state.seek(accountKey(EMPTY_BYTES)); entry !== undefined; entry = state.next()) {
    if (entry[0][0] !== tag) break
    const { codeHash } = decodeAccount(entry[1])
    if (!equalBytes(codeHash, EMPTY_CODE_HASH)) codes.add(bytesToKey(codeHash))
  }
  return codes
}

function* entriesOf({ code, state, block }: SnapshotSource): Generator<readonly [number, Entry], void, void> {
  const codes = codesOf(state)
  for (let entry = code.seek(EMPTY_BYTES); entry !== undefined; entry = code.next()) {
    if (codes.has(bytesToKey(entry[0]))) yield [CODE_SECTION, entry]
  }
  for (let entry = state.seek(EMPTY_BYTES); entry !== undefined; entry = state.next()) yield [STATE_SECTION, entry]
  for (const entry of block) yield [BLOCK_SECTION, entry]
}

/**
 * The contents in order, each a view that holds until the next is asked for; returns what they held. Throws
 * snapshot/6.
 */
export function* snapshotContents(
  source: SnapshotSource,
  maxChunkBytes?: number,
): Generator<Uint8Array, SnapshotCounts, void> {
  const counts = { codes: 0, accounts: 0, slots: 0, values: 0 }
  const builder = new ChunkBuilder(maxChunkBytes)
  for (const [section, [key, value]] of entriesOf(source)) {
    if (!builder.add(section, key, value)) {
      yield builder.take()
      builder.add(section, key, value)
    }
    const kind = section === CODE_SECTION ? 'codes' : section === STATE_SECTION ? KINDS[key[0] ?? 0] : undefined
    if (kind !== undefined) counts[kind]++
  }
  if (!builder.isEmpty) yield builder.take()
  return counts
}

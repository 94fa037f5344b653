/** The digest of what the last CLOB step recorded outside of transactions: contracts, auctions, triggers, removals. */
import type { Hash } from '../../../core/hash.ts'
import { encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import { AFTER_KEY, CLOB_ACCOUNT } from '../keys.ts'
import { RlpReader } from './rlp-reader.ts'

/** Undefined where there was no such record. */
export const readAfter = (state: StateReader): Hash | undefined => {
  const value = state.value(CLOB_ACCOUNT, AFTER_KEY)
  return value === undefined ? undefined : RlpReader.item(value, 'digest of records').bytes(32)
}

export const writeAfter = (state: StateWriter, digest: Hash | undefined): void =>
  state.setValue(CLOB_ACCOUNT, AFTER_KEY, digest === undefined ? undefined : encodeRlp(digest))

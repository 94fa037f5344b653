/** Nonces in use and marks of cancels, one value a block each: 41 blocks are kept. */
import type { Address } from '../../../core/address.ts'
import { readUint64 } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import { encodeRlp } from '../../../core/rlp.ts'
import type { StateReader, StateWriter } from '../../../store/state.ts'
import type { Mark } from '../domain/account.ts'
import { CLOB_ACCOUNT, MARKS_PREFIX, marksKey, NONCES_PREFIX, noncesKey } from '../keys.ts'
import { readSide, sideItem } from './accounts.ts'
import { MAX_UINT32, RlpReader } from './rlp-reader.ts'
import { uint } from './rlp-writer.ts'
import { scanValues } from './scan.ts'

export interface UsedNonce {
  readonly signer: Address
  readonly nonceMs: number
}

/** Most transactions of a block, by its weight: each weighs at least 1. */
export const MAX_BLOCK_NONCES = 50_000
/** Most actions of a block by its weight, and as many of contracts. */
export const MAX_BLOCK_MARKS = 50_000

const MAX_CLIENT_ID_BYTES = 16

const decodeNonces = (value: Uint8Array): readonly UsedNonce[] =>
  RlpReader.list(value, 'list of nonces').rest(MAX_BLOCK_NONCES, (list) =>
    list.record((fields) => ({ signer: fields.address(), nonceMs: fields.uint(Number.MAX_SAFE_INTEGER) })),
  )

/** Those that block `height` used, in the order of its transactions. */
export const readNonces = (state: StateReader, height: number): readonly UsedNonce[] => {
  const value = state.value(CLOB_ACCOUNT, noncesKey(height))
  return value === undefined ? [] : decodeNonces(value)
}

export const writeNonces = (state: StateWriter, height: number, list: readonly UsedNonce[]): void => {
  const items = list.map(({ signer, nonceMs }) => [signer, uint(nonceMs)])
  state.setValue(CLOB_ACCOUNT, noncesKey(height), items.length === 0 ? undefined : encodeRlp(items))
}

const decodeMarks = (value: Uint8Array): readonly Mark[] =>
  RlpReader.list(value, 'list of marks').rest(MAX_BLOCK_MARKS, (list) =>
    list.record((fields) => ({
      owner: fields.address(),
      subaccount: fields.uint(MAX_UINT32),
      market: fields.uint(MAX_UINT32),
      side: readSide(fields),
      clientId: fields.bytes(0, MAX_CLIENT_ID_BYTES),
      nonceMs: fields.uint(Number.MAX_SAFE_INTEGER),
      goodTilBlock: fields.uint(Number.MAX_SAFE_INTEGER),
    })),
  )

/** Those that cancels of block `height` left, in the order of its actions. */
export const readMarks = (state: StateReader, height: number): readonly Mark[] => {
  const value = state.value(CLOB_ACCOUNT, marksKey(height))
  return value === undefined ? [] : decodeMarks(value)
}

export const writeMarks = (state: StateWriter, height: number, list: readonly Mark[]): void => {
  const items = list.map(({ owner, subaccount, market, side, clientId, nonceMs, goodTilBlock }) => [
    owner,
    uint(subaccount),
    uint(market),
    sideItem(side),
    clientId,
    uint(nonceMs),
    uint(goodTilBlock),
  ])
  state.setValue(CLOB_ACCOUNT, marksKey(height), items.length === 0 ? undefined : encodeRlp(items))
}

const heightOf = (prefix: Uint8Array, key: Uint8Array): number => {
  invariant(key.length === prefix.length + 8, 'a key of nonces or marks is damaged')
  return readUint64(key, prefix.length)
}

/** The nonces of all heights that state has. */
export function* scanNonces(state: StateReader): Generator<readonly [height: number, readonly UsedNonce[]], void> {
  for (const [key, value] of scanValues(state, NONCES_PREFIX)) yield [heightOf(NONCES_PREFIX, key), decodeNonces(value)]
}

/** The marks of all heights that state has. */
export function* scanMarks(state: StateReader): Generator<readonly [height: number, readonly Mark[]], void> {
  for (const [key, value] of scanValues(state, MARKS_PREFIX)) yield [heightOf(MARKS_PREFIX, key), decodeMarks(value)]
}

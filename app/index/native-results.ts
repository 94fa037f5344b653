/** Results of the native transactions of a block, as one value: so that they are found by their hash, also later. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { bigintToBytes, bytesToBigint } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'
import { abci } from '../../proto/index.ts'
import { nativeHashKey, nativeResultsKey } from '../../store/keys.ts'
import type { Batch } from '../../store/store.ts'
import type { Candidate } from '../block/candidate.ts'
import type { TransactionResult } from '../ports.ts'
import { encodeItems, encodePosition, itemAt, itemCount } from './records.ts'

export interface NativeResult {
  /** Place among all transactions of the block: its bytes stand there in the FinalizeBlock request. */
  readonly index: number
  /** sha256. */
  readonly hash: Hash
  readonly result: TransactionResult
}

const encodeResult = ({ events, ...result }: TransactionResult): Uint8Array =>
  toBinary(
    abci.ExecTxResultSchema,
    create(abci.ExecTxResultSchema, {
      ...result,
      events: events.map(({ type, attributes }) => ({ type, attributes: [...attributes] })),
    }),
  )

const decodeResult = (bytes: Uint8Array): TransactionResult => {
  const { code, codespace, log, data, gasWanted, gasUsed, events } = fromBinary(abci.ExecTxResultSchema, bytes)
  return { code, codespace, log, data, gasWanted, gasUsed, events }
}

export const nativeResultsOf = ({ outcomes }: Candidate): readonly NativeResult[] =>
  outcomes.flatMap((outcome, index) =>
    outcome.kind === 'native' ? [{ index, hash: outcome.prepared.transaction.hash, result: outcome.result }] : [],
  )

/** RLP [index, hash, ExecTxResult] each. */
export const encodeNativeResults = (results: readonly NativeResult[]): Uint8Array =>
  encodeItems(
    results.map(({ index, hash, result }) => encodeRlp([bigintToBytes(BigInt(index)), hash, encodeResult(result)])),
  )

export const decodeNativeResults = (record: Uint8Array): readonly NativeResult[] =>
  Array.from({ length: itemCount(record) }, (_, at) => {
    const [index, hash, result] = decodeRlp(itemAt(record, at)) as [Uint8Array, Uint8Array, Uint8Array]
    return { index: Number(bytesToBigint(index)), hash: hash.slice(), result: decodeResult(result) }
  })

export const writeNativeResults = (batch: Batch, height: number, results: readonly NativeResult[]): void => {
  if (results.length === 0) return
  batch.put('blocks', nativeResultsKey(height), encodeNativeResults(results))
  for (const { index, hash } of results) batch.put('index', nativeHashKey(hash), encodePosition({ height, index }))
}

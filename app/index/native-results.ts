/**
 * Results of the native transactions of a block, and of those of Ethereum with native events, as one value: so that they
 * are found by their hash, also later.
 */
import { fromBinary } from '@bufbuild/protobuf'
import { bigintToBytes, bytesToBigint } from '../../core/bytes.ts'
import { type Hash, sha256 } from '../../core/hash.ts'
import { decodeRlp, encodeRlp } from '../../core/rlp.ts'
import { encodeExecTxResult } from '../../proto/encode-exec-tx-result.ts'
import { abci } from '../../proto/index.ts'
import { nativeHashKey, nativeResultsKey } from '../../store/keys.ts'
import type { Batch } from '../../store/store.ts'
import type { Candidate } from '../block/candidate.ts'
import type { ShownResult } from '../ports.ts'
import { encodeItems, encodePosition, itemAt, itemCount } from './records.ts'

export interface NativeResult {
  /** Place among all transactions of the block: its bytes stand there in the FinalizeBlock request. */
  readonly index: number
  /** sha256. */
  readonly hash: Hash
  /** An ExecTxResult. */
  readonly result: Uint8Array
}

/** The result of one. */
export const decodeNativeResult = ({ result }: NativeResult): ShownResult => {
  const { code, codespace, log, data, gasWanted, gasUsed, events } = fromBinary(abci.ExecTxResultSchema, result)
  return { code, codespace, log, data, gasWanted, gasUsed, events }
}

/** Receipts say all about the other transactions of Ethereum. */
export const nativeResultsOf = ({ outcomes, response }: Candidate): readonly NativeResult[] => {
  const results: NativeResult[] = []
  for (const [index, outcome] of outcomes.entries()) {
    const result = response.transactionResults[index]
    if (result === undefined) continue
    if (outcome.kind === 'native') {
      results.push({ index, hash: outcome.prepared.transaction.hash, result: encodeExecTxResult(result) })
    } else if (outcome.kind === 'ethereum' && outcome.result.nativeEvents.length > 0) {
      results.push({ index, hash: sha256(outcome.signed.raw), result: encodeExecTxResult(result) })
    }
  }
  return results
}

/** RLP [index, hash, ExecTxResult] each. */
export const encodeNativeResults = (results: readonly NativeResult[]): Uint8Array =>
  encodeItems(results.map(({ index, hash, result }) => encodeRlp([bigintToBytes(BigInt(index)), hash, result])))

export const decodeNativeResults = (record: Uint8Array): readonly NativeResult[] =>
  Array.from({ length: itemCount(record) }, (_, at) => {
    const [index, hash, result] = decodeRlp(itemAt(record, at)) as [Uint8Array, Uint8Array, Uint8Array]
    return { index: Number(bytesToBigint(index)), hash: hash.slice(), result }
  })

export const writeNativeResults = (batch: Batch, height: number, results: readonly NativeResult[]): void => {
  if (results.length === 0) return
  batch.put('blocks', nativeResultsKey(height), encodeNativeResults(results))
  for (const { index, hash } of results) batch.put('index', nativeHashKey(hash), encodePosition({ height, index }))
}

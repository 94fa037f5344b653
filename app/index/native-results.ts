/**
 * Results of the native transactions of a block, and of those of Ethereum with native events, as one value: so that they
 * are found by their hash, also later.
 */
import { fromBinary } from '@bufbuild/protobuf'
import { concatBytes, readUint32, uint32ToBytes } from '../../core/bytes.ts'
import type { Hash } from '../../core/hash.ts'
import { encodeExecTxResult } from '../../proto/encode-exec-tx-result.ts'
import { abci } from '../../proto/index.ts'
import { compress, decompress } from '../../store/compression.ts'
import { nativeHashKey, nativeResultsKey } from '../../store/keys.ts'
import type { Batch } from '../../store/store.ts'
import type { Candidate } from '../block/candidate.ts'
import type { ShownResult, TransactionResult } from '../ports.ts'
import { encodeItems, encodePosition, itemAt, itemCount } from '../records/records.ts'
import { encodeResultItems } from './result-items.ts'

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

/** Not yet encoded: {@link encodeNativeResults} writes it where it is compressed from. */
export type UnwrittenResult = Omit<NativeResult, 'result'> & { readonly result: TransactionResult }

export const encodeNativeResult = ({ index, hash, result }: UnwrittenResult): NativeResult => ({
  index,
  hash,
  result: encodeExecTxResult(result),
})

/** The results of the transactions that are found by their SHA-256; receipts say all about the others. */
export const nativeResultsOf = ({ outcomes, response }: Candidate): readonly UnwrittenResult[] => {
  const results: UnwrittenResult[] = []
  for (const [index, outcome] of outcomes.entries()) {
    const result = response.transactionResults[index]
    const hash = outcome.kind === 'applied' ? outcome.storedHash() : undefined
    if (result !== undefined && hash !== undefined) results.push({ index, hash, result })
  }
  return results
}

/**
 * So many are compressed at a time: one is read without the others of a large block. They repeat each other: a seventh
 * is left of 1,400 bytes, in a tenth of the time that it takes to write them as they are.
 */
const RESULTS_A_FRAME = 100
const INDEX_BYTES = 4
const HEAD_BYTES = INDEX_BYTES + 32

const decodeResult = (item: Uint8Array): NativeResult => ({
  index: readUint32(item),
  hash: item.slice(INDEX_BYTES, HEAD_BYTES),
  result: item.subarray(HEAD_BYTES),
})

/** Index of the first(4), and the results, compressed. */
const encodeFrame = (results: readonly UnwrittenResult[]): Uint8Array =>
  concatBytes(uint32ToBytes(results[0]?.index ?? 0), compress(encodeResultItems(results)))

const decodeFrame = (frame: Uint8Array): readonly NativeResult[] => {
  const items = decompress(frame.subarray(INDEX_BYTES))
  return Array.from({ length: itemCount(items) }, (_, at) => decodeResult(itemAt(items, at)))
}

/** Encodes results by rising index. */
export const encodeNativeResults = (results: readonly UnwrittenResult[]): Uint8Array => {
  const frames: Uint8Array[] = []
  for (let at = 0; at < results.length; at += RESULTS_A_FRAME) {
    frames.push(encodeFrame(results.slice(at, at + RESULTS_A_FRAME)))
  }
  return encodeItems(frames)
}

export const decodeNativeResults = (record: Uint8Array): readonly NativeResult[] => [...nativeResultsFrom(record, 0)]

/** Those of an index and behind it, frame by frame: no more of a large block is in memory at a time. */
export function* nativeResultsFrom(record: Uint8Array, index: number): Generator<NativeResult> {
  const frames = itemCount(record)
  for (let at = 0; at < frames; at++) {
    const endsBefore = at + 1 < frames && readUint32(itemAt(record, at + 1)) <= index
    if (endsBefore) continue
    for (const result of decodeFrame(itemAt(record, at))) if (result.index >= index) yield result
  }
}

/** The one with this index among all transactions of the block. */
export const findNativeResult = (record: Uint8Array, index: number): NativeResult | undefined => {
  let at = itemCount(record) - 1
  while (at >= 0 && readUint32(itemAt(record, at)) > index) at--
  return at < 0 ? undefined : decodeFrame(itemAt(record, at)).find((each) => each.index === index)
}

export const writeNativeResults = (batch: Batch, height: number, results: readonly UnwrittenResult[]): void => {
  if (results.length === 0) return
  batch.put('blocks', nativeResultsKey(height), encodeNativeResults(results))
  for (const { index, hash } of results) batch.put('index', nativeHashKey(hash), encodePosition({ height, index }))
}

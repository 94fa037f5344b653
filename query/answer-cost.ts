/**
 * What an answer costs, known before it is made: one rule says which thread makes it. The thread that executes blocks
 * answers what takes a few hundred microseconds, workers everything else.
 */
import { answerTooLarge } from '../app/errors.ts'
import { MAX_STREAM_FRAME_BYTES } from '../core/limits.ts'
import type { HeaderRecord } from '../app/records/records.ts'
import type { ChainView } from './chain-view.ts'

/**
 * What an answer reads, by which a thread is chosen for it:
 * - `few`: a few reads of bounded size
 * - `hashes`, `transactions`, `receipts`: of a whole block
 * - `transaction`, `receipt`: one of a block
 * - `worker`: executes code, searches, or reads many blocks
 */
export type Reads = 'few' | 'hashes' | 'transactions' | 'receipts' | 'transaction' | 'receipt' | 'worker'

/** Characters of JSON beside data: of a hash in a list, a transaction, a receipt and a log. None is shorter. */
const HASH_TEXT = 69
export const TRANSACTION_TEXT = 500
const RECEIPT_TEXT = 900
const LOG_TEXT = 430
/** The same for a log by its stored bytes, of which an empty one has 26. */
const LOG_TEXT_A_BYTE = 16

/** Units of which one is a byte read or a character written, about; 64 Ki of them take a third of a millisecond. */
export const LIGHT_COST = 64 * 1024

/** The block of which something is asked, and the place in it where it is one transaction. */
export interface Place {
  readonly height: number
  readonly index?: number
}

const whole = (record: HeaderRecord, reads: Reads): number => {
  const { sizeBytes, transactionCount, logCount, logBytes } = record
  if (reads === 'hashes') return sizeBytes + HASH_TEXT * transactionCount
  if (reads === 'transactions') return sizeBytes + TRANSACTION_TEXT * transactionCount
  return sizeBytes + RECEIPT_TEXT * transactionCount + LOG_TEXT * logCount + logBytes
}

/** Tells the cost of one of a block, by what is stored of it. */
const part = ({ reader }: ChainView, reads: Reads, { height, index = 0 }: Place): number => {
  const receipt = reads === 'receipt' ? (reader.storedReceipt(height, index)?.length ?? 0) : 0
  return reader.transactionBytes(height, index) + LOG_TEXT_A_BYTE * receipt
}

/** 0 for what is not there: that nothing is found is soon said. */
export const answerCost = (view: ChainView, reads: Reads, place: Place | undefined): number => {
  if (reads === 'few' || place === undefined) return 0
  if (reads === 'worker') return Infinity
  const record = view.reader.header(place.height)
  if (record === undefined) return 0
  return reads === 'transaction' || reads === 'receipt' ? part(view, reads, place) : whole(record, reads)
}

/** Refuses with query/7 an answer that would be too large whoever made it. */
export const checkAnswerSize = (view: ChainView, reads: Reads, { height }: Place): void => {
  const record = view.reader.header(height)
  if (reads !== 'receipts' || record === undefined) return
  if (LOG_TEXT * record.logCount + record.logBytes > MAX_STREAM_FRAME_BYTES)
    throw answerTooLarge(MAX_STREAM_FRAME_BYTES)
}

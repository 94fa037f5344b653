/** `data` of a transaction's result: what became of each action, and the hash of the records. */
import { bigintToBytes, bytesToBigint } from '../../../core/bytes.ts'
import type { Hash } from '../../../core/hash.ts'
import { BackwardWriter } from '../../../proto/backward-writer.ts'
import { notCanonical } from '../errors.ts'
import { MAX_ACTIONS } from './clob-tx.ts'
import { ACTION_RESULT, MAX_UINT32, RESULT } from './fields.ts'
import { WireReader } from './wire-reader.ts'

export interface ActionResult {
  /** Code of codespace clob; 0 is success. */
  readonly code: number
  /** order_seq of the order that it placed; 0 is none. */
  readonly orderSeq: number
  readonly filledLots: number
  /** Sum of the notional of its fills, in the smallest unit of the quote denomination: below 2^128. */
  readonly quote: bigint
}

export interface ClobResult {
  /** One for each action, in order; none where the transaction failed before them. */
  readonly results: readonly ActionResult[]
  /** SHA-256 over the records of the transaction. */
  readonly records: Hash
}

const HASH_BYTES = 32
const MAX_QUOTE_BYTES = 16
const OVERHEAD_BYTES = 64
const ACTION_BYTES = 48

/** Canonical, as the transaction is. Integers must be whole and below 2^53. */
export const encodeClobResult = ({ results, records }: ClobResult): Uint8Array => {
  const writer = new BackwardWriter(OVERHEAD_BYTES + results.length * ACTION_BYTES)
  writer.bytes(RESULT.records, records)
  for (let at = results.length - 1; at >= 0; at--) {
    const { code, orderSeq, filledLots, quote } = results[at] as ActionResult
    const before = writer.written
    if (quote !== 0n) writer.bytes(ACTION_RESULT.quote, bigintToBytes(quote))
    if (filledLots !== 0) writer.number(ACTION_RESULT.filledLots, filledLots)
    if (orderSeq !== 0) writer.number(ACTION_RESULT.orderSeq, orderSeq)
    if (code !== 0) writer.number(ACTION_RESULT.code, code)
    writer.number(RESULT.results, writer.written - before)
  }
  return writer.finish().slice()
}

const readQuote = (reader: WireReader): bigint => {
  const bytes = reader.bytes(ACTION_RESULT.quote, 'quote')
  if (bytes.length > MAX_QUOTE_BYTES || bytes[0] === 0) {
    throw notCanonical(`quote is an integer of at most ${MAX_QUOTE_BYTES} bytes without leading zeros`)
  }
  return bytesToBigint(bytes)
}

const readResult = (reader: WireReader): ActionResult => ({
  code: reader.uint(ACTION_RESULT.code, 'code', MAX_UINT32),
  orderSeq: reader.uint(ACTION_RESULT.orderSeq, 'order_seq', Number.MAX_SAFE_INTEGER),
  filledLots: reader.uint(ACTION_RESULT.filledLots, 'filled_lots', Number.MAX_SAFE_INTEGER),
  quote: readQuote(reader),
})

/** Throws clob/2 and clob/5 where the bytes are not the canonical encoding of a result. */
export const decodeClobResult = (data: Uint8Array): ClobResult => {
  const reader = new WireReader(data, 0)
  const results: ActionResult[] = []
  while (reader.peek() === RESULT.results && results.length < MAX_ACTIONS) {
    results.push(reader.message('result', readResult))
  }
  const records = reader.bytes(RESULT.records, 'records')
  if (records.length !== HASH_BYTES) throw notCanonical(`records has ${HASH_BYTES} bytes, not ${records.length}`)
  reader.finish('ClobResult')
  return { results, records }
}

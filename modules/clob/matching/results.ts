/** What a transaction of the batch leaves: its code, and ClobResult as data. */
import { concatBytes } from '../../../core/bytes.ts'
import { sha256, type Hash } from '../../../core/hash.ts'
import type { Event } from '../../module.ts'
import { encodeClobResult } from '../orders/clob-result.ts'
import type { ActionOutcome } from './action.ts'
import { codeOf, MATCHING_ENTRIES, type MatchingError } from './error-entries.ts'

export interface BatchResult {
  /** Code of codespace clob: that of the check that failed, or 0 if the actions ran. */
  readonly code: number
  readonly log: string
  /** A ClobResult. */
  readonly data: Uint8Array
  readonly events: readonly Event[]
  /** The canonical records, in order. */
  readonly records: readonly Uint8Array[]
}

export const hashRecords = (records: readonly Uint8Array[]): Hash => sha256(concatBytes(...records))

const NOTHING = encodeClobResult({ results: [], records: hashRecords([]) })

export const refusal = (error: MatchingError): BatchResult => ({
  code: codeOf(error),
  log: MATCHING_ENTRIES[error].text,
  data: NOTHING,
  events: [],
  records: [],
})

export const resultOf = (
  outcomes: readonly ActionOutcome[],
  records: readonly Uint8Array[],
  events: readonly Event[],
): BatchResult => {
  const results = outcomes.map(({ error, orderSeq, filledLots, quote }) => ({
    code: error === undefined ? 0 : codeOf(error),
    orderSeq,
    filledLots,
    quote,
  }))
  return { code: 0, log: '', data: encodeClobResult({ results, records: hashRecords(records) }), events, records }
}

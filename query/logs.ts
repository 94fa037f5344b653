/** eth_getLogs over the index of addresses and topics. */
import { equalBytes } from '../core/bytes.ts'
import { bytesToHex, type Hex, hexToBytes } from '../core/hex.ts'
import { MAX_STREAM_FRAME_BYTES } from '../core/limits.ts'
import type { Log } from '../evm/engine.ts'
import { readBaseHeight } from '../store/base-height.ts'
import { answerTooLarge, limitExceeded, prunedHistory, queryFailed } from '../app/errors.ts'
import { endOfTransaction, logOf, type LogTerm, searchLogIndex, transactionOf } from '../app/index/log-index.ts'
import type { ChainReader } from '../app/index/chain-reader.ts'
import { readFirstLogIndex, readStoredLogs } from '../app/records/records.ts'
import type { BlockReference, LogCriteria, LogCursor, Questions } from '../app/ports.ts'
import { firstHeight, isPending, resolveHeight, type ChainView } from './chain-view.ts'
import { type Json, logJson } from './ethereum-json.ts'

interface ParsedCriteria {
  readonly addresses: readonly Uint8Array[]
  readonly topics: readonly (readonly Uint8Array[])[]
}

const parseCriteria = ({ addresses, topics }: Pick<LogCriteria, 'addresses' | 'topics'>): ParsedCriteria => ({
  addresses: addresses.map(hexToBytes),
  topics: topics.map((set) => set.map(hexToBytes)),
})

const oneOf = (set: readonly Uint8Array[], value: Uint8Array): boolean =>
  set.length === 0 || set.some((candidate) => equalBytes(candidate, value))

/** geth's matching: a criterion with more positions than the log has topics does not match it. */
export const matches = (log: Log, { addresses, topics }: ParsedCriteria): boolean =>
  oneOf(addresses, log.address) &&
  topics.length <= log.topics.length &&
  topics.every((set, position) => oneOf(set, log.topics[position] as Uint8Array))

const terms = ({ addresses, topics }: ParsedCriteria): LogTerm[][] =>
  [
    addresses.map((value) => ({ kind: 0, value })),
    ...topics.map((set, position) => set.map((value) => ({ kind: position + 1, value }))),
  ].filter((set) => set.length > 0)

/** What a log takes as JSON beside its data, and fields of 32 bytes as hex: less than that no log has. */
const LOG_TEXT_BYTES = 480

interface FoundLog {
  readonly view: Json
  readonly height: number
  /** Index of the log in the block. */
  readonly logIndex: number
  /** Characters of its JSON, about. */
  readonly size: number
}

/** Logs of a receipt that are read or passed over between two looks at the time. */
const LOGS_A_LOOK = 256

interface TransactionLogs {
  readonly index: number
  /** Where its places begin and end among those of the block. */
  readonly from: number
  readonly to: number
}

/** The transactions of a block that have places, in order; without places all, for all of their logs are meant. */
function* transactionsOf(places: readonly number[] | undefined, transactionCount: number): Generator<TransactionLogs> {
  if (places === undefined) for (let index = 0; index < transactionCount; index++) yield { index, from: 0, to: 0 }
  else
    for (let from = 0, to = 0; from < places.length; from = to) {
      to = endOfTransaction(places, from)
      yield { index: transactionOf(places[from] ?? 0), from, to }
    }
}

/** Tells whether all logs of a transaction stand before a place: those of the next one begin where they end. */
const endsBefore = (reader: ChainReader, height: number, index: number, logIndex: number): boolean => {
  const next = reader.storedReceipt(height, index + 1)
  return next !== undefined && readFirstLogIndex(next) <= logIndex
}

/** Logs from a place up to block `to` that match, in order. */
function* findLogs(
  view: ChainView,
  criteria: ParsedCriteria,
  { height: from, log: skipped }: LogCursor,
  to: number,
): Generator<FoundLog> {
  const { reader, interrupt } = view
  const openCursor = () => reader.store.cursor('index')
  for (const { height, places } of searchLogIndex(openCursor, terms(criteria), from, to, interrupt)) {
    const record = reader.header(height)
    if (record === undefined) continue
    interrupt()
    const least = height === from ? skipped : 0
    for (const { index, from: firstPlace, to: endOfPlaces } of transactionsOf(places, record.transactionCount)) {
      const stored = reader.storedReceipt(height, index)
      interrupt()
      if (stored === undefined || (least > 0 && endsBefore(reader, height, index, least))) continue
      let transactionHash: Hex | undefined
      let logIndex = readFirstLogIndex(stored) - 1
      let at = -1
      let nextPlace = firstPlace
      for (const read of readStoredLogs(stored)) {
        logIndex++
        if (++at % LOGS_A_LOOK === 0) interrupt()
        if (places !== undefined) {
          if (nextPlace === endOfPlaces) break
          if (logOf(places[nextPlace] ?? 0) !== at) continue
          nextPlace++
        }
        if (logIndex < least) continue
        const log = read()
        if (!matches(log, criteria)) continue
        const hash = transactionHash ?? hashOf(view, height, index)
        if (hash === undefined) break
        transactionHash = hash
        const size = LOG_TEXT_BYTES + 2 * log.data.length
        yield {
          view: logJson(log, { record, transactionHash: hash, transactionIndex: index, logIndex }),
          height,
          logIndex,
          size,
        }
      }
    }
  }
  // Blocks may have been pruned under the search.
  requireBlocksFrom(view, from)
}

const hashOf = (view: ChainView, height: number, index: number): Hex | undefined => {
  const hash = view.reader.transactionHash(height, index)
  return hash === undefined ? undefined : bytesToHex(hash)
}

/** Throws query/5 above the cap of logs, and query/7 above what one answer may hold. */
const logsInRange = (view: ChainView, criteria: LogCriteria, from: number, to: number): readonly Json[] => {
  const out: Json[] = []
  let size = 0
  for (const found of findLogs(view, parseCriteria(criteria), { height: from, log: 0 }, to)) {
    size += found.size
    if (out.length >= view.settings.logsCap) {
      throw limitExceeded(`query returned more than ${view.settings.logsCap} results`)
    }
    if (size > MAX_STREAM_FRAME_BYTES) throw answerTooLarge(MAX_STREAM_FRAME_BYTES)
    out.push(found.view)
  }
  return out
}

/** Characters of a page, about, and logs at most: it ends behind the log that passes one of them. */
const PAGE_TEXT_BYTES = 4 * 1024 * 1024
const PAGE_LOGS = 10_000

/** See the question `logsPage`. Throws query/8 when blocks of the range have been pruned. */
export const logsPage = (view: ChainView, { criteria, from, to }: Questions['logsPage']): Json => {
  const logs: Json[] = []
  let size = 0
  const most = Math.min(PAGE_LOGS, view.settings.logsCap)
  for (const found of findLogs(view, parseCriteria(criteria), from, Math.min(to, view.head))) {
    if (logs.length >= most || size > PAGE_TEXT_BYTES) {
      return { next: { height: found.height, log: found.logIndex }, logs }
    }
    size += found.size
    logs.push(found.view)
  }
  return { next: null, logs }
}

type Bound = BlockReference | undefined

const isLatest = (reference: Bound): boolean =>
  reference === undefined || ('tag' in reference && reference.tag === 'latest')

const isEarliest = (reference: Bound): boolean =>
  reference !== undefined && 'tag' in reference && reference.tag === 'earliest'

const numberOf = (reference: Bound): number | undefined =>
  reference !== undefined && 'number' in reference ? reference.number : undefined

const refusePending = ({ fromBlock, toBlock }: LogCriteria): void => {
  if ((fromBlock !== undefined && isPending(fromBlock)) || (toBlock !== undefined && isPending(toBlock))) {
    throw queryFailed('pending logs are not supported')
  }
}

const INVALID_RANGE = 'invalid block range params'

/** Throws query/8 when there are pruned blocks from `from` on. */
const requireBlocksFrom = (view: ChainView, from: number): void => {
  if (from < readBaseHeight(view.reader.store)) throw prunedHistory()
}

/** Where a bound is, in geth's order: `latest` is behind every number until the range has been judged. */
const placeOf = (view: ChainView, bound: Bound): number => {
  if (isLatest(bound)) return Infinity
  return isEarliest(bound) ? firstHeight(view) : (numberOf(bound) ?? view.head)
}

const isReversed = (from: number | undefined, to: number | undefined): boolean =>
  from !== undefined && to !== undefined && to > 0 && from > to

/** geth's checks of a range, then the node's own bound: undefined holds no block. Throws query/1, query/5 and query/8. */
const checkRange = (
  view: ChainView,
  criteria: LogCriteria,
): { readonly from: number; readonly to: number } | undefined => {
  const { fromBlock, toBlock } = criteria
  const begin = numberOf(fromBlock)
  if (isReversed(begin, numberOf(toBlock))) throw queryFailed(INVALID_RANGE)
  if (begin !== undefined) requireBlocksFrom(view, begin)
  refusePending(criteria)
  const [first, last] = [placeOf(view, fromBlock), placeOf(view, toBlock)]
  // When one of the two bounds is no number, or zero, geth does not say that they are reversed.
  if (first > last) return undefined
  const from = first === Infinity ? view.head : first
  const to = last === Infinity ? view.head : last
  if (from > to || to > view.head) throw queryFailed(INVALID_RANGE)
  const { blockRangeCap } = view.settings
  if (blockRangeCap > 0 && to - from >= blockRangeCap) {
    throw limitExceeded(`exceed maximum block range ${blockRangeCap}`)
  }
  return { from: Math.max(from, firstHeight(view)), to }
}

/** What eth_newFilter takes: new logs, or a range of numbers that need not exist yet. Throws query/1. */
export const checkFilterRange = (view: ChainView, criteria: LogCriteria): void => {
  refusePending(criteria)
  const { fromBlock, toBlock } = criteria
  const from = isEarliest(fromBlock) ? firstHeight(view) : numberOf(fromBlock)
  const to = numberOf(toBlock)
  const open = isLatest(toBlock) && (isLatest(fromBlock) || from !== undefined)
  if (!open && (from === undefined || to === undefined || from > to)) throw queryFailed(INVALID_RANGE)
  if (from !== undefined) requireBlocksFrom(view, from)
}

export const logs = (view: ChainView, criteria: LogCriteria): readonly Json[] => {
  if (criteria.blockHash !== undefined) {
    const height = resolveHeight(view, { hash: criteria.blockHash })
    if (height === undefined) throw queryFailed('unknown block')
    return logsInRange(view, criteria, height, height)
  }
  const range = checkRange(view, criteria)
  return range === undefined ? [] : logsInRange(view, criteria, range.from, range.to)
}

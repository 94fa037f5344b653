/** eth_getLogs over the index of addresses and topics. */
import { equalBytes } from '../../core/bytes.ts'
import { bytesToHex, hexToBytes } from '../../core/hex.ts'
import type { Log } from '../../evm/engine.ts'
import { readBaseHeight } from '../../store/base-height.ts'
import { limitExceeded, prunedHistory, queryFailed } from '../errors.ts'
import { type LogTerm, searchLogIndex } from '../index/log-index.ts'
import type { BlockReference, LogCriteria } from '../ports.ts'
import { firstHeight, isPending, resolveHeight, type View } from './view.ts'
import { type Json, logView } from './views.ts'

interface ParsedCriteria {
  readonly addresses: readonly Uint8Array[]
  readonly topics: readonly (readonly Uint8Array[])[]
}

export const parseCriteria = ({ addresses, topics }: LogCriteria): ParsedCriteria => ({
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

/** Logs in blocks `from` to `to` that match; throws query/5 above the cap. */
export const logsInRange = (view: View, criteria: LogCriteria, from: number, to: number): readonly Json[] => {
  const parsed = parseCriteria(criteria)
  const out: Json[] = []
  const openCursor = () => view.reader.store.cursor('index')
  for (const { height, logs } of searchLogIndex(openCursor, terms(parsed), from, to)) {
    const record = view.reader.header(height)
    if (record === undefined) continue
    const wanted = logs === undefined ? undefined : new Set(logs.map(({ transaction }) => transaction))
    const indexes = wanted ?? Array.from({ length: record.transactionCount }, (_, index) => index)
    for (const index of indexes) {
      const receipt = view.reader.receipt(height, index)
      if (receipt === undefined || receipt.logs.length === 0) continue
      const matching = receipt.logs.map((log, at) => ({ log, at })).filter(({ log }) => matches(log, parsed))
      if (matching.length === 0) continue
      const hash = view.reader.transaction(height, index)?.hash
      if (hash === undefined) continue
      const transactionHash = bytesToHex(hash)
      for (const { log, at } of matching) {
        out.push(
          logView(log, { record, transactionHash, transactionIndex: index, logIndex: receipt.firstLogIndex + at }),
        )
      }
      if (out.length > view.settings.logsCap) {
        throw limitExceeded(`query returned more than ${view.settings.logsCap} results`)
      }
    }
  }
  // Blocks may have been pruned under the search.
  requireBlocksFrom(view, from)
  return out
}

type Bound = BlockReference | undefined

const isLatest = (reference: Bound): boolean =>
  reference === undefined || ('tag' in reference && reference.tag === 'latest')

/** A height as geth's filters count it: block numbers and `earliest` are heights, the other tags are none yet. */
const numberOf = (view: View, reference: Bound): number | undefined => {
  if (reference === undefined || 'hash' in reference) return undefined
  if ('number' in reference) return reference.number
  return reference.tag === 'earliest' ? firstHeight(view) : undefined
}

const refusePending = ({ fromBlock, toBlock }: LogCriteria): void => {
  if ((fromBlock !== undefined && isPending(fromBlock)) || (toBlock !== undefined && isPending(toBlock))) {
    throw queryFailed('pending logs are not supported')
  }
}

const INVALID_RANGE = 'invalid block range params'

/** Throws query/8 when there are pruned blocks from `from` on. */
const requireBlocksFrom = (view: View, from: number): void => {
  if (from < readBaseHeight(view.reader.store)) throw prunedHistory()
}

/** geth's checks of a range, then the node's own bound. Throws query/1, query/5 and query/8. */
export const checkRange = (view: View, criteria: LogCriteria): { readonly from: number; readonly to: number } => {
  refusePending(criteria)
  const { fromBlock, toBlock } = criteria
  const from = numberOf(view, fromBlock) ?? view.head
  const to = numberOf(view, toBlock) ?? view.head
  const reversed = numberOf(view, fromBlock) !== undefined && numberOf(view, toBlock) !== undefined && from > to
  // From the head on to a future block is no error for geth, there is only nothing yet.
  if (reversed || from > view.head || (to > view.head && !isLatest(fromBlock))) throw queryFailed(INVALID_RANGE)
  requireBlocksFrom(view, from)
  const { blockRangeCap } = view.settings
  if (blockRangeCap > 0 && to - from >= blockRangeCap && to <= view.head) {
    throw limitExceeded(`exceed maximum block range ${blockRangeCap}`)
  }
  return { from: Math.max(from, firstHeight(view)), to: Math.min(to, view.head) }
}

/** What eth_newFilter takes: new logs, or a range of numbers that need not exist yet. Throws query/1. */
export const checkFilterRange = (view: View, criteria: LogCriteria): void => {
  refusePending(criteria)
  const from = numberOf(view, criteria.fromBlock)
  const to = numberOf(view, criteria.toBlock)
  const open = isLatest(criteria.toBlock) && (isLatest(criteria.fromBlock) || from !== undefined)
  if (!open && (from === undefined || to === undefined || from > to)) throw queryFailed(INVALID_RANGE)
  if (from !== undefined) requireBlocksFrom(view, from)
}

export const logs = (view: View, criteria: LogCriteria): readonly Json[] => {
  if (criteria.blockHash !== undefined) {
    const height = resolveHeight(view, { hash: criteria.blockHash })
    if (height === undefined) throw queryFailed('unknown block')
    return logsInRange(view, criteria, height, height)
  }
  const { from, to } = checkRange(view, criteria)
  return logsInRange(view, criteria, from, to)
}

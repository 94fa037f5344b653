/** Polling filters: made, asked for what is new, and forgotten. */
import { bytesToHex, type Hex, hexToBytes } from '../core/hex.ts'
import { textToString } from '../core/text.ts'
import type { SignedTransaction } from '../evm/transaction/transaction.ts'
import type { Environment } from '../app/environment.ts'
import { limitExceeded, prunedHistory, queryFailed } from '../app/errors.ts'
import type { LogCriteria, LogCursor, Questions } from '../app/ports.ts'
import type { ApplicationSettings } from '../app/settings.ts'
import { type Filter, Filters } from './filters.ts'
import { checkFilterRange } from './logs.ts'
import { PendingRing } from './pending-ring.ts'
import { jsonText, type QuestionTools, type Reply } from './question-tools.ts'
import { firstHeight, requireHeader } from './chain-view.ts'

/** Blocks that one poll of a filter looks at. */
const MAX_POLLED_HEIGHTS = 1_000
/** Hashes that one poll answers, transactions in full, and their wire bytes: the next poll gets the rest. */
const MAX_POLLED_HASHES = 10_000
const MAX_POLLED_TRANSACTIONS = 1_000
const MAX_POLLED_BYTES = 4 * 1024 * 1024
/** The filters of all clients, and those of one, have at most so many bytes beside their numbers: criteria are texts. */
const MAX_FILTER_BYTES = 64 * 1024 * 1024
const MAX_CLIENT_BYTES = 4 * 1024 * 1024
/** A client that keeps more than a tenth of what there is for all does so at the cost of others. */
const CLIENTS = 10

export interface FilterQuestionsOptions extends QuestionTools {
  readonly settings: Pick<ApplicationSettings, 'filterTimeoutMs' | 'maxFilters'>
  readonly environment: Pick<Environment, 'clock' | 'randomId'>
  /** Finds a transaction while it waits, or in a block. */
  find(hash: Uint8Array, head: number): SignedTransaction | undefined
  /** Describes transactions as they look while they wait. */
  describe(transactions: readonly SignedTransaction[], head: number): Reply
}

/** What a worker answers to `logsPage`: `{"next":...,"logs":[...]}`. It is long, and cut, not parsed. */
const PAGE = /^\{"next":(null|\{[^}]*\}),"logs":/
/** Characters in which the place of the next page ends. */
const MAX_PAGE_START = 256

export class FilterQuestions {
  readonly #options: FilterQuestionsOptions
  readonly #filters: Filters
  readonly #ring = new PendingRing()

  constructor(options: FilterQuestionsOptions) {
    this.#options = options
    const { filterTimeoutMs: lifetimeMs, maxFilters: most } = options.settings
    this.#filters = new Filters({
      lifetimeMs,
      most,
      mostOfClient: Math.ceil(most / CLIENTS),
      bytes: MAX_FILTER_BYTES,
      bytesOfClient: MAX_CLIENT_BYTES,
    })
  }

  notePending(hashes: readonly Hex[]): void {
    for (const hash of hashes) this.#ring.push(hash)
  }

  /** Answers with the identifier, as the next two do. Throws query/5 when the client has too many. */
  addLogs({ criteria, client }: Questions['newFilter'], head: number): string {
    if (criteria.blockHash === undefined) checkFilterRange(this.#options.view(head), criteria)
    return this.#add({ kind: 'logs', criteria, next: { height: head + 1, log: 0 } }, client)
  }

  addBlocks({ client }: Questions['newBlockFilter'], head: number): string {
    return this.#add({ kind: 'blocks', next: head + 1 }, client)
  }

  addPending({ full, client }: Questions['newPendingTransactionFilter']): string {
    return this.#add({ kind: 'pending', full, next: this.#ring.end }, client)
  }

  /** What is new since the last poll. Throws query/1 for an unknown filter, query/8 once when some of it was pruned. */
  changes(id: Hex, head: number): Reply {
    const filter = this.#filters.use(id, this.#nowMs())
    if (filter.kind === 'pending') return this.#newPending(filter, head)
    return filter.kind === 'blocks' ? this.#newBlocks(filter, head) : this.#newLogs(filter, head)
  }

  /** All logs that a filter of logs is about. Throws query/1 for an unknown one. */
  logs(id: Hex, head: number): Reply {
    const filter = this.#filters.use(id, this.#nowMs())
    if (filter.kind !== 'logs') throw queryFailed('filter not found')
    return this.#options.heavy('logs', filter.criteria, head)
  }

  remove(id: Hex): string {
    return jsonText(this.#filters.remove(id))
  }

  /** Throws query/5 once when the ring has forgotten what the filter has not been told. */
  #newPending(filter: Extract<Filter, { kind: 'pending' }>, head: number): Reply {
    const ring = this.#ring
    if (filter.next < ring.begin) {
      const missed = ring.begin - filter.next
      filter.next = ring.end
      throw limitExceeded(
        `${missed} pending transactions came since the last poll that are not remembered: poll sooner`,
      )
    }
    if (filter.full) return this.#newTransactions(filter, head)
    const to = Math.min(ring.end, filter.next + MAX_POLLED_HASHES)
    const hashes = Array.from({ length: to - filter.next }, (_, index) => ring.at(filter.next + index))
    filter.next = to
    return jsonText(hashes)
  }

  /** Those that are in a block by now look as they did while they waited; those that were replaced are gone. */
  #newTransactions(filter: Extract<Filter, { kind: 'pending' }>, head: number): Reply {
    const before = filter.next
    const found: SignedTransaction[] = []
    let bytes = 0
    let next = before
    for (; next < Math.min(this.#ring.end, before + MAX_POLLED_TRANSACTIONS) && bytes <= MAX_POLLED_BYTES; next++) {
      const signed = this.#options.find(hexToBytes(this.#ring.at(next)), head)
      if (signed === undefined) continue
      bytes += signed.raw.length
      found.push(signed)
    }
    return moveBehind(this.#options.describe(found, head), () => {
      if (filter.next === before) filter.next = next
    })
  }

  #newBlocks(filter: Extract<Filter, { kind: 'blocks' }>, head: number): Reply {
    const view = this.#options.view(head)
    const from = filter.next
    const first = firstHeight(view)
    if (from < first) {
      filter.next = first
      throw prunedHistory()
    }
    // A poll that comes late gets the rest with the next one.
    const to = Math.min(head, from + MAX_POLLED_HEIGHTS - 1)
    const hashes: Hex[] = []
    for (let height = from; height <= to; height++) hashes.push(bytesToHex(requireHeader(view, height).hash))
    filter.next = Math.max(filter.next, to + 1)
    return jsonText(hashes)
  }

  /** Logs of new blocks, within the range that the filter was made for; the next poll gets what one does not hold. */
  #newLogs(filter: Extract<Filter, { kind: 'logs' }>, head: number): Reply {
    const { addresses, topics, ...range } = filter.criteria
    const [first, last] = rangeOf(range, head)
    const before = filter.next
    const from = before.height < first ? { height: first, log: 0 } : before
    const to = Math.min(last, from.height + MAX_POLLED_HEIGHTS - 1)
    if (from.height > to) return '[]'
    const lowest = firstHeight(this.#options.view(head))
    if (from.height < lowest) {
      filter.next = { height: lowest, log: 0 }
      throw prunedHistory()
    }
    return this.#options.heavy('logsPage', { criteria: { addresses, topics }, from, to }, head).then((text) => {
      const [start = '', following = 'null'] = PAGE.exec(textToString(text.slice(0, MAX_PAGE_START))) ?? []
      // When two polls come at once, both get the same, and the place moves once.
      if (filter.next === before)
        filter.next = (JSON.parse(following) as LogCursor | null) ?? { height: to + 1, log: 0 }
      return typeof text === 'string' ? text.slice(start.length, -1) : text.subarray(start.length, -1)
    })
  }

  #add(filter: Filter, client: string): string {
    return jsonText(this.#filters.add(this.#options.environment.randomId(), filter, client, this.#nowMs()))
  }

  #nowMs(): number {
    return this.#options.environment.clock.nowMs()
  }
}

/**
 * The place of a filter moves once its answer is there: what a worker refuses, the next poll asks for again. When two polls
 * come at once, both get the same, and the place moves once.
 */
const moveBehind = (reply: Reply, move: () => void): Reply => {
  if (reply instanceof Promise) {
    return reply.then((text) => {
      move()
      return text
    })
  }
  move()
  return reply
}

const rangeOf = ({ fromBlock, toBlock }: Pick<LogCriteria, 'fromBlock' | 'toBlock'>, head: number) =>
  [
    fromBlock !== undefined && 'number' in fromBlock ? fromBlock.number : 0,
    toBlock !== undefined && 'number' in toBlock ? Math.min(head, toBlock.number) : head,
  ] as const

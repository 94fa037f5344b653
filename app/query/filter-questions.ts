/** Polling filters: made, asked for what is new, and forgotten. */
import { bytesToHex, type Hex } from '../../core/hex.ts'
import type { Environment } from '../environment.ts'
import { queryFailed } from '../errors.ts'
import type { LogCriteria } from '../ports.ts'
import type { ApplicationSettings } from '../settings.ts'
import { type Filter, Filters } from './filters.ts'
import { checkFilterRange } from './logs.ts'
import { jsonText, type QuestionTools, type Reply } from './question-tools.ts'
import { firstHeight, requireHeader } from './view.ts'

/** Blocks that one poll of a filter looks at. */
const MAX_POLLED_HEIGHTS = 1_000

export interface FilterQuestionsOptions extends QuestionTools {
  readonly settings: Pick<ApplicationSettings, 'filterTimeoutMs' | 'maxFilters'>
  readonly environment: Pick<Environment, 'clock' | 'randomId'>
}

export class FilterQuestions {
  readonly #options: FilterQuestionsOptions
  readonly #filters: Filters

  constructor(options: FilterQuestionsOptions) {
    this.#options = options
    this.#filters = new Filters(options.settings.filterTimeoutMs, options.settings.maxFilters)
  }

  /** `describe` gives a transaction in full while the pool has it. */
  notePending(hashes: readonly Hex[], describe: (hash: Hex) => string | undefined): void {
    this.#filters.notePending(hashes, describe)
  }

  /** Answers with the identifier, as the next two do. */
  addLogs(criteria: LogCriteria, head: number): string {
    if (criteria.blockHash === undefined) checkFilterRange(this.#options.view(head), criteria)
    return this.#add({ kind: 'logs', criteria, cursor: head, usedMs: this.#nowMs() })
  }

  addBlocks(head: number): string {
    return this.#add({ kind: 'blocks', cursor: head, usedMs: this.#nowMs() })
  }

  addPending(full: boolean): string {
    return this.#add({ kind: 'pending', full, transactions: [], usedMs: this.#nowMs() })
  }

  /** What is new since the last poll. Throws query/1 for an unknown filter. */
  changes(id: Hex, head: number): Reply {
    const filter = this.#filters.use(id, this.#nowMs())
    if (filter.kind === 'pending') {
      const { transactions } = filter
      filter.transactions = []
      return `[${transactions.join(',')}]`
    }
    const view = this.#options.view(head)
    const from = Math.max(filter.cursor + 1, firstHeight(view))
    // A poll that comes late gets the rest with the next one.
    const to = Math.min(head, from + MAX_POLLED_HEIGHTS - 1)
    if (from > to) return '[]'
    filter.cursor = to
    if (filter.kind === 'blocks') {
      const hashes: Hex[] = []
      for (let height = from; height <= to; height++) hashes.push(bytesToHex(requireHeader(view, height).hash))
      return jsonText(hashes)
    }
    return this.#newLogs(filter.criteria, from, to)
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

  /** Logs of new blocks, within the range that the filter was made for. */
  #newLogs(criteria: LogCriteria, from: number, head: number): Reply {
    const { fromBlock, toBlock, blockHash: _, ...rest } = criteria
    const first = fromBlock !== undefined && 'number' in fromBlock ? Math.max(from, fromBlock.number) : from
    const last = toBlock !== undefined && 'number' in toBlock ? Math.min(head, toBlock.number) : head
    if (first > last) return '[]'
    return this.#options.heavy('logs', { ...rest, fromBlock: { number: first }, toBlock: { number: last } }, head)
  }

  #add(filter: Filter): string {
    return jsonText(this.#filters.add(this.#options.environment.randomId(), filter))
  }

  #nowMs(): number {
    return this.#options.environment.clock.nowMs()
  }
}

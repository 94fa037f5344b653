/** Where every question arrives: answers what is cheap or needs the pool here, hands the rest to worker threads. */
import { plainBytes } from '../../core/bytes.ts'
import { CodedError, isFault } from '../../core/errors.ts'
import type { Hash } from '../../core/hash.ts'
import { bytesToHex, type Hex, hexToBytes, quantityToHex } from '../../core/hex.ts'
import type { Engine } from '../../evm/engine.ts'
import { readValidators } from '../../modules/consensus/index.ts'
import type { Module, QueryHandler, ValidatorUpdate } from '../../modules/module.ts'
import type { TrieNodeSource } from '../../store/commitment.ts'
import { isKept, readKeptRange } from '../../store/kept-range.ts'
import { OpenHeights } from '../../store/open-heights.ts'
import type { StateReader } from '../../store/state.ts'
import type { SealedBlock } from '../block/candidate.ts'
import type { ChainParameters } from '../chain.ts'
import type { Environment } from '../environment.ts'
import { isQueryError, queryFailed, unsupported } from '../errors.ts'
import type { ChainReader } from '../index/chain-reader.ts'
import type { Pool } from '../pool/pool.ts'
import type {
  AbciQueryRequest,
  AbciQueryResponse,
  BlockReference,
  LogCriteria,
  QuestionName,
  Questions,
  TransactionCheck,
} from '../ports.ts'
import type { ApplicationSettings } from '../settings.ts'
import { answer } from './answer.ts'
import { AnswerCache } from './answer-cache.ts'
import type { Announcer } from './announcer.ts'
import { minimumTip, TipOracle } from './fees.ts'
import { Filters } from './filters.ts'
import { checkFilterRange } from './logs.ts'
import { isHeavyQuery, keptHeight, nativeHandlers, nativeQuery, toAbciError } from './native.ts'
import { NODE_SERVICE, nodeService } from './node-service.ts'
import { answerStoreQuery, storeModule } from './store-proof.ts'
import { TENDERMINT_SERVICE, tendermintService } from './tendermint-service.ts'
import { TX_SERVICE, TxService } from './tx-service.ts'
import { txpoolContent, txpoolContentFrom, txpoolInspect, txpoolStatus } from './txpool.ts'
import { firstHeight, isPending, requireHeader, requireKept, resolveHeight, type View } from './view.ts'
import { transactionView } from './views.ts'

export interface DeskOptions {
  readonly settings: ApplicationSettings
  readonly environment: Environment
  readonly engine: Engine
  readonly modules: readonly Module[]
  readonly reader: ChainReader
  readonly pool: Pool
  readonly announcer: Announcer
  latest(): StateReader
  latestTrieNodes(): TrieNodeSource
  committedHeight(): number
  parameters(): ChainParameters
  /** Of the next block. */
  baseFeePerGas(): bigint
  /** Admits, journals and offers a transaction. Throws pool, evm and rlp errors. */
  submit(raw: Uint8Array): Hash
  /** As {@link submit} for a native client; a refusal is a code. */
  broadcast(raw: Uint8Array): TransactionCheck
}

/** Views of old heights kept open on the main thread. */
const MAX_OPEN_VIEWS = 8
/** What the pending block may hold, so that a call on top of it stays a call. */
const MAX_PENDING_TRANSACTIONS = 200
const MAX_PENDING_GAS = 30_000_000n
/** Blocks that one poll of a filter looks at. */
const MAX_POLLED_HEIGHTS = 1_000
/** A block with more transactions is assembled in a worker. */
const LARGE_BLOCK_TRANSACTIONS = 50
/** Characters of a native request whose answer is kept. */
const MAX_KEPT_REQUEST = 64

type Reply = string | Promise<string>
type Handlers = {
  readonly [Name in QuestionName]?: (parameters: Questions[Name], head: number) => Reply
}

const text = (value: unknown): string => JSON.stringify(value)

export class QuestionDesk {
  readonly #options: DeskOptions
  readonly #oracle = new TipOracle()
  readonly #filters: Filters
  readonly #native: ReadonlyMap<string, QueryHandler>
  readonly #txService: TxService
  readonly #heights: OpenHeights
  readonly #handlers: Handlers
  #answers = new AnswerCache()
  /** Questions come by the thousand between two blocks. */
  #newestView: View | undefined

  constructor(options: DeskOptions) {
    this.#options = options
    this.#filters = new Filters(options.settings.filterTimeoutMs, options.settings.maxFilters)
    this.#native = nativeHandlers(options.modules)
    this.#txService = new TxService(options)
    this.#heights = new OpenHeights(options.reader.store, () => options.committedHeight(), MAX_OPEN_VIEWS)
    this.#handlers = this.#table()
    options.announcer.subscribe((announcement) => {
      if (announcement.type === 'pending')
        this.#filters.notePending(announcement.hashes, (hash) => this.#pendingText(hash))
    }, undefined)
  }

  /** Throws CodedErrors, at once or in the promise. */
  ask<Name extends QuestionName>(name: Name, parameters: Questions[Name], head: number): Reply {
    const handler = this.#handlers[name]
    if (handler === undefined) throw unsupported(`the question ${String(name)} is not known`)
    const committed = this.#options.committedHeight()
    return handler(parameters, head > 0 && head < committed && this.#isKept(head) ? head : committed)
  }

  #isKept(height: number): boolean {
    return isKept(readKeptRange(this.#options.reader.store), height)
  }

  committed({ candidate, record }: SealedBlock): void {
    // After a write they would be opened anew in any case.
    this.#heights.rest()
    this.#oracle.note(
      candidate.ethereum.map(({ receipt }) => receipt),
      record.header.baseFeePerGas,
    )
  }

  /** The database begins anew. */
  forget(): void {
    this.close()
    this.#answers = new AnswerCache()
    this.#newestView = undefined
  }

  validatorsAt(height: number): readonly ValidatorUpdate[] {
    return readValidators(this.#options.latest(), height)
  }

  /** Closes the views of old heights; before the database is closed. */
  close(): void {
    this.#heights.close()
  }

  async abciQuery({ path, data, height, prove }: AbciQueryRequest): Promise<AbciQueryResponse> {
    const none = { key: new Uint8Array(0), value: new Uint8Array(0), height: 0, codespace: '', log: '', code: 0 }
    try {
      if (path.startsWith(TENDERMINT_SERVICE)) {
        // CometBFT waits for this answer, and must not be asked meanwhile.
        throw new CodedError('sdk', 6, `${path} is served on the gRPC and REST ports only`)
      }
      const view = this.#view(this.#options.committedHeight())
      const module = storeModule(path)
      if (module !== undefined) return answerStoreQuery(view, { module, key: data, height, prove })
      if (isHeavyQuery(path)) {
        const value = await this.#workerAnswer({ path, data: Buffer.from(data).toString('base64'), height }, view.head)
        return { ...none, value, height: keptHeight(view, height) }
      }
      if (path.startsWith(TX_SERVICE)) {
        return { ...none, value: await this.#txService.answer(view, path, data, true), height: view.head }
      }
      if (path.startsWith(NODE_SERVICE)) return { ...none, value: nodeService(view, path), height: view.head }
      const reply = nativeQuery(view, this.#native, path, data, height)
      return { ...none, value: reply.value, height: reply.height }
    } catch (error) {
      if (!(error instanceof CodedError) || isFault(error)) throw error
      return { ...none, ...toAbciError(error) }
    }
  }

  #table(): Handlers {
    const { pool, environment } = this.#options
    const light =
      <Name extends QuestionName>(name: Name) =>
      (parameters: Questions[Name], head: number): Reply =>
        answer(this.#view(head), name, parameters)
    const heavy =
      <Name extends QuestionName>(name: Name) =>
      (parameters: Questions[Name], head: number): Reply =>
        this.#heavy(name, parameters, head)
    /** Looking at `pending` executes the pool; everything else is a few reads. */
    const pendingHeavy =
      <Name extends 'balance' | 'code' | 'storage' | 'blockTransactionCount' | 'transactionByIndex'>(name: Name) =>
      (parameters: Questions[Name], head: number): Reply =>
        isPending(parameters.block) ? this.#heavy(name, parameters, head) : light(name)(parameters, head)
    const blockQuestion =
      <Name extends 'block' | 'blockReceipts'>(name: Name) =>
      (parameters: Questions[Name], head: number): Reply => {
        const { block } = parameters
        if (isPending(block)) return this.#heavy(name, parameters, head)
        const height = resolveHeight(this.#view(head), block)
        if (height === undefined) return 'null'
        const key = `${name} ${height} ${'full' in parameters && parameters.full}`
        const kept = this.#answers.get(key, head)
        if (kept !== undefined) return kept
        const reply = this.#isLarge(height) ? this.#heavy(name, parameters, head) : light(name)(parameters, head)
        return this.#keep(key, height, reply)
      }
    /** Of a transaction in a block: looked up by its hash, kept once it is there. */
    const placedQuestion =
      <Name extends 'transaction' | 'receipt'>(name: Name) =>
      (parameters: Questions[Name], head: number): Reply => {
        const key = `${name} ${parameters.hash}`
        const kept = this.#answers.get(key, head)
        if (kept !== undefined) return kept
        const position = this.#options.reader.positionOf(hexToBytes(parameters.hash))
        if (position === undefined || position.height > head) return 'null'
        return this.#keep(key, position.height, light(name)(parameters, head))
      }
    return {
      block: blockQuestion('block'),
      blockReceipts: blockQuestion('blockReceipts'),
      blockTransactionCount: pendingHeavy('blockTransactionCount'),
      transactionByIndex: pendingHeavy('transactionByIndex'),
      receipt: placedQuestion('receipt'),
      balance: pendingHeavy('balance'),
      code: pendingHeavy('code'),
      storage: pendingHeavy('storage'),
      proof: heavy('proof'),
      call: heavy('call'),
      estimateGas: heavy('estimateGas'),
      feeHistory: heavy('feeHistory'),
      logs: heavy('logs'),
      transaction: (parameters, head) => {
        const waiting = pool.ethereum(hexToBytes(parameters.hash))
        return waiting === undefined
          ? placedQuestion('transaction')(parameters, head)
          : text(transactionView(waiting.signed, undefined))
      },
      rawTransaction: (parameters, head) => {
        const waiting = pool.ethereum(hexToBytes(parameters.hash))
        return waiting === undefined ? light('rawTransaction')(parameters, head) : text(bytesToHex(waiting.signed.raw))
      },
      transactionCount: (parameters, head) => {
        if (!isPending(parameters.block)) return light('transactionCount')(parameters, head)
        const address = hexToBytes(parameters.address)
        const next = pool.account(address)?.nextNonce
        return text(quantityToHex(next ?? this.#options.latest().account(address)?.nonce ?? 0n))
      },
      pendingTransaction: ({ hash }) => this.#pendingText(hash) ?? 'null',
      gasPrice: () => text(quantityToHex(this.#gasPrice())),
      maxPriorityFeePerGas: () => text(quantityToHex(this.#tip())),
      sendRawTransaction: ({ raw }) => text(bytesToHex(this.#options.submit(hexToBytes(raw)))),
      newFilter: (criteria, head) => {
        if (criteria.blockHash === undefined) checkFilterRange(this.#view(head), criteria)
        return this.#addFilter({ kind: 'logs', criteria, cursor: head, usedMs: environment.clock.nowMs() })
      },
      newBlockFilter: (_, head) => this.#addFilter({ kind: 'blocks', cursor: head, usedMs: environment.clock.nowMs() }),
      newPendingTransactionFilter: ({ full }) =>
        this.#addFilter({ kind: 'pending', full, transactions: [], usedMs: environment.clock.nowMs() }),
      filterChanges: ({ id }, head) => this.#filterChanges(id, head),
      filterLogs: ({ id }, head) => {
        const filter = this.#filters.use(id, environment.clock.nowMs())
        if (filter.kind !== 'logs') throw queryFailed('filter not found')
        return this.#heavy('logs', filter.criteria, head)
      },
      uninstallFilter: ({ id }) => text(this.#filters.remove(id)),
      txpoolStatus: () => text(txpoolStatus(pool)),
      txpoolContent: () => text(txpoolContent(pool)),
      txpoolContentFrom: ({ address }) => text(txpoolContentFrom(pool, address)),
      txpoolInspect: () => text(txpoolInspect(pool)),
      syncing: (_, head) => text(this.#syncing(head)),
      peerCount: () => text(quantityToHex(environment.consensusStatus().peers)),
      native: (parameters, head) => this.#nativeQuestion(parameters, head),
    }
  }

  #view(head: number): View {
    if (this.#newestView?.head === head) return this.#newestView
    const { reader, settings, engine, modules } = this.#options
    this.#newestView = {
      reader,
      settings,
      engine,
      modules,
      head,
      parameters: this.#options.parameters(),
      stateAt: (height) => this.#stateAt(height),
      trieNodesAt: (height) => this.#trieNodesAt(height),
      pending: [],
    }
    return this.#newestView
  }

  #stateAt(height: number): StateReader {
    const isHead = height >= this.#options.committedHeight()
    if (isHead) return this.#options.latest()
    requireKept(this.#options.reader, height)
    return this.#heights.stateAt(height)
  }

  #trieNodesAt(height: number): TrieNodeSource {
    const isHead = height >= this.#options.committedHeight()
    if (isHead) return this.#options.latestTrieNodes()
    requireKept(this.#options.reader, height)
    return this.#heights.trieNodesAt(height)
  }

  #heavy<Name extends QuestionName>(name: Name, parameters: Questions[Name], head: number): Promise<string> {
    const { block, newest } = parameters as { readonly block?: BlockReference; readonly newest?: BlockReference }
    const reference = block ?? newest
    const asksPending = reference !== undefined && isPending(reference)
    const pending = asksPending ? this.#pendingTransactions() : []
    const { heavy } = this.#options.environment
    const answered = heavy.run(name, parameters, head, pending)
    if (reference === undefined || !('tag' in reference) || reference.tag === 'earliest') return answered
    // Where few heights are kept, the head of a question can be pruned while it waits: it means the newest one.
    return answered.catch((error: unknown) => {
      if (!isQueryError(error, 'prunedState')) throw error
      return heavy.run(name, parameters, this.#options.committedHeight(), pending)
    })
  }

  #pendingTransactions(): readonly Uint8Array[] {
    const cursor = this.#options.pool.byPriority(this.#options.baseFeePerGas())
    const out: Uint8Array[] = []
    let gas = 0n
    for (
      let entry = cursor.peek();
      entry !== undefined && out.length < MAX_PENDING_TRANSACTIONS;
      entry = cursor.peek()
    ) {
      gas += entry.gasLimit
      if (gas > MAX_PENDING_GAS) break
      out.push(entry.raw)
      cursor.take()
    }
    return out
  }

  #pendingText(hash: Hex): string | undefined {
    const waiting = this.#options.pool.ethereum(hexToBytes(hash))
    return waiting === undefined ? undefined : text(transactionView(waiting.signed, undefined))
  }

  #isLarge(height: number): boolean {
    return (this.#options.reader.header(height)?.transactionCount ?? 0) > LARGE_BLOCK_TRANSACTIONS
  }

  #keep(key: string, height: number, reply: Reply): Reply {
    if (typeof reply === 'string') {
      this.#answers.set(key, height, reply)
      return reply
    }
    return reply.then((answered) => {
      this.#answers.set(key, height, answered)
      return answered
    })
  }

  #tip(): bigint {
    const { settings } = this.#options
    return this.#oracle.suggest(minimumTip(settings.minimumGasPriceAnat, this.#options.baseFeePerGas()))
  }

  #gasPrice(): bigint {
    const price = this.#tip() + this.#options.baseFeePerGas()
    const minimum = this.#options.settings.minimumGasPriceAnat
    return price > minimum ? price : minimum
  }

  #addFilter(filter: Parameters<Filters['add']>[1]): string {
    return text(this.#filters.add(this.#options.environment.randomId(), filter))
  }

  #filterChanges(id: Hex, head: number): Reply {
    const { environment } = this.#options
    const filter = this.#filters.use(id, environment.clock.nowMs())
    if (filter.kind === 'pending') {
      const { transactions } = filter
      filter.transactions = []
      return `[${transactions.join(',')}]`
    }
    const view = this.#view(head)
    const from = Math.max(filter.cursor + 1, firstHeight(view))
    // A poll that comes late gets the rest with the next one.
    const to = Math.min(head, from + MAX_POLLED_HEIGHTS - 1)
    if (from > to) return '[]'
    filter.cursor = to
    if (filter.kind === 'blocks') {
      const hashes: Hex[] = []
      for (let height = from; height <= to; height++) hashes.push(bytesToHex(requireHeader(view, height).hash))
      return text(hashes)
    }
    return this.#newLogs(filter.criteria, from, to)
  }

  /** Logs of new blocks, within the range that the filter was made for. */
  #newLogs(criteria: LogCriteria, from: number, head: number): Reply {
    const { fromBlock, toBlock, blockHash: _, ...rest } = criteria
    const first = fromBlock !== undefined && 'number' in fromBlock ? Math.max(from, fromBlock.number) : from
    const last = toBlock !== undefined && 'number' in toBlock ? Math.min(head, toBlock.number) : head
    if (first > last) return '[]'
    return this.#heavy('logs', { ...rest, fromBlock: { number: first }, toBlock: { number: last } }, head)
  }

  #syncing(head: number): unknown {
    const { catchingUp, highestHeight } = this.#options.environment.consensusStatus()
    if (!catchingUp) return false
    return {
      startingBlock: '0x0',
      currentBlock: quantityToHex(head),
      highestBlock: quantityToHex(Math.max(head, highestHeight)),
    }
  }

  /** For ABCI, where what is no code would stop the node: a worker that died or found a fault is no reason to. */
  async #workerAnswer(question: Questions['native'], head: number): Promise<Uint8Array> {
    try {
      const answered = JSON.parse(await this.#heavyNative(question, head)) as string
      return plainBytes(Buffer.from(answered, 'base64'))
    } catch (error) {
      if (error instanceof CodedError) throw error
      const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
      this.#options.environment.log.error('a native query failed', { path: question.path, reason })
      throw queryFailed('internal error')
    }
  }

  /** Once for each height: the same tally is asked for by everyone who watches a vote. */
  async #heavyNative(question: Questions['native'], head: number): Promise<string> {
    const height = question.height === 0 ? head : question.height
    const key = `native ${height} ${question.path} ${question.data}`
    const kept = this.#answers.get(key, head)
    if (kept !== undefined) return kept
    const answered = await this.#heavy('native', { ...question, height }, head)
    return question.data.length > MAX_KEPT_REQUEST ? answered : this.#keep(key, height, answered)
  }

  #nativeQuestion(question: Questions['native'], head: number): Reply {
    const { path, data, height } = question
    if (isHeavyQuery(path)) return this.#heavyNative(question, head)
    const request = Buffer.from(data, 'base64')
    if (path.startsWith(TENDERMINT_SERVICE)) {
      return tendermintService(this.#options.environment, head, path, request).then((value) =>
        text(Buffer.from(value).toString('base64')),
      )
    }
    const view = this.#view(head)
    const encode = (value: Uint8Array): string => text(Buffer.from(value).toString('base64'))
    if (path.startsWith(TX_SERVICE)) {
      const reply = this.#txService.answer(view, path, request, false)
      return reply instanceof Promise ? reply.then(encode) : encode(reply)
    }
    if (path.startsWith(NODE_SERVICE)) return encode(nodeService(view, path))
    return encode(nativeQuery(view, this.#native, path, request, height).value)
  }
}

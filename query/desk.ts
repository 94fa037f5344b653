/** Where every question arrives: answers what is cheap or needs the pool here, hands the rest to worker threads. */
import { type Address, ZERO_ADDRESS } from '../core/address.ts'
import { invariant } from '../core/errors.ts'
import type { Hash } from '../core/hash.ts'
import { bytesToHex, type Hex, hexToBytes, quantityToHex } from '../core/hex.ts'
import type { Engine } from '../evm/engine.ts'
import { type Text, textToString } from '../core/text.ts'
import type { SignedTransaction } from '../evm/transaction/transaction.ts'
import type { Books } from '../modules/clob/index.ts'
import type { Module } from '../modules/module.ts'
import { isKept, readKeptRange } from '../store/kept-range.ts'
import { OpenHeights } from '../store/open-heights.ts'
import type { StateReader } from '../store/state.ts'
import type { TrieNodeReader } from '../store/trie/trie.ts'
import type { SealedBlock } from '../app/block/candidate.ts'
import type { ChainParameters } from '../app/records/chain-parameters.ts'
import type { Environment } from '../app/environment.ts'
import { isQueryError, unsupported } from '../app/errors.ts'
import type { ChainReader } from '../app/index/chain-reader.ts'
import type { FamilyTable } from '../app/block/family.ts'
import { ethereumIn } from '../app/families/ethereum/entry.ts'
import type { FailedEntry } from '../app/pool/departed.ts'
import type { UpdateRing } from '../app/orders/update-ring.ts'
import type { Pool } from '../app/pool/pool.ts'
import type {
  AbciQueryRequest,
  AbciQueryResponse,
  BlockReference,
  CallRequest,
  EncodedParameters,
  PoolHints,
  QuestionName,
  Questions,
  BroadcastCheck,
} from '../app/ports.ts'
import type { ApplicationSettings } from '../app/settings.ts'
import { answer } from './answer.ts'
import { answerCost, checkAnswerSize, LIGHT_COST, type Place, type Reads, TRANSACTION_TEXT } from './answer-cost.ts'
import { AnswerCache } from './answer-cache.ts'
import type { Announcer } from './announcer.ts'
import { minimumTip, TipOracle } from './fees.ts'
import { FilterQuestions } from './filter-questions.ts'
import { ClobQuestions } from './clob/clob-questions.ts'
import type { WaitingOrders } from './clob/waiting.ts'
import { NativeQuestions } from './native-questions.ts'
import type { Desk } from './question.ts'
import { jsonText, type QuestionTools, type Reply } from './question-tools.ts'
import { questionOf } from './find-question.ts'
import { decodeParameters } from './encoded-parameters.ts'
import { isPending, requireKept, resolveHeight, type ChainView } from './chain-view.ts'
import { transactionJson } from './ethereum-json.ts'

export interface DeskOptions {
  readonly settings: ApplicationSettings
  readonly environment: Environment
  readonly engine: Engine
  readonly modules: readonly Module[]
  readonly families: FamilyTable
  readonly reader: ChainReader
  readonly pool: Pool
  readonly announcer: Announcer
  /** The order book of the committed head, and what the last blocks have changed of it. */
  books(): Books
  readonly updates: UpdateRing
  /** Orders that no block holds yet. */
  readonly waiting: WaitingOrders
  latest(): StateReader
  latestTrieNodes(): TrieNodeReader
  committedHeight(): number
  parameters(): ChainParameters
  /** The base fee of the next block. */
  baseFeePerGas(): bigint
  /** Admits, journals and offers a transaction. Throws pool, evm and rlp errors. */
  submit(raw: Uint8Array): Promise<Hash>
  /** Does what {@link submit} does for a transaction of the order book. Throws clob errors. */
  submitOrder(raw: Uint8Array): Promise<Hash>
  /** Does what {@link submit} does for a native client; a refusal is a code. */
  broadcast(raw: Uint8Array): Promise<BroadcastCheck>
  /** Finds a native transaction that the pool held and that no block can hold any more. */
  failedNative(hash: Hash): FailedEntry | undefined
}

/** Views of old heights kept open on the main thread. */
const MAX_OPEN_VIEWS = 8
/** What the pending block may hold, so that a call on top of it stays a call. */
const MAX_PENDING_TRANSACTIONS = 200
const MAX_PENDING_GAS = 30_000_000n
/** Characters of the parameters of a question whose answer is kept. */
const MAX_KEPT_PARAMETERS = 1_024
/** They are copied to a worker for every question. */
const MAX_PENDING_BYTES = 1024 * 1024

/** What the next block would begin with. */
const nextTransactions = (pool: Pool, baseFeePerGas: bigint): readonly Uint8Array[] => {
  const cursor = pool.byPriority(baseFeePerGas)
  const out: Uint8Array[] = []
  let gas = 0n
  let bytes = 0
  for (let entry = cursor.peek(); entry !== undefined && out.length < MAX_PENDING_TRANSACTIONS; entry = cursor.peek()) {
    gas += entry.gasLimit
    bytes += entry.raw.length
    if (gas > MAX_PENDING_GAS || bytes > MAX_PENDING_BYTES) break
    out.push(entry.raw)
    cursor.take()
  }
  return out
}

/** The block that a question is about, if it names one. */
const referenceOf = (parameters: Questions[QuestionName] | EncodedParameters): BlockReference | undefined => {
  const { block, newest } = parameters as { readonly block?: BlockReference; readonly newest?: BlockReference }
  return block ?? newest
}

/** Looking at `pending` executes the pool. */
const asksPending = (parameters: Questions[QuestionName] | EncodedParameters): boolean => {
  const reference = referenceOf(parameters)
  return reference !== undefined && isPending(reference)
}

/** Not "latest": that is another block when it is asked again because the first was pruned. */
const namesOne = (parameters: Questions[QuestionName]): boolean => {
  const reference = referenceOf(parameters)
  return reference === undefined || !('tag' in reference)
}

/** A block with its transactions costs more than one with their hashes. */
const readsOf = (name: QuestionName, reads: Reads, parameters: Questions[QuestionName]): Reads =>
  name === 'block' && (parameters as Questions['block']).full ? 'transactions' : reads

export class QuestionDesk implements Desk {
  readonly #options: DeskOptions
  /** Made when somebody asks for the first time. */
  #oracle: TipOracle | undefined
  readonly pool: Pool
  readonly environment: Environment
  readonly filters: FilterQuestions
  readonly native: NativeQuestions
  readonly clob: ClobQuestions
  readonly #heights: OpenHeights
  readonly #answers = new AnswerCache()
  /** Questions come by the thousand between two blocks. */
  #newestView: ChainView | undefined
  #pending:
    | { readonly revision: number; readonly baseFeePerGas: bigint; readonly raws: readonly Uint8Array[] }
    | undefined

  constructor(options: DeskOptions) {
    this.#options = options
    this.pool = options.pool
    this.environment = options.environment
    const tools: QuestionTools = {
      view: (head) => this.#view(head),
      heavy: (name, parameters, head, key) => this.heavy(name, parameters, head, key),
    }
    const { settings, environment, modules } = options
    this.filters = new FilterQuestions({
      ...tools,
      settings,
      environment,
      find: (hash, head) => this.#find(hash, head),
      describe: (transactions, head) => this.#describe(transactions, head),
    })
    this.native = new NativeQuestions({
      ...tools,
      environment,
      modules,
      answers: this.#answers,
      broadcast: (raw) => options.broadcast(raw),
      failedNative: (hash) => options.failedNative(hash),
      clob: options,
    })
    this.clob = new ClobQuestions(options, options.waiting)
    this.#heights = new OpenHeights(options.reader.store, () => options.committedHeight(), MAX_OPEN_VIEWS)
    options.announcer.subscribe((announcement) => {
      if (announcement.type === 'pending') this.filters.notePending(announcement.hashes)
    }, undefined)
  }

  /** Throws CodedErrors, at once or in the promise. */
  ask<Name extends QuestionName>(name: Name, parameters: Questions[Name], head: number): Reply {
    const question = questionOf(name)
    if (question === undefined) throw unsupported(`the question ${String(name)} is not known`)
    const at = this.#headFor(head)
    return question.atDesk === undefined ? this.judged(name, parameters, at) : question.atDesk(this, parameters, at)
  }

  /** Does what {@link ask} does; a worker reads the parameters where it is a worker that answers. */
  askEncoded(name: QuestionName, parameters: EncodedParameters, head: number): Reply {
    const question = questionOf(name)
    if (question === undefined) throw unsupported(`the question ${String(name)} is not known`)
    const isWorkers = 'reads' in question && question.reads === 'worker' && question.isKept !== true
    if (isWorkers && question.atDesk === undefined) return this.heavy(name, parameters, this.#headFor(head))
    return this.ask(name, decodeParameters(parameters), head)
  }

  #headFor(head: number): number {
    const committed = this.#options.committedHeight()
    return head > 0 && head < committed && this.#isKept(head) ? head : committed
  }

  /** Answered here when it is little, by a worker otherwise; what is decided for good is kept. */
  judged<Name extends QuestionName>(name: Name, parameters: Questions[Name], head: number): Reply {
    const question = questionOf(name)
    invariant(question !== undefined && 'reads' in question, `${name} is answered from a view`)
    const reads = readsOf(name, question.reads, parameters)
    const view = this.#view(head)
    if (asksPending(parameters)) return this.heavy(name, parameters, head)
    if (reads === 'worker') {
      const isKept = question.isKept === true && namesOne(parameters)
      const place = isKept ? this.#placeOf(view, parameters) : undefined
      return place === undefined ? this.heavy(name, parameters, head) : this.#keptTrace(name, parameters, head, place)
    }
    if (reads === 'few') return answer(view, name, parameters)
    const place = this.#placeOf(view, parameters)
    if (place === undefined) return answer(view, name, parameters)
    const { height, index } = place
    const key = question.isKept === true ? `${name} ${reads} ${height} ${index}` : undefined
    const kept = key === undefined ? undefined : this.#answers.get(key, head)
    if (kept !== undefined) return kept
    checkAnswerSize(view, reads, place)
    const isLight = answerCost(view, reads, place) <= LIGHT_COST
    const reply = isLight ? answer(view, name, parameters) : this.heavy(name, parameters, head, key)
    return key === undefined ? reply : this.#keep(key, height, reply)
  }

  /** What a worker makes of a block that is decided, by all that it was asked for; the first who asks makes it. */
  #keptTrace<Name extends QuestionName>(
    name: Name,
    parameters: Questions[Name],
    head: number,
    { height, index }: Place,
  ): Reply {
    const { block: _block, ...others } = parameters as { readonly block?: BlockReference }
    const asked = JSON.stringify(others)
    if (asked.length > MAX_KEPT_PARAMETERS) return this.heavy(name, parameters, head)
    const key = `${name} ${height} ${index} ${asked}`
    return this.#answers.get(key, head) ?? this.#keep(key, height, this.heavy(name, parameters, head, key))
  }

  /** Tells the place of what a question is about; undefined when it is not there. */
  #placeOf(view: ChainView, parameters: Questions[QuestionName]): Place | undefined {
    const { block, index, hash } = parameters as { block?: BlockReference; index?: number; hash?: Hex }
    if (hash !== undefined) {
      const position = view.reader.positionOf(hexToBytes(hash))
      return position === undefined || position.height > view.head ? undefined : position
    }
    const height = block === undefined ? undefined : resolveHeight(view, block)
    return height === undefined ? undefined : { height, ...(index === undefined ? {} : { index }) }
  }

  #isKept(height: number): boolean {
    return isKept(readKeptRange(this.#options.reader.store), height)
  }

  committed({ candidate, record }: SealedBlock): void {
    // After a write they would be opened anew in any case.
    this.#heights.rest()
    this.#oracle?.note(
      record.header.number,
      candidate.ethereum.map(({ receipt }) => receipt),
      record.header.baseFeePerGas,
    )
  }

  /** Called when the database begins anew. */
  forget(): void {
    this.close()
    this.#answers.clear()
    this.clob.forget()
    this.#newestView = undefined
    this.#oracle = undefined
  }

  /** Closes the views of old heights; before the database is closed. */
  close(): void {
    this.#heights.close()
  }

  /** See {@link NativeQuestions.abciQuery}. */
  async abciQuery(request: AbciQueryRequest): Promise<AbciQueryResponse> {
    return await this.native.abciQuery(request, this.#options.committedHeight())
  }

  submitOrder(raw: Uint8Array): Promise<Hash> {
    return this.#options.submitOrder(raw)
  }

  submit(raw: Uint8Array): Promise<Hash> {
    return this.#options.submit(raw)
  }

  #view(head: number): ChainView {
    if (this.#newestView?.head === head) return this.#newestView
    const { reader, settings, engine, modules, families, environment } = this.#options
    this.#newestView = {
      reader,
      clock: environment.clock,
      settings,
      engine,
      modules,
      families,
      head,
      parameters: this.#options.parameters(),
      stateAt: (height) => this.#stateAt(height),
      trieNodesAt: (height) => this.#trieNodesAt(height),
      pending: [],
      // What is answered here takes less than anybody's patience.
      interrupt: () => undefined,
    }
    return this.#newestView
  }

  #stateAt(height: number): StateReader {
    const isHead = height >= this.#options.committedHeight()
    if (isHead) return this.#options.latest()
    requireKept(this.#options.reader, height)
    return this.#heights.stateAt(height)
  }

  #trieNodesAt(height: number): TrieNodeReader {
    const isHead = height >= this.#options.committedHeight()
    if (isHead) return this.#options.latestTrieNodes()
    requireKept(this.#options.reader, height)
    return this.#heights.trieNodesAt(height)
  }

  heavy<Name extends QuestionName>(
    name: Name,
    parameters: Questions[Name] | EncodedParameters,
    head: number,
    key?: string,
  ): Promise<Text> {
    const reference = referenceOf(parameters)
    const pending = asksPending(parameters) ? this.#pendingTransactions() : []
    const { heavy } = this.environment
    const answered = heavy.run(name, parameters, head, pending, key)
    if (reference === undefined || !('tag' in reference) || reference.tag === 'earliest') return answered
    // Where few heights are kept, the head of a question can be pruned while it waits: it means the newest one.
    return answered.catch((error: unknown) => {
      if (!isQueryError(error, 'prunedState')) throw error
      return heavy.run(name, parameters, this.#options.committedHeight(), pending)
    })
  }

  /** Sought once for each change of the pool: thousands may ask at once, and all accounts are looked at. */
  #pendingTransactions(): readonly Uint8Array[] {
    const baseFeePerGas = this.#options.baseFeePerGas()
    const { revision } = this.pool
    const known = this.#pending
    if (known?.revision === revision && known.baseFeePerGas === baseFeePerGas) return known.raws
    const raws = nextTransactions(this.pool, baseFeePerGas)
    this.#pending = { revision, baseFeePerGas, raws }
    return raws
  }

  /** A transaction of the pool in full; undefined when it does not wait. */
  waiting(hash: Hex, head: number): Reply | undefined {
    const signed = ethereumIn(this.pool, hexToBytes(hash))?.signed
    if (signed === undefined) return undefined
    const described = this.#describe([signed], head)
    return typeof described === 'string'
      ? described.slice(1, -1)
      : Promise.resolve(described).then((text) => textToString(text).slice(1, -1))
  }

  /** The text of a list, as of a head. */
  #describe(transactions: readonly SignedTransaction[], head: number): Reply {
    const cost = transactions.reduce((sum, { raw }) => sum + raw.length + TRANSACTION_TEXT, 0)
    if (cost <= LIGHT_COST) return jsonText(transactions.map((signed) => transactionJson(signed, undefined)))
    const senders = transactions.map(({ sender }) => bytesToHex(sender))
    const raws = transactions.map(({ raw }) => raw)
    return this.environment.heavy.run('waitingTransactions', { senders }, head, raws)
  }

  #find(hash: Uint8Array, head: number): SignedTransaction | undefined {
    const waiting = ethereumIn(this.pool, hash)
    if (waiting !== undefined) return waiting.signed
    const { reader } = this.#options
    const position = reader.positionOf(hash)
    return position === undefined || position.height > head
      ? undefined
      : reader.transaction(position.height, position.index)
  }

  #keep(key: string, height: number, reply: Reply): Reply {
    if (!(reply instanceof Promise)) {
      this.#answers.set(key, height, reply)
      return reply
    }
    return reply.then((answered) => {
      this.#answers.set(key, height, answered)
      return answered
    })
  }

  tip(): bigint {
    const { settings } = this.#options
    this.#oracle ??= new TipOracle(this.#options.reader, this.#options.committedHeight())
    return this.#oracle.suggest(minimumTip(settings.minimumGasPriceAnat, this.#options.baseFeePerGas()))
  }

  nextNonce(address: Address): Hex {
    const next = this.pool.account(address)?.nextNonce
    return quantityToHex(next ?? this.#options.latest().account(address)?.nonce ?? 0n)
  }

  hints({ from }: CallRequest): PoolHints {
    const sender = from === undefined ? ZERO_ADDRESS : hexToBytes(from)
    return { suggestedTip: quantityToHex(this.tip()), nextNonce: this.nextNonce(sender) }
  }

  gasPrice(): bigint {
    const price = this.tip() + this.#options.baseFeePerGas()
    const minimum = this.#options.settings.minimumGasPriceAnat
    return price > minimum ? price : minimum
  }

  syncing(head: number): unknown {
    const { catchingUp, highestHeight } = this.environment.consensusStatus()
    if (!catchingUp) return false
    return {
      startingBlock: '0x0',
      currentBlock: quantityToHex(head),
      highestBlock: quantityToHex(Math.max(head, highestHeight)),
    }
  }
}

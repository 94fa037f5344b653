/** Questions of native clients: from the gateway as the question `native`, and through CometBFT as abci_query. */
import { create, toBinary } from '@bufbuild/protobuf'
import { bytesToBase64, plainBytes } from '../core/bytes.ts'
import { type Text, textToString } from '../core/text.ts'
import { CodedError, isFault } from '../core/errors.ts'
import { decodeRequest } from '../modules/handlers.ts'
import type { Module } from '../modules/module.ts'
import { queryRefusal, SDK_CODES } from '../modules/sdk-errors.ts'
import { cometQuery } from '../proto/index.ts'
import { BoundedCache } from '../store/cache.ts'
import type { Consensus, Environment } from '../app/environment.ts'
import { queryFailed } from '../app/errors.ts'
import { type QueryHandlers, queryHandlers } from '../app/native/module-handlers.ts'
import type { AbciQueryRequest, AbciQueryResponse, Questions } from '../app/ports.ts'
import type { AnswerCache } from './answer-cache.ts'
import type { ChainView } from './chain-view.ts'
import { commitRoutes, isLongBlock, wholeBlockOf } from './decided-block.ts'
import { answerInWorker, answerWithConsensus } from './heard-consensus.ts'
import { LIVE_SERVICE, liveAnswer, type LiveSource } from './clob/live-service.ts'
import { isOfHistory } from './clob-history/services.ts'
import { waitingPlacement } from './clob-history/waiting-placement.ts'
import { isHeightSearch } from './height-search.ts'
import { isHeavyQuery, keptHeight, nativeQuery, toAbciError } from './native.ts'
import { requireRequestLength } from '../core/request-limits.ts'
import { NODE_SERVICE, nodeService } from './node-service.ts'
import { jsonText, type QuestionTools, type Reply } from './question-tools.ts'
import { answerStoreQuery, storeModule } from './store-proof.ts'
import { TENDERMINT_SERVICE, tendermintService } from './tendermint-service.ts'
import { isLongFromRecords, TX_SERVICE, TxService, type TxServiceOptions } from './tx-service.ts'

const ABCI_QUERY = `${TENDERMINT_SERVICE}ABCIQuery`

/** Characters of a request whose answer is kept. */
const MAX_KEPT_REQUEST = 64

/** Blocks of which it is known whether they are long. */
const MAX_JUDGED_BLOCKS = 4_096

const NOTHING = { key: new Uint8Array(0), value: new Uint8Array(0), height: 0, codespace: '', log: '', code: 0 }

export interface NativeQuestionsOptions extends QuestionTools, TxServiceOptions {
  readonly environment: Environment
  readonly modules: readonly Module[]
  readonly answers: AnswerCache
  /** The book in memory. */
  readonly clob: LiveSource
}

/** Throws grpc/3. */
const requireNoHeight = (height: number): void => {
  if (height !== 0) throw queryRefusal('invalidArgument', 'the history is that of all blocks: ask without a height')
}

const encode = (value: Uint8Array): string => jsonText(bytesToBase64(value))

export class NativeQuestions {
  readonly #options: NativeQuestionsOptions
  readonly #handlers: QueryHandlers
  readonly #txService: TxService
  readonly #longBlocks = new BoundedCache<boolean>(MAX_JUDGED_BLOCKS)

  constructor(options: NativeQuestionsOptions) {
    this.#options = options
    this.#handlers = queryHandlers(options.modules)
    this.#txService = new TxService(options)
  }

  /** Base64. Throws CodedErrors, at once or in the promise. */
  ask(question: Questions['native'], head: number): Reply {
    const { path, data, height } = question
    const { heavy } = this.#options
    requireRequestLength(path, Buffer.byteLength(data, 'base64'))
    if (isHeavyQuery(this.#handlers, path)) return this.#heavy(question, head)
    const request = Buffer.from(data, 'base64')
    if (isOfHistory(path)) {
      requireNoHeight(height)
      return heavy('native', this.#withWaiting(question, request), head)
    }
    if (path === ABCI_QUERY) return this.#abciQueryOverGrpc(request, head).then(encode)
    if (path.startsWith(LIVE_SERVICE)) return encode(this.#live(path, request, height))
    const { environment } = this.#options
    const weighed = (answer: (consensus: Consensus) => Uint8Array | Promise<Uint8Array>): Reply =>
      answerWithConsensus(environment, heavy, { question, head }, answer, encode)
    const view = this.#options.view(head)
    const whole = wholeBlockOf(path, request, head)
    if (whole !== undefined && this.#isLong(view, whole)) return this.#longBlock(question, head, whole)
    if (path.startsWith(TENDERMINT_SERVICE)) {
      return weighed((consensus) => tendermintService(consensus, view, path, request))
    }
    if (path.startsWith(TX_SERVICE)) {
      if (isLongFromRecords(view, path, request)) return this.#heavy({ ...question, height: 0, replies: {} }, head)
      return weighed((consensus) =>
        new TxService({ ...this.#options, environment: consensus }).answer(view, path, request, false),
      )
    }
    if (path.startsWith(NODE_SERVICE)) return encode(nodeService(view, path))
    return encode(nativeQuery(view, this.#handlers, path, request, height).value)
  }

  /**
   * `abci_query` for clients of gRPC and REST, for the paths that are no gRPC methods themselves: refusals of these are
   * codes of the answer. Throws grpc/3, in the SDK's words.
   */
  async #abciQueryOverGrpc(request: Uint8Array, head: number): Promise<Uint8Array> {
    const { input, output } = cometQuery.Service.method.aBCIQuery
    const { path, data, height, prove } = decodeRequest(input, request)
    if (path === '') throw queryRefusal('invalidArgument', 'empty query path')
    if (!/^\/?(?:app|store|p2p|custom)(?:\/|$)/.test(path)) {
      throw queryRefusal('invalidArgument', `unsupported ABCI query path: ${path.slice(0, 200)}`)
    }
    if (height < 0n || height > BigInt(head)) throw queryRefusal('invalidArgument', `there is no height ${height} yet`)
    const asked = { path, data, height: Number(height), prove }
    const { key, value, height: at, codespace, log, code, proofOps } = await this.abciQuery(asked, head)
    const ops = proofOps === undefined ? {} : { proofOps: { ops: proofOps.map((each) => ({ ...each })) } }
    return toBinary(output, create(output, { key, value, height: BigInt(at), codespace, log, code, ...ops }))
  }

  /** A refusal is a code of the answer; what is thrown is a fault of the database, which stops the node. */
  async abciQuery(request: AbciQueryRequest, head: number): Promise<AbciQueryResponse> {
    try {
      return { ...NOTHING, ...(await this.#abciAnswer(request, head)) }
    } catch (error) {
      if (!(error instanceof CodedError) || isFault(error)) throw error
      return { ...NOTHING, ...toAbciError(error) }
    }
  }

  async #abciAnswer(
    { path, data, height, prove }: AbciQueryRequest,
    head: number,
  ): Promise<Partial<AbciQueryResponse>> {
    if (path.startsWith(TENDERMINT_SERVICE)) {
      // CometBFT waits for this answer, and must not be asked meanwhile.
      throw new CodedError('sdk', SDK_CODES.unknownRequest, `${path} is served on the gRPC and REST ports only`)
    }
    requireRequestLength(path, data.length)
    const view = this.#options.view(head)
    const module = storeModule(path)
    if (module !== undefined) return answerStoreQuery(view, { module, key: data, height, prove })
    if (isHeavyQuery(this.#handlers, path)) {
      const question = { path, data: bytesToBase64(data), height }
      return { value: await this.#workerAnswer(question, head), height: keptHeight(view, height) }
    }
    if (path.startsWith(LIVE_SERVICE)) return { value: this.#live(path, data, height), height: head }
    if (isOfHistory(path)) {
      requireNoHeight(height)
      const question = this.#withWaiting({ path, data: bytesToBase64(data), height: 0 }, data)
      return { value: await this.#workerAnswer(question, head), height: head }
    }
    if (isHeightSearch(path, data)) {
      const question = { path, data: bytesToBase64(data), height: 0, replies: {} }
      return { value: await this.#workerAnswer(question, head), height: head }
    }
    if (path.startsWith(TX_SERVICE)) {
      return { value: await this.#txService.answer(view, path, data, true), height: head }
    }
    if (path.startsWith(NODE_SERVICE)) return { value: nodeService(view, path), height: head }
    try {
      return nativeQuery(view, this.#handlers, path, data, height)
    } catch (error) {
      throw this.#toRefusal(error, path)
    }
  }

  /** A worker has no pool of orders. */
  #withWaiting(question: Questions['native'], request: Uint8Array): Questions['native'] {
    const waiting = waitingPlacement(this.#options.clob.waiting, question.path, request)
    return waiting === undefined ? question : { ...question, waiting }
  }

  #live(path: string, request: Uint8Array, height: number): Uint8Array {
    const { clob, environment } = this.#options
    return liveAnswer(clob, { path, request, height, wallMs: environment.clock.wallMs() })
  }

  async #workerAnswer(question: Questions['native'], head: number): Promise<Uint8Array> {
    // The history grows within a block: what it answers is not kept.
    const isKept = !isOfHistory(question.path)
    try {
      const text = isKept ? await this.#heavy(question, head) : await this.#options.heavy('native', question, head)
      const answered = JSON.parse(textToString(text)) as string
      return plainBytes(Buffer.from(answered, 'base64'))
    } catch (error) {
      throw this.#toRefusal(error, question.path)
    }
  }

  /**
   * What is no code would stop the node over ABCI: a query writes nothing, and neither a fault of its handler nor a
   * worker that died is a reason to.
   */
  #toRefusal(error: unknown, path: string): CodedError {
    if (error instanceof CodedError) return error
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error)
    this.#options.environment.log.error('a native query failed', { path, reason })
    return queryFailed('internal error')
  }

  /** To know it takes as long as reading the block where its transactions are native: that is done once. */
  #isLong(view: ChainView, height: number): boolean {
    const key = String(height)
    const known = this.#longBlocks.get(key)
    if (known !== undefined) return known
    const isLong = isLongBlock(view, height)
    this.#longBlocks.set(key, isLong)
    return isLong
  }

  /** Made once, of whatever height it is: explorers ask for the same blocks, and so does who wants to keep a node busy. */
  async #longBlock({ path, data }: Questions['native'], head: number, height: number): Promise<Text> {
    const { environment, heavy } = this.#options
    return await this.#kept({ path, data, height }, head, (key) =>
      answerInWorker(environment, commitRoutes(height), (replies) =>
        heavy('native', { path, data, height: 0, replies }, head, key),
      ),
    )
  }

  /** Once for each height: the same tally, and the same newest transactions, are asked for by everyone who watches them. */
  async #heavy(question: Questions['native'], head: number): Promise<Text> {
    const height = question.height === 0 ? head : question.height
    const asked = { ...question, height }
    return await this.#kept(asked, head, (key) => this.#options.heavy('native', asked, head, key))
  }

  async #kept(
    { path, data, height }: Questions['native'],
    head: number,
    make: (key: string | undefined) => Promise<Text>,
  ): Promise<Text> {
    if (data.length > MAX_KEPT_REQUEST) return await make(undefined)
    const { answers } = this.#options
    const key = `native ${height} ${path} ${data}`
    const kept = answers.get(key, head)
    if (kept !== undefined) return kept
    const answered = await make(key)
    answers.set(key, height, answered)
    return answered
  }
}

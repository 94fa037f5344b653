/**
 * The orders' door of a node: which orders it keeps and gossips, what it attests of them with its votes, and what a block
 * takes out. It stands beside the door of all other families (app/mempool.ts), for orders have no queue.
 */
import type { Address } from '../../core/address.ts'
import { bytesToKey, EMPTY_BYTES, equalBytes } from '../../core/bytes.ts'
import { CodedError } from '../../core/errors.ts'
import { type Hash, sha256 } from '../../core/hash.ts'
import {
  type Body,
  type ClobBody,
  clobError,
  decodeAttestations,
  decodeClobBody,
  expectedSigner,
  type ListedId,
  MAX_CLOB_TX_BYTES,
  NONCE_WINDOW_MS,
  readCarried,
} from '../../modules/clob/index.ts'
import { decodeExtension } from '../attestations/envelope.ts'
import type { Environment, JournaledOrder } from '../environment.ts'
import { type JournaledPool, JournalWriter } from '../pool/journal-writer.ts'
import { SignatureQueue } from '../pool/signature-queue.ts'
import type { BroadcastCheck, TransactionCheck } from '../ports.ts'
import { A_LITTLE_EARLY, checkAccount, checkTerms, type Earliness, leavingFor, ON_TIME } from './admission.ts'
import { decodeOrNothing } from './decode-or-nothing.ts'
import {
  BLOCKS_KEPT_AFTER_END,
  BLOCKS_NEEDED_AFTER_NONCE,
  MAX_KNOWN_FORGERIES,
  MAX_REMEMBERED_ORDERS,
} from './limits.ts'
import { OrderGossip } from './order-gossip.ts'
import { OrderIds } from './order-ids.ts'
import { OrderWatch } from './order-watch.ts'
import { OrderPool, type PoolBounds } from './pool.ts'
import type { OrderEnd, PooledOrder } from './pooled-order.ts'
import type { CarriedBy, OrdersHead, SettledBlock } from './ports.ts'
import { Protection } from './protection.ts'
import { RecentKeys } from './recent-keys.ts'
import { Signers } from './signers.ts'
import { Standings } from './standing.ts'
import { OrdersSection } from './vote-section.ts'

/** Blocks between two looks for what the journal and CometBFT hold in vain, or lack. */
const CARE_INTERVAL_BLOCKS = 10
const CARE_INTERVAL_ARRIVALS = 10_000

export interface OrdersOptions {
  readonly environment: Environment
  /** Throws app/10 before InitChain. */
  head(): OrdersHead
  readonly carriedBy: CarriedBy
  /** Those of the protocol when left out. */
  readonly bounds?: PoolBounds
}

export class Orders {
  readonly pool: OrderPool
  /** What the node's votes say of orders. */
  readonly section: OrdersSection
  /** What those are told who follow orders before a block holds them. */
  readonly watch: OrderWatch
  readonly #options: OrdersOptions
  readonly #environment: Environment
  readonly #ids: OrderIds
  readonly #protection: Protection
  readonly #gossip: OrderGossip
  readonly #signers: Signers
  readonly #signatures: SignatureQueue | undefined
  readonly #journal: JournalWriter<PooledOrder>
  /** Heights of blocks by the hashes that they took of late: a late gossip of them costs a look-up. */
  readonly #included = new RecentKeys<number>(2 * MAX_REMEMBERED_ORDERS)
  /** Hashes of orders that somebody else signed: sent again, they cost a look-up. */
  readonly #forged = new RecentKeys<true>(2 * MAX_KNOWN_FORGERIES)
  /** Times of the last blocks, the oldest first. */
  #blockTimesMs: number[] = []
  /** The standings at the committed head; made when they are asked for first. */
  #standings: Standings | undefined

  constructor(options: OrdersOptions) {
    const { environment, bounds } = options
    this.#options = options
    this.#environment = environment
    this.pool = new OrderPool((order, how) => this.#left(order, how), bounds)
    this.#ids = new OrderIds(this.pool)
    this.watch = new OrderWatch({
      pool: this.pool,
      ids: this.#ids,
      state: () => options.head().state,
      nextHeight: () => options.head().height,
    })
    this.#protection = new Protection(this.pool)
    this.#gossip = new OrderGossip(this.pool, environment)
    this.#signers = new Signers(this.pool, () => options.head().chain)
    this.#signatures = environment.signatures && new SignatureQueue(environment.signatures, environment)
    this.#journal = new JournalWriter(
      journaledOrders(this.pool, environment),
      environment.log.of?.('orders') ?? environment.log,
    )
    this.section = new OrdersSection({
      clock: environment.clock,
      pool: this.pool,
      books: () => options.head().books,
      standings: () => this.#standing(),
      carriedBy: options.carriedBy,
      find: (listed) => this.#ids.find(listed.salt, listed.id),
      attested: (height, orders) => this.#protection.attest(height, orders),
    })
  }

  /** Takes in what the last run left in the journal, with its times. Signatures are checked when a block or a peer brings them. */
  load(): void {
    const { height, books } = this.#options.head()
    this.#gossip.settle(height - 1)
    for (const { seenMs, raw } of this.#environment.orderJournal?.load() ?? []) {
      const body = decodeOrNothing(raw)
      if (body === undefined || this.pool.get(body.hash) !== undefined) continue
      if (body.tx.goodTilBlock + BLOCKS_KEPT_AFTER_END < height) continue
      if (books.isNonceUsed(expectedSigner(body.tx), body.tx.nonceMs)) continue
      this.pool.add(body, seenMs, this.#standing().rankOf(body.tx))
    }
    this.#protectAgain()
    this.#journal.rewrite()
  }

  /** What this node said with its last votes, and what is carried: others may ask for these bodies. */
  #protectAgain(): void {
    this.watch.carry(this.#carry(readCarried(this.#options.head().state)))
    for (const { height, hash, extension } of this.#environment.voteAnswers?.load() ?? []) {
      const attested = decodeAttestations(decodeExtension(extension)?.attestations ?? EMPTY_BYTES) ?? []
      const held = attested.flatMap(({ id }) => this.#ids.find(hash, id) ?? [])
      this.#protection.attest(height, held)
    }
  }

  /** Those that the pool holds. */
  #carry(carried: readonly ListedId[]): ReadonlySet<PooledOrder> {
    const held = new Set(carried.flatMap(({ salt, id }) => this.#ids.find(salt, id) ?? []))
    this.#protection.carry(held)
    return held
  }

  #left(order: PooledOrder, how: OrderEnd): void {
    this.#gossip.delete(order, how)
    this.watch.left(order, how)
  }

  /**
   * CometBFT's mempool or a peer of it brings an order. The clock is read before anything else: what it says is attested, and
   * no recheck renews it.
   */
  check(raw: Uint8Array, recheck: boolean): TransactionCheck {
    const seenMs = this.#environment.clock.wallMs()
    try {
      if (recheck) return this.#answerComet(this.#known(raw))
      const hash = this.#hash(raw)
      const known = this.pool.get(hash)
      if (known !== undefined) return this.#answerComet(known)
      const order = this.#takeOfPeer(raw, hash, seenMs)
      this.#journal.tryWrite(order)
      // While no block comes nothing else keeps the file from growing.
      if (this.pool.arrivals % CARE_INTERVAL_ARRIVALS === 0) this.#journal.rewriteIfOutdated()
      return this.#answerComet(order)
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      return { code: error.code, codespace: error.codespace, log: error.message, gasWanted: 0n }
    }
  }

  #takeOfPeer(raw: Uint8Array, hash: Hash, seenMs: number): PooledOrder {
    const end = this.#environment.witness?.arrived('orders', 'network')
    try {
      const body = this.#examine(raw, hash, seenMs, A_LITTLE_EARLY)
      const order = this.#enter(body, this.#signers.of(body), seenMs)
      end?.(hash)
      return order
    } catch (error) {
      if (error instanceof CodedError) end?.(error)
      throw error
    }
  }

  /** clob_sendOrder: journaled before it is answered, then gossiped. Throws clob errors. */
  async submit(raw: Uint8Array): Promise<Hash> {
    const end = this.#environment.witness?.arrived('orders', 'wallet')
    try {
      const hash = await this.#submit(raw)
      end?.(hash)
      return hash
    } catch (error) {
      if (error instanceof CodedError) end?.(error)
      throw error
    }
  }

  async #submit(raw: Uint8Array): Promise<Hash> {
    const seenMs = this.#environment.clock.wallMs()
    const hash = this.#hash(raw)
    if (this.pool.get(hash) !== undefined) throw clobError('poolKnown', 'already known')
    this.#requireNetwork()
    const body = this.#examine(raw, hash, seenMs, ON_TIME)
    if (this.#signatures !== undefined) {
      const task = this.#signers.taskOf(body)
      const answer = await this.#signatures.check(task)
      if (task !== undefined && answer !== undefined) this.#signers.note(body, answer)
    }
    // A peer was faster, with an order that this client has not been told of: it is taken.
    if (this.pool.get(hash) !== undefined) return hash
    // The head may have moved on.
    checkTerms(body.tx, this.#options.head(), seenMs, ON_TIME)
    const order = this.#enter(body, this.#signers.of(body), seenMs)
    await this.#journal.write(order)
    this.#gossip.offer([order])
    return hash
  }

  /**
   * An order lives for some blocks, and those that the network has made meanwhile are not known here: it would be answered, and lost.
   * A node that has just started has not heard yet how far the network is, and takes orders. Throws clob/137.
   */
  #requireNetwork(): void {
    const { catchingUp, highestHeight } = this.#environment.consensusStatus()
    if (!catchingUp || highestHeight === 0) return
    const at = this.#options.head().height - 1
    throw clobError(
      'catchingUp',
      `this node catches up with the network (it is at block ${at}): send the order to another one, or again once /healthz says so`,
    )
  }

  /** A native client's broadcast, as {@link submit}; a refusal is a code. */
  async broadcast(raw: Uint8Array): Promise<BroadcastCheck> {
    const nativeHash = sha256(raw)
    try {
      await this.submit(raw)
      return { code: 0, codespace: '', log: '', gasWanted: 0n, nativeHash }
    } catch (error) {
      if (!(error instanceof CodedError)) throw error
      return { code: error.code, codespace: error.codespace, log: error.message, gasWanted: 0n, nativeHash }
    }
  }

  /** ProcessProposal is called with a block of this hash: what came later is not attested for it. */
  noteProposal(hash: Hash): void {
    this.section.noteProposal(hash)
  }

  /** Who signed an order of a block; undefined where the signature does not hold. What the pool has verified costs a look-up. */
  signerOf(body: Pick<ClobBody, 'hash' | 'tx'>): Address | undefined {
    return this.#signers.of(body)
  }

  /** A wire form as a block has it: what the pool holds is not decoded again. */
  readBody(raw: Uint8Array): Body {
    if (raw.length > MAX_CLOB_TX_BYTES) return { raw, hash: sha256(raw), body: undefined }
    const hash = sha256(raw)
    return { raw, hash, body: this.pool.get(hash) ?? decodeOrNothing(raw) }
  }

  /** What this node has of the list of a block that it proposes. */
  findBody({ salt, id }: Pick<ListedId, 'salt' | 'id'>): Body | undefined {
    const order = this.#ids.find(salt, id)
    return order && { raw: order.raw, hash: order.hash, body: order }
  }

  /** The block that took the order of late; undefined where none did, as far as is remembered here. */
  includedHeight(hash: Hash): number | undefined {
    return this.#included.get(bytesToKey(hash))
  }

  /** After a commit, when the head is the new one. */
  settle({ height, hash, included, carried }: SettledBlock): void {
    this.#standings = undefined
    this.section.settle()
    for (const taken of included) this.#take(taken, height)
    this.pool.expire(height + 1)
    this.#expireNonces(this.#options.head().timeMs)
    this.watch.settle(height, hash, this.#carry(carried))
    this.#gossip.settle(height)
    if (this.#gossip.isDue()) this.offerAgain()
    if (height % CARE_INTERVAL_BLOCKS !== 0) return
    this.#journal.rewriteIfOutdated()
    this.#gossip.forgetDropped()
    this.offerAgain()
  }

  /** CometBFT asks again of what its mempool holds. */
  askedAgain(): void {
    this.#gossip.askedAgain()
  }

  /** CometBFT forgot what it had: it was restarted. */
  forgetGossip(): void {
    this.#gossip.clear()
  }

  /** Offers to CometBFT what it does not have: its mempool may have been full or lost, or the first peer has come. */
  offerAgain(): void {
    this.#gossip.offerMissing()
  }

  /** Another chain begins. */
  clear(): void {
    this.pool.clear()
    this.#ids.clear()
    this.#protection.clear()
    this.watch.clear()
    this.#gossip.clear()
    this.#signers.clear()
    this.#included.clear()
    this.#forged.clear()
    this.#blockTimesMs = []
    this.section.settle()
    this.#standings = undefined
  }

  /** An order is left out of votes once its nonce is too old for a block, and may be in blocks for some more that earlier votes obliged to it. */
  #expireNonces(timeMs: number): void {
    this.#blockTimesMs.push(timeMs)
    if (this.#blockTimesMs.length <= BLOCKS_NEEDED_AFTER_NONCE) return
    const [oldestMs = timeMs] = this.#blockTimesMs.splice(0, 1)
    this.pool.expireNonces(oldestMs - NONCE_WINDOW_MS)
  }

  #take(hash: Hash, height: number): void {
    this.#included.set(bytesToKey(hash), height)
    const order = this.pool.get(hash)
    if (order !== undefined) this.pool.delete(order, 'included')
  }

  /** What no order is as long as is not even hashed. */
  #hash(raw: Uint8Array): Hash {
    if (raw.length > MAX_CLOB_TX_BYTES) decodeClobBody(raw)
    return sha256(raw)
  }

  #known(raw: Uint8Array): PooledOrder {
    const order = raw.length > MAX_CLOB_TX_BYTES ? undefined : this.pool.get(sha256(raw))
    if (order === undefined) throw clobError('poolGone', 'no longer in the pool of orders')
    return order
  }

  /** All that can be said without the signature: what costs least comes first. */
  #examine(raw: Uint8Array, hash: Hash, seenMs: number, early: Earliness): ClobBody {
    const key = bytesToKey(hash)
    if (this.#included.has(key)) throw clobError('poolIncluded', 'a block has the order already')
    if (this.#forged.has(key)) throw wrongSignature()
    const head = this.#options.head()
    const longest = this.#standing().longestOrder(head.height)
    if (raw.length > longest) {
      const text = `an order of ${raw.length} bytes is longer than votes can attest now, ${longest}`
      throw clobError('poolTooLong', text)
    }
    const body = decodeClobBody(raw)
    checkTerms(body.tx, head, seenMs, early)
    // Room is looked for before the signature is checked, and the funds of whoever is named only where a full pool asks for them.
    if (!this.pool.mayTake(body, () => this.#standing().rankOf(body.tx))) throw poolFull()
    return body
  }

  #enter(body: ClobBody, signer: Address | undefined, seenMs: number): PooledOrder {
    const expected = expectedSigner(body.tx)
    if (signer === undefined || !equalBytes(signer, expected)) {
      this.#forged.set(bytesToKey(body.hash), true)
      throw wrongSignature()
    }
    checkAccount(body, signer, this.#options.head(), this.#standing())
    const leaving = leavingFor(body, this.pool, this.#standing())
    const order = this.pool.add(body, seenMs, this.#standing().rankOf(body.tx))
    if (order === undefined) throw poolFull()
    this.pool.giveUp(leaving)
    order.signer = signer
    this.watch.arrived(order)
    return order
  }

  #answerComet(order: PooledOrder): TransactionCheck {
    const { height } = this.#options.head()
    const { goodTilBlock } = order.tx
    if (goodTilBlock < height) {
      this.#gossip.refuse(order)
      throw clobError('poolExpired', `good_til_block ${goodTilBlock} is past: the next block is ${height}`)
    }
    if (!this.#gossip.mayKeep(order)) {
      const text = 'the part of the gossip that is for orders is full: the order waits in the pool of this node'
      throw clobError('poolWaits', text)
    }
    this.#gossip.keep(order)
    return { code: 0, codespace: '', log: '', gasWanted: 0n }
  }

  #standing(): Standings {
    if (this.#standings === undefined) {
      const { state, books } = this.#options.head()
      this.#standings = new Standings(state, books)
    }
    return this.#standings
  }
}

const wrongSignature = (): CodedError =>
  clobError('signature', 'the signature is not that of the owner, or of the agent that the order names')

const poolFull = (): CodedError => clobError('poolFull', 'the pool of orders is full')

const toRecord = ({ seenMs, raw }: PooledOrder): JournaledOrder => ({ seenMs, raw })

const journaledOrders = (pool: OrderPool, { orderJournal }: Environment): JournaledPool<PooledOrder> => ({
  name: 'the orders',
  get size() {
    return pool.size
  },
  append: (orders) => orderJournal?.append(orders.map(toRecord)),
  rewrite: () => orderJournal?.rewrite(Array.from(pool.orders(), toRecord)),
  refuse: (order) => {
    pool.delete(order)
    return clobError('poolNotStored', 'the order cannot be stored: the disk of the node does not take it')
  },
})

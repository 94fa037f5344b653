/** What a step has read, and what it has done so far. */
import type { Address } from '../../../core/address.ts'
import { bytesToKey } from '../../../core/bytes.ts'
import type { AccountBook } from '../book/account-book.ts'
import type { Books } from '../book/books.ts'
import type { MarketBook } from '../book/market-book.ts'
import { MarkIndex, nonceKey, type UsedNonce } from '../book/recent.ts'
import type { RestingOrder } from '../book/resting-order.ts'
import type { Agent, Mark } from '../domain/account.ts'
import type { FeeTier, Market, MarketRecord } from '../domain/market.ts'
import type { ClobParameters } from '../domain/settings.ts'
import type { TradedVolume } from '../domain/volume.ts'
import {
  readAccount,
  readAgent,
  readMarket,
  readNextSeq,
  readParameters,
  readRecord,
  readVolume,
} from '../keeper/index.ts'
import { EMPTY_BOOK_ROOT } from '../book/bucket-root.ts'
import type { StepContext } from './deps.ts'
import type { MatchingError } from './error-entries.ts'
import { type Purse, Purses } from './purse.ts'
import { highestFeePpm, lockDenom, lockOf } from './money.ts'
import { type ClobRecord, marketOf, type RemovalReason } from './records.ts'
import { dayOf, rollTo, thirtyDays, tierOf } from './volumes.ts'

export interface TraderVolume {
  readonly before: TradedVolume
  /** The volume by which the tier is chosen. */
  readonly thirtyDays: bigint
  added: bigint
}

/** An owner that the step has met. */
export interface Trader {
  readonly owner: Address
  readonly key: string
  /** The actions of the owner in this block. */
  actions: number
  /** The address in bech32, once it is asked for. */
  name: string | undefined
  readonly purses: Map<string, Purse>
  /** The volumes by quote denomination. */
  readonly volumes: Map<string, TraderVolume>
  /** The tiers by market: they hold for the whole step. */
  readonly tiers: Map<number, FeeTier>
}

/** A market that the step has met. */
export interface MarketRun {
  readonly market: Market
  readonly book: MarketBook
  readonly before: MarketRecord
  readonly highestFeePpm: number
  sequence: number
  /** The block price: 0 before the first. */
  blockPriceTicks: number
  /** The lots of the fills from which the block price follows. */
  filledLots: bigint
  filledTickLots: bigint
  /** order_seq of those that entered a uniform market in this step, ascending. */
  readonly entered: number[]
}

/** An action that failed. */
export interface Rejection {
  readonly owner: Address
  /** Its place: in its transaction, or among those that contracts queued. */
  readonly action: number
  readonly error: MatchingError
  /** Hash of the transaction; undefined where a contract queued it. */
  readonly hash: Uint8Array | undefined
}

/** A transaction that failed as a whole. Whoever signed it may act for the owner, or might have. */
export interface RefusedTransaction {
  readonly owner: Address
  readonly hash: Uint8Array
  readonly error: MatchingError
  readonly subaccount: number
  readonly nonceMs: number
}

/** All records of a step, in their order, and what failed: actions, and whole transactions. */
export interface StepNews {
  readonly records: readonly ClobRecord[]
  readonly rejected: readonly Rejection[]
  readonly refused: readonly RefusedTransaction[]
}

interface Savepoint {
  readonly changes: number
  readonly records: number
  readonly nextSeq: number
}

const NEW_RECORD: MarketRecord = {
  sequence: 0,
  blockPriceTicks: 0,
  priceMs: 0n,
  sinceMs: 0,
  bestBidTicks: 0,
  bestAskTicks: 0,
  openOrders: 0,
  bookRoot: EMPTY_BOOK_ROOT,
}

export class StepRun {
  readonly books: Books
  readonly context: StepContext
  readonly height: number
  readonly timeMs: number
  readonly parameters: ClobParameters
  readonly purses: Purses
  readonly traders = new Map<string, Trader>()
  readonly markets = new Map<number, MarketRun>()
  /** Fees less rebates, by denomination. */
  readonly collected = new Map<string, bigint>()
  readonly nonces: UsedNonce[] = []
  readonly marks: Mark[] = []
  readonly #ownNonces = new Set<string>()
  readonly ownMarks = new MarkIndex()
  readonly #unknownMarkets = new Set<number>()
  readonly #agents = new Map<string, Agent | undefined>()
  /** Orders of this step have it or a higher one. */
  readonly firstSeq: number
  nextSeq: number
  /** The records of the running transaction, or of what comes after all of them. */
  records: ClobRecord[] = []
  readonly told = { records: [] as ClobRecord[], rejected: [] as Rejection[], refused: [] as RefusedTransaction[] }

  constructor(books: Books, context: StepContext) {
    this.books = books
    this.context = context
    this.height = context.height
    this.timeMs = context.timeMs
    this.parameters = readParameters(context.state)
    this.firstSeq = readNextSeq(context.state)
    this.nextSeq = this.firstSeq
    this.purses = new Purses((owner, denom) => context.ledger.balance(context.state, owner, denom))
  }

  trader(owner: Address): Trader {
    return this.#traderByKey(owner, bytesToKey(owner))
  }

  traderOf({ account }: RestingOrder): Trader {
    return this.#traderByKey(account.owner, account.key)
  }

  #traderByKey(owner: Address, key: string): Trader {
    let trader = this.traders.get(key)
    if (trader === undefined) {
      trader = { owner, key, actions: 0, name: undefined, purses: new Map(), volumes: new Map(), tiers: new Map() }
      this.traders.set(key, trader)
    }
    return trader
  }

  /** Opens it where the owner has no open orders; the end of the step closes it where it has none then. */
  account({ owner, key }: Trader): AccountBook {
    const found = this.books.account(key)
    return found ?? this.books.openAccount(owner, key, readAccount(this.context.state, owner).switchMs)
  }

  /** The agent of an owner, read once; expired ones too. */
  agent(owner: Address, address: Address): Agent | undefined {
    const key = bytesToKey(owner) + bytesToKey(address)
    if (!this.#agents.has(key)) this.#agents.set(key, readAgent(this.context.state, owner, address))
    return this.#agents.get(key)
  }

  purse(trader: Trader, denom: string): Purse {
    let purse = trader.purses.get(denom)
    if (purse === undefined) {
      purse = this.purses.open(trader.owner, denom)
      trader.purses.set(denom, purse)
    }
    return purse
  }

  credit(trader: Trader, denom: string, amount: bigint): void {
    if (amount !== 0n) this.purses.move(this.purse(trader, denom), amount)
  }

  market(id: number): MarketRun | undefined {
    const found = this.markets.get(id)
    if (found !== undefined || this.#unknownMarkets.has(id)) return found
    const market = readMarket(this.context.state, id)
    if (market === undefined) {
      this.#unknownMarkets.add(id)
      return undefined
    }
    const before = readRecord(this.context.state, id) ?? NEW_RECORD
    const run: MarketRun = {
      market,
      book: this.books.market(id),
      before,
      highestFeePpm: highestFeePpm(market),
      sequence: before.sequence,
      blockPriceTicks: before.blockPriceTicks,
      filledLots: 0n,
      filledTickLots: 0n,
      entered: [],
    }
    this.markets.set(id, run)
    return run
  }

  /**
   * Orders that died may have been the best of their side: the records of their markets say so, too. It goes by number,
   * for the order in which orders of an owner die depends on how long the books are in memory.
   */
  meetMarketsOfDead(): void {
    const ids = new Set<number>()
    for (const change of this.books.log) if (change.kind === 'die') ids.add(change.order.market)
    for (const id of [...ids].toSorted((a, b) => a - b)) this.market(id)
  }

  volume(trader: Trader, denom: string): TraderVolume {
    let volume = trader.volumes.get(denom)
    if (volume === undefined) {
      const before = rollTo(readVolume(this.context.state, trader.owner, denom), dayOf(this.timeMs))
      volume = { before, thirtyDays: thirtyDays(before), added: 0n }
      trader.volumes.set(denom, volume)
    }
    return volume
  }

  tier(trader: Trader, { market }: MarketRun): FeeTier {
    let tier = trader.tiers.get(market.id)
    if (tier === undefined) {
      tier = tierOf(market, this.volume(trader, market.quoteDenom).thirtyDays)
      trader.tiers.set(market.id, tier)
    }
    return tier
  }

  record(run: MarketRun, record: ClobRecord): void {
    run.sequence++
    this.records.push(record)
  }

  /** What stands in the running records is final: the next transaction begins. */
  tellRecords(): void {
    for (const record of this.records) this.told.records.push(record)
    this.records = []
  }

  tellRejected(rejection: Rejection): void {
    this.told.rejected.push(rejection)
  }

  tellRefused(refused: RefusedTransaction): void {
    this.told.refused.push(refused)
  }

  /** Takes an open order out of the book, and gives back what it has locked. */
  removeOrder(run: MarketRun, order: RestingOrder, reason: RemovalReason): void {
    const trader = this.traderOf(order)
    this.books.remove(order)
    this.unlock(run, trader, order, order.left)
    const { market, seq: orderSeq, left: lots, owner } = order
    this.record(run, { kind: 'removed', market, orderSeq, lots, reason, owner, left: 0 })
  }

  unlock({ market }: MarketRun, trader: Trader, order: RestingOrder, left: number): void {
    this.credit(trader, lockDenom(market, order.side), lockOf(market, order, left))
  }

  /** Locks what the order has left. */
  lock({ market }: MarketRun, trader: Trader, order: RestingOrder): void {
    this.credit(trader, lockDenom(market, order.side), -lockOf(market, order, order.left))
  }

  /** Why a dead order is dead. */
  deathOf(order: RestingOrder): RemovalReason {
    if (order.expireS !== 0 && order.expireS * 1_000 <= this.timeMs) return 'expired'
    const { switchMs = 0, floors = [] } = order.group?.account ?? {}
    if (switchMs !== 0 && switchMs <= this.timeMs) return 'switchPassed'
    // Only the floor of a switch names all labels.
    const isSwitched = floors.some(({ floor }) => floor.subaccount === undefined && order.seq < floor.nextSeq)
    return isSwitched ? 'switchPassed' : 'cancelledAll'
  }

  /** What an action does from here on can be taken back. */
  savepoint(): Savepoint {
    this.purses.mark()
    return { changes: this.books.logLength, records: this.records.length, nextSeq: this.nextSeq }
  }

  takeBack({ changes, records, nextSeq }: Savepoint): void {
    this.books.undoTo(changes)
    this.purses.takeBack()
    for (const record of this.records.splice(records)) {
      const run = this.markets.get(marketOf(record))
      if (run !== undefined) run.sequence--
    }
    this.nextSeq = nextSeq
  }

  isNonceUsed(signer: Address, nonceMs: number): boolean {
    const key = nonceKey(signer, nonceMs)
    return this.#ownNonces.has(key) || this.books.nonces.has(key)
  }

  takeNonce(signer: Address, nonceMs: number): void {
    this.#ownNonces.add(nonceKey(signer, nonceMs))
    this.nonces.push({ signer, nonceMs })
  }

  leaveMark(mark: Mark): void {
    this.marks.push(mark)
    this.ownMarks.add(this.height, [mark])
  }
}

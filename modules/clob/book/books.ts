/**
 * The order book of the committed head, for all markets. A CLOB step changes it and undoes that again; what it changed is
 * its delta, which commit applies. Everything in it follows from state, and is rebuilt from it at the start.
 */
import type { Address } from '../../../core/address.ts'
import { bytesToKey, equalBytes } from '../../../core/bytes.ts'
import { invariant } from '../../../core/errors.ts'
import type { StateReader } from '../../../store/state.ts'
import type { Mark } from '../domain/account.ts'
import type { BookOrder, OpenOrder } from '../domain/order.ts'
import { AccountBook, type LiveFloor } from './account-book.ts'
import {
  decodeOrder,
  listMarkets,
  readAccount,
  readRecord,
  readTimeMs,
  scanMarks,
  scanNonces,
  scanOrderValues,
} from '../keeper/index.ts'
import type { BookChange } from './book-log.ts'
import { EMPTY_BOOK_ROOT, type OrderChanges } from './bucket-root.ts'
import { type Crowd, type GivesWay, leastWith, ORDER_BOUNDS, type OrderBounds, type Staked } from './crowd.ts'
import { MarketBook } from './market-book.ts'
import { forgottenAt, MarkIndex, NonceIndex, nonceKey, type UsedNonce } from './recent.ts'
import { RestingOrder } from './resting-order.ts'
import { SortedChunks } from './sorted-chunks.ts'

/** What a CLOB step changes of the books. It holds for the books that it was made on, until they change. */
export interface BookDelta {
  readonly height: number
  /** Version of the books that it was made on. */
  readonly version: number
  readonly changes: readonly BookChange[]
  /** What state has of the orders from now on, by market, sorted by order_seq. */
  readonly orders: ReadonlyMap<number, OrderChanges>
  readonly nonces: readonly UsedNonce[]
  readonly marks: readonly Mark[]
}

export class Books {
  readonly #markets = new Map<number, MarketBook>()
  /** Owners with open orders, by bytesToKey; and those that a step looks at. */
  readonly #accounts = new Map<string, AccountBook>()
  readonly #bounds: OrderBounds
  /** Those that have not expired, by expire_s, then order_seq. */
  readonly #expiring = new SortedChunks<RestingOrder>()
  /** Owners with a switch that has not passed and orders that it may kill, by its time, then their lowest order_seq. */
  readonly #switches = new SortedChunks<AccountBook>()
  /** Dead orders that wait to be removed, by order_seq; a clearing removes what does not rest itself. */
  readonly #dead = new SortedChunks<RestingOrder>()
  /** Open orders of all markets that rest, dead ones too. */
  #size = 0
  /**
   * True from half of the least bound on until a quarter, so that nobody makes it come and go: it takes as long as it
   * takes to place them.
   */
  #areCrowdsSorted = false
  readonly nonces = new NonceIndex()
  readonly marks = new MarkIndex()
  #log: BookChange[] = []
  #version = 0

  constructor(bounds: OrderBounds = ORDER_BOUNDS) {
    this.#bounds = bounds
  }

  /** Loads the books as state has them. Throws an invariant error where the roots of the records differ. */
  static load(state: StateReader, bounds: OrderBounds = ORDER_BOUNDS): Books {
    const books = new Books(bounds)
    const orders: OpenOrder[] = []
    for (let start = 1; ; ) {
      const page = listMarkets(state, start)
      for (const { id } of page) books.#loadBuckets(state, id, orders)
      const last = page.at(-1)
      if (last === undefined) break
      start = last.id + 1
    }
    // An owner's orders are one list over all markets.
    orders.sort((a, b) => a.seq - b.seq)
    for (const order of orders) books.#loadOrder(state, order)
    for (const account of books.#accounts.values()) books.#buryNamed(account, account.floors)
    books.bury(readTimeMs(state))
    books.#log = []
    for (const [height, nonces] of scanNonces(state)) books.nonces.add(height, nonces)
    for (const [height, marks] of scanMarks(state)) books.marks.add(height, marks)
    return books
  }

  #loadBuckets(state: StateReader, id: number, orders: OpenOrder[]): void {
    const values = [...scanOrderValues(state, id)]
    for (const [seq, value] of values) orders.push(decodeOrder(id, seq, value))
    const { buckets } = this.market(id)
    buckets.apply(values)
    const root = readRecord(state, id)?.bookRoot ?? EMPTY_BOOK_ROOT
    invariant(equalBytes(root, buckets.root), `the open orders of market ${id} in state give its book root`)
  }

  #loadOrder(state: StateReader, order: OpenOrder): void {
    const key = bytesToKey(order.owner)
    let account = this.#accounts.get(key)
    if (account === undefined) {
      const { switchMs, floors } = readAccount(state, order.owner)
      account = new AccountBook(order.owner, key)
      account.switchMs = switchMs
      account.floors = floors.map((floor) => ({ floor, named: 0 }))
      this.#accounts.set(key, account)
    }
    this.#link(new RestingOrder(order, account), true)
  }

  get version(): number {
    return this.#version
  }

  /** Changes since the last `takeLog`. */
  get logLength(): number {
    return this.#log.length
  }

  /** Makes an empty book of a market that is not there yet. */
  market(id: number): MarketBook {
    let market = this.#markets.get(id)
    if (market === undefined) {
      market = new MarketBook(id)
      if (this.#areCrowdsSorted) market.sortCrowds()
      this.#markets.set(id, market)
    }
    return market
  }

  markets(): readonly MarketBook[] {
    return [...this.#markets.values()].toSorted((a, b) => a.id - b.id)
  }

  account(ownerKey: string): AccountBook | undefined {
    return this.#accounts.get(ownerKey)
  }

  accounts(): IterableIterator<AccountBook> {
    return this.#accounts.values()
  }

  /** Opens the account of an owner that has no open orders: what state has of it. */
  openAccount(owner: Address, ownerKey: string, switchMs: number): AccountBook {
    const account = new AccountBook(owner, ownerKey)
    account.switchMs = switchMs
    this.#do({ kind: 'open', account })
    return account
  }

  /** Closes the account of an owner that has no open orders any more. */
  closeAccount(account: AccountBook): void {
    this.#do({ kind: 'close', account })
  }

  /** Its order_seq is above all others, and its account is open. */
  insert(order: RestingOrder): void {
    this.#do({ kind: 'insert', order })
  }

  remove(order: RestingOrder): void {
    this.#do({ kind: 'remove', order })
    const { account } = order
    if (account.floors.length > 0 && account.floors.some(({ named }) => named === 0)) {
      this.setFloors(
        account,
        account.floors.filter(({ named }) => named > 0),
      )
    }
  }

  setLeft(order: RestingOrder, left: number): void {
    this.#do({ kind: 'left', order, before: order.left, after: left })
  }

  /** Puts an order with the same order_seq, price, label and side in the place of another one. */
  swap(order: RestingOrder, by: RestingOrder): void {
    this.#do({ kind: 'swap', order, by })
  }

  setSwitch(account: AccountBook, switchMs: number): void {
    if (account.switchMs !== switchMs) this.#do({ kind: 'switch', account, before: account.switchMs, after: switchMs })
  }

  /** What the floors name dies. */
  setFloors(account: AccountBook, floors: readonly LiveFloor[]): void {
    const added = floors.filter((each) => !account.floors.includes(each))
    this.#do({ kind: 'floors', account, before: account.floors, after: floors })
    this.#buryNamed(account, added)
  }

  /**
   * Runs at the beginning of a step: what has expired since the last one, and orders of owners whose switch has passed,
   * die. Each order dies once, so that the work of all blocks together is that of the orders that were placed.
   */
  bury(timeMs: number): void {
    for (let order = this.#expiring.first; order !== undefined; order = this.#expiring.first) {
      if (order.expireS * 1_000 > timeMs) break
      this.#do({ kind: 'die', order })
    }
    for (let account = this.#switches.first; account !== undefined; account = this.#switches.first) {
      if (account.switchMs > timeMs) break
      for (let order = account.oldest; order !== undefined; order = order.newerOfOwner) {
        if (!order.isDead) this.#do({ kind: 'die', order })
      }
    }
  }

  #buryNamed(account: AccountBook, floors: readonly LiveFloor[]): void {
    for (const { floor } of floors) {
      for (const group of account.groupsNamedBy(floor)) {
        let order = group.oldest
        for (; order !== undefined && order.seq < floor.nextSeq; order = order.newerInGroup) {
          if (!order.isDead) this.#do({ kind: 'die', order })
        }
      }
    }
  }

  /** What gives way if the order, newer than all others, comes to rest; undefined where there is room. */
  givesWayTo(order: Staked): GivesWay | undefined {
    const own = this.market(order.market).crowd(order.side)
    if (own.size >= this.#bounds.side) return { isSide: true, order: leastWith(own, order) }
    if (this.#size < this.#bounds.all) return undefined
    const dead = this.firstDead
    if (dead !== undefined) return { isSide: false, order: dead }
    const longest = this.#longestWith(own)
    return { isSide: false, order: longest === own ? leastWith(own, order) : longest.least }
  }

  /** The side with the most orders if `own` had one more; of equal ones that of the lowest market, then its buys. */
  #longestWith(own: Crowd): Crowd {
    let [longest, size, market] = [own, 0, 0]
    for (const book of this.#markets.values()) {
      for (const crowd of [book.crowd('buy'), book.crowd('sell')]) {
        const found = crowd === own ? crowd.size + 1 : crowd.size
        if (found < size || (found === size && book.id >= market)) continue
        ;[longest, size, market] = [crowd, found, book.id]
      }
    }
    return longest
  }

  /** The dead order with the lowest order_seq. */
  get firstDead(): RestingOrder | undefined {
    return this.#dead.first
  }

  /** Open orders of all markets; while a step runs those that rest. */
  get size(): number {
    return this.#size
  }

  /** Undoes all changes but the first `length`. */
  undoTo(length: number): void {
    for (let at = this.#log.length - 1; at >= length; at--) this.#undo(this.#log[at] as BookChange)
    this.#log.length = length
  }

  /** The changes so far, undone. */
  takeLog(): readonly BookChange[] {
    const changes = this.#log
    for (let at = changes.length - 1; at >= 0; at--) this.#undo(changes[at] as BookChange)
    this.#log = []
    return changes
  }

  get log(): readonly BookChange[] {
    return this.#log
  }

  /** Makes the changes of a step again, for good: the block that made them is committed. */
  apply(delta: BookDelta): void {
    invariant(this.#log.length === 0, 'no step is running on the books when a block is committed')
    invariant(delta.version === this.#version, 'a delta is applied to the books that it was made on')
    for (const change of delta.changes) this.#redo(change)
    for (const [market, changes] of delta.orders) this.market(market).buckets.apply(changes)
    this.nonces.add(delta.height, delta.nonces)
    this.marks.add(delta.height, delta.marks)
    this.nonces.forget(forgottenAt(delta.height))
    this.marks.forget(forgottenAt(delta.height), delta.height + 1)
    this.#version++
  }

  // What others ask of the committed head.

  /** Market 0 is any. */
  hasOpenOrder(owner: Address, market: number): boolean {
    const account = this.#accounts.get(bytesToKey(owner))
    if (account === undefined) return false
    return market === 0 ? account.openOrders > 0 : account.ordersIn(market) > 0
  }

  openOrderCount(owner: Address): number {
    return this.#accounts.get(bytesToKey(owner))?.openOrders ?? 0
  }

  isNonceUsed(signer: Address, nonceMs: number): boolean {
    return this.nonces.has(nonceKey(signer, nonceMs))
  }

  /** The owner's orders by order_seq. */
  ordersOf(owner: Address, market = 0): readonly BookOrder[] {
    const orders: BookOrder[] = []
    let order = this.#accounts.get(bytesToKey(owner))?.oldest
    for (; order !== undefined; order = order.newerOfOwner) {
      if (market === 0 || order.market === market) orders.push(order)
    }
    return orders
  }

  /** Undefined where no open order of the label has it. */
  orderByClientId(owner: Address, subaccount: number, market: number, clientId: Uint8Array): OpenOrder | undefined {
    return this.#accounts.get(bytesToKey(owner))?.byClientId(market, subaccount, clientId)
  }

  #do(change: BookChange): void {
    this.#log.push(change)
    this.#redo(change)
  }

  #redo(change: BookChange): void {
    switch (change.kind) {
      case 'open':
        this.#accounts.set(change.account.key, change.account)
        break
      case 'close':
        this.#accounts.delete(change.account.key)
        break
      case 'insert':
        this.#link(change.order, true)
        break
      case 'remove':
        this.#unlink(change.order)
        break
      case 'die':
        this.#bury(change.order)
        break
      case 'left':
        this.market(change.order.market).changeLeft(change.order, change.after)
        break
      case 'swap':
        this.#exchange(change.order, change.by)
        break
      case 'switch':
        change.account.switchMs = change.after
        this.#refreshSwitch(change.account)
        break
      case 'floors':
        change.account.floors = change.after
    }
  }

  #undo(change: BookChange): void {
    switch (change.kind) {
      case 'open':
        this.#accounts.delete(change.account.key)
        break
      case 'close':
        this.#accounts.set(change.account.key, change.account)
        break
      case 'insert':
        this.#unlink(change.order)
        break
      case 'remove':
        this.#link(change.order, false)
        break
      case 'die':
        this.#unbury(change.order)
        break
      case 'left':
        this.market(change.order.market).changeLeft(change.order, change.before)
        break
      case 'swap':
        this.#exchange(change.by, change.order)
        break
      case 'switch':
        change.account.switchMs = change.before
        this.#refreshSwitch(change.account)
        break
      case 'floors':
        change.account.floors = change.before
    }
  }

  #link(order: RestingOrder, isNew: boolean): void {
    const market = this.market(order.market)
    if (isNew) {
      market.append(order)
      order.account.append(order)
    } else {
      market.restore(order)
      order.account.restore(order)
    }
    if (order.rests && ++this.#size >= this.#leastBound / 2 && !this.#areCrowdsSorted) this.#sortCrowds()
    if (order.isDead) this.#keepDead(order)
    else if (order.expireS !== 0) this.#expiring.insert(order.expireS, order.seq, order)
    this.#refreshSwitch(order.account)
  }

  #unlink(order: RestingOrder): void {
    this.market(order.market).unlink(order)
    order.account.unlink(order)
    if (order.rests && --this.#size < this.#leastBound / 4 && this.#areCrowdsSorted) this.#unsortCrowds()
    if (order.isDead) this.#dropDead(order)
    else if (order.expireS !== 0) this.#expiring.remove(order.expireS, order.seq)
    this.#refreshSwitch(order.account)
  }

  get #leastBound(): number {
    return Math.min(this.#bounds.side, this.#bounds.all)
  }

  #sortCrowds(): void {
    this.#areCrowdsSorted = true
    for (const market of this.#markets.values()) market.sortCrowds()
  }

  #unsortCrowds(): void {
    this.#areCrowdsSorted = false
    for (const market of this.#markets.values()) market.unsortCrowds()
  }

  #bury(order: RestingOrder): void {
    this.market(order.market).bury(order)
    order.account.living--
    if (order.expireS !== 0) this.#expiring.remove(order.expireS, order.seq)
    this.#keepDead(order)
    this.#refreshSwitch(order.account)
  }

  #unbury(order: RestingOrder): void {
    this.market(order.market).unbury(order)
    order.account.living++
    if (order.expireS !== 0) this.#expiring.insert(order.expireS, order.seq, order)
    this.#dropDead(order)
    this.#refreshSwitch(order.account)
  }

  #keepDead(order: RestingOrder): void {
    if (order.rests) this.#dead.insert(order.seq, 0, order)
  }

  #dropDead(order: RestingOrder): void {
    if (order.rests) this.#dead.remove(order.seq, 0)
  }

  #exchange(order: RestingOrder, by: RestingOrder): void {
    const { account } = order
    by.level = order.level
    by.olderInLevel = order.olderInLevel
    by.newerInLevel = order.newerInLevel
    by.group = order.group
    by.olderInGroup = order.olderInGroup
    by.newerInGroup = order.newerInGroup
    by.olderOfOwner = order.olderOfOwner
    by.newerOfOwner = order.newerOfOwner
    account.setClientId(order, undefined)
    account.setClientId(by, by)
    account.put(by)
    this.market(order.market).exchange(order, by)
    if (order.expireS !== 0) this.#expiring.remove(order.expireS, order.seq)
    if (by.expireS !== 0) this.#expiring.insert(by.expireS, by.seq, by)
  }

  /** Holds an owner by its switch while it has orders that may die by it. */
  #refreshSwitch(account: AccountBook): void {
    const held = account.heldSwitch
    const seq = account.switchMs === 0 || account.living === 0 ? 0 : (account.oldest?.seq ?? 0)
    if (held === undefined && seq === 0) return
    if (held !== undefined) {
      if (held.seq === seq && held.switchMs === account.switchMs) return
      this.#switches.remove(held.switchMs, held.seq)
    }
    account.heldSwitch = seq === 0 ? undefined : { switchMs: account.switchMs, seq }
    if (seq !== 0) this.#switches.insert(account.switchMs, seq, account)
  }
}

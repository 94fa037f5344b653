/**
 * The order book: its core (70 % place, 25 % cancel, 5 % take, 10,000 orders resting), whole steps over a state in memory
 * without signatures, and 100,000 resting orders in memory and rebuilt from state. By hand: node test/bench/clob.ts
 */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { FEE_COLLECTOR_ADDRESS } from '../../core/address.ts'
import { bytesToKey, uint32ToBytes, utf8ToBytes } from '../../core/bytes.ts'
import { sha256 } from '../../core/hash.ts'
import type { AccountBook } from '../../modules/clob/book/account-book.ts'
import { Books } from '../../modules/clob/book/books.ts'
import { RestingOrder } from '../../modules/clob/book/resting-order.ts'
import type { OpenOrder, Side } from '../../modules/clob/domain/order.ts'
import { runClobStep, type BatchItem } from '../../modules/clob/matching/index.ts'
import { buy, cancelSeq, sell, testLedger, World } from '../../modules/clob/matching/testing/world.ts'
import type { Action } from '../../modules/clob/orders/clob-tx.ts'
import { Overlay } from '../../store/overlay.ts'
import { Random } from '../sim/random.ts'

const NO_ID = new Uint8Array(0)
const RESTING = 10_000
const MIDDLE = 100_000
const SPREAD = 500

const timed = <Result>(name: string, count: number, work: () => Result): Result => {
  const startedCpu = process.threadCpuUsage()
  const started = performance.now()
  const result = work()
  const ms = performance.now() - started
  const { user, system } = process.threadCpuUsage(startedCpu)
  const cpuMs = (user + system) / 1000
  const rate = Math.round((count / cpuMs) * 1000).toLocaleString('en')
  console.log(
    `${name.padEnd(58)} ${ms.toFixed(1).padStart(8)} ms  (cpu ${cpuMs.toFixed(1).padStart(8)} ms)  ${rate.padStart(11)}/s`,
  )
  return result
}

const ownerOf = (index: number): Uint8Array => sha256(uint32ToBytes(index)).slice(0, 20)

const orderOf = (seq: number, owner: Uint8Array, side: Side, priceTicks: number): OpenOrder => ({
  market: 1,
  seq,
  owner,
  subaccount: 0,
  side,
  tif: 'gtc',
  priceTicks,
  lots: 10,
  left: 10,
  lockedPpm: 0,
  clientId: NO_ID,
  expireS: 0,
  triggerTicks: 0,
  triggerKind: 'none',
  stp: 'cancel_maker',
  maxFills: 20,
  postOnlyMode: 'reject',
})

/** The data structure alone: no checks, no money, no state; with the log by which it is undone. */
class Core {
  readonly books = new Books()
  readonly market = this.books.market(1)
  readonly #random = new Random(1)
  readonly #accounts: AccountBook[]
  readonly #resting: RestingOrder[] = []
  #seq = 0

  constructor() {
    const owners = Array.from({ length: 1_000 }, (_, index) => ownerOf(index))
    this.#accounts = owners.map((owner) => this.books.openAccount(owner, bytesToKey(owner), 0))
  }

  place(): void {
    const side = this.#random.below(2) === 0 ? 'buy' : 'sell'
    const off = 1 + this.#random.below(SPREAD)
    const account = this.#random.pick(this.#accounts)
    const priceTicks = side === 'buy' ? MIDDLE - off : MIDDLE + off
    const order = new RestingOrder(orderOf(++this.#seq, account.owner, side, priceTicks), account)
    this.books.insert(order)
    this.#resting.push(order)
  }

  cancel(): void {
    for (;;) {
      const at = this.#random.below(this.#resting.length)
      const order = this.#resting[at] as RestingOrder
      this.#resting[at] = this.#resting.at(-1) as RestingOrder
      this.#resting.pop()
      if (this.market.orders.get(order.seq) !== order) continue
      this.books.remove(order)
      return
    }
  }

  /** Nine orders: as many as are placed and not cancelled, so that the book keeps its size. */
  take(): void {
    const side = this.market.side(this.#random.below(2) === 0 ? 'buy' : 'sell')
    for (let left = 90; left > 0; ) {
      const maker = side.best?.oldest
      if (maker === undefined) return
      const lots = Math.min(left, maker.left)
      left -= lots
      if (lots === maker.left) this.books.remove(maker)
      else this.books.setLeft(maker, maker.left - lots)
    }
  }

  run(operations: number): void {
    for (let at = 0; at < operations; at++) {
      const kind = this.#random.below(100)
      if (kind < 70) this.place()
      else if (kind < 95) this.cancel()
      else this.take()
    }
  }

  settle(): void {
    const changes = this.books.takeLog()
    const { version } = this.books
    this.books.apply({ height: version + 1, version, changes, orders: new Map(), nonces: [], marks: [] })
  }
}

const benchCore = (): void => {
  const core = new Core()
  for (let at = 0; at < RESTING; at++) core.place()
  core.settle()
  core.run(200_000)
  core.settle()
  const operations = 40_000
  for (let round = 0; round < 5; round++) {
    timed(`core: place, cancel, take (${core.market.orders.size} resting)`, operations, () => core.run(operations))
    timed('  undone and made again', operations, () => core.settle())
  }
}

const OWNERS = 1_000
const traders = Array.from({ length: OWNERS }, (_, index) => `trader ${index}`)

const worldWith = (orders: number): World => {
  const world = new World([{ fees: [{ volume: 0n, makerPpm: 100, takerPpm: 300 }] }])
  world.setParameters({ maxOpenOrders: 5_000 })
  for (const name of traders) world.fund(name, { base: 10n ** 15n, quote: 10n ** 15n })
  world.setMarket({ maxOpenOrders: 5_000, fees: [{ volume: 0n, makerPpm: 100, takerPpm: 300 }] })
  const random = new Random(2)
  for (let placed = 0; placed < orders; placed += 10_000) {
    const items = Array.from({ length: Math.min(10_000, orders - placed) }, () =>
      world.item({ from: random.pick(traders), actions: [anyPlace(random)] }),
    )
    world.commit(items)
  }
  return world
}

const anyPlace = (random: Random): Action => {
  const off = 1 + random.below(SPREAD)
  const changes = { clientId: random.below(4) === 0 ? utf8ToBytes(`c${random.below(1_000_000_000)}`) : NO_ID }
  return random.below(2) === 0 ? buy(10, MIDDLE - off, changes) : sell(10, MIDDLE + off, changes)
}

const runDiscarded = (world: World, name: string, count: number, items: readonly BatchItem[]): void => {
  for (let round = 0; round < 3; round++) {
    const state = new Overlay(world.state)
    const { height, timeMs } = world
    const context = {
      state,
      height,
      timeMs,
      ledger: testLedger,
      feeCollector: FEE_COLLECTOR_ADDRESS,
      emit: () => undefined,
    }
    timed(name, count, () => runClobStep(world.books, context, items))
  }
}

const benchSteps = (): void => {
  const world = worldWith(RESTING)
  const random = new Random(3)
  const seqs = [...world.books.market(1).orders.values()]
  const mixed = Array.from({ length: 10_000 }, () => {
    const kind = random.below(100)
    if (kind < 70) return world.item({ from: random.pick(traders), actions: [anyPlace(random)] })
    if (kind < 95) {
      const order = random.pick(seqs)
      const item = world.item({
        from: traders[0] as string,
        actions: [cancelSeq(order.seq)],
        changes: { owner: order.owner },
      })
      return item
    }
    return world.item({ from: random.pick(traders), actions: [buy(85, MIDDLE + SPREAD, { tif: 'ioc' })] })
  })
  runDiscarded(world, 'step: 10,000 ClobTx (place, cancel, take)', 10_000, mixed)
  const full = Array.from({ length: 780 }, () =>
    world.item({ from: random.pick(traders), actions: Array.from({ length: 50 }, () => anyPlace(random)) }),
  )
  runDiscarded(world, 'step: 39,000 places, 50 a ClobTx', 39_000, full)
  const takers = Array.from({ length: 1_950 }, () =>
    world.item({ from: random.pick(traders), actions: [buy(200, MIDDLE + SPREAD, { tif: 'ioc' })] }),
  )
  const deep = worldWith(80_000)
  runDiscarded(deep, 'step: 1,950 takers of 20 fills each', 39_000, takers)
}

/** Bytes of objects that are in use: one collection frees what the next one can let go. */
const usedBytes = (): number => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round++) collect()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

const benchMemory = (): void => {
  const world = worldWith(100_000)
  const orders = world.books.market(1).orders.size
  const before = usedBytes()
  const rebuilt = timed(`${orders} orders rebuilt from state`, orders, () => Books.load(world.state))
  const bytes = usedBytes() - before
  console.log(`  ${rebuilt.market(1).orders.size} orders: ${(bytes / 1e6).toFixed(1)} MB of memory`)
}

benchCore()
benchSteps()
benchMemory()

/** What must hold after any step, whatever the seed: the design's properties 1 to 5, over worlds and records. */
import type { Action } from '../../../modules/clob/orders/clob-tx.ts'
import { weightOf } from './checks.ts'
import { isDead } from './dead.ts'
import { highestPpm, lockOf, notionalOf, roundUp } from './money.ts'
import type { ModelItem, ModelOutcome, ModelQueued } from './step.ts'
import type { ModelRecord } from './records.ts'
import { marketOf, type ModelOrder, type World } from './world.ts'

const PPM = 1_000_000n

const fail = (text: string): never => {
  throw new RangeError(text)
}

const sumBy = (entries: Iterable<readonly [string, bigint]>): Map<string, bigint> => {
  const sums = new Map<string, bigint>()
  for (const [key, amount] of entries) sums.set(key, (sums.get(key) ?? 0n) + amount)
  return sums
}

/** The totals of all owners, the escrow and the fee collector, by denomination. */
const totals = (world: World): Map<string, bigint> =>
  sumBy([
    ...[...world.balances].map(([key, amount]) => [key.split(' ')[1] ?? '', amount] as const),
    ...world.escrow,
    ...world.fees,
  ])

const checkMoney = (before: World, after: World): void => {
  const old = totals(before)
  for (const [denom, amount] of totals(after)) {
    if ((old.get(denom) ?? 0n) !== amount) fail(`${denom}: ${old.get(denom)} before the step, ${amount} after`)
  }
  const locks = sumBy(after.orders.map((order) => lockOf(marketOf(after, order.market), order)))
  for (const [denom, amount] of after.escrow) {
    if ((locks.get(denom) ?? 0n) !== amount) fail(`escrow of ${denom} is ${amount}, locks are ${locks.get(denom)}`)
  }
  for (const amounts of [after.balances, after.escrow, after.fees]) {
    for (const [key, amount] of amounts) if (amount < 0n) fail(`${key} is ${amount}`)
  }
}

const checkBook = (after: World): void => {
  for (const market of after.markets) {
    const resting = after.orders.filter(
      (order) =>
        order.market === market.id &&
        order.triggerKind === 'none' &&
        !isDead({ world: after, timeMs: after.timeMs }, order),
    )
    const bids = resting.filter(({ side }) => side === 'buy').map(({ price }) => price)
    const asks = resting.filter(({ side }) => side === 'sell').map(({ price }) => price)
    for (const bid of bids) if (asks.some((ask) => ask <= bid)) fail(`market ${market.id} is crossed at ${bid}`)
    for (const order of resting) {
      if (order.tif === 'ioc' || order.tif === 'fok') fail(`order ${order.seq} rests and is ${order.tif}`)
    }
  }
  for (const order of after.orders) {
    if (order.left <= 0n || order.left > order.lots) fail(`order ${order.seq} has ${order.left} of ${order.lots} left`)
  }
}

type Fees = Pick<ModelRecord & { kind: 'fill' }, 'makerFee' | 'makerRebate' | 'takerFee'>
type Locked = Pick<ModelOrder, 'lockedPpm'>

/** Nobody pays more than the highest fee of the market when the order was placed; a rebate is a part of what the taker pays. */
const checkFees = (notional: bigint, fees: Fees, maker: Locked, taker: Locked): void => {
  const most = ({ lockedPpm }: Locked): bigint => roundUp(notional * lockedPpm, PPM)
  if (fees.makerFee > most(maker)) fail(`a maker pays ${fees.makerFee}, at most ${most(maker)}`)
  if (fees.takerFee > most(taker)) fail(`a taker pays ${fees.takerFee}, at most ${most(taker)}`)
  if (fees.makerRebate > fees.takerFee) fail(`a rebate of ${fees.makerRebate} of a fee of ${fees.takerFee}`)
}

/** Filled + remaining + cancelled = original; FOK is all or nothing; nobody trades with himself; nobody pays more than its limit. */
const checkRecords = (before: World, after: World, records: readonly ModelRecord[]): void => {
  const known = new Map<bigint, Pick<ModelOrder, 'owner' | 'side' | 'price' | 'tif' | 'lockedPpm'> & { left: bigint }>()
  for (const order of before.orders) known.set(order.seq, { ...order })
  const orderOf = (seq: bigint) => known.get(seq) ?? fail(`order ${seq} is in a record and was never placed`)
  for (const record of records) {
    if (record.kind === 'placed') {
      // What keeps its number keeps the fee that it agreed to.
      const lockedPpm = known.get(record.seq)?.lockedPpm ?? highestPpm(marketOf(before, record.market))
      known.set(record.seq, { ...record, lockedPpm, left: record.lots })
    } else if (record.kind === 'removed') orderOf(record.seq).left -= record.left
    else {
      const [maker, taker] = [orderOf(record.makerSeq), orderOf(record.takerSeq)]
      maker.left -= record.lots
      taker.left -= record.lots
      if (maker.owner === taker.owner) fail(`${maker.owner} trades with himself`)
      if (taker.tif === 'post_only') fail(`post-only order ${record.takerSeq} takes`)
      checkFees(notionalOf(marketOf(before, record.market), record.price, record.lots), record, maker, taker)
      for (const order of [maker, taker]) {
        const isWorse = order.side === 'buy' ? record.price > order.price : record.price < order.price
        if (isWorse) fail(`a fill at ${record.price} of an order limited to ${order.price}`)
      }
    }
  }
  for (const [seq, { left, tif }] of known) {
    const open = after.orders.find((order) => order.seq === seq)?.left ?? 0n
    if (left !== open) fail(`order ${seq}: ${left} left by its records, ${open} in the book`)
    const removed = records.some((record) => record.kind === 'removed' && record.seq === seq)
    const filled = records.some((record) => record.kind === 'fill' && record.takerSeq === seq)
    if (tif === 'fok' && removed && filled) fail(`FOK ${seq} is filled in part`)
  }
}

/** Property 4 of continuous markets: no live order that stands before the maker of a fill was passed over. */
const checkPriority = (before: World, records: readonly ModelRecord[], mayBeDead: ReadonlySet<bigint>): void => {
  const open: Pick<ModelOrder, 'seq' | 'market' | 'side' | 'price'>[] = before.orders.filter(
    ({ triggerKind }) => triggerKind === 'none',
  )
  const left = new Map(before.orders.map((order) => [order.seq, order.left]))
  const take = (seq: bigint, lots: bigint): void => {
    left.set(seq, (left.get(seq) ?? 0n) - lots)
  }
  for (const record of records) {
    if (record.kind === 'removed') take(record.seq, record.left)
    else if (record.kind === 'placed') {
      left.set(record.seq, record.lots)
      open.push(record)
    } else if (marketOf(before, record.market).mode === 'continuous') {
      const maker =
        open.find(({ seq }) => seq === record.makerSeq) ?? fail(`maker ${record.makerSeq} is not in the book`)
      const passed = open.find(
        (order) =>
          order.market === maker.market &&
          order.side === maker.side &&
          order.seq !== maker.seq &&
          !mayBeDead.has(order.seq) &&
          (left.get(order.seq) ?? 0n) > 0n &&
          (maker.side === 'sell' ? order.price < maker.price : order.price > maker.price),
      )
      const earlier = open.find(
        (order) =>
          order.market === maker.market &&
          order.side === maker.side &&
          order.price === maker.price &&
          order.seq < maker.seq &&
          !mayBeDead.has(order.seq) &&
          (left.get(order.seq) ?? 0n) > 0n,
      )
      if (record.price !== maker.price) fail(`a fill at ${record.price} of a maker at ${maker.price}`)
      if (passed !== undefined || earlier !== undefined)
        fail(`maker ${maker.seq} is filled before ${(passed ?? earlier)?.seq}`)
      take(record.makerSeq, record.lots)
      take(record.takerSeq, record.lots)
    }
  }
}

/** Property 11: what is met was paid for, by batch, queue or the weight that triggers have. */
const checkWork = (
  { limits }: World,
  batch: readonly ModelItem[],
  queue: readonly ModelQueued[],
  { fills }: ModelOutcome,
): void => {
  const paid =
    batch.reduce((sum, { tx }) => sum + (tx === undefined ? 0 : weightOf(tx)), 0) +
    queue.reduce((sum, { action }) => sum + weightOf({ actions: [action] }), 0)
  if (fills.length > paid + limits.triggerWeight) fail(`${fills.length} fills, of which ${paid} were paid for`)
}

const DEATHS: readonly string[] = ['expired', 'cancelledAll', 'switchPassed']

/** Orders that are dead at the end, or went so, and those of owners who cancelled all in the step. */
const deadOf = (before: World, records: readonly ModelRecord[], after: World): ReadonlySet<bigint> => {
  const { timeMs } = after
  const known = new Map(before.orders.map(({ seq, owner }) => [seq, owner]))
  for (const record of records) if (record.kind === 'placed') known.set(record.seq, record.owner)
  const gone = records.flatMap((record) =>
    record.kind === 'removed' && DEATHS.includes(record.reason) ? [record.seq] : [],
  )
  const owners = new Set(gone.map((seq) => known.get(seq)))
  const dead = [
    ...before.orders.filter((order) => isDead({ world: before, timeMs }, order)),
    ...after.orders.filter((order) => isDead({ world: after, timeMs }, order)),
  ]
  return new Set([
    ...dead.map(({ seq }) => seq),
    ...[...known].flatMap(([seq, owner]) => (owners.has(owner) ? [seq] : [])),
  ])
}

const hasTrigger = (action: Action | undefined): boolean =>
  (action?.kind === 'place' || action?.kind === 'replace') && action.place.triggerKind !== 'none'

/** Orders that batch and contracts placed with a trigger: they stand in no level. */
const triggersOf = (
  batch: readonly ModelItem[],
  queue: readonly ModelQueued[],
  outcome: ModelOutcome,
): ReadonlySet<bigint> => {
  const ofBatch = outcome.results.flatMap((result, at) =>
    result.actions.flatMap(({ seq }, index) => (hasTrigger(batch[at]?.tx?.actions[index]) ? [seq] : [])),
  )
  const ofQueue = outcome.queued.flatMap(({ seq }, at) => (hasTrigger(queue[at]?.action) ? [seq] : []))
  return new Set([...ofBatch, ...ofQueue])
}

/** Throws a RangeError that says which promise was broken. */
export const checkStep = (
  before: World,
  { batch, queue }: { readonly batch: readonly ModelItem[]; readonly queue: readonly ModelQueued[] },
  outcome: ModelOutcome,
): void => {
  const records = [...outcome.results.flatMap((result) => result.records), ...outcome.after]
  checkMoney(before, outcome.world)
  checkBook(outcome.world)
  checkRecords(before, outcome.world, records)
  checkWork(before, batch, queue, outcome)
  const triggers = triggersOf(batch, queue, outcome)
  const levels = records.filter((record) => record.kind !== 'placed' || !triggers.has(record.seq))
  checkPriority(before, levels, deadOf(before, records, outcome.world))
}

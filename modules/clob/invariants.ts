/** What must hold of the order book's state after every block: checked in tests, simulation and of a genesis. */
import { DENOMINATION } from '../../core/amounts.ts'
import { bytesToKey, equalBytes } from '../../core/bytes.ts'
import { encodeBech32 } from '../../core/bech32.ts'
import type { StateReader } from '../../store/state.ts'
import type { Invariant } from '../module.ts'
import type { ClobDependencies } from './deps.ts'
import { ORDER_BOUNDS, type OrderBounds } from './book/crowd.ts'
import type { ClobAccount } from './domain/account.ts'
import { requiredLock } from './domain/lock.ts'
import { doesFloorName } from './book/account-book.ts'
import type { OpenOrder } from './domain/order.ts'
import { MAX_QUEUE_WEIGHT } from './domain/queue.ts'
import {
  CLOB_ACCOUNT,
  listMarkets,
  readAccount,
  readNextSeq,
  readParameters,
  readQueue,
  readQueuedTotals,
  readRecord,
  readTimeMs,
  scanAccounts,
  scanAgentAddresses,
  scanAgents,
  scanOrders,
  scanOrphans,
} from './keeper/index.ts'
import { decodeAction } from './orders/decode-action.ts'
import { weightOf } from './orders/phase-and-weight.ts'
import { parametersFault } from './params.ts'

const addTo = <Key>(sums: Map<Key, bigint>, key: Key, amount: bigint): void => {
  sums.set(key, (sums.get(key) ?? 0n) + amount)
}

/** Anybody can push NAT into the account by the EVM; other denominations come in by orders alone. */
const escrowFault = (state: StateReader, { ledger }: Pick<ClobDependencies, 'ledger'>): string | undefined => {
  const locks = new Map<string, bigint>()
  for (const market of listMarkets(state)) {
    addTo(locks, market.baseDenom, 0n)
    addTo(locks, market.quoteDenom, 0n)
    for (const order of scanOrders(state, market.id)) {
      const { denom, amount } = requiredLock(market, order)
      addTo(locks, denom, amount)
    }
  }
  for (const [denom, locked] of locks) {
    const held = ledger.balance(state, CLOB_ACCOUNT, denom)
    if (held < locked || (held > locked && denom !== DENOMINATION)) {
      return `the account holds ${held}${denom}, open orders have locked ${locked}${denom}`
    }
  }
  return undefined
}

const marketCountFault = (state: StateReader, counts: Map<string, bigint>): string | undefined => {
  const next = readNextSeq(state)
  for (const { id } of listMarkets(state)) {
    let open = 0
    for (const { seq, owner } of scanOrders(state, id)) {
      if (seq >= next) return `order ${seq} of market ${id} is open, but ${next} is the next one`
      addTo(counts, bytesToKey(owner), 1n)
      open++
    }
    const recorded = readRecord(state, id)?.openOrders
    if (recorded !== open) return `market ${id} has ${open} open orders, its record says ${recorded}`
  }
  return undefined
}

const countFault = (state: StateReader): string | undefined => {
  const counts = new Map<string, bigint>()
  const fault = marketCountFault(state, counts)
  if (fault !== undefined) return fault
  for (const { owner, account } of scanAccounts(state)) {
    const key = bytesToKey(owner)
    const open = counts.get(key) ?? 0n
    if (open !== BigInt(account.openOrders)) {
      return `${encodeBech32(owner)} has ${open} open orders, its account says ${account.openOrders}`
    }
    counts.delete(key)
  }
  return counts.size === 0 ? undefined : `${counts.size} owners of open orders have no account`
}

const MS_PER_SECOND = 1_000

const isDead = (order: OpenOrder, { switchMs, floors }: ClobAccount, timeMs: number): boolean =>
  (order.expireS !== 0 && order.expireS * MS_PER_SECOND <= timeMs) ||
  (switchMs !== 0 && switchMs <= timeMs) ||
  floors.some((floor) => order.seq < floor.nextSeq && doesFloorName(floor, order))

/** Orders of the sides of a market that are not dead. */
const livingOrders = (state: StateReader, market: number): { readonly buy: number; readonly sell: number } => {
  const timeMs = readTimeMs(state)
  const accounts = new Map<string, ClobAccount>()
  const living = { buy: 0, sell: 0 }
  for (const order of scanOrders(state, market)) {
    const key = bytesToKey(order.owner)
    const account = accounts.get(key) ?? readAccount(state, order.owner)
    accounts.set(key, account)
    if (!isDead(order, account, timeMs)) living[order.side]++
  }
  return living
}

/** The bounds of docs/clob-spec.md, Room: no step leaves more than these, so that no genesis may bring more. */
export const roomFault = (state: StateReader, bounds: OrderBounds = ORDER_BOUNDS): string | undefined => {
  let all = 0
  for (const { id } of listMarkets(state)) {
    const open = readRecord(state, id)?.openOrders ?? 0
    all += open
    // Most markets have fewer on both sides together, dead ones too.
    if (open <= bounds.side) continue
    const living = livingOrders(state, id)
    for (const side of ['buy', 'sell'] as const) {
      if (living[side] <= bounds.side) continue
      return `market ${id} has ${living[side]} orders to ${side} that are not dead, more than ${bounds.side}`
    }
  }
  return all > bounds.all ? `${all} orders are open, more than ${bounds.all}` : undefined
}

const orphanFault = (state: StateReader): string | undefined => {
  const known = new Set(listMarkets(state).map(({ id }) => id))
  for (const market of scanOrphans(state, known)) return `an order is open in market ${market}, which does not exist`
  return undefined
}

const queueFault = (state: StateReader): string | undefined => {
  if (readQueuedTotals(state).count > 0) return 'what contracts queued in a block was not put into the queue at its end'
  const weight = weightOf(readQueue(state).map(({ action }) => decodeAction(action)))
  return weight > MAX_QUEUE_WEIGHT ? `the queue weighs ${weight}, more than ${MAX_QUEUE_WEIGHT}` : undefined
}

/** Both are by owner and address. */
const agentFault = (state: StateReader): string | undefined => {
  const listed = scanAgentAddresses(state)
  for (const { owner, address } of scanAgents(state)) {
    const next = listed.next().value
    if (next !== undefined && equalBytes(next.owner, owner) && equalBytes(next.address, address)) continue
    return `the agent ${encodeBech32(address)} of ${encodeBech32(owner)} is not in the list of its owner`
  }
  const further = listed.next().value
  return further === undefined
    ? undefined
    : `${encodeBech32(further.owner)} has no agent ${encodeBech32(further.address)}`
}

export const clobInvariants = (dependencies: Pick<ClobDependencies, 'ledger'>): readonly Invariant[] => [
  { name: 'clob/parameters-in-range', check: ({ state }) => parametersFault(readParameters(state)) },
  { name: 'clob/orders-are-of-markets', check: ({ state }) => orphanFault(state) },
  { name: 'clob/counts-are-those-of-orders', check: ({ state }) => countFault(state) },
  { name: 'clob/orders-have-room', check: ({ state }) => roomFault(state) },
  { name: 'clob/agents-are-listed', check: ({ state }) => agentFault(state) },
  { name: 'clob/queue-is-bounded', check: ({ state }) => queueFault(state) },
  { name: 'clob/escrow-is-what-orders-lock', check: ({ state }) => escrowFault(state, dependencies) },
]

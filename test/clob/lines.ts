/** All that a step leaves, as one line for each thing: of the model's world, and of the state that the engine wrote. */
import { FEE_COLLECTOR_ADDRESS } from '../../core/address.ts'
import { bytesToUnprefixedHex } from '../../core/bytes.ts'
import { createLedger } from '../../modules/bank/index.ts'
import * as keeper from '../../modules/clob/keeper/index.ts'
import type { StateReader } from '../../store/state.ts'
import { encodeModelOrder, bookRoot } from './model/root.ts'
import { isDead } from './model/dead.ts'
import { recordsHash, type ModelRecord, type Reason } from './model/records.ts'
import type { ModelOrder, World } from './model/world.ts'
import { addressOf, DENOMS, OWNERS } from './traffic.ts'

export type Lines = ReadonlyMap<string, string>

export const LEDGER = createLedger({ isBlockedReceiver: () => false })
/** The days of volumes: the newest one and the 30 before. */
const DAYS = 31n

/** The best price of the orders that are not dead. */
const best = (orders: readonly ModelOrder[], side: 'buy' | 'sell'): bigint =>
  orders
    .filter((order) => order.side === side && order.triggerKind === 'none')
    .map(({ price }) => price)
    .reduce((a, b) => (a === 0n || (side === 'buy' ? b > a : b < a) ? b : a), 0n)

const volumeLines = (world: World, lines: Map<string, string>): void => {
  const keys = [...new Set(world.trades.map(({ owner, denom }) => `${owner} ${denom}`))]
  for (const key of keys) {
    const own = world.trades.filter(({ owner, denom }) => `${owner} ${denom}` === key)
    const last = own.reduce((newest, { day }) => (day > newest ? day : newest), 0n)
    const sums = Array.from({ length: Number(DAYS) }, (_, ago) =>
      own.filter(({ day }) => day === last - BigInt(ago)).reduce((sum, { notional }) => sum + notional, 0n),
    )
    lines.set(`volume ${key}`, `${last}: ${sums.join(' ')}`)
  }
}

const byHeight = (
  lines: Map<string, string>,
  kind: string,
  entries: readonly { readonly height: number; readonly text: string }[],
): void => {
  for (const { height, text } of entries) {
    const key = `${kind} ${height}`
    lines.set(key, `${lines.get(key) ?? ''}${text}; `)
  }
}

const amountLines = (lines: Map<string, string>, kind: string, amounts: ReadonlyMap<string, bigint>): void => {
  for (const [key, amount] of amounts) if (amount !== 0n) lines.set(`${kind} ${key}`, `${amount}`)
}

/** `after` are the records of the last step that no transaction made. */
export const linesOfWorld = (
  world: World,
  after: readonly ModelRecord[],
  reasonNumber: (reason: Reason) => number,
): Lines => {
  const lines = new Map<string, string>()
  lines.set('next', `${world.nextSeq}`)
  lines.set('time', `${world.timeMs}`)
  lines.set('after', after.length === 0 ? 'none' : recordsHash(after, reasonNumber))
  for (const market of world.markets) {
    const orders = world.orders.filter((order) => order.market === market.id)
    const living = orders.filter((order) => !isDead({ world, timeMs: world.timeMs }, order))
    const top = `${best(living, 'buy')} ${best(living, 'sell')} ${orders.length} ${bookRoot(orders)}`
    const { sequence, blockPrice, priceMs, sinceMs } = market
    lines.set(`record ${market.id}`, `${sequence} ${blockPrice} ${priceMs} ${sinceMs} ${top}`)
    for (const order of orders) lines.set(`order ${market.id} ${order.seq}`, encodeModelOrder(order))
  }
  const owners = new Set([...world.accounts.keys(), ...world.orders.map(({ owner }) => owner)])
  for (const owner of owners) {
    const account = world.accounts.get(owner)
    const count = world.orders.filter((order) => order.owner === owner).length
    const floors = account?.floors.map(
      (floor) => `${floor.subaccount ?? 'all'}/${floor.market}/${floor.side ?? 'both'}<${floor.nextSeq}`,
    )
    const text = `${count} ${account?.switchMs ?? 0n} ${floors?.join(' ') ?? ''}`
    if (text !== '0 0 ') lines.set(`account ${owner}`, text)
  }
  byHeight(
    lines,
    'nonces',
    world.nonces.map(({ height, signer, nonceMs }) => ({ height, text: `${signer} ${nonceMs}` })),
  )
  byHeight(
    lines,
    'marks',
    world.marks.map((mark) => ({
      height: mark.height,
      text: `${mark.owner} ${mark.subaccount} ${mark.market} ${mark.side ?? 'both'} ${mark.clientId} ${mark.nonceMs} ${mark.goodTilBlock}`,
    })),
  )
  volumeLines(world, lines)
  amountLines(lines, 'balance', world.balances)
  amountLines(lines, 'escrow', world.escrow)
  amountLines(lines, 'fees', world.fees)
  return lines
}

const hexOf = bytesToUnprefixedHex

const marketLines = (state: StateReader, lines: Map<string, string>): void => {
  for (const { id } of keeper.listMarkets(state)) {
    const record = keeper.readRecord(state, id)
    if (record !== undefined) {
      const { sequence, blockPriceTicks, priceMs, sinceMs, bestBidTicks, bestAskTicks, openOrders, bookRoot } = record
      const top = `${bestBidTicks} ${bestAskTicks} ${openOrders} ${hexOf(bookRoot)}`
      lines.set(`record ${id}`, `${sequence} ${blockPriceTicks} ${priceMs} ${sinceMs} ${top}`)
    }
    for (const order of keeper.scanOrders(state, id)) {
      lines.set(`order ${id} ${order.seq}`, hexOf(keeper.encodeOrder(order)))
    }
  }
}

const ownerLines = (state: StateReader, lines: Map<string, string>): void => {
  for (const { owner, account } of keeper.scanAccounts(state)) {
    const floors = account.floors.map(
      (floor) => `${floor.subaccount ?? 'all'}/${floor.market}/${floor.side ?? 'both'}<${floor.nextSeq}`,
    )
    lines.set(`account ${hexOf(owner)}`, `${account.openOrders} ${account.switchMs} ${floors.join(' ')}`)
  }
  for (const { owner, denom, volume } of keeper.scanVolumes(state)) {
    lines.set(`volume ${hexOf(owner)} ${denom}`, `${volume.lastDay}: ${volume.sums.join(' ')}`)
  }
}

export const linesOfState = (state: StateReader): Lines => {
  const lines = new Map<string, string>()
  lines.set('next', `${keeper.readNextSeq(state)}`)
  lines.set('time', `${keeper.readTimeMs(state)}`)
  for (const [place, { owner }] of keeper.readQueue(state).entries()) lines.set(`queue ${place}`, hexOf(owner))
  const after = keeper.readAfter(state)
  lines.set('after', after === undefined ? 'none' : hexOf(after))
  marketLines(state, lines)
  ownerLines(state, lines)
  for (const [height, list] of keeper.scanNonces(state)) {
    byHeight(
      lines,
      'nonces',
      list.map(({ signer, nonceMs }) => ({ height, text: `${hexOf(signer)} ${nonceMs}` })),
    )
  }
  for (const [height, list] of keeper.scanMarks(state)) {
    byHeight(
      lines,
      'marks',
      list.map((mark) => ({
        height,
        text: `${hexOf(mark.owner)} ${mark.subaccount} ${mark.market} ${mark.side ?? 'both'} ${hexOf(mark.clientId)} ${mark.nonceMs} ${mark.goodTilBlock}`,
      })),
    )
  }
  const balances = new Map<string, bigint>()
  for (const owner of OWNERS) {
    for (const denom of DENOMS) balances.set(`${owner} ${denom}`, LEDGER.balance(state, addressOf(owner), denom))
  }
  amountLines(lines, 'balance', balances)
  const held = (address: Uint8Array): Map<string, bigint> =>
    new Map(DENOMS.map((denom) => [denom, LEDGER.balance(state, address, denom)]))
  amountLines(lines, 'escrow', held(keeper.CLOB_ACCOUNT))
  amountLines(lines, 'fees', held(FEE_COLLECTOR_ADDRESS))
  return lines
}

/** What differs, one line each. */
export const differences = (wanted: Lines, found: Lines): readonly string[] =>
  [...new Set([...wanted.keys(), ...found.keys()])]
    .filter((key) => wanted.get(key) !== found.get(key))
    .map((key) => `${key}: expected ${wanted.get(key) ?? 'nothing'}, got ${found.get(key) ?? 'nothing'}`)

/** What the events of a block say of orders: modules/clob/matching/step-events.ts writes them. */
import type { Address } from '../../core/address.ts'
import { parseAccountAddress } from '../../core/bech32.ts'
import { plainBytes } from '../../core/bytes.ts'
import { invariant } from '../../core/errors.ts'
import { type ClobTx, REMOVAL_REASONS, SIDE_CODES, TIF_CODES } from '../../modules/clob/index.ts'
import type { Event } from '../../modules/module.ts'

interface OfMarket {
  readonly market: number
  /** Sequence of the market's records. */
  readonly sequence: number
}

export interface Placed extends OfMarket {
  readonly kind: 'placed'
  readonly seq: number
  readonly owner: Address
  readonly subaccount: number
  readonly side: number
  readonly tif: number
  readonly priceTicks: number
  readonly lots: number
  readonly clientId: Uint8Array
}

export interface Filled extends OfMarket {
  readonly kind: 'fill'
  readonly makerSeq: number
  readonly takerSeq: number
  readonly priceTicks: number
  readonly lots: number
  readonly makerFee: bigint
  readonly makerRebate: bigint
  readonly takerFee: bigint
}

export interface Removed extends OfMarket {
  readonly kind: 'removed'
  readonly seq: number
  /** The lots that were cancelled. */
  readonly lots: number
  /** Number of nat.clob.v1.RemovalReason. */
  readonly reason: number
}

/** A placement with an id that failed. */
export interface Rejected {
  readonly kind: 'rejected'
  readonly owner: Address
  readonly subaccount: number
  readonly clientId: Uint8Array
  readonly market: number
  readonly side: number
  readonly tif: number
  readonly priceTicks: number
  readonly lots: number
  /** Error code of codespace clob. */
  readonly code: number
}

export type Happening = Placed | Filled | Removed | Rejected

class Attributes {
  readonly #values: ReadonlyMap<string, string>

  constructor({ attributes }: Event) {
    this.#values = new Map(attributes.map(({ key, value }) => [key, value]))
  }

  text(key: string): string {
    const value = this.#values.get(key)
    invariant(value !== undefined, `an event of the order book has ${key}`)
    return value
  }

  number(key: string): number {
    return Number(this.text(key))
  }

  code(key: string, codes: Readonly<Record<string, number>>): number {
    const code = codes[this.text(key)]
    invariant(code !== undefined, `${key} of an event of the order book is a known one`)
    return code
  }

  get ofMarket(): OfMarket {
    return { market: this.number('market'), sequence: this.number('sequence') }
  }
}

const READERS: Readonly<Record<string, (event: Attributes) => Happening>> = {
  order_placed: (event) => ({
    kind: 'placed',
    ...event.ofMarket,
    seq: event.number('order_seq'),
    owner: parseAccountAddress(event.text('owner')),
    subaccount: event.number('subaccount'),
    side: event.code('side', SIDE_CODES),
    tif: event.code('tif', TIF_CODES),
    priceTicks: event.number('price_ticks'),
    lots: event.number('lots'),
    clientId: plainBytes(Buffer.from(event.text('client_id'), 'hex')),
  }),
  fill: (event) => ({
    kind: 'fill',
    ...event.ofMarket,
    makerSeq: event.number('maker_seq'),
    takerSeq: event.number('taker_seq'),
    priceTicks: event.number('price_ticks'),
    lots: event.number('lots'),
    makerFee: BigInt(event.text('maker_fee')),
    makerRebate: BigInt(event.text('maker_rebate')),
    takerFee: BigInt(event.text('taker_fee')),
  }),
  order_removed: (event) => ({
    kind: 'removed',
    ...event.ofMarket,
    seq: event.number('order_seq'),
    lots: event.number('lots'),
    reason: event.code('reason', REMOVAL_REASONS),
  }),
}

/** Undefined for an event that changes no order. */
export const readHappening = (event: Event): Happening | undefined =>
  Object.hasOwn(READERS, event.type) ? READERS[event.type]?.(new Attributes(event)) : undefined

/** Undefined where the action places nothing, or nothing with an id. */
export const rejectedPlace = (
  { owner, subaccount, actions }: ClobTx,
  at: number,
  code: number,
): Rejected | undefined => {
  const action = actions[at]
  if (action?.kind !== 'place' && action?.kind !== 'replace') return undefined
  const { market, side, tif, priceTicks, qtyLots: lots, clientId } = action.place
  if (clientId.length === 0) return undefined
  const numbers = { side: SIDE_CODES[side], tif: TIF_CODES[tif], priceTicks, lots, code }
  return { kind: 'rejected', owner, subaccount, clientId, market, ...numbers }
}

/** Reads an event `order_rejected` of the transaction. */
export const readRejected = (event: Event, tx: ClobTx): Rejected | undefined => {
  const attributes = new Attributes(event)
  return rejectedPlace(tx, attributes.number('action'), attributes.number('code'))
}

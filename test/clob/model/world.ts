/**
 * What the slow model of the order book knows: plain arrays and maps, every amount a bigint. It is written from the design's text
 * alone and shares no function with modules/clob: only the shapes of a decoded transaction and of the enumerations are common.
 */
import type {
  PostOnlyMode,
  SelfTradePrevention,
  Side,
  TimeInForce,
  TriggerKind,
} from '../../../modules/clob/domain/order.ts'
import type { MarketMode, MarketStatus } from '../../../modules/clob/domain/market.ts'

/** Forty hexadecimal digits in lower case. */
export type Owner = string

export interface ModelTier {
  readonly volume: bigint
  readonly makerPpm: bigint
  readonly takerPpm: bigint
}

export interface ModelMarket {
  readonly id: number
  readonly baseDenom: string
  readonly quoteDenom: string
  readonly lotSize: bigint
  readonly factor: bigint
  fees: readonly ModelTier[]
  minNotional: bigint
  bandPpm: bigint
  maxOpenOrders: number
  triggerNotional: bigint
  status: MarketStatus
  mode: MarketMode
  /** 0 before the first. */
  blockPrice: bigint
  /** The number of records: one for each placed, fill and removed. */
  sequence: bigint
  priceMs: bigint
  sinceMs: bigint
}

export interface ModelOrder {
  readonly market: number
  readonly seq: bigint
  readonly owner: Owner
  subaccount: number
  readonly side: Side
  tif: TimeInForce
  price: bigint
  /** The lots that were placed. */
  lots: bigint
  left: bigint
  lockedPpm: bigint
  /** Hexadecimal; empty is none. */
  clientId: string
  expireS: bigint
  triggerTicks: bigint
  triggerKind: TriggerKind
  stp: SelfTradePrevention
  maxFills: number
  postOnlyMode: PostOnlyMode
}

export interface ModelFloor {
  readonly subaccount: number | undefined
  readonly market: number
  readonly side: Side | undefined
  readonly nextSeq: bigint
}

export interface ModelAccount {
  switchMs: bigint
  floors: ModelFloor[]
}

export interface ModelAgent {
  readonly owner: Owner
  readonly agent: Owner
  readonly expireS: bigint
  /** Empty is all. */
  readonly markets: readonly number[]
}

export interface ModelNonce {
  readonly height: number
  readonly signer: Owner
  readonly nonceMs: bigint
}

export interface ModelMark {
  readonly height: number
  readonly owner: Owner
  readonly subaccount: number
  readonly market: number
  readonly side: Side | undefined
  /** Empty in the mark of a CancelAll. */
  readonly clientId: string
  readonly nonceMs: bigint
  readonly goodTilBlock: number
}

export interface ModelTrade {
  readonly owner: Owner
  readonly denom: string
  readonly day: bigint
  readonly notional: bigint
}

export interface ModelLimits {
  maxActions: number
  maxOpenOrders: number
  maxTriggers: number
  triggerWeight: number
  maxRemovals: number
}

/** How many orders may be open: of a side of a market, and in all. */
export interface ModelBounds {
  readonly side: number
  readonly all: number
}

export interface World {
  limits: ModelLimits
  /** The bounds of the protocol, or smaller ones that runs reach. */
  bounds: ModelBounds
  nextSeq: bigint
  timeMs: bigint
  markets: ModelMarket[]
  /** The orders by order_seq, as they were placed. */
  orders: ModelOrder[]
  /** `owner denom` -> amount, of owners alone. */
  balances: Map<string, bigint>
  escrow: Map<string, bigint>
  /** What the fee collector has had from the book. */
  fees: Map<string, bigint>
  accounts: Map<Owner, ModelAccount>
  agents: ModelAgent[]
  nonces: ModelNonce[]
  marks: ModelMark[]
  trades: ModelTrade[]
}

/** The model's code of a refusal: a word, which the differential test compares with the name in the table of errors. */
export class Refusal extends Error {
  readonly code: string
  /** What is done although the action is refused. */
  readonly leave: () => void
  constructor(code: string, leave: () => void = () => undefined) {
    super(code)
    this.code = code
    this.leave = leave
  }
}

export const add = (map: Map<string, bigint>, key: string, amount: bigint): void => {
  const sum = (map.get(key) ?? 0n) + amount
  if (sum < 0n) throw new RangeError(`${key} would be ${sum}`)
  map.set(key, sum)
}

/** A copy that shares nothing which the model changes. */
export const copyWorld = (world: World): World => ({
  limits: { ...world.limits },
  bounds: world.bounds,
  nextSeq: world.nextSeq,
  timeMs: world.timeMs,
  markets: world.markets.map((market) => ({ ...market })),
  orders: world.orders.map((order) => ({ ...order })),
  balances: new Map(world.balances),
  escrow: new Map(world.escrow),
  fees: new Map(world.fees),
  accounts: new Map(
    [...world.accounts].map(([owner, account]) => [owner, { ...account, floors: [...account.floors] }]),
  ),
  agents: [...world.agents],
  nonces: [...world.nonces],
  marks: [...world.marks],
  trades: [...world.trades],
})

export const emptyWorld = (limits: ModelLimits): World => ({
  limits,
  bounds: { side: 100_000, all: 500_000 },
  nextSeq: 1n,
  timeMs: 0n,
  markets: [],
  orders: [],
  balances: new Map(),
  escrow: new Map(),
  fees: new Map(),
  accounts: new Map(),
  agents: [],
  nonces: [],
  marks: [],
  trades: [],
})

export const marketOf = (world: World, id: number): ModelMarket => {
  const market = world.markets.find((candidate) => candidate.id === id)
  if (market === undefined) throw new Refusal('unknownMarket')
  return market
}

export const accountOf = (world: World, owner: Owner): ModelAccount => {
  const found = world.accounts.get(owner)
  if (found !== undefined) return found
  const account: ModelAccount = { switchMs: 0n, floors: [] }
  world.accounts.set(owner, account)
  return account
}

/**
 * Whether an owner has what the markets ask of those who trade there (`min_equity`): an open order, or funds in one of the
 * markets that the actions of a transaction name. Each owner and market is looked at once for a state, and so is all else that every order asks.
 */
import type { Address } from '../../core/address.ts'
import { bytesToKey } from '../../core/bytes.ts'
import { readBalance } from '../../modules/bank/index.ts'
import {
  type Action,
  type ClobParameters,
  type ClobTx,
  listMarkets,
  longestClobTx,
  type Market,
  readParameters,
  readRecord,
} from '../../modules/clob/index.ts'
import type { StateReader } from '../../store/state.ts'
import { extensionCapBytes } from '../attestations/cap.ts'
import type { OrderBookReader } from './ports.ts'

/** 0 names all markets. */
export const marketOf = (action: Action): number => {
  if (action.kind === 'place' || action.kind === 'replace') return action.place.market
  return action.kind === 'scheduleCancel' ? 0 : action.market
}

interface PricedMarket {
  readonly market: Market
  /** 0 before the first. */
  readonly blockPriceTicks: bigint
  /** What each owner has there, as far as somebody asked. */
  readonly standings: Map<string, MarketStanding>
}

/** What an owner has in a market. */
interface MarketStanding {
  readonly hasMinEquity: boolean
  readonly hasFunds: boolean
}

const NOTHING: MarketStanding = { hasMinEquity: false, hasFunds: false }
const FUNDS_ALONE: MarketStanding = { hasMinEquity: false, hasFunds: true }
const MIN_EQUITY_ALONE: MarketStanding = { hasMinEquity: true, hasFunds: false }
const BOTH: MarketStanding = { hasMinEquity: true, hasFunds: true }

/** The most known owners of a market. Whoever sends under many names while no block comes must not fill the memory. */
const MAX_KNOWN_OWNERS = 50_000

export class Standings {
  readonly #state: StateReader
  readonly #books: OrderBookReader
  /** All that there are, by number; read when the first is asked for. */
  #markets: ReadonlyMap<number, PricedMarket> | undefined
  #parameters: ClobParameters | undefined
  #longestOrder: number | undefined

  constructor(state: StateReader, books: OrderBookReader) {
    this.#state = state
    this.#books = books
  }

  /** Whether votes attest the transaction. An open order is enough: whoever has one must be able to cancel it. */
  hasMinEquity(tx: ClobTx): boolean {
    // Most markets ask for nothing: then there is nothing to look at.
    if (this.#some(tx, ({ market }) => market.minEquity === 0n)) return true
    if (this.#books.hasOpenOrder(tx.owner, 0)) return true
    return this.#some(tx, (priced) => this.#of(tx.owner, priced).hasMinEquity)
  }

  /** Whether a full pool keeps it longer: its owner has at least something to lose, also where markets ask for nothing. */
  isFunded(tx: ClobTx): boolean {
    if (this.#books.hasOpenOrder(tx.owner, 0)) return true
    return this.#some(tx, (priced) => this.#of(tx.owner, priced) === BOTH)
  }

  get parameters(): ClobParameters {
    return (this.#parameters ??= readParameters(this.#state))
  }

  /** Bytes of the longest order that votes for block `height` can attest: that of the state's next block. */
  longestOrder(height: number): number {
    return (this.#longestOrder ??= longestClobTx(extensionCapBytes(this.#state, height)))
  }

  /** Undefined where there is none of this number. */
  market(id: number): Market | undefined {
    return this.#known().get(id)?.market
  }

  #known(): ReadonlyMap<number, PricedMarket> {
    return (this.#markets ??= readMarkets(this.#state))
  }

  /** Whether it holds of a market that an action names. */
  #some({ actions }: ClobTx, holds: (priced: PricedMarket) => boolean): boolean {
    const markets = this.#known()
    return actions.some((action) => {
      const id = marketOf(action)
      if (id === 0) return [...markets.values()].some(holds)
      const priced = markets.get(id)
      return priced !== undefined && holds(priced)
    })
  }

  #of(owner: Address, priced: PricedMarket): MarketStanding {
    const { standings } = priced
    const key = bytesToKey(owner)
    const known = standings.get(key)
    if (known !== undefined) return known
    if (standings.size >= MAX_KNOWN_OWNERS) standings.clear()
    const standing = this.#look(owner, priced)
    standings.set(key, standing)
    return standing
  }

  /** The standing of somebody without open orders, so that there is no escrow. */
  #look(owner: Address, { market, blockPriceTicks }: PricedMarket): MarketStanding {
    const quote = readBalance(this.#state, owner, market.quoteDenom)
    // Most markets ask for nothing: then one balance is enough to know.
    if (market.minEquity === 0n && quote > 0n) return BOTH
    const base = readBalance(this.#state, owner, market.baseDenom)
    const hasFunds = quote > 0n || base > 0n
    const equity = base === 0n ? quote : quote + (base / market.lotSize) * blockPriceTicks * market.factor
    if (equity >= market.minEquity) return hasFunds ? BOTH : MIN_EQUITY_ALONE
    return hasFunds ? FUNDS_ALONE : NOTHING
  }
}

const readMarkets = (state: StateReader): ReadonlyMap<number, PricedMarket> =>
  new Map(
    listMarkets(state).map((market) => {
      const blockPriceTicks = BigInt(readRecord(state, market.id)?.blockPriceTicks ?? 0)
      return [market.id, { market, blockPriceTicks, standings: new Map() }]
    }),
  )
